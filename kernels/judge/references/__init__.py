"""What exercises are judged by, by the name that lessons use."""

from __future__ import annotations

from importlib import import_module

from kernels.judge.case import Reference

_CLASSES = {
    "layer_norm": ("norms", "LayerNormReference"),
    "rms_norm": ("norms", "RMSNormReference"),
    "fused_add_rms_norm": ("norms", "FusedAddRMSNormReference"),
    "batch_norm": ("batch_norm", "BatchNormReference"),
    "layer_norm_backward": ("backward", "LayerNormBackwardReference"),
    "rms_norm_backward": ("backward", "RMSNormBackwardReference"),
    "residual_sublayer": ("blocks", "ResidualSubLayerReference"),
    "pre_norm_block": ("blocks", "PreNormBlockReference"),
    "post_norm_block": ("blocks", "PostNormBlockReference"),
    "deep_norm_block": ("deep_norm", "DeepNormBlockReference"),
    "welford": ("numbers", "WelfordReference"),
    "norm_comparison": ("numbers", "NormComparisonReference"),
    "pre_norm_gradients": ("stacks", "PreNormGradientsReference"),
    "post_norm_gradients": ("stacks", "PostNormGradientsReference"),
}
NAMES = tuple(_CLASSES)


def find(name: str) -> Reference | None:
    """The reference of that name, None where there is none."""
    if name not in _CLASSES:
        return None
    module, kind = _CLASSES[name]
    reference = getattr(import_module(f"{__name__}.{module}"), kind)()
    assert isinstance(reference, Reference)
    return reference
