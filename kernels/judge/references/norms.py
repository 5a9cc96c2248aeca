"""LayerNorm, RMSNorm and the fused addition, over the last dimension."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from kernels.judge.case import Setting
from kernels.judge.inputs import Draw
from kernels.judge.references.functions import FunctionReference, Inputs, Scalars
from kernels.reference import fused_add_rms_norm_ref, layer_norm_ref, rms_norm_ref

_OF_RESIDUAL = {"transposed": "sliced", "sliced": "transposed", "expanded": "sliced"}
"""Another layout than that of x: one stride used for both is a mistake of its own."""


class LayerNormReference(FunctionReference):
    """y = (x - mean) / sqrt(var + eps) * weight + bias. Ba, Kiros and Hinton 2016, arXiv 1607.06450."""

    entries = ("layer_norm",)
    arguments = ("x", "weight", "bias", "eps")

    def draw_inputs(self, setting: Setting, draw: Draw) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Rows of the family, a weight and a bias; all strided where the layout is "sliced"."""
        return draw_norm_inputs(setting, draw, bias=True), {"eps": setting.eps}

    def compute(self, inputs: Inputs, scalars: Scalars) -> dict[str, Tensor]:
        """The plain formula."""
        return {"y": layer_norm_ref(inputs["x"], inputs["weight"], inputs["bias"], scalars["eps"])}

    def baseline(self, inputs: Inputs, scalars: Scalars) -> dict[str, Tensor]:
        """F.layer_norm."""
        x = inputs["x"]
        return {"y": F.layer_norm(x, x.shape[-1:], inputs["weight"], inputs["bias"], scalars["eps"])}

    def terms(self, inputs: Inputs, scalars: Scalars, upstream: Inputs) -> dict[str, Tensor]:
        """Of y: |xhat w| + |b|; of the gradients: the three terms of dx, and the sums over rows."""
        x, weight = inputs["x"], inputs["weight"]
        mean = x.mean(-1, keepdim=True)
        centred = x - mean
        rstd = torch.rsqrt(centred.square().mean(-1, keepdim=True) + scalars["eps"])
        xhat = centred * rstd
        size = normalised_size(x, mean, rstd)
        terms = {"y": size * weight.abs() + inputs["bias"].abs()}
        if "y" in upstream:
            terms |= norm_gradient_terms(xhat, rstd, weight, upstream["y"], size)
            terms["grad:bias"] = over_rows(upstream["y"].abs())
        return terms


