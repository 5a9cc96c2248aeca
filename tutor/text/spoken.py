"""Drawings in words, for a screen reader: a data flow as its steps, curves as a sentence each and a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tutor.text.flow_syntax import Flow, FlowError, parse
from tutor.text.i18n import _, ngettext
from tutor.text.sanitize import sanitize

if TYPE_CHECKING:
    from kernels.curve import Curve

MOST_ROWS = 9
"""Rows of a table of numbers: first, last, and some in between."""


def flow(source: str) -> tuple[str, ...]:
    """A data flow, a sentence for each block: what comes into it. What cannot be read is given as it is written."""
    try:
        read = parse(source)
    except FlowError:
        return (sanitize(source),)
    return _sentences(read)


def _sentences(read: Flow) -> tuple[str, ...]:
    counted = [sum(other.label == node.label for other in read.nodes) > 1 for node in read.nodes]
    names = [
        f"{node.label} {node.number}" if again else node.label for node, again in zip(read.nodes, counted, strict=True)
    ]
    names = [_("plus") if name == "+" else name.replace("+", _("plus")) for name in names]
    found = []
    for index, name in enumerate(names):
        sources = [names[start] for start, end in read.edges if end == index]
        if sources:
            found.append(_("{block} takes {inputs}.").format(block=name, inputs=_(" and ").join(sources)))
        else:
            found.append(_("It begins with {block}.").format(block=name))
    return tuple(found)


def curves(all_of_them: Sequence[Curve], title: str = "") -> tuple[str, ...]:
    """Curves as lines: the title, a sentence for each, and a table whose rows name what they hold."""
    lines = [sanitize(title, newlines=False)] if title else []
    count = ngettext("A plot of {n} curve.", "A plot of {n} curves.", len(all_of_them))
    lines.append(count.format(n=len(all_of_them)))
    lines += [_summary(curve) for curve in all_of_them]
    points = [dict(zip(curve.x, curve.y, strict=True)) for curve in all_of_them]
    every = sorted({x for found in points for x in found if math.isfinite(x)})
    chosen = _some(every)
    if chosen:
        lines.append(_("Values:"))
    named = next((curve.x_label for curve in all_of_them if curve.x_label), "x")
    for x in chosen:
        values = [
            f"{_label(curve)} {number(found[x])}"
            for curve, found in zip(all_of_them, points, strict=True)
            if x in found
        ]
        lines.append(f"{sanitize(named, newlines=False)} {number(x)}: " + ", ".join(values))
    return tuple(lines)


def number(value: float) -> str:
    """A number as it is read: not-a-number and infinity in words."""
    if math.isnan(value):
        return _("not a number")
    if math.isinf(value):
        return _("infinity") if value > 0 else _("minus infinity")
    return f"{value:.3g}"


def _label(curve: Curve) -> str:
    return sanitize(curve.label, newlines=False)


def _summary(curve: Curve) -> str:
    pairs = [(x, y) for x, y in zip(curve.x, curve.y, strict=True) if math.isfinite(y)]
    if not pairs:
        return _("{curve}: nothing that can be drawn.").format(curve=_label(curve))
    start, end = pairs[0][1], pairs[-1][1]
    low, high = min(y for _x, y in pairs), max(y for _x, y in pairs)
    whole = _("{curve}: from {start} at {first} to {end} at {last}; least {low}, greatest {high}.").format(
        curve=_label(curve), start=number(start), first=number(pairs[0][0]), end=number(end),
        last=number(pairs[-1][0]), low=number(low), high=number(high),
    )  # fmt: skip
    left_out = len(curve.y) - len(pairs)
    if left_out:
        lost = ngettext("{n} point overflowed.", "{n} points overflowed.", left_out).format(n=left_out)
        return f"{whole} {lost}"
    return whole


def _some(values: list[float]) -> list[float]:
    if len(values) <= MOST_ROWS:
        return values
    last = len(values) - 1
    return [values[round(index * last / (MOST_ROWS - 1))] for index in range(MOST_ROWS)]
