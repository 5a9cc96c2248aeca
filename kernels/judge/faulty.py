"""WRONG ON PURPOSE: kernels for which a learner looks for an input that shows it, each beside the same in float64.

They are small models of what the mistake does to the numbers, so that they run anywhere and at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from kernels.precision import sequential_sum, sum_of_squares_variance

MOST_VALUES = 4096
EPS = 1e-5


class Faulty(NamedTuple):
    """A kernel, the same in float64, and the inputs that it takes with their dtype."""

    inputs: Mapping[str, torch.dtype]
    kernel: Callable[..., Tensor]
    right: Callable[..., Tensor]


def _variance(x: Tensor) -> Tensor:
    return x.double().var(unbiased=False)


def _float16_mean_square(x: Tensor) -> Tensor:
    return sequential_sum(x * x).float() / len(x)


def _eps_outside(x: Tensor) -> Tensor:
    return x / (x.square().mean().sqrt() + EPS)


def _rms_norm(x: Tensor) -> Tensor:
    x = x.double()
    return x * torch.rsqrt(x.square().mean() + EPS)


def _int32_product(row: Tensor, stride: Tensor) -> Tensor:
    product = int(row[0]) * int(stride[0])
    return torch.tensor(float((product + 2**31) % 2**32 - 2**31), dtype=torch.float64)


def _product(row: Tensor, stride: Tensor) -> Tensor:
    return torch.tensor(float(int(row[0]) * int(stride[0])), dtype=torch.float64)


FAULTY: dict[str, Faulty] = {
    "one_pass_variance": Faulty({"x": torch.float32}, sum_of_squares_variance, _variance),
    "float16_mean_square": Faulty({"x": torch.float16}, _float16_mean_square, lambda x: x.double().square().mean()),
    "eps_outside_rms_norm": Faulty({"x": torch.float32}, _eps_outside, _rms_norm),
    "int32_offset": Faulty({"row": torch.int64, "stride": torch.int64}, _int32_product, _product),
}


class UnfitError(ValueError):
    """An input that the kernel cannot take. `kind` and `name` say which and why."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"{name}: {kind}")
        self.kind, self.name = kind, name


def try_on(name: str, given: Mapping[str, Tensor]) -> dict[str, float | list[float]]:
    """Both results for float64 inputs, rounded to what the kernel takes, and the errors. Raises UnfitError."""
    faulty = FAULTY[name]
    inputs = {}
    for key, dtype in faulty.inputs.items():
        value = given[key].flatten()
        if not value.numel():
            raise UnfitError("empty", key)
        sizes = (value == value.round()) & (value >= 0) & (value <= 2**40)
        if not dtype.is_floating_point and not bool(sizes.all()):
            raise UnfitError("not-a-size", key)
        rounded = value.to(dtype)
        if not bool(rounded.to(torch.float64).isfinite().all()):
            raise UnfitError("not-finite", key)
        inputs[key] = rounded
    got, want = (way(**inputs).double().flatten() for way in (faulty.kernel, faulty.right))
    error = torch.nan_to_num((got - want).abs(), nan=torch.inf)
    at = int(error.argmax())
    size = float(want.abs().amax())
    absolute = float(error[at])
    relative = absolute / size if size else (0.0 if absolute == 0 else float("inf"))
    return {"got": float(got[at]), "want": float(want[at]), "absolute_error": absolute, "relative_error": relative}
