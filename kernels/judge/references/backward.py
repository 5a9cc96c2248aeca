"""Backward passes written by hand, from statistics that are given.

The eps that `rstd` was computed with is no argument, so statistics computed anew from x alone cannot be right.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from kernels.judge.case import Setting
from kernels.judge.inputs import Draw
from kernels.judge.references.functions import FunctionReference, Inputs, Scalars
from kernels.judge.references.norms import draw_norm_inputs, norm_gradient_terms, normalised_size, over_rows


class LayerNormBackwardReference(FunctionReference):
    """dx = rstd (g - mean(g) - xhat mean(g xhat)) with g = dy weight, xhat = (x - mean) rstd; the rest are row sums."""

    entries: tuple[str, ...] = ("layer_norm_backward",)
    arguments: tuple[str, ...] = ("dy", "x", "weight", "mean", "rstd")
    outputs: tuple[str, ...] = ("dx", "dweight", "dbias")
    centred = True

    def draw_inputs(self, setting: Setting, draw: Draw) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """A random upstream gradient, and mean and rstd (..., 1) as a forward pass with this eps leaves them."""
        tensors = draw_norm_inputs(setting, draw)
        x = tensors["x"]
        layout = "transposed" if setting.layout != "contiguous" else ""
        tensors["dy"] = draw.laid_out(draw.normal(*x.shape).to(x.dtype), layout)
        wide = x.double()
        if self.centred:
            mean = wide.mean(-1, keepdim=True)
            tensors["mean"] = mean.to(x.dtype)
            wide = wide - mean
        tensors["rstd"] = torch.rsqrt(wide.square().mean(-1, keepdim=True) + setting.eps).to(x.dtype)
        return tensors, {}

    def compute(self, inputs: Inputs, scalars: Scalars) -> dict[str, Tensor]:
        """The formula above."""
        dy, rstd = inputs["dy"], inputs["rstd"]
        xhat = self._xhat(inputs)
        g = dy * inputs["weight"]
        dx = g - xhat * (g * xhat).mean(-1, keepdim=True)
        if self.centred:
            dx = dx - g.mean(-1, keepdim=True)
        result = {"dx": rstd * dx, "dweight": over_rows(dy * xhat)}
        if self.centred:
            result["dbias"] = over_rows(dy)
        return result

    def terms(self, inputs: Inputs, scalars: Scalars, upstream: Inputs) -> dict[str, Tensor]:
        """The sizes of those terms."""
        dy, x = inputs["dy"], inputs["x"]
        size = normalised_size(x, inputs["mean"], inputs["rstd"]) if self.centred else None
        terms = norm_gradient_terms(self._xhat(inputs), inputs["rstd"], inputs["weight"], dy, size)
        result = {"dx": terms["grad:x"], "dweight": terms["grad:weight"]}
        if self.centred:
            result["dbias"] = over_rows(dy.abs())
        return result

    def width(self, inputs: Inputs) -> int:
        """The longer of the two sums: over a row, and over all rows."""
        x = inputs["x"]
        return max(int(x.shape[-1]), int(x.numel() // x.shape[-1]))

    def _xhat(self, inputs: Inputs) -> Tensor:
        x = inputs["x"] - inputs["mean"] if self.centred else inputs["x"]
        return x * inputs["rstd"]


class RMSNormBackwardReference(LayerNormBackwardReference):
    """dx = rstd (g - xhat mean(g xhat)) with xhat = x rstd; dweight sums dy xhat over rows."""

    entries = ("rms_norm_backward",)
    arguments = ("dy", "x", "weight", "rstd")
    outputs = ("dx", "dweight")
    centred = False
