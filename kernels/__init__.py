"""Norms, Transformer blocks and the probes that measure them, written to be read.

Nothing is loaded until its name is used, so that `kernels.curve` and `kernels.plot` cost no torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernels.blocks import (
        DeepNormBlock,
        OutputNormBlock,
        ParallelBlock,
        PlainBlock,
        PostNormBlock,
        PreNormBlock,
        ResidualBlock,
        ResidualSubLayer,
        SandwichBlock,
    )
    from kernels.curve import Curve
    from kernels.display import show
    from kernels.norms import ManualBatchNorm, ManualLayerNorm, ManualRMSNorm
    from kernels.probes import gradient_norms, hidden_variance, random_batch
    from kernels.stack import Stack, deepnorm_constants
    from kernels.sublayers import FeedForward, SelfAttention

_MODULES = {
    "kernels.blocks": (
        "DeepNormBlock",
        "OutputNormBlock",
        "ParallelBlock",
        "PlainBlock",
        "PostNormBlock",
        "PreNormBlock",
        "ResidualBlock",
        "ResidualSubLayer",
        "SandwichBlock",
    ),
    "kernels.curve": ("Curve",),
    "kernels.norms": ("ManualBatchNorm", "ManualLayerNorm", "ManualRMSNorm"),
    "kernels.probes": ("gradient_norms", "hidden_variance", "random_batch"),
    "kernels.display": ("show",),
    "kernels.stack": ("Stack", "deepnorm_constants"),
    "kernels.sublayers": ("FeedForward", "SelfAttention"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Curve",
    "DeepNormBlock",
    "FeedForward",
    "ManualBatchNorm",
    "ManualLayerNorm",
    "ManualRMSNorm",
    "OutputNormBlock",
    "ParallelBlock",
    "PlainBlock",
    "PostNormBlock",
    "PreNormBlock",
    "ResidualBlock",
    "ResidualSubLayer",
    "SandwichBlock",
    "SelfAttention",
    "Stack",
    "deepnorm_constants",
    "gradient_norms",
    "hidden_variance",
    "random_batch",
    "show",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'kernels' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
