"""What the errors of nets of growing depth show, put into words by rules, in both languages."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kernels.curve import Curve
from kernels.lab.words import Words, join, localised

WORSE = 0.05
"""An error that is larger by so much at the greatest depth than at the best one counts as degradation."""


def read_degradation(errors: Sequence[Curve]) -> Words:
    """Where each net's training error is least, what it is at the greatest depth, and whether depth made it worse."""
    said = []
    for error in errors:
        finite = [(y, x) for x, y in zip(error.x, error.y, strict=True) if math.isfinite(y)]
        lost = [x for x, y in zip(error.x, error.y, strict=True) if not math.isfinite(y)]
        if not finite:
            said.append(Words(f"{error.label}: diverges at every depth.", f"{error.label}: phân kỳ ở mọi độ sâu."))
            continue
        best, at = min(finite)
        least, last = _share(best), _share(error.last)
        end = f"{error.x[-1]:g}"
        if lost:
            text = Words(
                f"{error.label}: at best {least.en} ({at:g} layers); diverges from {lost[0]:g} layers.",
                f"{error.label}: thấp nhất {least.vi} ({at:g} tầng); phân kỳ từ {lost[0]:g} tầng.",
            )
        elif error.last > best + WORSE:
            text = Words(
                f"{error.label}: degradation. {least.en} of the training points are wrong at {at:g} layers, {last.en} "
                f"at {end}: depth made the training error itself worse, so it is no overfitting.",
                f"{error.label}: bị degradation. Sai {least.vi} số điểm train ở {at:g} tầng, {last.vi} ở {end} tầng: "
                "độ sâu làm chính sai số train tệ đi, nên đây không phải overfitting.",
            )
        else:
            text = Words(
                f"{error.label}: no degradation, {least.en} at best and {last.en} at {end} layers.",
                f"{error.label}: không bị degradation, thấp nhất {least.vi} và {last.vi} ở {end} tầng.",
            )
        said.append(text)
    return join(said)


def _share(value: float) -> Words:
    return localised(f"{value:.1%}")
