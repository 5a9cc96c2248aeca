"""What of a curve can be drawn: logarithms taken, gaps kept, cut to a window, thinned. Needs no torch."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from kernels.curve import Curve

HUGE = 1e300  # where drawn values end, so that the difference of two is finite
TINY = 1e-290  # below this a linear axis shows 0: its steps would be smaller than any number

Point = tuple[float, float]
Run = tuple[Point, ...]


@dataclass(frozen=True)
class Window:
    """The part of the axes to show, in the values of the data; None leaves an end to the data."""

    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None


@dataclass(frozen=True)
class Drawable:
    """Runs of points without a gap in them, in drawing coordinates: log10 taken on a log axis.

    `missing` says in words which points cannot be drawn; `broken` are those beside a y that is NaN or infinite.
    """

    runs: tuple[Run, ...]
    missing: str = ""
    broken: tuple[Point, ...] = ()


def drawable(
    curve: Curve, log_x: bool, log_y: bool, *, most: int | None = None, window: Window | None = None
) -> Drawable:
    """The curve's points that can be drawn, within the window; `most` thins them to about so many."""
    runs: list[list[Point]] = [[]]
    broken: list[Point] = []
    missing: Counter[str] = Counter()
    overflowed = False  # the point before
    for x, y in zip(curve.x, curve.y, strict=True):
        why = obstacle(x, log_x) or obstacle(y, log_y)
        if why:
            missing[why] += 1
            if runs[-1]:
                broken += [] if math.isfinite(y) else [runs[-1][-1]]
                runs.append([])
        else:
            point = placed(x, log_x), placed(y, log_y)
            broken += [point] if overflowed else []
            runs[-1].append(point)
        overflowed = not math.isfinite(y)
    cut = [run for each in runs if each for run in _within(each, _placed_window(window, log_x, log_y))]
    total = max(1, sum(map(len, cut)))
    thin = [thinned(run, max(2, most * len(run) // total)) if most else run for run in cut]
    words = ", ".join(f"{count} {why}" for why, count in missing.items())
    return Drawable(tuple(tuple(run) for run in thin), words, tuple(broken))


def obstacle(value: float, log: bool) -> str:
    """Why a value cannot be drawn; empty if it can."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if log and value == 0:
        return "zero"
    return "negative" if log and value < 0 else ""


def placed(value: float, log: bool) -> float:
    """A value that can be drawn, in drawing coordinates."""
    if log:
        return math.log10(value)
    return min(max(value, -HUGE), HUGE) if abs(value) >= TINY else 0.0


def thinned(run: list[Point], most: int) -> list[Point]:
    """At most `most` of the points: the lowest and the highest of each stretch, so that no spike is lost."""
    if len(run) <= most:
        return run
    stretches = max(1, most // 2 - 1)
    kept = {0, len(run) - 1}
    for i in range(stretches):
        stretch = range(i * len(run) // stretches, (i + 1) * len(run) // stretches)
        kept |= {min(stretch, key=lambda j: run[j][1]), max(stretch, key=lambda j: run[j][1])}
    return [run[i] for i in sorted(kept)]


def _placed_window(window: Window | None, log_x: bool, log_y: bool) -> tuple[float, float, float, float] | None:
    if window is None or (window.x is None and window.y is None):
        return None
    x, y = window.x or (-math.inf, math.inf), window.y or (-math.inf, math.inf)
    ends = [
        placed(v, log) if math.isfinite(v) else v
        for v, log in ((x[0], log_x), (x[1], log_x), (y[0], log_y), (y[1], log_y))
    ]
    return ends[0], ends[1], ends[2], ends[3]


def _within(run: list[Point], window: tuple[float, float, float, float] | None) -> list[list[Point]]:
    """The parts of a line that lie in a window, with new points where it crosses the edges."""
    if window is None:
        return [run]
    if len(run) == 1:
        (x, y), (left, right, bottom, top) = run[0], window
        return [run] if left <= x <= right and bottom <= y <= top else []
    parts: list[list[Point]] = []
    for start, end in pairwise(run):
        clipped = _clipped(start, end, window)
        if clipped is None:
            continue
        if parts and parts[-1][-1] == clipped[0]:
            parts[-1].append(clipped[1])
        else:
            parts.append(list(clipped))
    return parts


def _clipped(start: Point, end: Point, window: tuple[float, float, float, float]) -> tuple[Point, Point] | None:
    """The part of a straight line in a window (Liang and Barsky 1984); None where it misses it."""
    (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
    left, right, bottom, top = window
    first, last = 0.0, 1.0
    for step, room in ((-dx, x - left), (dx, right - x), (-dy, y - bottom), (dy, top - y)):
        if step == 0:
            if room < 0:
                return None
        elif step < 0:
            first = max(first, room / step)
        else:
            last = min(last, room / step)
    if first > last:
        return None
    a = start if first == 0 else (x + first * dx, y + first * dy)
    b = end if last == 1 else (x + last * dx, y + last * dy)
    return a, b
