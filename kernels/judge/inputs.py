"""The inputs that submissions are tried on: families of rows that break one mistake each, in any memory layout."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from kernels.judge.wire import DTYPES

OFFSET, SMALL_OFFSET, SMALL_SPREAD, LARGE = 1e4, 0.5, 3e-3, 300.0


class Draw:
    """Random numbers of one run, all from its seed, and how tensors are laid out."""

    def __init__(self, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)

    def normal(self, *shape: int) -> Tensor:
        """Standard normal float64 values."""
        return torch.randn(*shape, generator=self.generator, dtype=torch.float64)

    def uniform(self, low: float, high: float, *shape: int) -> Tensor:
        """Float64 values between two numbers."""
        return low + (high - low) * torch.rand(*shape, generator=self.generator, dtype=torch.float64)

    def integer(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`."""
        return int(torch.randint(low, high + 1, (), generator=self.generator))

    def rows(self, family: str, shape: Sequence[int], dtype: str = "float32", eps: float = 1e-5) -> Tensor:
        """Values (..., d) of a family, rounded to `dtype`, contiguous."""
        return FAMILIES[family](self, list(shape), eps, dtype).to(DTYPES[dtype])

    def weight(self, width: int, dtype: str = "float32") -> Tensor:
        """A weight that is nowhere near 0 or 1, of both signs, so that a forgotten or misplaced one shows."""
        signs = torch.where(self.uniform(0, 1, width) < 0.3, -1.0, 1.0)
        return (self.uniform(0.5, 2.0, width) * signs).to(DTYPES[dtype])

    def bias(self, width: int, dtype: str = "float32") -> Tensor:
        """A bias that is nowhere near 0."""
        return (self.uniform(0.5, 1.5, width) * torch.where(self.uniform(0, 1, width) < 0.5, -1.0, 1.0)).to(
            DTYPES[dtype]
        )

    def laid_out(self, values: Tensor, layout: str) -> Tensor:
        """The same values (for "expanded", those of its first row) in another layout; what lies between is noise."""
        if layout == "transposed" and values.ndim > 1:
            return values.transpose(-1, -2).contiguous().transpose(-1, -2)
        if layout == "sliced":
            wide = (self.normal(*values.shape[:-1], values.shape[-1] * 2 + 1) * 1e3).to(values.dtype)
            view = wide[..., 1::2]
            view.copy_(values)
            return view
        if layout == "expanded" and values.ndim > 1:
            return values[..., :1, :].contiguous().expand(*values.shape)
        return values.contiguous()


Family = Callable[[Draw, list[int], float, str], Tensor]


def _per_row(draw: Draw, shape: list[int]) -> list[int]:
    return [*shape[:-1], 1]


def _normal(draw: Draw, shape: list[int], eps: float, dtype: str) -> Tensor:
    scale = draw.uniform(0.5, 2.0, *_per_row(draw, shape))
    return draw.normal(*shape) * scale + draw.normal(*_per_row(draw, shape)) * 0.7


def _tiny_variance(draw: Draw, shape: list[int], eps: float, dtype: str) -> Tensor:
    return draw.normal(*shape) * math.sqrt(eps) * draw.uniform(0.5, 1.5, *_per_row(draw, shape))


def _offset(draw: Draw, shape: list[int], eps: float, dtype: str) -> Tensor:
    centre = 20.0 if dtype == "float16" else OFFSET
    return draw.normal(*shape) + centre * draw.uniform(0.8, 1.2, *_per_row(draw, shape))


def _small_offset(draw: Draw, shape: list[int], eps: float, dtype: str) -> Tensor:
    return draw.normal(*shape) * SMALL_SPREAD + SMALL_OFFSET * draw.uniform(0.9, 1.1, *_per_row(draw, shape))


def _constant(draw: Draw, shape: list[int], eps: float, dtype: str) -> Tensor:
    size = 10.0 ** draw.uniform(-1, 3, *_per_row(draw, shape))
    sign = torch.where(draw.uniform(0, 1, *_per_row(draw, shape)) < 0.5, -1.0, 1.0)
    return (size * sign).expand(*shape).clone()


def _wide_range(draw: Draw, shape: list[int], eps: float, dtype: str) -> Tensor:
    return draw.normal(*shape).sign() * 10.0 ** draw.uniform(-3, 3, *shape)


def _large(draw: Draw, shape: list[int], eps: float, dtype: str) -> Tensor:
    # At least 290 in the mean square, so that a sum or a mean of squares passes 65504 in every row.
    values = draw.normal(*shape)
    return values / values.square().mean(-1, keepdim=True).sqrt() * LARGE


def _zero(draw: Draw, shape: list[int], eps: float, dtype: str) -> Tensor:
    return torch.zeros(*shape, dtype=torch.float64)


FAMILIES: dict[str, Family] = {
    "normal": _normal,
    "tiny-variance": _tiny_variance,
    "offset": _offset,
    "small-offset": _small_offset,
    "constant": _constant,
    "wide-range": _wide_range,
    "large": _large,
    "zero": _zero,
}
