"""The two sublayers of a Transformer block, written to be read: attention mixes tokens, the FFN mixes features."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor, nn

from kernels.norms import ManualRMSNorm


class FeedForward(nn.Module):
    """Each token through two linear maps with a nonlinearity between: W2 relu(W1 x + b1) + b2.

    `d_ff` is the inner width, 4 * d_model unless given. Vaswani et al. 2017, arXiv 1706.03762, section 3.3.
    """

    def __init__(self, d_model: int, d_ff: int | None = None, activation: Callable[[Tensor], Tensor] = F.relu) -> None:
        super().__init__()
        self.w1 = nn.Linear(d_model, d_ff or 4 * d_model)
        self.w2 = nn.Linear(d_ff or 4 * d_model, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:  # (B, T, d)
        return self.w2(self.activation(self.w1(x)))  # (B, T, d) -> (B, T, d_ff) -> (B, T, d)


class SelfAttention(nn.Module):
    """Multi-head attention of a sequence to itself: softmax(Q K^T / sqrt(d_head)) V for each head, then one linear map.

    `causal` lets a token see only itself and earlier ones. `qk_norm` normalises each head's queries and keys by
    RMSNorm before the product, so that the scores stay bounded however large the stream grows (Qwen3, Gemma 3).

    Vaswani et al. 2017, arXiv 1706.03762, section 3.2. Raises ValueError when `heads` does not divide `d_model`.
    """

    def __init__(self, d_model: int, heads: int = 4, *, causal: bool = False, qk_norm: bool = False) -> None:
        super().__init__()
        if d_model % heads:
            raise ValueError(f"d_model={d_model} cannot be split into heads={heads} equal parts")
        self.heads = heads
        self.causal = causal
        self.q, self.k, self.v, self.out = (nn.Linear(d_model, d_model) for _ in range(4))
        self.q_norm = ManualRMSNorm(d_model // heads) if qk_norm else nn.Identity()
        self.k_norm = ManualRMSNorm(d_model // heads) if qk_norm else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:  # (B, T, d)
        q, k, v = (self._split(linear(x)) for linear in (self.q, self.k, self.v))  # (B, heads, T, d_head) each
        q, k = self.q_norm(q), self.k_norm(k)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (B, heads, T, T)   Q K^T / sqrt(d_head)
        if self.causal:
            tokens = x.shape[1]
            later = scores.new_ones(tokens, tokens).triu(1).bool()  # (T, T)   token j comes after token i
            scores = scores.masked_fill(later, -math.inf)
        mixed = scores.softmax(-1) @ v  # (B, heads, T, d_head)
        return self.out(mixed.transpose(1, 2).flatten(2))  # (B, T, d)

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (B, T, d) -> (B, heads, T, d_head)
