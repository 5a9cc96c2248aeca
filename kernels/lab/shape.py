"""How a curve runs, found by rules: level, linear, exponential or a power; where it is 0, where it overflowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

LEVEL = 1.1
"""The largest value over the smallest, up to which a curve counts as level."""
FITS = 0.95
"""The R² from which a straight line counts as describing a curve."""


@dataclass(frozen=True)
class Shape:
    """How a curve runs from its first drawable point to its last.

    `linear` and `exponential` are the R² of two straight lines, y over x and log y over x; `law` is the better of the
    two, if it fits, and `rate` its slope or its factor per unit of x. `zeros` and `lost` are the x of the points that
    are exactly 0 and of those that are NaN or infinite.
    """

    first: float
    last: float
    low: float
    high: float
    linear: float
    exponential: float
    law: Literal["linear", "exponential"] | None
    rate: float
    zeros: tuple[float, ...]
    lost: tuple[float, ...]

    @property
    def empty(self) -> bool:
        """Whether there is no point with a positive finite value."""
        return math.isnan(self.first)

    @property
    def r2(self) -> float:
        """The R² of the better line."""
        return max(self.linear, self.exponential)

    @property
    def level(self) -> bool:
        """Whether all values are about the same."""
        return self.high <= LEVEL * self.low

    @property
    def wanders(self) -> bool:
        """Whether it moves up and down by more than what it gains or loses from one end to the other."""
        return self.law is None and self.high / self.low > 2 * max(self.factor, 1 / self.factor)

    @property
    def factor(self) -> float:
        """By what factor it grows, or shrinks if that is below 1."""
        return self.last / self.first if self.first else math.nan


def shape(x: Sequence[float], y: Sequence[float]) -> Shape:
    """The shape of positive measurements y over x, in the order given."""
    points = [(a, b) for a, b in zip(x, y, strict=True) if math.isfinite(b) and b > 0]
    zeros = tuple(a for a, b in zip(x, y, strict=True) if b == 0)
    lost = tuple(a for a, b in zip(x, y, strict=True) if not math.isfinite(b))
    if not points:
        nan = math.nan
        return Shape(nan, nan, nan, nan, nan, nan, None, nan, zeros, lost)
    xs, ys = [a for a, _ in points], [b for _, b in points]
    linear, slope = straight(xs, ys)
    exponential, log_slope = straight(xs, [math.log(b) for b in ys])
    law: Literal["linear", "exponential"] | None = None
    if len(points) > 2 and max(linear, exponential) >= FITS:
        law = "linear" if linear >= exponential else "exponential"
    rate = math.exp(log_slope) if law == "exponential" else slope
    return Shape(ys[0], ys[-1], min(ys), max(ys), linear, exponential, law, rate, zeros, lost)


def power(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """R² and exponent of y = c x^p over the points with both positive and finite; (NaN, NaN) for fewer than two."""
    points = [(math.log(a), math.log(b)) for a, b in zip(x, y, strict=True) if a > 0 and b > 0 and math.isfinite(b)]
    if len(points) < 2:
        return math.nan, math.nan
    return straight([a for a, _ in points], [b for _, b in points])


def straight(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """R² and slope of the least-squares line through the points; a level line is described perfectly."""
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    sxx = sum((a - mean_x) ** 2 for a in x)
    syy = sum((b - mean_y) ** 2 for b in y)
    sxy = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    if sxx == 0 or syy == 0:
        return 1.0, 0.0
    return sxy * sxy / (sxx * syy), sxy / sxx
