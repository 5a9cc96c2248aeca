"""Deep stacks of one kind of block, drawn from a seed: what the depth experiments measure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

from kernels.blocks import (
    DeepNormBlock,
    OutputNormBlock,
    ParallelBlock,
    PlainBlock,
    PostNormBlock,
    PreNormBlock,
    ResidualBlock,
    SandwichBlock,
)
from kernels.device import default_device
from kernels.norms import ManualLayerNorm, ManualRMSNorm

ARCHS: dict[str, type[PlainBlock]] = {
    "plain": PlainBlock,
    "residual": ResidualBlock,
    "post": PostNormBlock,
    "pre": PreNormBlock,
    "deepnorm": DeepNormBlock,
    "sandwich": SandwichBlock,
    "output-norm": OutputNormBlock,
    "parallel": ParallelBlock,
}
NORMS: dict[str, type[nn.Module]] = {"layer": ManualLayerNorm, "rms": ManualRMSNorm}
FINAL_NORM = ("pre", "sandwich", "output-norm", "parallel")
INITS = ("xavier", "default")


class DeepNormConstants(NamedTuple):
    """The weight of the stream, and the factor on the initial weights of the branch."""

    alpha: float
    beta: float


def deepnorm_constants(*, encoder: int = 0, decoder: int = 0) -> dict[Literal["encoder", "decoder"], DeepNormConstants]:
    """DeepNorm's constants for a model of `encoder` and `decoder` layers; 0 for the part that it has not.

    Wang et al. 2022, arXiv 2203.00555, table 2 (a decoder-only model with M layers has the constants of an
    encoder-only one). Raises ValueError for negative counts or none at all.
    """
    if encoder < 0 or decoder < 0 or encoder + decoder == 0:
        raise ValueError(f"encoder={encoder}, decoder={decoder}: give a positive number of layers for at least one")
    if encoder and decoder:
        n4m = encoder**4 * decoder
        return {
            "encoder": DeepNormConstants(0.81 * n4m ** (1 / 16), 0.87 * n4m ** (-1 / 16)),
            "decoder": DeepNormConstants((3 * decoder) ** (1 / 4), (12 * decoder) ** (-1 / 4)),
        }
    layers = encoder or decoder
    return {"encoder" if encoder else "decoder": DeepNormConstants((2 * layers) ** (1 / 4), (8 * layers) ** (-1 / 4))}


class Stack(nn.Module):
    """`depth` blocks of one `arch`, each with attention and an FFN, initialised from `seed` alone.

    arch: one of `ARCHS`; the same seed draws the same weights for every arch, so that only the placement differs.
    init: "xavier" (uniform, gain 1, biases 0) or "default" (what nn.Linear does). norm: "layer" or "rms".
    final_norm: a norm after the last block; by default where models have one, which is where the blocks leave the
    stream unnormalised (`FINAL_NORM`). d_ff: 4 * d_model unless given.
    device: `default_device()` unless given; weights are drawn on the CPU, so that they are the same on any device.

    Input and output are (B, T, d_model). Raises ValueError for an unknown name or a size that does not fit. PyTorch's
    own random state is left as it was.
    """

    def __init__(
        self,
        arch: str,
        depth: int,
        d_model: int = 128,
        *,
        heads: int = 4,
        d_ff: int | None = None,
        init: str = "xavier",
        norm: str = "layer",
        qk_norm: bool = False,
        causal: bool = False,
        final_norm: bool | None = None,
        seed: int = 0,
        device: torch.device | str | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        block = ARCHS[_known("arch", arch, ARCHS)]
        make_norm = NORMS[_known("norm", norm, NORMS)]
        _known("init", init, INITS)
        for name, size in (("depth", depth), ("d_model", d_model), ("heads", heads), ("d_ff", d_ff)):
            if size is not None and size < 1:
                raise ValueError(f"{name} must be at least 1, not {size}")
        self.arch, self.depth, self.d_model, self.seed = arch, depth, d_model, seed
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(seed)  # torch.manual_seed would reseed every GPU too
            self.blocks = nn.ModuleList(
                block(d_model, heads, d_ff, norm=make_norm, qk_norm=qk_norm, causal=causal) for _ in range(depth)
            )
            if init == "xavier":
                self.apply(_xavier)
        for each in self.blocks:
            if isinstance(each, DeepNormBlock):
                each.rescale(*deepnorm_constants(encoder=depth)["encoder"])
        has_final_norm = arch in FINAL_NORM if final_norm is None else final_norm
        self.final_norm = make_norm(d_model) if has_final_norm else nn.Identity()
        self.to(device=device or default_device(), dtype=dtype)

    def forward(self, x: Tensor) -> Tensor:  # (B, T, d)
        for block in self.blocks:
            x = block(x)
        return self.final_norm(x)

    def extra_repr(self) -> str:
        return f"arch={self.arch!r}, depth={self.depth}, d_model={self.d_model}, seed={self.seed}"


def scale_branches(stack: Stack, factor: float) -> Stack:
    """Multiply the last linear map of each branch, weight and bias, by `factor`; gives the same stack back.

    With 0 every branch begins at exactly zero (as Goyal et al. 2017, arXiv 1706.02677, section 5.1, do with the scale
    of a block's last BatchNorm); GPT-2 has 1 / sqrt(N) for N branches (Radford et al. 2019, section 2.3).
    """
    with torch.no_grad():
        for block in stack.blocks:
            for name in ("attention.out", "ffn.w2"):
                for parameter in block.get_submodule(name).parameters():
                    parameter.mul_(factor)
    return stack


def _xavier(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)
        nn.init.zeros_(module.bias)


def _known(what: str, name: str, names: Iterable[str]) -> str:
    if name not in names:
        close = [known for known in names if name.lower().startswith(known)]  # "post-norm", "RMSNorm"
        close = close or difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ValueError(f"unknown {what} {name!r}: {hint}It is one of {', '.join(names)}")
    return name
