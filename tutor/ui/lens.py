"""Which part of some curves is looked at: zoomed axes, a cursor, and the exact values under it. No widgets here."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from kernels.curve import Curve
from kernels.drawable import Window, obstacle, placed

FACTOR = 2.0
"""What one step of zooming does to the range of an axis."""
LEAST = 1e-6
"""The share of the whole range below which there is no zooming in."""
DIGITS = 6


class Lens:
    """The axes' ranges in the values of the data, and the x that the cursor is at."""

    def __init__(self) -> None:
        self.axis = "x"
        """Which axis is zoomed."""
        self.cursor: float | None = None
        self._ranges: dict[str, tuple[float, float]] = {}

    @property
    def window(self) -> Window | None:
        """What to draw; None for everything."""
        return Window(x=self._ranges.get("x"), y=self._ranges.get("y")) if self._ranges else None

    @property
    def zoomed(self) -> bool:
        """Whether an axis is zoomed."""
        return bool(self._ranges)

    def whole(self) -> None:
        """All of both axes again."""
        self._ranges.clear()

    def reset(self) -> None:
        """Other curves: all of them, and no cursor."""
        self.whole()
        self.cursor = None

    def turn(self) -> None:
        """The other axis is zoomed from now on."""
        self.axis = "y" if self.axis == "x" else "x"

    def zoom(self, closer: bool, curves: Sequence[Curve], *, log_x: bool, log_y: bool) -> None:
        """Half or twice the range of the axis, about the cursor or its middle."""
        log = log_x if self.axis == "x" else log_y
        whole = _range(curves, self.axis, log, log_x if self.axis == "y" else log_y)
        if whole is None:
            return
        shown = self._ranges.get(self.axis)
        low, high = whole if shown is None else (placed(shown[0], log), placed(shown[1], log))
        span = (high - low) / FACTOR if closer else (high - low) * FACTOR
        if span < LEAST * (whole[1] - whole[0]):
            return
        middle = self._centre(curves, log)
        middle = (low + high) / 2 if middle is None or not low <= middle <= high else middle
        low, high = middle - span / 2, middle + span / 2
        if span >= whole[1] - whole[0]:
            self._ranges.pop(self.axis, None)
            return
        shift = max(0.0, whole[0] - low) - max(0.0, high - whole[1])
        self._ranges[self.axis] = (_back(low + shift, log), _back(high + shift, log))

    def move(self, by: int, curves: Sequence[Curve], *, log_x: bool) -> None:
        """The cursor to the `by`-th next point of the curves; what is zoomed follows it."""
        places = sorted({x for curve in curves for x in curve.x if not obstacle(x, log_x)})
        if not places:
            return
        if self.cursor is None:
            index = (len(places) - 1) // 2 if abs(by) == 1 else (0 if by < 0 else len(places) - 1)
        else:
            here = bisect_left(places, self.cursor)
            index = min(max(here + by, 0), len(places) - 1)
        self.cursor = places[index]
        self._follow(log_x)

    def _follow(self, log: bool) -> None:
        if "x" not in self._ranges or self.cursor is None:
            return
        low, high = (placed(end, log) for end in self._ranges["x"])
        at = placed(self.cursor, log)
        shift = min(0.0, at - low) + max(0.0, at - high)
        self._ranges["x"] = (_back(low + shift, log), _back(high + shift, log))

    def _centre(self, curves: Sequence[Curve], log: bool) -> float | None:
        """Where the cursor is on the axis that is zoomed: on y, in the middle of the curves at its x."""
        if self.cursor is None:
            return None
        if self.axis == "x":
            return placed(self.cursor, log)
        values = [value for _curve, value in values_at(curves, self.cursor) if not obstacle(value, log)]
        return sum(placed(value, log) for value in values) / len(values) if values else None


def values_at(curves: Iterable[Curve], x: float) -> list[tuple[Curve, float]]:
    """The value of each curve at the point at `x`, for those that have one there."""
    return [(curve, y) for curve in curves for at, y in zip(curve.x, curve.y, strict=True) if at == x]


def exactly(value: float) -> str:
    """A value with the digits that a measurement in float32 has."""
    return f"{value:.{DIGITS}g}"


def _range(curves: Sequence[Curve], axis: str, log: bool, other_log: bool) -> tuple[float, float] | None:
    """The least and the greatest of what can be drawn, in drawing coordinates."""
    found = [
        placed(x if axis == "x" else y, log)
        for curve in curves
        for x, y in zip(curve.x, curve.y, strict=True)
        if not obstacle(x if axis == "x" else y, log) and not obstacle(y if axis == "x" else x, other_log)
    ]
    return (min(found), max(found)) if found and max(found) > min(found) else None


def _back(value: float, log: bool) -> float:
    """From drawing coordinates to the values of the data."""
    return 10.0**value if log else value
