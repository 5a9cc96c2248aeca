"""Curves drawn with characters: the same function prints them outside the app and draws them in it. Needs no torch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from kernels.curve import Curve
from kernels.drawable import Run, Window, drawable, obstacle, placed
from kernels.raster import RESOLUTION, Canvas, Colour, Row, Trace
from kernels.ticks import Axis, cells, clean, fit, linear_axis, log_axis, short, tight_log_axis, window_axis

SYMBOLS = "ox+*#%@=&$"  # ASCII: round and square bullets are two columns wide in East Asian terminals
LEAST_WIDTH, LEAST_HEIGHT = 24, 6
BLANK = (" ", "\u2800")


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
    window: Window | None = None,
    cursor: float | None = None,
    points: bool = False,
) -> str:
    """The curves as exactly `height` rows of at most `width` columns, with ANSI colours unless `palette` is empty.

    Each curve is named, with its last value, beside its end, or in a legend above where that leaves no room.
    marker: "braille", "hd" (quadrant blocks, for terminals without braille) or "dot" (ASCII only). `ink` colours the
    axes. Points that cannot be drawn (NaN, inf, and what has no logarithm on a log axis) leave a gap and are counted
    in a line that begins with `not_drawn`; beside NaN and inf the curve has a "!". The band of a curve is two dotted
    lines. `window` shows a part of the axes, `cursor` an upright line at an x; with `points` each point of a curve has
    its symbol. Raises ValueError for an unknown marker.
    """
    if marker not in RESOLUTION:
        raise ValueError(f"marker must be one of {', '.join(map(repr, RESOLUTION))}, not {marker!r}")
    curves = tuple(curves)
    ink = ink if palette else None
    traces: list[Trace] = []
    left_out: list[str] = []
    for i, curve in enumerate(curves):
        found = drawable(curve, log_x, log_y, most=2 * width, window=window)
        colour = palette[i % len(palette)] if palette else None
        trace = Trace(found.runs, SYMBOLS[i % len(SYMBOLS)], colour, broken=found.broken, points=points)
        traces.append(replace(trace, band=_band(curve, log_x, log_y, width, window)))
        left_out += [f"{clean(curve.label)} {found.missing}".strip()] if found.missing else []
    keys = [_key(curve, trace, alone=len(curves) == 1) for curve, trace in zip(curves, traces, strict=True)]
    notes: list[Row] = [[(f"{not_drawn}: {'; '.join(left_out)}", ink)]] if left_out else []
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        rows = [*keys, *notes]
    else:
        notes = notes[: height - LEAST_HEIGHT]
        header = _header(curves, title, width, ink)[: height - LEAST_HEIGHT - len(notes)]
        body = height - len(header) - len(notes)
        x_label = _axis_name(curve.x_label for curve in curves)
        scales = _Scales(log_x, log_y, window or Window(), cursor)
        rows = header + _plot(traces, keys, x_label, width, body, scales, marker, ink) + notes
    rows = rows[:height] + [[]] * (height - len(rows))
    return "\n".join(_render(row, width, ascii_only=marker == "dot") for row in rows)


@dataclass(frozen=True)
class _Scales:
    """How the axes are scaled, what part of them is shown, and where the cursor is."""

    log_x: bool
    log_y: bool
    window: Window
    cursor: float | None

    def axes(self, traces: Sequence[Trace], most_x: int, most_y: int) -> tuple[Axis, Axis]:
        """The axes, with at most so many labels."""
        points = [point for trace in traces for run in (*trace.runs, *trace.band) for point in run]
        xs, ys = [point[0] for point in points], [point[1] for point in points]
        return (
            _axis(xs, self.log_x, most_x, self.window.x, snap=False),
            _axis(ys, self.log_y, most_y, self.window.y, snap=True),
        )


def _plot(
    traces: list[Trace],
    keys: list[Row],
    x_label: str,
    width: int,
    height: int,
    scales: _Scales,
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

    most_y = max(2, (rows + 1) // 2)
    left = max((cells(text) for _, text in scales.axes(traces, 2, most_y)[1].ticks), default=0)
    columns = width - left - 1 - right
    x, y = scales.axes(traces, max(2, columns // 8), most_y)
    canvas = Canvas(x, y, columns, rows, marker)

    bar, notch, corner, dash, mark = "|++-+" if marker == "dot" else "│┤└─┬"
    y_texts = {canvas.row(value): text for value, text in y.ticks}
    places = _places([trace.runs[-1][-1][1] if trace.runs else None for trace in traces], canvas) if beside else {}
    drawn: list[Row] = []
    upright = _cursor(scales, canvas)
    for row, line in enumerate(canvas.draw(traces)):
        if upright is not None and line[upright][0] in BLANK:
            line[upright] = (bar, ink)
        edge = f"{y_texts.get(row, ''):>{left}}{notch if row in y_texts else bar}"
        drawn.append([(edge, ink), *line, *([(" ", None), *keys[places[row]]] if row in places else [])])

    texts, labelled = _tick_row([(left + 1 + canvas.column(value), text) for value, text in x.ticks], width)
    axis = "".join(mark if left + 1 + column in labelled else dash for column in range(columns))
    if upright is not None:
        axis = axis[:upright] + "^" + axis[upright + 1 :]
    drawn.append([(" " * left + corner + axis + (f" {x_label}" if name_beside else ""), ink)])
    drawn.append([(texts, ink)])
    if not name_beside:
        name = fit(x_label, columns)
        drawn.append([(" " * (left + 1 + (columns - cells(name)) // 2) + name, ink)])
    return legend + drawn


def _band(curve: Curve, log_x: bool, log_y: bool, width: int, window: Window | None) -> tuple[Run, ...]:
    """The two ends of the band, as lines."""
    ends = (curve.low, curve.high) if curve.low else ()
    lines = [drawable(Curve("", curve.x, end), log_x, log_y, most=2 * width, window=window) for end in ends]
    return tuple(run for line in lines for run in line.runs)


def _cursor(scales: _Scales, canvas: Canvas) -> int | None:
    """The column of the cursor, if it is on the canvas."""
    if scales.cursor is None or obstacle(scales.cursor, scales.log_x):
        return None
    at = placed(scales.cursor, scales.log_x)
    return canvas.column(at) if canvas.x.low <= at <= canvas.x.high else None


def _axis(values: list[float], log: bool, most: int, window: tuple[float, float] | None, *, snap: bool) -> Axis:
    if window is not None:
        return window_axis(placed(window[0], log), placed(window[1], log), most, log=log)
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
    text = key_text(curve)
    return [(text if alone else f"{trace.symbol} {text}", trace.colour)]


def key_text(curve: Curve) -> str:
    """A curve's label with its last value."""
    return f"{clean(curve.label)} {short(curve.last) if curve.y else '-'}".strip()


def _places(ends: list[float | None], canvas: Canvas) -> dict[int, int]:
    """Row -> curve: each name as near to the end of its curve as the others allow, in the order of the ends."""
    wanted = [canvas.height - 1 if end is None else canvas.row(end) for end in ends]
    return dict(rows_apart(wanted, 1, canvas.height - 1))


def rows_apart(wanted: Sequence[int], apart: int, last: int) -> list[tuple[int, int]]:
    """(place, which) for each place wanted, in their order, at least `apart` from each other and none after `last`."""
    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], i))
    places: list[int] = []
    for i in order:
        places.append(max(wanted[i], places[-1] + apart) if places else wanted[i])
    for k in range(len(places) - 1, -1, -1):
        places[k] = min(places[k], last - apart * (len(places) - 1 - k))
    return list(zip(places, order, strict=True))


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
