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
    low: float
    high: float
    law: Literal["linear", "exponential"] | None
    r2: float
    rate: float
    zeros: tuple[float, ...]
    lost: tuple[float, ...]

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
        return Shape(nan, nan, nan, nan, None, nan, nan, zeros, lost)
    xs, ys = [a for a, _ in points], [b for _, b in points]
    linear, slope = _straight(xs, ys)
    exponential, log_slope = _straight(xs, [math.log(b) for b in ys])
    law: Literal["linear", "exponential"] | None = None
    if len(points) > 2 and max(linear, exponential) >= FITS:
        law = "linear" if linear >= exponential else "exponential"
    best, rate = (exponential, math.exp(log_slope)) if law == "exponential" else (linear, slope)
    return Shape(ys[0], ys[-1], min(ys), max(ys), law, best, rate, zeros, lost)


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
        elif s.wanders:
            said.append(f"{label} moves between {short(s.low)} and {short(s.high)} without a trend.")
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
        way = "từ tầng cuối về tầng đầu" if backwards else "từ tầng đầu đến tầng cuối"
        if s.level:
            said.append(f"{label} giữ mức khoảng {_short(s.last)}.")
        elif s.wanders:
            said.append(f"{label} dao động từ {_short(s.low)} đến {_short(s.high)}, không có xu hướng.")
        else:
            by = _short(s.factor if s.factor >= 1 else 1 / s.factor)
            fit = f"(R² {_comma(f'{s.r2:.3f}')})"
            law = {
                "linear": f", tuyến tính, mỗi tầng {_short(abs(s.rate))} {fit}",
                "exponential": f", theo hàm mũ, mỗi tầng nhân {_short(_per_layer(s, backwards))} {fit}",
                None: "",
            }[s.law]
            verb = "tăng" if s.factor >= 1 else "giảm"
            said.append(f"{label} {verb} {by} lần {way}, {_short(s.first)} → {_short(s.last)}{law}.")
    if s.zeros:
        said.append(f"{label} đúng bằng 0 ở {_layers(s.zeros, 'tầng', 'tầng')}: quá nhỏ so với kiểu số (underflow).")
    if s.lost:
        said.append(f"{label} là inf hoặc NaN ở {_layers(s.lost, 'tầng', 'tầng')}: đã tràn số (overflow).")
    return " ".join(said)


def _short(value: float) -> str:
    return _comma(short(value))


def _comma(number: str) -> str:
    """A number as it is written in Vietnamese."""
    return number.replace(".", ",")


def _per_layer(s: Shape, backwards: bool) -> float:
    return 1 / s.rate if backwards else s.rate


def _layers(x: Sequence[float], one: str, several: str) -> str:
    low, high = min(x), max(x)
    return f"{one} {low:g}" if low == high else f"{several} {low:g}–{high:g}"


def read_spectra(curves: Sequence[Curve]) -> dict[str, str]:
    """The largest and the smallest singular value of each Jacobian, and what the largest does to a gradient."""
    english, vietnamese = [], []
    for curve in curves:
        high, low = max(curve.y), min(curve.y)
        english.append(
            f"{curve.label}: singular values {short(low)} to {short(high)}; "
            + ("a gradient can grow here." if high > 1 else "every gradient shrinks here.")
        )
        vietnamese.append(
            f"{curve.label}: giá trị suy biến từ {_short(low)} đến {_short(high)}; "
            + ("gradient có thể lớn lên ở đây." if high > 1 else "mọi gradient đều nhỏ đi ở đây.")
        )
    return {"vi": " ".join(vietnamese), "en": " ".join(english)}


def read_errors(curves: Sequence[Curve], limit: float = 0.1) -> dict[str, str]:
    """From where on each method is wrong by more than `limit`, or how wrong it is at most."""
    english, vietnamese = [], []
    for curve in curves:
        bad = [x for x, error in zip(curve.x, curve.y, strict=True) if not error <= limit]
        worst = max(curve.y, default=math.nan)
        if bad:
            english.append(f"{curve.label}: wrong by more than {limit:.0%} from a mean of {short(bad[0])}.")
            vietnamese.append(f"{curve.label}: sai hơn {limit:.0%} khi trung bình từ {_short(bad[0])} trở lên.")
        else:
            english.append(f"{curve.label}: within {short(worst)} everywhere.")
            vietnamese.append(f"{curve.label}: sai số không quá {_short(worst)} ở mọi điểm.")
    return {"vi": " ".join(vietnamese), "en": " ".join(english)}


def read_sums(curves: Sequence[Curve]) -> dict[str, str]:
    """Where each running sum stops growing although values are still added, or where it ends."""
    english, vietnamese = [], []
    for curve in curves:
        stalled = next((x for x, y in zip(curve.x, curve.y, strict=True) if y == curve.last), curve.x[-1])
        if stalled < curve.x[-1]:
            english.append(f"{curve.label} stalls at {short(curve.last)} after {short(stalled)} values.")
            vietnamese.append(f"{curve.label} đứng yên ở {_short(curve.last)} sau {_short(stalled)} giá trị.")
        else:
            english.append(f"{curve.label} reaches {short(curve.last)}.")
            vietnamese.append(f"{curve.label} đạt {_short(curve.last)}.")
    return {"vi": " ".join(vietnamese), "en": " ".join(english)}


def read_differences(curves: Sequence[Curve]) -> dict[str, str]:
    """What the first curve is at its ends, and how far it is from the second at most."""
    measured, theory = curves
    apart = max(abs(a - b) / b for a, b in zip(measured.y, theory.y, strict=True))
    ends = f"{short(measured.first)} ({measured.x_label} {short(measured.x[0])})", f"{short(measured.last)}"
    return {
        "vi": f"Chênh lệch từ {_comma(ends[0])} đến {_comma(ends[1])} ({measured.x_label} {_short(measured.x[-1])}); "
        f"đo được và lý thuyết lệch nhau không quá {_comma(f'{apart:.1%}')}.",
        "en": f"The difference goes from {ends[0]} to {ends[1]} ({measured.x_label} {short(measured.x[-1])}); "
        f"measurement and theory are within {apart:.1%} of each other.",
    }
