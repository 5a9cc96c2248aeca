"""Experiments on the numbers themselves: cancellation, sums in half precision, RMSNorm against LayerNorm."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from kernels.curve import Curve
from kernels.lab.monitor import Monitor, Work
from kernels.lab.readings import read_differences, read_errors, read_sums
from kernels.lab.seeds import over_seeds
from kernels.lab.spec import Measured
from kernels.norms import ManualLayerNorm, ManualRMSNorm
from kernels.precision import (
    chan_variance,
    pairwise_sum,
    shifted_variance,
    sum_of_squares_variance,
    two_pass_variance,
    welford_variance,
)

DTYPES = {"fp64": torch.float64, "fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
ALGORITHMS: dict[str, Callable[[Tensor], Tensor]] = {
    "squares": sum_of_squares_variance,
    "pairwise": lambda x: sum_of_squares_variance(x, pairwise_sum),
    "shifted": shifted_variance,
    "two-pass": lambda x: two_pass_variance(x, pairwise_sum),
    "welford": welford_variance,
    "chan": chan_variance,
}
"""`kernels.precision` holds them; "squares" and "pairwise" are E[x²] − E[x]², added one by one and in halves."""
RATIOS = tuple(10 ** (k / 2) for k in range(11))
"""mean / std, from 1 to 100,000."""
SIZES = tuple(2**k for k in range(4, 14))
"""Values in a row, from 16 to 8,192."""
SHIFTS = tuple(10 ** (k / 4 - 2) for k in range(13))
"""mean / std, from 0.01 to 10."""
POINTS = 64


def precision(
    monitor: Monitor,
    *,
    algorithm: tuple[str, ...],
    dtype: tuple[str, ...],
    columns: int,
    ratio: float,
    std: float,
    seeds: int,
    seed: int,
) -> Measured:
    """The relative error of the variance of a row by each algorithm: over mean/std, and over the values in the row.

    The truth is the variance, in float64, of the values that the row holds in that format, so that rounding the row
    itself is no error of the algorithm.
    """
    cases = [(name, kind) for kind in dtype for name in algorithm]
    work = Work(monitor, len(cases) * seeds * (columns * len(RATIOS) + sum(SIZES)))
    by_ratio: list[Curve] = []
    by_size: list[Curve] = []
    for name, kind in cases:
        label = name if len(dtype) == 1 else f"{name} {kind}"
        errors: tuple[list[list[float]], list[list[float]]] = [], []
        for each in range(seed, seed + seeds):
            row = normal(max(columns, SIZES[-1]), each) * std
            for rows, found in (
                ([row[:columns] + r * std for r in RATIOS], errors[0]),
                ([row[:size] + ratio * std for size in SIZES], errors[1]),
            ):
                found.append([])
                for x in rows:
                    found[-1].append(relative_error(ALGORITHMS[name], x.to(DTYPES[kind])))
                    work.step(len(x))
        y_label = "relative error of the variance"
        by_ratio.append(over_seeds(label, RATIOS, errors[0], x_label="mean / std", y_label=y_label))
        by_size.append(over_seeds(label, SIZES, errors[1], x_label="values in the row", y_label=y_label))
        monitor.curves(by_ratio)
    return {
        "ratio": (tuple(by_ratio), read_errors(by_ratio)),
        "size": (tuple(by_size), read_errors(by_size)),
    }


def half_sums(monitor: Monitor, *, dtype: tuple[str, ...], count: int, seed: int) -> Measured:
    """A running sum, added one value at a time and rounded each time, of ones and of squares of normal values."""
    every = max(1, count // POINTS)
    work = Work(monitor, 2 * len(dtype) * count)
    measured: Measured = {}
    for what, values in (("ones", torch.ones(count)), ("squares", normal(count, seed))):
        curves: list[Curve] = []
        for kind in dtype:
            squares = values.to(DTYPES[kind]) ** 2
            total, sums = squares.new_zeros(()), [0.0]
            for n, value in enumerate(squares, 1):
                total = total + value
                if n % every == 0:
                    sums.append(total.item())
                    work.step(every)
            added = tuple(every * k for k in range(len(sums)))
            curves.append(Curve(kind, added, tuple(sums), x_label="values added", y_label="sum"))
            if what == "ones":
                monitor.curves(curves)
        measured[what] = tuple(curves), read_sums(curves)
    return measured


def mean_shift(monitor: Monitor, *, d_model: int, rows: int, dtype: str, seed: int) -> Measured:
    """How far RMSNorm's output is from LayerNorm's as the mean of a row grows against its standard deviation."""
    x = torch.randn(rows, d_model, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    x = (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True, unbiased=False)
    layer, rms = ManualLayerNorm(d_model, elementwise_affine=False), ManualRMSNorm(d_model, elementwise_affine=False)
    # RMSNorm's output is (z + r) / sqrt(1 + r^2) where LayerNorm's is z: a part along z and a part along the mean
    theory = [math.sqrt((1 - 1 / math.sqrt(1 + r * r)) ** 2 + r * r / (1 + r * r)) for r in SHIFTS]
    measured: list[float] = []
    for done, ratio in enumerate(SHIFTS, 1):
        shifted = (x + ratio).to(DTYPES[dtype])
        y = layer(shifted).double()
        measured.append(((rms(shifted).double() - y).norm() / y.norm()).item())
        monitor.progress(done, len(SHIFTS))
        monitor.curves([_difference("measured", measured)])
    curves = _difference("measured", measured), _difference("theory", theory)
    return {"difference": (curves, read_differences(*curves))}


def _difference(label: str, y: list[float]) -> Curve:
    return Curve(label, SHIFTS[: len(y)], tuple(y), x_label="mean / std", y_label="relative difference")


def relative_error(method: Callable[[Tensor], Tensor], x: Tensor) -> float:
    """|estimate - truth| / truth; infinite where the truth is 0 and the estimate is not, or where it overflowed."""
    truth = two_pass_variance(x.double(), pairwise_sum).item()
    value = method(x).item()
    if value == truth:
        return 0.0
    error = abs(value - truth) / truth if truth else math.inf
    return math.inf if math.isnan(error) else error


def normal(count: int, seed: int) -> Tensor:
    """Standard normal values in float64."""
    return torch.randn(count, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
