"""A curve that a learner sketches before it is measured: a handful of points, and how far off they turn out to be.

A sketch says by what factor y grows or falls from its first value, at a few places along x. That is what can be known
before a run: the first value itself cannot.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tutor.text.i18n import N_

POINTS = 6
CLOSE = 1.25
"""The factor up to which a sketch counts as being right."""

SHAPES: tuple[tuple[str, str, Callable[[float, float], float]], ...] = (
    ("level", N_("level"), lambda _share, _span: 1.0),
    ("line", N_("grows in a straight line"), lambda share, span: 1 + share * span),
    ("exponential", N_("grows exponentially"), lambda share, _span: 1e6**share),
    ("root", N_("falls like 1/√x"), lambda share, span: (1 + share * span) ** -0.5),
    ("vanishing", N_("falls exponentially"), lambda share, _span: 1e-6**share),
    ("hump", N_("rises, then falls"), lambda share, _span: 10 ** (4 * share * (1 - share))),
)
"""Shapes to begin with: id, name, and the factor at a share of the axis (0 to 1) that spans `span` units."""


@dataclass(frozen=True)
class Sketch:
    """Factors against the first value, at some x; the first of them is 1."""

    x: tuple[float, ...]
    factors: tuple[float, ...]

    def at(self, place: float) -> float:
        """The factor at a place between its points, where exponentials are straight lines; NaN outside."""
        return _at(place, self.x, self.factors)

    def since(self, place: float) -> Sketch:
        """The part of it from a place on."""
        if place <= self.x[0]:
            return self
        rest = [(x, factor) for x, factor in zip(self.x, self.factors, strict=True) if x > place]
        return Sketch((place, *(x for x, _f in rest)), (self.at(place), *(factor for _x, factor in rest)))

    def moved(self, index: int, by: float) -> Sketch:
        """One point multiplied; the first stays where it is, since all others are said against it."""
        if index == 0:
            return self
        factors = list(self.factors)
        factors[index] = min(max(factors[index] * by, 1e-40), 1e40)
        return Sketch(self.x, tuple(factors))


@dataclass(frozen=True)
class Distance:
    """How far a sketch is from a measurement: by what factor on average, and where by how much at most.

    `compared` are the x that could be compared; elsewhere the measurement is 0, NaN or infinite, or there is
    none. `begin` is the first x of both, where the sketch is laid on the measurement; `scale` is the measured value of
    a factor of 1.
    """

    mean: float
    most: float
    at: float
    compared: tuple[float, ...]
    scale: float
    begin: float

    @property
    def close(self) -> bool:
        """Whether it is as near as anyone could sketch."""
        return self.mean <= CLOSE


def places(low: float, high: float, *, log: bool, count: int = POINTS) -> tuple[float, ...]:
    """Where the points of a sketch stand on an axis."""
    shares = [i / (count - 1) for i in range(count)]
    found = [low * (high / low) ** share if log else low + (high - low) * share for share in shares]
    whole = [float(round(place)) for place in found]
    counted = low == int(low) and high == int(high) and len(set(whole)) == count  # layers, steps, columns
    return tuple(whole if counted else found)


def shaped(shape: int, low: float, high: float, *, log: bool, count: int = POINTS) -> Sketch:
    """The sketch of a shape on an axis: `SHAPES[shape]`."""
    x = places(low, high, log=log, count=count)
    factor, span = SHAPES[shape][2], max(high - low, 1.0) if not log else high / low - 1
    return Sketch(x, tuple(factor((value - low) / (high - low), span) for value in x))


def distance(sketch: Sketch, x: Sequence[float], y: Sequence[float]) -> Distance | None:
    """How far the sketch is from the measurement; None where nothing can be compared.

    The sketch is laid on the measured value at its first point, or where there is none, at the first x after it that
    has one.
    """
    begin = next((place for place in (sketch.x[0], *x) if place >= sketch.x[0] and _usable(_at(place, x, y))), math.nan)
    factor = sketch.at(begin)
    if not math.isfinite(factor):
        return None
    scale = _at(begin, x, y) / factor
    measured = {i: _at(place, x, y) for i, place in enumerate(sketch.x) if place > begin}
    apart = {i: abs(math.log10(sketch.factors[i] * scale / v)) for i, v in measured.items() if _usable(v)}
    if not apart:
        return None
    worst = max(apart, key=lambda i: apart[i])
    mean = sum(apart.values()) / len(apart)
    compared = tuple(sketch.x[i] for i in apart)
    return Distance(10**mean, 10 ** apart[worst], sketch.x[worst], compared, scale, begin)


def _usable(value: float) -> bool:
    return math.isfinite(value) and value > 0


def _at(place: float, x: Sequence[float], y: Sequence[float]) -> float:
    """The measurement at a place, on the line between its neighbours; NaN outside and where a neighbour is none."""
    index = bisect_left(x, place)
    if index < len(x) and math.isclose(x[index], place):
        return y[index]
    if index > 0 and math.isclose(x[index - 1], place):
        return y[index - 1]
    if not 0 < index < len(x):
        return math.nan
    (x0, x1), (y0, y1) = x[index - 1 : index + 1], y[index - 1 : index + 1]
    share = (place - x0) / (x1 - x0)
    if y0 > 0 and y1 > 0 and math.isfinite(y0) and math.isfinite(y1):
        return math.exp((1 - share) * math.log(y0) + share * math.log(y1))
    return y0 + share * (y1 - y0)
