"""One curve of several seeds: their mean, and the band from the least to the greatest. Needs no torch."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kernels.curve import Curve


def over_seeds(
    label: str, x: Sequence[float], samples: Sequence[Sequence[float]], *, arch: str = "", x_label: str, y_label: str
) -> Curve:
    """The mean of the samples at each x; with more than one sample, with their band.

    Where a sample is NaN or infinite the mean is so too: that one of the seeds overflowed is part of the result.
    Raises ValueError when there is no sample.
    """
    if not samples:
        raise ValueError("there are no samples to take the mean of")
    columns = list(zip(*samples, strict=True))
    mean = [math.fsum(column) / len(column) if all(map(math.isfinite, column)) else sum(column) for column in columns]
    band: dict[str, tuple[float, ...]] = {}
    if len(samples) > 1:
        finite = [[value for value in column if math.isfinite(value)] or [math.nan] for column in columns]
        band = {"low": tuple(map(min, finite)), "high": tuple(map(max, finite))}
    return Curve(label, tuple(x), tuple(mean), arch=arch, x_label=x_label, y_label=y_label, **band)
