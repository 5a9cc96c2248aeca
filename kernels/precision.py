"""The variance and the mean square of one row by every method that kernels use, and how wrong each one is.

A sum is written as a loop where the order of its roundings is the point: `torch.sum` adds pairwise and, for half
precision, in float32. Rows are 1-D tensors of at most a few thousand values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

Sum = Callable[[Tensor], Tensor]


class Estimate(NamedTuple):
    """One method's value for a row, and its error relative to float64; inf or NaN where it overflowed."""

    method: str
    value: float
    error: float


def sequential_sum(values: Tensor) -> Tensor:
    """One value after the other, each partial sum rounded to the values' own dtype."""
    total = torch.zeros((), dtype=values.dtype)
    for value in values:
        total = total + value
    return total


def pairwise_sum(values: Tensor) -> Tensor:
    """The two halves added to each other until one value is left: log2(n) roundings on each value's way, not n."""
    while len(values) > 1:
        if len(values) % 2:
            values = torch.cat([values, values.new_zeros(1)])
        half = len(values) // 2
        values = values[:half] + values[half:]
    return values[0]


def sum_of_squares_variance(x: Tensor, add: Sum = sequential_sum) -> Tensor:
    """E[x^2] - E[x]^2: one pass, and the difference of two large numbers when the mean is large against the spread."""
    return add(x * x) / len(x) - (add(x) / len(x)) ** 2


def shifted_variance(x: Tensor, add: Sum = sequential_sum) -> Tensor:
    """The same formula on x - x[0]: the same variance, and the large mean is gone before anything is squared."""
    return sum_of_squares_variance(x - x[0], add)


def two_pass_variance(x: Tensor, add: Sum = sequential_sum) -> Tensor:
    """E[(x - E[x])^2]: the mean first, then the squares of what is left."""
    return add((x - add(x) / len(x)) ** 2) / len(x)


def welford_variance(x: Tensor) -> Tensor:
    """One pass that corrects the mean, and the sum of squares m2 about it, with every value.

    Welford 1962, Technometrics 4(3).
    """
    mean = m2 = torch.zeros((), dtype=x.dtype)
    for count, value in enumerate(x, 1):
        delta = value - mean
        mean = mean + delta / count
        m2 = m2 + delta * (value - mean)
    return m2 / len(x)


def chan_variance(x: Tensor, chunk: int = 64) -> Tensor:
    """Two-pass on each chunk, then the chunks merged, as parallel kernels do.

    Merging counts n_a and n_b adds (mean_b - mean_a)^2 n_a n_b / (n_a + n_b) to the two sums of squares.
    Chan, Golub and LeVeque 1979, Stanford STAN-CS-79-773.
    """
    count, mean, m2 = 0, torch.zeros((), dtype=x.dtype), torch.zeros((), dtype=x.dtype)
    for part in x.split(chunk):
        part_mean = part.mean()
        delta = part_mean - mean
        m2 = m2 + (part - part_mean).square().sum() + delta**2 * (count * len(part) / (count + len(part)))
        mean = mean + delta * (len(part) / (count + len(part)))
        count += len(part)
    return m2 / len(x)


VARIANCES: dict[str, Callable[[Tensor], Tensor]] = {
    "fp16 sum of squares": lambda x: sum_of_squares_variance(x.half()),
    "fp16 pairwise": lambda x: sum_of_squares_variance(x.half(), pairwise_sum),
    "fp32 sum of squares": lambda x: sum_of_squares_variance(x.float()),
    "fp32 pairwise": lambda x: sum_of_squares_variance(x.float(), pairwise_sum),
    "shifted": lambda x: shifted_variance(x.float()),
    "two-pass": lambda x: two_pass_variance(x.float(), pairwise_sum),
    "welford": lambda x: welford_variance(x.float()),
    "chan": lambda x: chan_variance(x.float()),
    "fp64": lambda x: two_pass_variance(x.double(), pairwise_sum),
}
"""The variance of a row by method; in float32 but for those that say otherwise. The first four are one formula."""

MEAN_SQUARES: dict[str, Callable[[Tensor], Tensor]] = {
    "fp16 one by one": lambda x: sequential_sum(x.half() * x.half()) / len(x),
    "fp16 divided first": lambda x: sequential_sum(x.half() * x.half() / len(x)),
    "fp16 pairwise": lambda x: pairwise_sum(x.half() * x.half()) / len(x),
    "bf16 one by one": lambda x: sequential_sum(x.bfloat16() * x.bfloat16()) / len(x),
    "fp32": lambda x: sequential_sum(x.float() * x.float()) / len(x),
    "fp64": lambda x: pairwise_sum(x.double() * x.double()) / len(x),
}
"""The mean square of a row, RMSNorm's statistic, by method."""


def compare(x: Tensor, methods: dict[str, Callable[[Tensor], Tensor]] | None = None) -> list[Estimate]:
    """Each method's estimate for the row x and its relative error; `methods` is `VARIANCES` unless given.

    The truth is the method "fp64" on the values that x holds, so rounding x itself is no error. Raises ValueError for
    anything but a row with at least one value.
    """
    if x.ndim != 1 or not len(x):
        raise ValueError(f"x must be one row with values in it, not of shape {tuple(x.shape)}")
    methods = VARIANCES if methods is None else methods
    truth = methods["fp64"](x).item()
    estimates = []
    for name, method in methods.items():
        value = method(x).item()
        error = 0.0 if value == truth else abs(value - truth) / truth if truth else math.inf
        estimates.append(Estimate(name, value, error))
    return estimates
