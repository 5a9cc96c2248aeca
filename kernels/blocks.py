"""Transformer blocks that differ only in where the norm and the residual sit: compare their `forward`s."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from kernels.norms import ManualLayerNorm
from kernels.sublayers import FeedForward, SelfAttention

Norm = Callable[[int], nn.Module]


class ResidualSubLayer(nn.Module):
    """Any sublayer that keeps the shape, wrapped as Pre-Norm does it: x + Dropout(sublayer(norm(x)))."""

    def __init__(self, d_model: int, sublayer: nn.Module, dropout: float = 0.0, norm: Norm = ManualLayerNorm) -> None:
        super().__init__()
        self.norm = norm(d_model)
        self.sublayer = sublayer
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:  # (B, T, d)
        return x + self.dropout(self.sublayer(self.norm(x)))  # (B, T, d)


class PlainBlock(nn.Module):
    """No residual, no norm: each sublayer replaces the stream. Also the base of the others."""

    def __init__(
        self,
        d_model: int,
        heads: int = 4,
        d_ff: int | None = None,
        *,
        norm: Norm = ManualLayerNorm,
        qk_norm: bool = False,
        causal: bool = False,
    ) -> None:
        super().__init__()
        self.attention = SelfAttention(d_model, heads, causal=causal, qk_norm=qk_norm)
        self.ffn = FeedForward(d_model, d_ff)
        self.add_norms(lambda: norm(d_model))

    def add_norms(self, norm: Callable[[], nn.Module]) -> None:
        """Make the norms that this block has; `norm()` makes one."""

    def forward(self, x: Tensor) -> Tensor:  # (B, T, d), as in every block here
        return self.ffn(self.attention(x))


class ResidualBlock(PlainBlock):
    """Residuals without a norm: x + F(x)."""

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(x)
        return x + self.ffn(x)


class PostNormBlock(PlainBlock):
    """The original Transformer: LN(x + F(x)), the norm stands on the stream itself."""

    def add_norms(self, norm: Callable[[], nn.Module]) -> None:
        self.norm1, self.norm2 = norm(), norm()

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.ffn(x))


class PreNormBlock(PlainBlock):
    """GPT-2 and most since: x + F(LN(x)), the norm stands on the branch and the stream passes untouched."""

    def add_norms(self, norm: Callable[[], nn.Module]) -> None:
        self.norm1, self.norm2 = norm(), norm()

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.ffn(self.norm2(x))


class DeepNormBlock(PostNormBlock):
    """Post-Norm with the stream weighted up, LN(alpha x + F(x)), and with F's weights scaled down by `beta`.

    `beta` scales the FFN, value and output projections; queries and keys keep theirs. `deepnorm_constants` gives both
    for a depth. Wang et al. 2022, arXiv 2203.00555.
    """

    alpha: float = 1.0

    def rescale(self, alpha: float, beta: float) -> None:
        """Set alpha and multiply the weights that beta belongs to; call it once, after the weights are drawn."""
        self.alpha = alpha
        with torch.no_grad():
            for linear in (self.ffn.w1, self.ffn.w2, self.attention.v, self.attention.out):
                linear.weight.mul_(beta)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm1(self.alpha * x + self.attention(x))
        return self.norm2(self.alpha * x + self.ffn(x))


class SandwichBlock(PlainBlock):
    """A norm before and one after each sublayer, x + LN(F(LN(x))): CogView, Gemma 2 and 3, Grok-1."""

    def add_norms(self, norm: Callable[[], nn.Module]) -> None:
        self.norm1, self.norm2, self.out_norm1, self.out_norm2 = norm(), norm(), norm(), norm()

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.out_norm1(self.attention(self.norm1(x)))
        return x + self.out_norm2(self.ffn(self.norm2(x)))


class OutputNormBlock(PlainBlock):
    """The norm on the sublayer's output, inside the residual: x + LN(F(x)), as in OLMo 2."""

    def add_norms(self, norm: Callable[[], nn.Module]) -> None:
        self.out_norm1, self.out_norm2 = norm(), norm()

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.out_norm1(self.attention(x))
        return x + self.out_norm2(self.ffn(x))


class ParallelBlock(PlainBlock):
    """Attention and FFN side by side on one norm, x + Attn(LN(x)) + FFN(LN(x)): GPT-J, PaLM, Falcon 7B."""

    def add_norms(self, norm: Callable[[], nn.Module]) -> None:
        self.norm = norm()

    def forward(self, x: Tensor) -> Tensor:
        h = self.norm(x)
        return x + self.attention(h) + self.ffn(h)
