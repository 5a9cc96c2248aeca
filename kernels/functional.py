"""LayerNorm and RMSNorm over the last dimension, alone or fused with the addition of the residual.

All four take x of any leading shape and any strides in float32, float16 or bfloat16 (and float64 in the torch backend),
compute in float32 (float64 for float64) and round to the dtype of x once. Nothing that is passed in is written to, nor
are the gradients that arrive. `backend` is "torch", "triton" or "auto": Triton on a GPU, torch elsewhere. The torch
backend can be differentiated twice, the Triton one once.

Errors name the argument: ValueError for a shape or a device, TypeError for a dtype, RuntimeError for a backend that
cannot run here.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from kernels.ops import norm_forward

Backend = Literal["auto", "torch", "triton"]

_HALF = (torch.float16, torch.bfloat16)
_DTYPES = (torch.float32, *_HALF, torch.float64)
_HAS_TRITON = find_spec("triton") is not None


def layer_norm(
    x: Tensor, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5, *, backend: Backend = "auto"
) -> Tensor:
    """LayerNorm over the last dimension: (x - mean) / sqrt(var + eps) * weight + bias, with weight and bias (N,)."""
    if _use_triton(backend, x, weight=weight, bias=bias):
        return norm_forward(x, None, weight, bias, eps, True)[0]
    return _layer_norm(_widen(x), weight, bias, eps).to(x.dtype)


def rms_norm(x: Tensor, weight: Tensor | None = None, eps: float = 1e-6, *, backend: Backend = "auto") -> Tensor:
    """RMSNorm over the last dimension: x / sqrt(mean(x^2) + eps) * weight, with weight (N,)."""
    if _use_triton(backend, x, weight=weight):
        return norm_forward(x, None, weight, None, eps, False)[0]
    return _rms_norm(_widen(x), weight, eps).to(x.dtype)


def fused_add_layer_norm(
    x: Tensor,
    residual: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    *,
    backend: Backend = "auto",
) -> tuple[Tensor, Tensor]:
    """(y, h): h = x + residual rounded to the dtype of x, y the LayerNorm of that h, as Hugging Face and vLLM do."""
    if _use_triton(backend, x, residual, weight=weight, bias=bias):
        return norm_forward(x, residual, weight, bias, eps, True)[:2]
    h = _add(x, residual)
    return _layer_norm(h, weight, bias, eps).to(x.dtype), h.to(x.dtype)


def fused_add_rms_norm(
    x: Tensor, residual: Tensor, weight: Tensor | None = None, eps: float = 1e-6, *, backend: Backend = "auto"
) -> tuple[Tensor, Tensor]:
    """(y, h): h = x + residual rounded to the dtype of x, y the RMSNorm of that h, as Hugging Face and vLLM do."""
    if _use_triton(backend, x, residual, weight=weight):
        return norm_forward(x, residual, weight, None, eps, False)[:2]
    h = _add(x, residual)
    return _rms_norm(h, weight, eps).to(x.dtype), h.to(x.dtype)


def _layer_norm(h: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    """F.layer_norm of wide h, moved to mean 0 first.

    F.layer_norm computes x * rstd - mean * rstd on a CPU, which cancels where the mean is large, and half-precision
    weight gradients are summed in half precision there: 5,000 ones add up to 256. LayerNorm does not feel a shift, so
    the shift carries no gradient.
    """
    h = h.contiguous()  # one order of summation, so that a view gives the bits of its copy
    h = h - h.detach().mean(-1, keepdim=True)
    return F.layer_norm(h, h.shape[-1:], _like(weight, h), _like(bias, h), eps)


def _rms_norm(h: Tensor, weight: Tensor | None, eps: float) -> Tensor:
    return F.rms_norm(h.contiguous(), h.shape[-1:], _like(weight, h), eps)


def _add(x: Tensor, residual: Tensor) -> Tensor:
    """The sum, rounded to x.dtype but held in the wide dtype, so that the sum of its two gradients is rounded once."""
    h = _widen(x) + _widen(residual)
    return h if h.dtype == x.dtype else _RoundTo.apply(h, x.dtype)


class _RoundTo(torch.autograd.Function):
    """The values of `dtype` in the dtype of x; the gradient passes through."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor, dtype: torch.dtype) -> Tensor:
        return x.to(dtype).to(x.dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        pass

    @staticmethod
    def backward(_ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient, None

    @staticmethod
    def jvp(_ctx: Any, tangent: Tensor, _dtype: None) -> Tensor:
        return tangent.clone()


def _widen(x: Tensor) -> Tensor:
    return x.float() if x.dtype in _HALF else x


def _like(vector: Tensor | None, h: Tensor) -> Tensor | None:
    return None if vector is None else vector.to(h.dtype)


def _use_triton(backend: str, x: Tensor, residual: Tensor | None = None, **vectors: Tensor | None) -> bool:
    """Checks every argument, then says which backend runs."""
    if backend not in ("auto", "torch", "triton"):
        raise ValueError(f"backend must be 'auto', 'torch' or 'triton', not {backend!r}")
    if x.ndim == 0:
        raise ValueError("x must have at least one dimension, the one that is normalised")
    _check_dtype("x", x)
    if residual is not None:
        if residual.shape != x.shape:
            raise ValueError(f"residual must have the shape of x, {tuple(x.shape)}, not {tuple(residual.shape)}")
        if residual.dtype != x.dtype:
            raise TypeError(f"residual must have the dtype of x, {x.dtype}, not {residual.dtype}")
        _check_device("residual", residual, x)
    for name, vector in vectors.items():
        if vector is not None:
            if vector.shape != x.shape[-1:]:
                raise ValueError(
                    f"{name} must have shape ({x.shape[-1]},), the last dimension of x, not {tuple(vector.shape)}"
                )
            _check_dtype(name, vector)
            if vector.dtype == torch.float64 != x.dtype:
                raise TypeError(f"{name} is float64 and x is {x.dtype}; give both in float64, or {name} in less")
            _check_device(name, vector, x)
    if backend != "triton":
        return backend == "auto" and x.is_cuda and x.dtype != torch.float64 and _HAS_TRITON
    if x.dtype == torch.float64:
        raise TypeError("x is float64, which backend='triton' does not compute; use backend='torch'")
    if not _HAS_TRITON:
        raise RuntimeError("backend='triton' needs the package triton, which is not installed; use backend='torch'")
    return True


def _check_dtype(name: str, tensor: Tensor) -> None:
    if tensor.dtype not in _DTYPES:
        raise TypeError(f"{name} must be float32, float16, bfloat16 or float64, not {tensor.dtype}")


def _check_device(name: str, tensor: Tensor, x: Tensor) -> None:
    if tensor.device != x.device:
        raise ValueError(f"{name} is on {tensor.device} and x is on {x.device}; they must be on one device")
