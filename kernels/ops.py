"""The Triton kernels as operators of PyTorch, so that autograd, `torch.compile` and `opcheck` know them.

`normtutor::norm_forward` and `normtutor::norm_backward` serve all four public functions: with or without a residual,
centred (LayerNorm) or not (RMSNorm). An operator cannot leave an output out, so the ones that do not apply are empty.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("normtutor::norm_forward", mutates_args=())
def norm_forward(
    x: Tensor, residual: Tensor | None, weight: Tensor | None, bias: Tensor | None, eps: float, center: bool
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(y, h, mean, rstd): y, h (..., N) in the dtype of x, mean, rstd (rows,) float32; h, mean may be empty: (0,)."""
    from kernels.triton_kernels import launch

    y, h, mean, rstd = launch.forward(x, residual, weight, bias, eps, center)
    return y, x.new_empty(0) if h is None else h, rstd.new_empty(0) if mean is None else mean, rstd


@norm_forward.register_fake
def _(
    x: Tensor, residual: Tensor | None, _weight: Tensor | None, _bias: Tensor | None, _eps: float, center: bool
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    rows = x.shape[:-1].numel()
    return (
        x.new_empty(x.shape),
        x.new_empty(0 if residual is None else x.shape),
        x.new_empty(rows if center else 0, dtype=torch.float32),
        x.new_empty(rows, dtype=torch.float32),
    )


@torch.library.custom_op("normtutor::norm_backward", mutates_args=())
def norm_backward(
    dy: Tensor,
    dh: Tensor | None,
    h: Tensor,
    weight: Tensor | None,
    mean: Tensor,
    rstd: Tensor,
    center: bool,
    need_dweight: bool,
    need_dbias: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """(dx, dweight, dbias): dx like h, the others (N,) float32, or empty where not needed."""
    from kernels.triton_kernels import launch

    dx, dweight, dbias = launch.backward(dy, dh, h, weight, mean if center else None, rstd, need_dweight, need_dbias)
    return dx, rstd.new_empty(0) if dweight is None else dweight, rstd.new_empty(0) if dbias is None else dbias


@norm_backward.register_fake
def _(
    _dy: Tensor,
    _dh: Tensor | None,
    h: Tensor,
    _weight: Tensor | None,
    _mean: Tensor,
    rstd: Tensor,
    _center: bool,
    need_dweight: bool,
    need_dbias: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    n = h.shape[-1]
    return h.new_empty(h.shape), rstd.new_empty(n if need_dweight else 0), rstd.new_empty(n if need_dbias else 0)


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor, Tensor, Tensor]) -> None:
    x, residual, weight, bias, _eps, ctx.center = inputs
    _y, h, mean, rstd = output
    ctx.mark_non_differentiable(*((h, mean, rstd) if residual is None else (mean, rstd)))
    ctx.set_materialize_grads(False)  # a gradient that did not arrive stays None instead of a tensor of zeros
    ctx.save_for_backward(x if residual is None else h, weight, mean, rstd)
    ctx.bias_dtype = None if bias is None else bias.dtype


def _differentiate(ctx: Any, dy: Tensor | None, dh: Tensor | None, *_: None) -> tuple[Tensor | None, ...]:
    h, weight, mean, rstd = ctx.saved_tensors
    _x, needs_residual, need_dweight, need_dbias, *_rest = ctx.needs_input_grad
    dy = torch.zeros_like(h) if dy is None else dy
    dx, dweight, dbias = norm_backward(dy, dh, h, weight, mean, rstd, ctx.center, need_dweight, need_dbias)
    return (
        dx,
        dx if needs_residual else None,
        dweight.to(weight.dtype) if need_dweight else None,
        dbias.to(ctx.bias_dtype) if need_dbias else None,
        None,
        None,
    )


def _refuse(_ctx: Any, *_gradients: Tensor | None) -> None:
    raise RuntimeError("backend='triton' gives first derivatives only; use backend='torch' for a second derivative.")


norm_forward.register_autograd(_differentiate, setup_context=_save)
norm_backward.register_autograd(_refuse)
