"""RMSNorm as four families of models round it: the same formula, and in half precision not the same numbers.

Every one computes the statistic in float32. They differ in where the result becomes half precision again: before the
weight (two roundings) or after it (one). As in transformers 5.24, `modeling_llama.py`, `modeling_gemma.py`,
`modeling_t5.py` and `modeling_gpt_oss.py`. In each, x is (..., d) and weight (d,).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor


def llama_rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """LLaMA, Mistral, Qwen: back to the input's dtype, *then* the weight, which rounds a second time."""
    return weight * _normalised(x, eps).to(x.dtype)


def gemma_rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Gemma: the weight is stored as its distance from 1, so decay pulls the factor to 1; all of it in float32."""
    return (_normalised(x, eps) * (1 + weight.float())).to(x.dtype)


def t5_rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """T5: rounded before the weight only if the weight is half precision; float32 weights give a float32 result."""
    y = _normalised(x, eps)
    if weight.dtype in (torch.float16, torch.bfloat16):
        y = y.to(weight.dtype)
    return weight * y


def single_rounding_rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """gpt-oss, OLMo 2 and `torch.nn.functional.rms_norm`: everything in float32, rounded once at the end."""
    return (_normalised(x, eps) * weight.float()).to(x.dtype)


CONVENTIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "llama": llama_rms_norm,
    "gemma": gemma_rms_norm,
    "t5": t5_rms_norm,
    "single-rounding": single_rounding_rms_norm,
}
"""By name; Gemma's takes weight - 1 where the others take weight."""


def _normalised(x: Tensor, eps: float) -> Tensor:
    h = x.float()
    return h * torch.rsqrt(h.square().mean(-1, keepdim=True) + eps)
