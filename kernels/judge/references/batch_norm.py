"""BatchNorm with PyTorch's semantics: over everything but the channel, with running statistics kept in place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from kernels.judge.case import Answer, Case, Check, Expected, Problem, Setting
from kernels.judge.inputs import Draw
from kernels.judge.references.functions import FunctionReference, Inputs, Scalars
from kernels.judge.references.norms import normalised_size

_STATISTICS = ("running_mean", "running_var")


class BatchNormReference(FunctionReference):
    """Training normalises by the biased variance of the batch, and keeps the unbiased one. Ioffe and Szegedy 2015.

    Input (N, C) or (N, C, ...). Probes: "evaluation" uses the running statistics; "no-affine" and "no-buffers" pass
    None; "one-value" has one value a channel in training, which must raise a ValueError as PyTorch does.
    """

    entries = ("batch_norm",)
    probes = ("", "evaluation", "no-affine", "no-buffers", "one-value")
    arguments = ("x", "weight", "bias", "running_mean", "running_var", "training", "momentum", "eps")

    def draw_inputs(self, setting: Setting, draw: Draw) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Channels of the family: what a family says of rows holds for the values of a channel."""
        channels = setting.shape[1]
        moved = [channels, *setting.shape[:1], *setting.shape[2:]]
        rows = draw.rows(setting.family, [channels, _product(moved[1:])], setting.dtype, setting.eps)
        x = rows.reshape(moved).movedim(0, 1).contiguous()
        tensors = {"x": draw.laid_out(x, setting.layout if setting.layout != "expanded" else "")}
        scalars: dict[str, Any] = {
            "training": setting.probe != "evaluation",
            "momentum": float(draw.uniform(0.05, 0.5, 1)),
            "eps": setting.eps,
        }
        vectors = "sliced" if setting.layout == "sliced" else ""
        if setting.probe == "no-affine":
            scalars |= {"weight": None, "bias": None}
        else:
            tensors["weight"] = draw.laid_out(draw.weight(channels, setting.dtype), vectors)
            tensors["bias"] = draw.laid_out(draw.bias(channels, setting.dtype), vectors)
        if setting.probe == "no-buffers":
            scalars |= {"running_mean": None, "running_var": None}
        else:
            dtype = tensors["x"].dtype
            tensors["running_mean"] = draw.normal(channels).to(dtype)
            tensors["running_var"] = draw.uniform(0.5, 2.0, channels).to(dtype)
        return tensors, scalars

    def cases(self, check: Check, draw: Draw) -> Iterator[Case]:
        """As for any function; what raises has no gradients."""
        for case in super().cases(check, draw):
            if check.probe == "one-value":
                case.request |= {"grads": [], "upstream": {}}
            yield case

    def differentiable(self, inputs: Inputs) -> tuple[str, ...]:
        """The running statistics carry no gradient."""
        return tuple(name for name in ("x", "weight", "bias") if name in inputs)

    def writable(self, setting: Setting) -> tuple[str, ...]:
        """The running statistics, in training."""
        return _STATISTICS if setting.probe not in ("evaluation", "one-value") else ()

    def width(self, inputs: Inputs) -> int:
        """Values of a channel."""
        return int(inputs["x"].numel() // inputs["x"].shape[1])

    def dims(self, name: str) -> tuple[int, ...]:
        """All but the channel."""
        return (0, 2, 3, 4, 5) if name in ("y", "grad:x") else ()

    def compute(self, inputs: Inputs, scalars: Scalars) -> dict[str, Tensor]:
        """The plain formula, with the running statistics as they are afterwards."""
        x = inputs["x"]
        dims = [0, *range(2, x.ndim)]
        mean, var = x.mean(dims), x.var(dims, unbiased=False)
        result = {}
        if scalars["training"]:
            if "running_mean" in inputs:
                count = x.numel() // x.shape[1]
                share = scalars["momentum"]
                unbiased = var * count / max(1, count - 1)
                result["after:running_mean"] = (inputs["running_mean"] * (1 - share) + mean * share).detach()
                result["after:running_var"] = (inputs["running_var"] * (1 - share) + unbiased * share).detach()
        else:
            mean, var = inputs["running_mean"], inputs["running_var"]
        y = (x - _channel(mean, x)) * torch.rsqrt(_channel(var, x) + scalars["eps"])
        if "weight" in inputs:
            y = y * _channel(inputs["weight"], x) + _channel(inputs["bias"], x)
        return {"y": y, **result}

    def baseline(self, inputs: Inputs, scalars: Scalars) -> dict[str, Tensor]:
        """F.batch_norm."""
        mean, var = (inputs[name].detach().clone() if name in inputs else None for name in _STATISTICS)
        y = F.batch_norm(
            inputs["x"], mean, var, inputs.get("weight"), inputs.get("bias"),
            scalars["training"], scalars["momentum"], scalars["eps"],
        )  # fmt: skip
        return {"y": y}

    def terms(self, inputs: Inputs, scalars: Scalars, upstream: Inputs) -> dict[str, Tensor]:
        """As for LayerNorm, with channels in place of rows."""
        x = inputs["x"]
        dims = [0, *range(2, x.ndim)]
        if scalars["training"]:
            mean, var = x.mean(dims), x.var(dims, unbiased=False)
        else:
            mean, var = inputs["running_mean"], inputs["running_var"]
        rstd = _channel(torch.rsqrt(var + scalars["eps"]), x)
        xhat = (x - _channel(mean, x)) * rstd
        sized = normalised_size(x, _channel(mean, x), rstd)
        weight = _channel(inputs["weight"], x) if "weight" in inputs else torch.ones_like(x)
        bias = _channel(inputs["bias"], x).abs() if "bias" in inputs else 0.0
        terms = {"y": sized * weight.abs() + bias}
        if "y" in upstream:
            g = (upstream["y"] * weight).abs()
            dx = g + g.mean(dims, keepdim=True) + sized * (g * xhat.abs()).mean(dims, keepdim=True)
            terms["grad:x"] = rstd * (dx + xhat.abs() * (g * sized).mean(dims, keepdim=True))
            terms["grad:weight"] = (upstream["y"].abs() * sized).sum(dims)
            terms["grad:bias"] = upstream["y"].abs().sum(dims)
        return terms

    def problems(self, case: Case, answer: Answer) -> list[Problem]:
        """One value a channel must raise; everything else is compared."""
        if case.setting.probe != "one-value":
            return super().problems(case, answer)
        if answer.raised is None:
            return [Problem("not-raised", facts={"type": "ValueError"})]
        if "ValueError" in (answer.raised.get("bases") or []):
            return []
        return [Problem("raised", facts=dict(answer.raised))]

    def expected(self, case: Case, answer: Answer) -> dict[str, Expected]:
        """The output, the gradients and the running statistics; nothing where an exception is what must come."""
        if case.setting.probe == "one-value":
            return {}
        found = super().expected(case, answer)
        for name in _STATISTICS:  # those are stored with the gaps of their layout, and have none here
            if f"after:{name}" in found:
                found[f"after:{name}"].dtype = None
        return found


def _channel(vector: Tensor, x: Tensor) -> Tensor:
    return vector.view(1, -1, *[1] * (x.ndim - 2))


def _product(sizes: list[int]) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result
