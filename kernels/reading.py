"""What curves over depth show, put into words by rules: level, linear or exponential, underflow, overflow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kernels.curve import Curve
from kernels.ticks import short

LEVEL = 1.1
"""The largest value over the smallest, up to which a curve counts as level."""
FITS = 0.95
"""The R² from which a straight line counts as describing a curve."""


@dataclass(frozen=True)
class Shape:
    """How a curve runs from its first drawable point to its last.

    `law` is the better of two straight lines, y over x ("linear") and log y over x ("exponential"), if either fits;
    `rate` is then the slope, or the factor per unit of x. `zeros` and `lost` are the x of the points that are exactly
    0 and of those that are NaN or infinite.
    """

    first: float
    last: float
    level: bool
    law: Literal["linear", "exponential"] | None
    r2: float
    rate: float
    zeros: tuple[float, ...]
    lost: tuple[float, ...]

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
        return Shape(math.nan, math.nan, False, None, math.nan, math.nan, zeros, lost)
    xs, ys = [a for a, _ in points], [b for _, b in points]
    linear, slope = _straight(xs, ys)
    exponential, log_slope = _straight(xs, [math.log(b) for b in ys])
    law: Literal["linear", "exponential"] | None = None
    if len(points) > 2 and max(linear, exponential) >= FITS:
        law = "linear" if linear >= exponential else "exponential"
    best, rate = (exponential, math.exp(log_slope)) if law == "exponential" else (linear, slope)
    return Shape(ys[0], ys[-1], max(ys) <= LEVEL * min(ys), law, best, rate, zeros, lost)


def read(curves: Sequence[Curve], *, backwards: bool = False) -> dict[str, str]:
    """A sentence or two on each curve over layers, in Vietnamese ("vi") and English ("en"); most growth first.

    `backwards` reads from the last layer to the first, as a gradient travels.
    """
    shapes = []
    for curve in curves:
        x, y = (curve.x[::-1], curve.y[::-1]) if backwards else (curve.x, curve.y)
        shapes.append((curve.label, shape(x, y)))
    shapes.sort(key=lambda item: math.inf if math.isnan(item[1].factor) else -item[1].factor)
    return {
        "vi": " ".join(_vietnamese(label, each, backwards) for label, each in shapes),
        "en": " ".join(_english(label, each, backwards) for label, each in shapes),
    }


def _straight(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """R² and slope of the least-squares line through the points; a level line is described perfectly."""
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    sxx = sum((a - mean_x) ** 2 for a in x)
    syy = sum((b - mean_y) ** 2 for b in y)
    sxy = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    if sxx == 0 or syy == 0:
        return 1.0, 0.0
    return sxy * sxy / (sxx * syy), sxy / sxx


def _english(label: str, s: Shape, backwards: bool) -> str:
    said = []
    if not math.isnan(s.first):
        way = "from the last layer to the first" if backwards else "from the first layer to the last"
        if s.level:
            said.append(f"{label} stays level at about {short(s.last)}.")
        else:
            by = f"{short(s.factor)}-fold" if s.factor >= 1 else f"{short(1 / s.factor)}-fold"
            law = {
                "linear": f", linearly, by {short(abs(s.rate))} a layer (R² {s.r2:.3f})",
                "exponential": f", exponentially, {short(_per_layer(s, backwards))} times a layer (R² {s.r2:.3f})",
                None: "",
            }[s.law]
            verb = "grows" if s.factor >= 1 else "shrinks"
            said.append(f"{label} {verb} {by} {way}, {short(s.first)} to {short(s.last)}{law}.")
    if s.zeros:
        said.append(f"{label} is exactly 0 at {_layers(s.zeros, 'layer', 'layers')}: too small for its number format.")
    if s.lost:
        said.append(f"{label} is infinite or NaN at {_layers(s.lost, 'layer', 'layers')}: it has overflowed.")
    return " ".join(said)


def _vietnamese(label: str, s: Shape, backwards: bool) -> str:
    said = []
    if not math.isnan(s.first):
        way = "từ layer cuối về layer đầu" if backwards else "từ layer đầu đến layer cuối"
        if s.level:
            said.append(f"{label} giữ mức khoảng {short(s.last)}.")
        else:
            by = short(s.factor if s.factor >= 1 else 1 / s.factor)
            law = {
                "linear": f", tuyến tính, mỗi layer {short(abs(s.rate))} (R² {s.r2:.3f})",
                "exponential": f", theo hàm mũ, mỗi layer nhân {short(_per_layer(s, backwards))} (R² {s.r2:.3f})",
                None: "",
            }[s.law]
            verb = "tăng" if s.factor >= 1 else "giảm"
            said.append(f"{label} {verb} {by} lần {way}, {short(s.first)} → {short(s.last)}{law}.")
    if s.zeros:
        said.append(f"{label} đúng bằng 0 ở {_layers(s.zeros, 'layer', 'layer')}: quá nhỏ so với kiểu số (underflow).")
    if s.lost:
        said.append(f"{label} là inf hoặc NaN ở {_layers(s.lost, 'layer', 'layer')}: đã tràn số (overflow).")
    return " ".join(said)


def _per_layer(s: Shape, backwards: bool) -> float:
    return 1 / s.rate if backwards else s.rate


def _layers(x: Sequence[float], one: str, several: str) -> str:
    low, high = min(x), max(x)
    return f"{one} {low:g}" if low == high else f"{several} {low:g}–{high:g}"
