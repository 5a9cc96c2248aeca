"""What curves over layers show, put into words by rules, in both languages."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kernels.curve import Curve
from kernels.lab.shape import Shape, power, shape
from kernels.lab.words import Words, join, localised, number

ROUNDING = 1e-6
"""A share of the RMS below which a token's mean is 0 up to the rounding of float32."""


def read(
    curves: Sequence[Curve], *, backwards: bool = False, seeds: int = 1, both_fits: bool = False, floor: float = 0.0
) -> Words:
    """A sentence or two on each curve over layers; most growth first.

    `backwards` reads from the last layer to the first, as a gradient travels. `both_fits` says how well a straight line
    and an exponential describe each curve, the worse of the two as well. What falls below `floor` is rounding.
    """
    shapes = []
    for curve in curves:
        x, y = (curve.x[::-1], curve.y[::-1]) if backwards else (curve.x, curve.y)
        shapes.append((curve, shape(x, y)))
    shapes.sort(key=lambda item: math.inf if math.isnan(item[1].factor) else -item[1].factor)
    said = [each for curve, s in shapes for each in _layers_of(curve, s, backwards, both_fits, floor)]
    return join([*said, of_seeds(seeds)])


def of_seeds(seeds: int) -> Words:
    """What a band means; nothing where there is none."""
    if seeds < 2:
        return Words("", "")
    return Words(
        f"Mean of {seeds} seeds; the band runs from the least to the greatest.",
        f"Trung bình của {seeds} seed; dải là từ nhỏ nhất đến lớn nhất.",
    )


def _layers_of(curve: Curve, s: Shape, backwards: bool, both_fits: bool, floor: float) -> list[Words]:
    label = curve.label
    said: list[Words] = []
    if not s.empty:
        if s.last < floor < s.first:
            tiny = number(s.last)
            said.append(
                Words(
                    f"{label} falls to {tiny.en}, which is rounding.",
                    f"{label} còn {tiny.vi}, chỉ là sai số làm tròn.",
                )
            )
        elif s.level:
            at = number(s.last)
            said.append(Words(f"{label} stays level at about {at.en}.", f"{label} giữ mức khoảng {at.vi}."))
        elif s.wanders:
            low, high = number(s.low), number(s.high)
            said.append(
                Words(
                    f"{label} moves between {low.en} and {high.en} without a trend.",
                    f"{label} dao động từ {low.vi} đến {high.vi}, không có xu hướng.",
                )
            )
        else:
            said.append(_trend(label, s, backwards, both_fits))
    if s.zeros:
        where = _where(s.zeros)
        said.append(
            Words(
                f"{label} is exactly 0 at {where.en}: too small for its number format (underflow).",
                f"{label} đúng bằng 0 ở {where.vi}: quá nhỏ so với kiểu số (underflow).",
            )
        )
    if s.lost:
        where = _where(s.lost)
        said.append(
            Words(
                f"{label} is infinite or NaN at {where.en}: it has overflowed.",
                f"{label} là inf hoặc NaN ở {where.vi}: đã tràn số (overflow).",
            )
        )
    return said


def _trend(label: str, s: Shape, backwards: bool, both_fits: bool) -> Words:
    way = (
        Words("from the last layer to the first", "từ tầng cuối về tầng đầu")
        if backwards
        else Words("from the first layer to the last", "từ tầng đầu đến tầng cuối")
    )
    by, first, last = number(s.factor if s.factor >= 1 else 1 / s.factor), number(s.first), number(s.last)
    verb = Words("grows", "tăng") if s.factor >= 1 else Words("shrinks", "giảm")
    law = _law(s, backwards, both_fits)
    return Words(
        f"{label} {verb.en} {by.en}-fold {way.en}, {first.en} to {last.en}{law.en}.",
        f"{label} {verb.vi} {by.vi} lần {way.vi}, {first.vi} → {last.vi}{law.vi}.",
    )


