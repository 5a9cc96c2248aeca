"""The four norms in plain torch, to read beside the fast versions and to check them against in float64.

They compute in the dtype that is passed in: float64 gives the truth, and half precision what half precision gives.
"""

from __future__ import annotations

import torch
from torch import Tensor


def layer_norm_ref(x: Tensor, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    """LayerNorm over the last dimension of x (..., N): (x - mean) / sqrt(var + eps) * weight + bias, var biased.

    Ba, Kiros and Hinton 2016, arXiv 1607.06450, section 3.
    """
    centred = x - x.mean(-1, keepdim=True)  # (..., N)
    y = centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + eps)
    if weight is not None:
        y = y * weight
    if bias is not None:
        y = y + bias
    return y


def rms_norm_ref(x: Tensor, weight: Tensor | None = None, eps: float = 1e-6) -> Tensor:
    """RMSNorm over the last dimension of x (..., N): x / sqrt(mean(x^2) + eps) * weight.

    Zhang and Sennrich 2019, arXiv 1910.07467, equation 4.
    """
    y = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    return y if weight is None else y * weight


def fused_add_layer_norm_ref(
    x: Tensor, residual: Tensor, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> tuple[Tensor, Tensor]:
    """(y, h): h = x + residual, y = LayerNorm(h)."""
    h = x + residual
    return layer_norm_ref(h, weight, bias, eps), h


def fused_add_rms_norm_ref(
    x: Tensor, residual: Tensor, weight: Tensor | None = None, eps: float = 1e-6
) -> tuple[Tensor, Tensor]:
    """(y, h): h = x + residual, y = RMSNorm(h)."""
    h = x + residual
    return rms_norm_ref(h, weight, eps), h