class RMSNormReference(FunctionReference):
    """y = x / sqrt(mean(x^2) + eps) * weight. Zhang and Sennrich 2019, arXiv 1910.07467."""

    entries = ("rms_norm",)
    arguments = ("x", "weight", "eps")

    def draw_inputs(self, setting: Setting, draw: Draw) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Rows of the family and a weight."""
        return draw_norm_inputs(setting, draw), {"eps": setting.eps}

    def compute(self, inputs: Inputs, scalars: Scalars) -> dict[str, Tensor]:
        """The plain formula."""
        return {"y": rms_norm_ref(inputs["x"], inputs["weight"], scalars["eps"])}

    def baseline(self, inputs: Inputs, scalars: Scalars) -> dict[str, Tensor]:
        """F.rms_norm."""
        x = inputs["x"]
        return {"y": F.rms_norm(x, x.shape[-1:], inputs["weight"], scalars["eps"])}

    def terms(self, inputs: Inputs, scalars: Scalars, upstream: Inputs) -> dict[str, Tensor]:
        """As for LayerNorm without the mean."""
        x, weight = inputs["x"], inputs["weight"]
        rstd = torch.rsqrt(x.square().mean(-1, keepdim=True) + scalars["eps"])
        terms = {"y": (x * rstd * weight).abs()}
        if "y" in upstream:
            terms |= norm_gradient_terms(x * rstd, rstd, weight, upstream["y"])
        return terms


class FusedAddRMSNormReference(FunctionReference):
    """(y, h): h = x + residual rounded to the dtype of x, y the RMSNorm of h (of the rounded h, or of the sum)."""

    entries = ("fused_add_rms_norm",)
    arguments = ("x", "residual", "weight", "eps")
    outputs = ("y", "h")

    def draw_inputs(self, setting: Setting, draw: Draw) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """X and the residual of one family, in layouts of their own."""
        tensors = draw_norm_inputs(setting, draw)
        residual = draw.rows(setting.family, setting.shape, setting.dtype, setting.eps)
        tensors["residual"] = draw.laid_out(residual, _OF_RESIDUAL.get(setting.layout, "contiguous"))
        return tensors, {"eps": setting.eps}

    def compute(self, inputs: Inputs, scalars: Scalars) -> dict[str, Tensor]:
        """The plain formula."""
        y, h = fused_add_rms_norm_ref(inputs["x"], inputs["residual"], inputs["weight"], scalars["eps"])
        return {"y": y, "h": h}

    def terms(self, inputs: Inputs, scalars: Scalars, upstream: Inputs) -> dict[str, Tensor]:
        """RMSNorm's terms on h, and the gradient that reaches h directly."""
        h, weight = inputs["x"] + inputs["residual"], inputs["weight"]
        rstd = torch.rsqrt(h.square().mean(-1, keepdim=True) + scalars["eps"])
        size = inputs["x"].abs() + inputs["residual"].abs()
        terms = {"y": (size * rstd * weight).abs(), "h": size}
        if upstream:
            terms |= norm_gradient_terms(h * rstd, rstd, weight, upstream["y"])
            terms["grad:x"] = terms["grad:x"] + upstream["h"].abs()
            terms["grad:residual"] = terms["grad:x"]
        return terms


def draw_norm_inputs(setting: Setting, draw: Draw, *, bias: bool = False) -> dict[str, Tensor]:
    """X of a family, a weight and perhaps a bias, in the setting's layout."""
    x = draw.rows(setting.family, setting.shape, setting.dtype, setting.eps)
    width, vectors = setting.shape[-1], "sliced" if setting.layout == "sliced" else "contiguous"
    tensors = {"x": draw.laid_out(x, setting.layout)}
    tensors["weight"] = draw.laid_out(draw.weight(width, setting.dtype), vectors)
    if bias:
        tensors["bias"] = draw.laid_out(draw.bias(width, setting.dtype), vectors)
    return tensors


def over_rows(values: Tensor) -> Tensor:
    """The sum over all dimensions but the last, of which there may be none."""
    return values.reshape(-1, values.shape[-1]).sum(0)


def normalised_size(x: Tensor, mean: Tensor, rstd: Tensor) -> Tensor:
    """The size of xhat for its roundings: as x rstd - mean rstd, which PyTorch computes too, it cancels."""
    return ((x - mean).abs() + 0.5 * (x.abs() + mean.abs())) * rstd


def norm_gradient_terms(
    xhat: Tensor, rstd: Tensor, weight: Tensor, dy: Tensor, size: Tensor | None = None
) -> dict[str, Tensor]:
    """Sizes of the terms of dx = rstd (g - mean(g) - xhat mean(g xhat)) with g = dy weight, and of dweight.

    `size` is that of xhat for its roundings, where a mean is subtracted; RMSNorm has no mean(g).
    """
    g, xhat = (dy * weight).abs(), xhat.abs()
    if size is None:
        dx = g + xhat * (g * xhat).mean(-1, keepdim=True)
        size = xhat
    else:
        dx = g + g.mean(-1, keepdim=True)
        dx = dx + size * (g * xhat).mean(-1, keepdim=True) + xhat * (g * size).mean(-1, keepdim=True)
    return {"grad:x": rstd * dx, "grad:weight": over_rows(dy.abs() * size)}
