"""How far from float64 a right answer may be.

Three parts, each measured on the very input that is tried:

- a multiple of what PyTorch's own kernel errs there in the same precision;
- a multiple of the unit roundoff times the size of the terms that are added up, since an honest sum of n terms in any
  order errs by at most about n roundings of those, and by about sqrt(n) usually (Higham 2002, Accuracy and Stability of
  Numerical Algorithms, 4.2);
- a multiple of how far the result moves when every input moves by one rounding: the condition of the problem. Where
  the mean is large this is |mean| * rstd * 2^-24. Without it right code would be refused on constant rows, where
  PyTorch errs by nothing and an honest mean by one rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from kernels.judge.inputs import Draw

UNIT = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-24}
"""The roundoff of the precision that statistics are to have: float16 is computed in float32."""
HALF = 2.0**-11
ROUNDINGS_IN_HALF = 3.5
"""The normalised value, its product with the weight, and the sum with the bias may each be rounded to float16."""
BASELINE = 8.0
STEP = 2.0**-24
"""The relative size of the trial moves: far above the noise of float64, far below what is not linear."""

Results = Mapping[str, Tensor]
Evaluate = Callable[[Mapping[str, Tensor]], Results]


def moves(evaluate: Evaluate, inputs: Mapping[str, Tensor], exact: Results, draw: Draw) -> dict[str, Tensor]:
    """For each result, how far it moves at most when every input moves by a relative 1, to first order."""
    largest = {name: torch.zeros_like(value) for name, value in exact.items()}
    for pattern in range(4):
        moved = {name: value * (1 + STEP * _signs(value, pattern, draw)) for name, value in inputs.items()}
        for name, value in evaluate(moved).items():
            largest[name] = torch.maximum(largest[name], (value - exact[name]).abs() / STEP)
    return largest


def _signs(values: Tensor, pattern: int, draw: Draw) -> Tensor:
    """+1 and -1. The first two patterns alternate, so that two neighbours never move together in both."""
    if pattern >= 2 or not values.ndim:
        return torch.where(draw.uniform(0, 1, *values.shape) < 0.5, -1.0, 1.0)
    place = torch.zeros(values.shape, dtype=torch.int64)
    for dim, size in enumerate(values.shape):
        index = torch.arange(size)
        place = place + index.view([-1 if each == dim else 1 for each in range(values.ndim)])
    return torch.where((place if pattern == 0 else place // 2) % 2 == 0, 1.0, -1.0).to(torch.float64)


def rounding(n: int) -> float:
    """Roundings that a sum of n terms may cost, relative to their size."""
    return 8 + math.sqrt(n)


def drift(n: int) -> float:
    """Roundings that the mean of n nearly equal values may be off by: added one by one, all may round the same way."""
    return 8 + n / 2


def spread(values: Tensor, dims: tuple[int, ...]) -> Tensor:
    """The largest of the values along `dims`, kept, since the roundings of a row reach all of it."""
    dims = tuple(dim for dim in dims if -values.ndim <= dim < values.ndim)
    return values.amax(dims, keepdim=True) if dims and values.ndim and values.numel() else values
