"""What the curves of the other experiments show, put into words by rules, in both languages."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kernels.curve import Curve
from kernels.lab.shape import power
from kernels.lab.words import Words, join, localised, number

WRONG = 0.1
"""The relative error from which an algorithm counts as wrong."""


def read_errors(curves: Sequence[Curve]) -> Words:
    """From where on each algorithm is wrong by more than `WRONG`, or how wrong it is at most; where it overflowed."""
    said = []
    for curve in curves:
        axis, label = curve.x_label, curve.label
        bad = [x for x, error in zip(curve.x, curve.y, strict=True) if not error <= WRONG]
        lost = [x for x, error in zip(curve.x, curve.y, strict=True) if not math.isfinite(error)]
        if bad:
            start, share = number(bad[0]), localised(f"{WRONG:.0%}")
            text = Words(
                f"{label}: wrong by more than {share.en} from {axis} = {start.en}",
                f"{label}: sai hơn {share.vi} từ {_axis(axis).vi} = {start.vi}",
            )
            if lost:
                at = number(lost[0])
                text = Words(f"{text.en}, and overflows from {at.en}.", f"{text.vi}, và tràn số từ {at.vi}.")
            else:
                text = Words(text.en + ".", text.vi + ".")
            said.append(text)
        else:
            worst = number(max(curve.y, default=math.nan))
            said.append(
                Words(f"{label}: within {worst.en} everywhere.", f"{label}: sai số không quá {worst.vi} ở mọi điểm.")
            )
    return join(said)


def read_sums(curves: Sequence[Curve]) -> Words:
    """Where each running sum stops growing although values are still added, or where it ends."""
    said = []
    for curve in curves:
        stalled = next((x for x, y in zip(curve.x, curve.y, strict=True) if y == curve.last), curve.x[-1])
        at, after = number(curve.last), number(stalled)
        if stalled < curve.x[-1]:
            said.append(
                Words(
                    f"{curve.label} stalls at {at.en} after {after.en} values.",
                    f"{curve.label} đứng yên ở {at.vi} sau {after.vi} giá trị.",
                )
            )
        else:
            said.append(Words(f"{curve.label} reaches {at.en}.", f"{curve.label} đạt {at.vi}."))
    return join(said)


def read_differences(measured: Curve, theory: Curve) -> Words:
    """What the measured curve is at its ends, and how far it is from the formula at most."""
    apart = localised(f"{max(abs(a - b) / b for a, b in zip(measured.y, theory.y, strict=True)):.1%}")
    first, last = number(measured.first), number(measured.last)
    low, high = number(measured.x[0]), number(measured.x[-1])
    return Words(
        f"The difference goes from {first.en} (mean / std {low.en}) to {last.en} ({high.en}): while the mean is small "
        f"against the spread, it is about mean / std itself. Measurement and formula differ by {apart.en} at most.",
        f"Chênh lệch đi từ {first.vi} (mean / std {low.vi}) đến {last.vi} ({high.vi}): khi mean còn nhỏ so với độ lệch "
        f"chuẩn, nó xấp xỉ chính mean / std. Đo được và công thức lệch nhau không quá {apart.vi}.",
    )


def read_batches(view: str, curves: Sequence[Curve]) -> Words:
    """How BatchNorm's deviation falls with the batch, and whether LayerNorm has any."""
    batch, layer = curves[0], curves[1]
    first, last = number(batch.first), number(batch.last)
    what = (
        Words("The same sample's output varies from batch to batch", "Output của cùng một mẫu thay đổi theo batch")
        if view == "noise"
        else Words("Training differs from evaluation", "Lúc train khác lúc eval")
    )
    r2, exponent = power(batch.x, batch.y)
    like = Words("", "")
    if len(batch.x) > 2 and not math.isnan(exponent):
        p, fit = localised(f"{exponent:.2f}"), localised(f"{r2:.2f}")
        like = Words(
            f", like B^{p.en} (R² {fit.en}; 1/√B would be B^-0.50)", f", như B^{p.vi} (R² {fit.vi}; 1/√B là B^-0,50)"
        )
    most = number(max(layer.y))
    none = max(layer.y) == 0
    return join(
        [
            Words(
                f"{what.en} under BatchNorm: by {first.en} of its size at B = {batch.x[0]:g}, {last.en} at "
                f"{batch.x[-1]:g}{like.en}.",
                f"{what.vi} với BatchNorm: {first.vi} lần độ lớn của nó ở B = {batch.x[0]:g}, {last.vi} ở "
                f"{batch.x[-1]:g}{like.vi}.",
            ),
            Words(
                "LayerNorm: exactly 0, for it reads no other sample."
                if none
                else f"LayerNorm: {most.en} at most, which is rounding.",
                "LayerNorm: đúng bằng 0, vì nó không đọc mẫu nào khác."
                if none
                else f"LayerNorm: nhiều nhất {most.vi}, chỉ là sai số làm tròn.",
            ),
        ]
    )


def _axis(label: str) -> Words:
    return Words(label, {"values in the row": "số giá trị của hàng"}.get(label, label))