def _law(s: Shape, backwards: bool, both_fits: bool) -> Words:
    """In what way it changes, and how well that describes it."""
    linear, exponential = localised(f"{s.linear:.3f}"), localised(f"{s.exponential:.3f}")
    if s.law == "linear":
        rate = number(abs(s.rate))
        other = (
            f"; an exponential {exponential.en}" if both_fits else "",
            f"; hàm mũ {exponential.vi}" if both_fits else "",
        )
        return Words(
            f", linearly, by {rate.en} a layer (R² {linear.en}{other[0]})",
            f", tuyến tính, mỗi tầng {rate.vi} (R² {linear.vi}{other[1]})",
        )
    if s.law == "exponential":
        rate = number(1 / s.rate if backwards else s.rate)
        other = f"; a straight line {linear.en}" if both_fits else "", f"; đường thẳng {linear.vi}" if both_fits else ""
        return Words(
            f", exponentially, {rate.en} times a layer (R² {exponential.en}{other[0]})",
            f", theo hàm mũ, mỗi tầng nhân {rate.vi} (R² {exponential.vi}{other[1]})",
        )
    if not both_fits:
        return Words("", "")
    return Words(
        f", neither linearly (R² {linear.en}) nor exponentially ({exponential.en})",
        f", không tuyến tính (R² {linear.vi}) mà cũng không theo hàm mũ ({exponential.vi})",
    )


def _where(x: Sequence[float]) -> Words:
    low, high = min(x), max(x)
    if low == high:
        return Words(f"layer {low:g}", f"tầng {low:g}")
    return Words(f"layers {low:g}–{high:g}", f"tầng {low:g}–{high:g}")


def read_depths(norms: Sequence[Curve], relative: Sequence[Curve]) -> Words:
    """What the last layer's gradient does from the least depth to the greatest, and like which power of the depth."""
    said = []
    for absolute, curve in zip(norms, relative, strict=True):
        first, last = absolute.x[0], absolute.x[-1]
        share, at, to = number(curve.last), number(absolute.first), number(absolute.last)
        r2, exponent = power(absolute.x, absolute.y)
        if math.isnan(exponent) or len(absolute.x) < 3:
            like = Words("", "")
        elif abs(exponent) < 0.15:
            like = Words(": it does not follow the depth", ": không phụ thuộc độ sâu")
        else:
            p, fit = localised(f"{exponent:.2f}"), localised(f"{r2:.2f}")
            like = Words(f": like L^{p.en} (R² {fit.en})", f": như L^{p.vi} (R² {fit.vi})")
        said.append(
            Words(
                f"{curve.label}: at {last:g} blocks {share.en} of what it is at {first:g} ({at.en} to {to.en})"
                f"{like.en}.",
                f"{curve.label}: ở {last:g} block bằng {share.vi} lần so với {first:g} block ({at.vi} → {to.vi})"
                f"{like.vi}.",
            )
        )
    if norms:
        expected = number((norms[0].x[0] / norms[0].x[-1]) ** 0.5)
        said.append(Words(f"1/√L would be {expected.en}.", f"1/√L thì là {expected.vi}."))
    return join(said)


def read_spectra(curves: Sequence[Curve]) -> Words:
    """The largest and the smallest singular value of each Jacobian, and what the largest does to a gradient."""
    said = []
    for curve in curves:
        high, low = max(curve.y), min(curve.y)
        grows = high > 1
        a, b = number(low), number(high)
        said.append(
            Words(
                f"{curve.label}: singular values {a.en} to {b.en}; "
                + ("a gradient can grow here." if grows else "every gradient shrinks here."),
                f"{curve.label}: giá trị suy biến từ {a.vi} đến {b.vi}; "
                + ("gradient có thể lớn lên ở đây." if grows else "mọi gradient đều nhỏ đi ở đây."),
            )
        )
    return join(said)
