"""Lines and symbols on a canvas of characters, by plotext. Needs no torch."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kernels.drawable import Point, Run
from kernels.ticks import Axis

Colour = tuple[int, int, int]
Span = tuple[str, Colour | None]
Row = list[Span]

RESOLUTION = {"braille": (2, 4), "hd": (2, 2), "dot": (1, 1)}
"""Dots in a cell, across and down, by marker."""
BROKEN = "!"
"""Marks a point beside which the measurement is NaN or infinite."""

_COLOUR = re.compile(r"\x1b\[(?:38;2;(\d+);(\d+);(\d+)|0)m")


@dataclass(frozen=True)
class Trace:
    """A line to draw: runs of points without a gap in them, the symbol that marks it, its colour.

    `band` are lines to draw dotted, `broken` points to mark with a "!": beside them the measurement overflowed. With
    `points` each point has the symbol.
    """

    runs: tuple[Run, ...]
    symbol: str
    colour: Colour | None
    band: tuple[Run, ...] = ()
    broken: tuple[Point, ...] = ()
    points: bool = False


@dataclass(frozen=True)
class Canvas:
    """The cells inside the axes, and which of them a value falls into."""

    x: Axis
    y: Axis
    width: int
    height: int
    marker: str

    def column(self, value: float) -> int:
        """The column of an x, from the left."""
        return _cell(value, self.x, self.width, RESOLUTION[self.marker][0])

    def row(self, value: float) -> int:
        """The row of a y, from the top."""
        return self.height - 1 - _cell(value, self.y, self.height, RESOLUTION[self.marker][1])

    def draw(self, traces: Sequence[Trace]) -> list[Row]:
        """The lines; where there are several, each with its symbol on it every few columns."""
        rows = self._lines(traces)
        for i, trace in enumerate(traces):
            for x, y in self._marks(trace, i, len(traces)):
                rows[self.row(y)][self.column(x)] = (trace.symbol, trace.colour)
        for trace in traces:
            for x, y in trace.broken:
                if self.x.low <= x <= self.x.high and self.y.low <= y <= self.y.high:
                    rows[self.row(y)][self.column(x)] = (BROKEN, trace.colour)
        return rows

    def _lines(self, traces: Sequence[Trace]) -> list[Row]:
        from plotext._figure import _figure_class  # 0.15 s, paid by the first plot; plotext's functions share a figure

        figure = _figure_class()
        figure._limit_size(False, False)  # the caller knows the size; the terminal may be another one
        figure.theme("clear")
        figure.plot_size(self.width, self.height)
        figure.xaxes(False, False)
        figure.yaxes(False, False)
        figure.xticks([])
        figure.yticks([])
        figure.xlim(0, 1)
        figure.ylim(0, 1)
        for trace in traces:
            for run in trace.band:
                xs, ys = self._dotted(run)
                marker = "." if self.marker == "dot" else self.marker
                figure.scatter(xs, ys, marker=marker, color=trace.colour or "default")
        for trace in traces:
            marker = trace.symbol if self.marker == "dot" else self.marker
            for run in trace.runs:
                xs, ys = [_share(x, self.x) for x, _ in run], [_share(y, self.y) for _, y in run]
                figure.plot(xs, ys, marker=marker, color=trace.colour or "default")
        rows = [_cells(line) for line in figure.build().split("\n")]
        return [rows[i] if i < len(rows) and rows[i] else [(" ", None)] * self.width for i in range(self.height)]

    def _dotted(self, run: Run) -> tuple[list[float], list[float]]:
        """Points of a line that leave out every other dot, as shares of the axes."""
        spacing = (self.x.high - self.x.low) * 2 / (self.width * RESOLUTION[self.marker][0])
        points = [run[0]]
        for (x0, y0), (x1, y1) in pairwise(run):
            first, last = math.floor((x0 - self.x.low) / spacing) + 1, math.floor((x1 - self.x.low) / spacing)
            for k in range(first, last + 1):
                at = self.x.low + k * spacing
                points.append((at, y0 + (y1 - y0) * (at - x0) / (x1 - x0)))
        return [_share(x, self.x) for x, _ in points], [_share(y, self.y) for _, y in points]

    def _marks(self, trace: Trace, index: int, count: int) -> Iterator[Point]:
        """Points for the symbol: single points, and places on the line so staggered that coinciding lines all show."""
        spacing = (self.x.high - self.x.low) * max(10, 3 * count) / self.width
        start = self.x.low + spacing * (index + 0.5) / count
        for run in trace.runs:
            if trace.points or len(run) == 1:
                yield from run
                continue
            for (x0, y0), (x1, y1) in pairwise(run):
                if count > 1 and x1 > x0:
                    for k in range(math.ceil((x0 - start) / spacing), math.ceil((x1 - start) / spacing)):
                        at = start + k * spacing
                        yield at, y0 + (y1 - y0) * (at - x0) / (x1 - x0)


def _cell(value: float, axis: Axis, cells: int, dots: int) -> int:
    dot = math.floor(round(0.5 + (cells * dots - 1) * _share(value, axis), 8))  # as plotext rounds
    return dot // dots


def _share(value: float, axis: Axis) -> float:
    return min(max((value - axis.low) / (axis.high - axis.low), 0.0), 1.0)


def _cells(line: str) -> Row:
    cells: Row = []
    parts = _COLOUR.split(line)  # text, red, green, blue, text, ...; red is None for a reset
    for i in range(0, len(parts), 4):
        red, green, blue = parts[i - 3 : i] if i else (None, None, None)
        colour = None if red is None else (int(red), int(green or 0), int(blue or 0))
        cells += [(character, colour) for character in parts[i]]
    return cells
