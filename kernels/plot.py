"""Curves drawn with characters: the same function prints them outside the app and draws them in it. Needs no torch."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from kernels.curve import Curve
from kernels.raster import RESOLUTION, Canvas, Colour, Point, Row, Trace
from kernels.ticks import Axis, cells, clean, fit, linear_axis, log_axis, short, tight_log_axis

SYMBOLS = "ox+*#%"  # ASCII: round and square bullets are two columns wide in East Asian terminals
LEAST_WIDTH, LEAST_HEIGHT = 24, 6
HUGE = 1e300  # where drawn values end, so that the difference of two is finite
TINY = 1e-290  # below this a linear axis shows 0: its steps would be smaller than any number


def draw(
    curves: Iterable[Curve],
    width: int,
    height: int,
    *,
    log_x: bool = False,
    log_y: bool = False,
    title: str = "",
    ink: Colour | None = None,
    palette: Sequence[Colour] = (),
    marker: str = "braille",
    not_drawn: str = "not drawn",
) -> str:
    """The curves as exactly `height` rows of at most `width` columns, with ANSI colours unless `palette` is empty.

    Each curve is named, with its last value, beside its end, or in a legend above where that leaves no room.
    marker: "braille", "hd" (quadrant blocks, for terminals without braille) or "dot" (ASCII only). `ink` colours the
    axes. Points that cannot be drawn (NaN, inf, and what has no logarithm on a log axis) leave a gap and are counted
    in a line that begins with `not_drawn`. Raises ValueError for an unknown marker.
    """
    if marker not in RESOLUTION:
        raise ValueError(f"marker must be one of {', '.join(map(repr, RESOLUTION))}, not {marker!r}")
    curves = tuple(curves)
    ink = ink if palette else None
    traces: list[Trace] = []
    left_out: list[str] = []
    for i, curve in enumerate(curves):
        runs, missing = _drawable(curve, log_x, log_y, width)
        traces.append(Trace(runs, SYMBOLS[i % len(SYMBOLS)], palette[i % len(palette)] if palette else None))
        left_out += [f"{clean(curve.label)} {missing}".strip()] if missing else []
    keys = [_key(curve, trace, alone=len(curves) == 1) for curve, trace in zip(curves, traces, strict=True)]
    notes: list[Row] = [[(f"{not_drawn}: {'; '.join(left_out)}", ink)]] if left_out else []
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        rows = [*keys, *notes]
    else:
        notes = notes[: height - LEAST_HEIGHT]
        header = _header(curves, title, width, ink)[: height - LEAST_HEIGHT - len(notes)]
        body = height - len(header) - len(notes)
        x_label = _axis_name(curve.x_label for curve in curves)
        rows = header + _plot(traces, keys, x_label, width, body, (log_x, log_y), marker, ink) + notes
    rows = rows[:height] + [[]] * (height - len(rows))
    return "\n".join(_render(row, width, ascii_only=marker == "dot") for row in rows)


def _plot(
    traces: list[Trace],
    keys: list[Row],
    x_label: str,
    width: int,
    height: int,
    log: tuple[bool, bool],
    marker: str,
    ink: Colour | None,
) -> list[Row]:
    """The canvas between its axes, with the keys beside it or above it."""
    side = 1 + max((_width(key) for key in keys), default=0)
    beside = side <= 2 * width // 5 and len(keys) <= height - 2
    legend = [] if beside else _wrap(keys, width)[: height - 5]
    name_beside = cells(x_label) + 1 <= max(side if beside else 0, width // 6)
    right = max(side if beside else 0, cells(x_label) + 1 if name_beside else 0)
    rows = height - len(legend) - (2 if name_beside else 3)

    points = [point for trace in traces for run in trace.runs for point in run]
    y = _axis([point[1] for point in points], log[1], max(2, (rows + 1) // 2), snap=True)
    left = max(cells(text) for _, text in y.ticks)
    columns = width - left - 1 - right
    x = _axis([point[0] for point in points], log[0], max(2, columns // 8), snap=False)
    canvas = Canvas(x, y, columns, rows, marker)

    bar, notch, corner, dash, mark = "|++-+" if marker == "dot" else "│┤└─┬"
    y_texts = {canvas.row(value): text for value, text in y.ticks}
    places = _places([trace.runs[-1][-1][1] if trace.runs else None for trace in traces], canvas) if beside else {}
    drawn: list[Row] = []
    for row, line in enumerate(canvas.draw(traces)):
        edge = f"{y_texts.get(row, ''):>{left}}{notch if row in y_texts else bar}"
        drawn.append([(edge, ink), *line, *([(" ", None), *keys[places[row]]] if row in places else [])])

    texts, labelled = _tick_row([(left + 1 + canvas.column(value), text) for value, text in x.ticks], width)
    axis = "".join(mark if left + 1 + column in labelled else dash for column in range(columns))
    drawn.append([(" " * left + corner + axis + (f" {x_label}" if name_beside else ""), ink)])
    drawn.append([(texts, ink)])
    if not name_beside:
        name = fit(x_label, columns)
        drawn.append([(" " * (left + 1 + (columns - cells(name)) // 2) + name, ink)])
    return legend + drawn


def _drawable(curve: Curve, log_x: bool, log_y: bool, width: int) -> tuple[tuple[tuple[Point, ...], ...], str]:
    """The runs of points that can be drawn, logarithms taken and thinned, and in words what cannot be."""
    runs: list[list[Point]] = [[]]
    missing: Counter[str] = Counter()
    for x, y in zip(curve.x, curve.y, strict=True):
        why = _obstacle(x, log_x) or _obstacle(y, log_y)
        if why:
            missing[why] += 1
            if runs[-1]:
                runs.append([])
        else:
            runs[-1].append((_placed(x, log_x), _placed(y, log_y)))
    total = sum(map(len, runs))
    thin = tuple(tuple(_thin(run, max(2, 2 * width * len(run) // total))) for run in runs if run)
    return thin, ", ".join(f"{count} {why}" for why, count in missing.items())


def _obstacle(value: float, log: bool) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if log and value == 0:
        return "zero"
    return "negative" if log and value < 0 else ""


def _placed(value: float, log: bool) -> float:
    if log:
        return math.log10(value)
    return min(max(value, -HUGE), HUGE) if abs(value) >= TINY else 0.0


def _thin(run: list[Point], most: int) -> list[Point]:
    """At most `most` of the points: the lowest and the highest of each stretch, so that no spike is lost."""
    if len(run) <= most:
        return run
    stretches = max(1, most // 2 - 1)
    kept = {0, len(run) - 1}
    for i in range(stretches):
        stretch = range(i * len(run) // stretches, (i + 1) * len(run) // stretches)
        kept |= {min(stretch, key=lambda j: run[j][1]), max(stretch, key=lambda j: run[j][1])}
    return [run[i] for i in sorted(kept)]


def _axis(values: list[float], log: bool, most: int, *, snap: bool) -> Axis:
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if not log:
        return linear_axis(low, high, most, snap=snap)
    return log_axis(low, high, most) if snap else tight_log_axis(sorted(set(values)) or [low, high], most)


def _axis_name(names: Iterable[str]) -> str:
    return " / ".join(dict.fromkeys(clean(name) for name in names if name))


def _header(curves: Sequence[Curve], title: str, width: int, ink: Colour | None) -> list[Row]:
    """The title and the name of the y axis, on one row if they fit."""
    title, y_label = clean(title), _axis_name(curve.y_label for curve in curves)
    lines = [line for line in (title, "" if y_label.lower() in title.lower() else y_label) if line]
    if len(lines) == 2 and cells(lines[0]) + 2 + cells(lines[1]) <= width:
        lines = [f"{lines[0]}: {lines[1]}"]
    return [[(line, ink)] for line in lines]


def _key(curve: Curve, trace: Trace, *, alone: bool) -> Row:
    """What names a curve: its symbol where there are several, its label, its last value."""
    text = f"{clean(curve.label)} {short(curve.last) if curve.y else '-'}".strip()
    return [(text if alone else f"{trace.symbol} {text}", trace.colour)]


def _places(ends: list[float | None], canvas: Canvas) -> dict[int, int]:
    """Row -> curve: each name as near to the end of its curve as the others allow, in the order of the ends."""
    order = sorted(range(len(ends)), key=lambda i: (math.inf if (end := ends[i]) is None else -end, i))
    rows: list[int] = []
    for i in order:
        end = ends[i]
        wanted = canvas.height - 1 if end is None else canvas.row(end)
        rows.append(max(wanted, rows[-1] + 1) if rows else wanted)
    for k in range(len(rows) - 1, -1, -1):
        rows[k] = min(rows[k], canvas.height - len(rows) + k)
    return dict(zip(rows, order, strict=True))


def _tick_row(ticks: list[tuple[int, str]], width: int) -> tuple[str, set[int]]:
    """The labels under the x axis, centred as far as there is room, and the columns that got one."""
    text, labelled = "", set()
    for column, label in ticks:
        start = min(max(0, column - (len(label) - 1) // 2), width - len(label))
        if start >= len(text) + bool(text):
            text = f"{text:<{start}}{label}"
            labelled.add(column)
    return text, labelled


def _wrap(keys: list[Row], width: int) -> list[Row]:
    rows: list[Row] = []
    for key in keys:
        if rows and _width(rows[-1]) + 3 + _width(key) <= width:
            rows[-1] = [*rows[-1], ("   ", None), *key]
        else:
            rows.append(key)
    return rows


def _width(row: Row) -> int:
    return sum(cells(text) for text, _ in row)


def _render(row: Row, width: int, *, ascii_only: bool) -> str:
    """The row as text, cut to `width` columns, with a colour code wherever the colour changes."""
    rendered = ""
    for colour, spans in groupby(row, key=lambda span: span[1]):
        text = fit("".join(text for text, _ in spans), width, "~" if ascii_only else "…")
        width -= cells(text)
        rendered += text if colour is None else f"\x1b[38;2;{colour[0]};{colour[1]};{colour[2]}m{text}\x1b[0m"
    return rendered.rstrip()
