"""Norms, Transformer blocks and the probes that measure them, written to be read.

Nothing is loaded until its name is used, so that `kernels.curve` and `kernels.plot` cost no torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernels.backward import batch_norm_backward, layer_norm_backward, rms_norm_backward
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
    from kernels.casting import gemma_rms_norm, llama_rms_norm, single_rounding_rms_norm, t5_rms_norm
    from kernels.curve import Curve
    from kernels.depth_training import reversal_loss, spiral_gradients, spiral_loss
    from kernels.display import show
    from kernels.functional import fused_add_layer_norm, fused_add_rms_norm, layer_norm, rms_norm
    from kernels.lab import experiment
    from kernels.norm_training import loss_with_norm
    from kernels.norms import ManualBatchNorm, ManualLayerNorm, ManualRMSNorm
    from kernels.passes import memory_passes, traffic
    from kernels.probes import (
        gradient_norms,
        hidden_mean,
        hidden_rms,
        hidden_variance,
        jacobian_singular_values,
        random_batch,
        update_ratio,
    )
    from kernels.stack import Stack, deepnorm_constants, scale_branches
    from kernels.sublayers import FeedForward, SelfAttention

_MODULES = {
    "kernels.backward": (
        "batch_norm_backward",
        "layer_norm_backward",
        "rms_norm_backward",
    ),
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
    "kernels.casting": (
        "gemma_rms_norm",
        "llama_rms_norm",
        "single_rounding_rms_norm",
        "t5_rms_norm",
    ),
    "kernels.curve": ("Curve",),
    "kernels.depth_training": (
        "reversal_loss",
        "spiral_gradients",
        "spiral_loss",
    ),
    "kernels.display": ("show",),
    "kernels.functional": (
        "fused_add_layer_norm",
        "fused_add_rms_norm",
        "layer_norm",
        "rms_norm",
    ),
    "kernels.norm_training": ("loss_with_norm",),
    "kernels.lab": ("experiment",),
    "kernels.norms": (
        "ManualBatchNorm",
        "ManualLayerNorm",
        "ManualRMSNorm",
    ),
    "kernels.passes": (
        "memory_passes",
        "traffic",
    ),
    "kernels.probes": (
        "gradient_norms",
        "hidden_mean",
        "hidden_rms",
        "hidden_variance",
        "jacobian_singular_values",
        "random_batch",
        "update_ratio",
    ),
    "kernels.stack": (
        "Stack",
        "deepnorm_constants",
        "scale_branches",
    ),
    "kernels.sublayers": (
        "FeedForward",
        "SelfAttention",
    ),
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
    "batch_norm_backward",
    "deepnorm_constants",
    "experiment",
    "fused_add_layer_norm",
    "fused_add_rms_norm",
    "gemma_rms_norm",
    "gradient_norms",
    "hidden_mean",
    "hidden_rms",
    "hidden_variance",
    "jacobian_singular_values",
    "layer_norm",
    "layer_norm_backward",
    "llama_rms_norm",
    "loss_with_norm",
    "memory_passes",
    "random_batch",
    "reversal_loss",
    "rms_norm",
    "rms_norm_backward",
    "scale_branches",
    "show",
    "single_rounding_rms_norm",
    "spiral_gradients",
    "spiral_loss",
    "t5_rms_norm",
    "traffic",
    "update_ratio",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'kernels' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
