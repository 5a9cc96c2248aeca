"""Blocks of a submission, built around sublayers of ours and asked for outputs and gradients. Runs in the child.

Nothing depends on what a submission calls its parts: its own parameters are those that are not the sublayers', and what
starts at one is taken for a weight, what starts at zero for a bias.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from kernels.judge.drivers import RefusedError, Result, Submission, fits
from kernels.judge.wire import plain


class Affine(nn.Module):
    """A sublayer: tanh(x W^T + b) * scale, which mixes features and is not linear. Counts its calls."""

    def __init__(self, weight: Tensor, bias: Tensor, scale: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight.clone())
        self.bias = nn.Parameter(bias.clone())
        self.scale = scale
        self.given = weight, bias
        self.calls = 0
        self.modes: list[bool] = []

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        self.modes.append(self.training)
        return torch.tanh(nn.functional.linear(x, self.weight, self.bias)) * self.scale

    def restore(self) -> Tensor:
        """Takes back what a block did to the weights, such as initialising them anew; what they were until then."""
        found = self.weight.detach().clone()
        with torch.no_grad():
            for parameter, value in zip((self.weight, self.bias), self.given, strict=True):
                parameter.copy_(value)
        return found


def run(submission: Submission, request: Mapping[str, Any], tensors: dict[str, Tensor]) -> Result:
    """One block: its output, the gradients, and what is known of its parameters."""
    sublayers = _sublayers(request, tensors, "")
    block = _build(submission, request, sublayers)
    found = {name: each.restore() for name, each in sublayers.items()}
    own, notes = _own_parameters(block, sublayers)
    _give_values(own, request, tensors, notes)
    block.train(bool(request["train"]))
    torch.manual_seed(int(request["seed"]))
    x = tensors["x"].requires_grad_(bool(request["upstream"]))
    before = tensors["x"].detach().clone()
    y, record = submission.call(block, x)
    fits("y", y)
    notes |= {
        "called": record.called,
        "calls": {name: each.calls for name, each in sublayers.items()},
        "modes": {name: each.modes for name, each in sublayers.items()},
        "x_kept": bool(torch.equal(before, tensors["x"].detach())),
    }
    sent = {"y": plain(y)}
    if request["upstream"] and y.shape == tensors["dy"].shape and y.requires_grad:
        sent |= _gradients(y, tensors["dy"], x, own, sublayers)
    for name, each in sublayers.items():
        kept = torch.equal(found[name], each.given[0])
        sent[f"kept:{name}"] = plain(each.weight if kept else found[name])
    return sent, notes


def gradient_norms(submission: Submission, request: Mapping[str, Any], tensors: dict[str, Tensor]) -> Result:
    """A stack of blocks and the submission's own gradient norms, one number a block."""
    blocks = []
    own = []
    for index in range(request["depth"]):
        sublayers = _sublayers(request, tensors, f":{index}")
        blocks.append(_build(submission, request, sublayers))
        for each in sublayers.values():
            each.restore()
        own.append(_own_parameters(blocks[-1], sublayers)[1]["own"])
    result, _ = submission.call(submission.names[request["function"]], tensors["x"], tensors["dy"], blocks)
    if isinstance(result, Tensor):
        result = result.detach().flatten().tolist()
    if not isinstance(result, list | tuple) or not all(_is_number(part) for part in result):
        raise RefusedError("not-a-number", output="norms", got=type(result).__name__)
    return {"norms": torch.tensor([float(part) for part in result], dtype=torch.float64)}, {"own": own[0]}


def _is_number(value: Any) -> bool:
    return (isinstance(value, Tensor) and value.numel() == 1) or (
        isinstance(value, int | float) and not isinstance(value, bool)
    )


def _sublayers(request: Mapping[str, Any], tensors: Mapping[str, Tensor], suffix: str) -> dict[str, Affine]:
    return {
        name: Affine(tensors[f"{name}.weight{suffix}"], tensors[f"{name}.bias{suffix}"], float(request["scale"]))
        for name in request["sublayers"]
    }


def _build(submission: Submission, request: Mapping[str, Any], sublayers: Mapping[str, Affine]) -> nn.Module:
    args = [sublayers[arg["module"]] if "module" in arg else arg["value"] for arg in request["args"]]
    block = submission.names[request["entry"]](*args)
    if not isinstance(block, nn.Module):
        raise RefusedError("not-a-module", output=request["entry"], got=type(block).__name__)
    return block


def _own_parameters(
    block: nn.Module, sublayers: Mapping[str, Affine]
) -> tuple[list[tuple[str, nn.Parameter]], dict[str, Any]]:
    """The parameters that are not the sublayers', as (what each starts as, it), and notes for the judge."""
    theirs = {id(parameter) for each in sublayers.values() for parameter in each.parameters()}
    registered = {id(parameter) for parameter in block.parameters()}
    own = [(_start(each), each) for each in block.parameters() if id(each) not in theirs]
    notes = {
        "own": [{"start": start, "shape": list(each.shape)} for start, each in own][:32],
        "registered": {name: id(each.weight) in registered for name, each in sublayers.items()},
    }
    return own, notes


def _start(parameter: Tensor) -> str:
    value = parameter.detach()
    if bool((value == 1).all()):
        return "ones"
    return "zeros" if bool((value == 0).all()) else "other"


def _give_values(
    own: list[tuple[str, nn.Parameter]],
    request: Mapping[str, Any],
    tensors: Mapping[str, Tensor],
    notes: dict[str, Any],
) -> None:
    """Puts the judge's values into the norms, in the order in which the block has them."""
    values = {"ones": list(request["weights"]), "zeros": list(request["biases"])}
    given = []
    with torch.no_grad():
        for start, parameter in own:
            name = values[start].pop(0) if values.get(start) else None
            if name is not None and parameter.shape == tensors[name].shape:
                parameter.copy_(tensors[name])
                given.append(name)
    notes["given"] = given


def _gradients(
    y: Tensor, dy: Tensor, x: Tensor, own: list[tuple[str, nn.Parameter]], sublayers: Mapping[str, Affine]
) -> dict[str, Tensor]:
    leaves: dict[str, Tensor] = {"grad:x": x}
    for name, each in sublayers.items():
        leaves[f"grad:{name}.weight"] = each.weight
    for index, (_, parameter) in enumerate(own):
        if parameter.requires_grad:
            leaves[f"grad:own:{index}"] = parameter
    gradients = torch.autograd.grad(y, list(leaves.values()), dy, allow_unused=True)
    return {name: plain(each) for name, each in zip(leaves, gradients, strict=True) if each is not None}
