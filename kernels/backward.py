"""The backward passes of the three norms written out by hand, for float32 and float64.

All three are one formula. The forward pass is xhat = (x - mean) * rstd, y = xhat * weight + bias. With g = dy * weight
the gradient of xhat, and mean(.) over the values that were normalised together,

    dx = rstd * (g - mean(g) - xhat * mean(g * xhat))

Each term has a reason: g came through xhat itself, mean(g) through the mean that was subtracted, and the last through
the variance. RMSNorm subtracts no mean, so it has no mean(g). What is subtracted lies along 1 and along xhat: a change
of x in these two directions moves the mean and the scale, which the norm takes away again.
"""

from __future__ import annotations

import torch
from torch import Tensor


def layer_norm_backward(
    dy: Tensor, x: Tensor, weight: Tensor | None = None, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    """(dx, dweight, dbias) of LayerNorm over the last dimension; dy, x, dx (..., d), dweight and dbias (d,)."""
    mean = x.mean(-1, keepdim=True)  # (..., 1)
    rstd = torch.rsqrt((x - mean).square().mean(-1, keepdim=True) + eps)  # (..., 1)
    xhat = (x - mean) * rstd  # (..., d)
    g = dy if weight is None else dy * weight  # (..., d)   dL/dxhat
    dx = rstd * (g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, keepdim=True))
    return dx, _over_rows(dy * xhat), _over_rows(dy)


def rms_norm_backward(dy: Tensor, x: Tensor, weight: Tensor | None = None, eps: float = 1e-6) -> tuple[Tensor, Tensor]:
    """(dx, dweight) of RMSNorm over the last dimension; dy, x, dx (..., d), dweight (d,)."""
    rstd = torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)  # (..., 1)
    xhat = x * rstd  # (..., d)
    g = dy if weight is None else dy * weight  # (..., d)   dL/dxhat
    dx = rstd * (g - xhat * (g * xhat).mean(-1, keepdim=True))
    return dx, _over_rows(dy * xhat)


def batch_norm_backward(
    dy: Tensor, x: Tensor, weight: Tensor | None = None, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    """(dx, dweight, dbias) of BatchNorm in training; dy, x, dx (N, C, ...), dweight and dbias (C,).

    The same as LayerNorm's with the means over the batch, so dx sums to 0 over it: moving all rows alike is undone.
    """
    x, dy, shape = _channels_last(x), _channels_last(dy), x.shape  # (M, C)   M: values per channel
    mean = x.mean(0)  # (C,)
    rstd = torch.rsqrt((x - mean).square().mean(0) + eps)  # (C,)
    xhat = (x - mean) * rstd  # (M, C)
    g = dy if weight is None else dy * weight  # (M, C)   dL/dxhat
    dx = rstd * (g - g.mean(0) - xhat * (g * xhat).mean(0))
    return dx.reshape(shape[0], *shape[2:], shape[1]).movedim(-1, 1), (dy * xhat).sum(0), dy.sum(0)


def _over_rows(values: Tensor) -> Tensor:
    """Weight and bias are shared by all rows, so their gradients add up: (..., d) -> (d,)."""
    return values.reshape(-1, values.shape[-1]).sum(0)


def _channels_last(x: Tensor) -> Tensor:
    return x.movedim(1, -1).reshape(-1, x.shape[1])  # (N, C, ...) -> (M, C)
