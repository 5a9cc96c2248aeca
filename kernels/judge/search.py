"""Looks for an input on which two expressions differ, and makes the one it finds as small and as round as it can."""

from __future__ import annotations

import ast
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from kernels.judge import language
from kernels.judge.compare import number
from kernels.judge.inputs import Draw

RANDOM, ADVERSARIAL = 400, 200
NUDGE = 1e-13
KINDS = ("rows", "vector", "scalar", "positive")
Values = dict[str, Tensor]


class Claim:
    """left = right, up to a relative `within`, for every input of the given kinds."""

    def __init__(self, inputs: Mapping[str, str], left: str, right: str, within: float) -> None:
        for name, kind in inputs.items():
            if kind not in KINDS:
                raise ValueError(f"the input {name} cannot be {kind!r}; known: {', '.join(KINDS)}")
            if not name.isidentifier() or name in language.FUNCTIONS:
                raise ValueError(f"{name!r} cannot be the name of an input")
        self.inputs = dict(inputs)
        self.left: ast.expr = language.parse(left, inputs)
        self.right: ast.expr = language.parse(right, inputs)
        self.within = within

    def sides(self, values: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Both sides for one input."""
        left, right = (language.evaluate(side, values) for side in (self.left, self.right))
        if left.numel() == 1 or right.numel() == 1:
            left, right = torch.broadcast_tensors(left, right)
        return left, right

    def breaks(self, values: Mapping[str, Tensor]) -> bool:
        """Whether the sides differ. Where a side is not finite the property says nothing."""
        left, right = self.sides(values)
        if not bool(left.isfinite().all() and right.isfinite().all()):
            return False
        if left.shape != right.shape:
            return True
        if not left.numel():
            return False
        scale = max(1.0, float(left.abs().amax()), float(right.abs().amax()))
        return bool(((left - right).abs() > self.within * scale + self._noise(values, left, right)).any())

    def _noise(self, values: Mapping[str, Tensor], left: Tensor, right: Tensor) -> Tensor:
        """How far the sides move with the last digits of the input: a difference of that size is float64's own."""
        moved = {name: value * (1 + NUDGE * _alternating(value)) for name, value in values.items()}
        sides = self.sides(moved)
        moves = [(after - before).abs() for after, before in zip(sides, (left, right), strict=True)]
        return 10 * torch.nan_to_num(torch.maximum(*moves), nan=torch.inf)


def _alternating(value: Tensor) -> Tensor:
    signs = torch.arange(value.numel(), dtype=torch.float64) % 2 * 2 - 1
    return signs.reshape(value.shape)


def search(order: Mapping[str, Any]) -> dict[str, Any]:
    """The smallest counterexample found, or none, and how many inputs were tried. The order's `seed` replays it."""
    claim = Claim(order["inputs"], order["left"], order["right"], order["within"])
    seed = secrets.randbits(31) if order.get("seed") is None else order["seed"]
    draw = Draw(seed)
    tried = 0
    found: Values | None = None
    for values in _candidates(claim, draw):
        tried += 1
        if claim.breaks(values):
            found = values
            break
    if found is None:
        return {"seed": seed, "tried": tried, "counterexample": None}
    found = _smaller(claim, found)
    left, right = claim.sides(found)
    shown = {name: _shown(value) for name, value in found.items()}
    return {"seed": seed, "tried": tried, "counterexample": shown, "left": _shown(left), "right": _shown(right)}


def _candidates(claim: Claim, draw: Draw) -> Iterator[Values]:
    for index in range(RANDOM):
        rows, width = 2 + index % 3, 2 + index % 7
        yield {name: _random(kind, draw, rows, width) for name, kind in claim.inputs.items()}
    for index in range(ADVERSARIAL):
        rows, width = 2 + index % 2, 2 + index % 3
        yield {name: _hard(kind, draw, rows, width) for name, kind in claim.inputs.items()}


def _random(kind: str, draw: Draw, rows: int, width: int) -> Tensor:
    match kind:
        case "rows":
            return draw.normal(rows, width) + draw.normal(1, 1)
        case "vector":
            return draw.normal(width)
        case "positive":
            return torch.exp(draw.normal(1)).reshape(())
    return draw.normal(1).reshape(()) * 2


def _hard(kind: str, draw: Draw, rows: int, width: int) -> Tensor:
    """Where properties end: constant rows, zeros, tiny and huge numbers, negative factors."""
    value = _random(kind, draw, rows, width)
    match draw.integer(0, 6):
        case 0:
            value = torch.zeros_like(value) if kind != "positive" else value
        case 1:
            value = value * 1e-4
        case 2:
            value = value * 1e4
        case 3 if kind == "rows":
            value = value[..., :1].expand(rows, width).clone()
        case 4 if kind != "positive":
            value = -value.abs()
        case 5 if kind == "rows":
            value = value.abs() + 100
        case 6:
            value = torch.ones_like(value)
    return value


def _smaller(claim: Claim, found: Values) -> Values:
    """Fewer rows, fewer columns, rounder numbers, as long as the sides still differ."""
    for dim in (0, 1):
        while True:
            less = {name: _without_last(value, dim, claim.inputs[name]) for name, value in found.items()}
            if all(less[name].shape == found[name].shape for name in found) or not claim.breaks(less):
                break
            found = less
    for name in found:
        for rounder in _rounder(found[name]):
            if claim.breaks({**found, name: rounder}):
                found = {**found, name: rounder}
                break
    return found


def _without_last(value: Tensor, dim: int, kind: str) -> Tensor:
    if kind == "rows" and value.shape[dim] > (1 if dim == 0 else 2):
        return value[:-1] if dim == 0 else value[:, :-1]
    if kind == "vector" and dim == 1 and value.shape[0] > 2:
        return value[:-1]
    return value


def _rounder(value: Tensor) -> Sequence[Tensor]:
    simple = [torch.zeros_like(value), torch.ones_like(value)]
    if value.ndim:
        count = torch.arange(value.numel(), dtype=torch.float64).reshape(value.shape)
        simple = [count, count + 1]
    return [*simple, *(torch.round(value, decimals=digits) for digits in (0, 1, 2))]


def _shown(value: Tensor) -> Any:
    flat = [number(round(part, 6)) if abs(part) < 1e15 else number(part) for part in value.flatten().tolist()]
    if not value.ndim:
        return flat[0]
    if value.ndim == 1:
        return flat
    width = value.shape[-1]
    return [flat[start : start + width] for start in range(0, len(flat), width)]
