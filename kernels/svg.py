"""Curves as a picture of lines, in SVG: the same axes and names as the plot in the terminal. Needs no torch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

from kernels.curve import Curve
from kernels.drawable import Drawable, Run, drawable
from kernels.plot import key_text, rows_apart
from kernels.ticks import Axis, clean, linear_axis, log_axis, tight_log_axis

WIDTH, HEIGHT = 900, 520
LEFT, RIGHT, TOP, BOTTOM = 72, 190, 46, 58
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9")
"""Okabe and Ito's colours, which most colour-blind readers can tell apart, without the yellow, faint on white."""
DASHES = ("", "7 3", "2 3", "9 3 2 3", "12 4", "4 2")
"""A curve differs from its neighbours by its dashes too, for a picture printed without colours."""
STYLE = (
    "text{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:13px;fill:#222}.axis{stroke:#888;fill:none}"
)


def picture(
    curves: Iterable[Curve], *, log_x: bool = False, log_y: bool = False, title: str = "", not_drawn: str = "not drawn"
) -> str:
    """The curves as an SVG document. What cannot be drawn leaves a gap and is named, as in the terminal."""
    curves = list(curves)
    found = [drawable(curve, log_x, log_y) for curve in curves]
    bands = [_both(curve, log_x, log_y) for curve in curves]
    lines = [run for each, band in zip(found, bands, strict=True) for run in (*each.runs, *band)]
    points = [point for line in lines for point in line]
    y = _y_axis([point[1] for point in points], log_y)
    x = _x_axis([point[0] for point in points], log_x)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
        f"<style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        _text(LEFT, 24, title, size=16),
        *_axes(x, y, " / ".join(dict.fromkeys(clean(curve.x_label) for curve in curves if curve.x_label))),
    ]
    for i, (each, band) in enumerate(zip(found, bands, strict=True)):
        parts += _band(band, x, y, i)
        parts += _line(each, x, y, i)
    parts += _keys(curves, found, y)
    missing = "; ".join(f"{clean(c.label)} {d.missing}" for c, d in zip(curves, found, strict=True) if d.missing)
    if missing:
        parts.append(_text(LEFT, HEIGHT - 8, f"{not_drawn}: {missing}", size=11))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _axes(x: Axis, y: Axis, x_label: str) -> Iterable[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for value, label in y.ticks:
        at = _y(value, y)
        yield f'<path d="M{LEFT} {at:.1f}H{right}" stroke="#e4e4e4"/>'
        yield _text(LEFT - 8, at + 4, label, anchor="end")
    for value, label in x.ticks:
        at = _x(value, x)
        yield f'<path d="M{at:.1f} {bottom}v5" class="axis"/>'
        yield _text(at, bottom + 20, label, anchor="middle")
    yield f'<path d="M{LEFT} {TOP}V{bottom}H{right}" class="axis"/>'
    yield _text((LEFT + right) / 2, bottom + 40, x_label, anchor="middle")


def _line(each: Drawable, x: Axis, y: Axis, i: int) -> Iterable[str]:
    colour, dash = PALETTE[i % len(PALETTE)], DASHES[i % len(DASHES)]
    for run in each.runs:
        if len(run) == 1:
            yield f'<circle cx="{_x(run[0][0], x):.1f}" cy="{_y(run[0][1], y):.1f}" r="3.5" fill="{colour}"/>'
            continue
        path = " ".join(f"{_x(a, x):.1f},{_y(b, y):.1f}" for a, b in run)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
    for a, b in each.broken:
        cross = f"M{_x(a, x) - 5:.1f} {_y(b, y) - 5:.1f}l10 10m0 -10l-10 10"
        yield f'<path d="{cross}" stroke="{colour}" stroke-width="2"/>'


def _band(band: Iterable[Run], x: Axis, y: Axis, i: int) -> Iterable[str]:
    for ends in band:
        path = " ".join(f"{_x(a, x):.1f},{_y(b, y):.1f}" for a, b in ends)
        yield f'<polygon points="{path}" fill="{PALETTE[i % len(PALETTE)]}" opacity="0.18"/>'


def _both(curve: Curve, log_x: bool, log_y: bool) -> list[Run]:
    """The outlines of a curve's band, where both of its ends can be drawn."""
    if not curve.low:
        return []
    upper, lower = (drawable(Curve("", curve.x, ends), log_x, log_y).runs for ends in (curve.high, curve.low))
    pairs = zip(upper, lower, strict=False)
    return [(*a, *reversed(b)) for a, b in pairs if [point[0] for point in a] == [point[0] for point in b]]


def _keys(curves: Sequence[Curve], found: Sequence[Drawable], y: Axis) -> Iterable[str]:
    """The name and the last value of each curve beside its end, none upon another."""
    ends = [each.runs[-1][-1][1] if each.runs else None for each in found]
    wanted = [HEIGHT - BOTTOM if end is None else int(_y(end, y)) for end in ends]
    for place, i in rows_apart(wanted, 17, HEIGHT - BOTTOM):
        at = WIDTH - RIGHT + 10
        stroke = f'stroke="{PALETTE[i % len(PALETTE)]}" stroke-width="2" stroke-dasharray="{DASHES[i % len(DASHES)]}"'
        yield f'<path d="M{at} {place}h22" {stroke}/>'
        yield _text(at + 28, place + 4, key_text(curves[i]))


def _text(x: float, y: float, text: str, *, size: int = 13, anchor: str = "start") -> str:
    style = f'font-size="{size}" text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(clean(text))}</text>'


def _x(value: float, axis: Axis) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (value - axis.low) / (axis.high - axis.low)


def _y(value: float, axis: Axis) -> float:
    share = (value - axis.low) / (axis.high - axis.low)
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(max(share, 0.0), 1.0)


def _y_axis(values: list[float], log: bool) -> Axis:
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    return log_axis(low, high, 9) if log else linear_axis(low, high, 8, snap=True)


def _x_axis(values: list[float], log: bool) -> Axis:
    if log:
        return tight_log_axis(sorted(set(values)) or [0.0, 1.0], 10)
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    return linear_axis(low, high if math.isfinite(high) else 1.0, 9, snap=False)
