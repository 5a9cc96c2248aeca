"""Stacks of blocks: the gradient norm of each block, as the submission measures it, and the trend over depth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from kernels.judge.case import Answer, Case, Check, Expected, Problem, Setting
from kernels.judge.compare import problems
from kernels.judge.inputs import Draw
from kernels.judge.references.blocks import SCALE, BlockReference, Norm, PostNormBlockReference, PreNormBlockReference

DEPTHS = (1, 3, 6)


class StackReference(BlockReference):
    """Probes: "block" is one block, "norms" the gradient norms of a stack at several depths.

    The norm of a block is the L2 norm of the gradients of all its parameters together, the sublayers' included.
    """

    probes: tuple[str, ...] = ("", "block", "zero", "registered", "norms")
    depths: tuple[int, ...] = DEPTHS

    def cases(self, check: Check, draw: Draw) -> Iterator[Case]:
        """Stacks for "norms", single blocks otherwise."""
        if check.probe not in ("norms", ""):
            yield from super().cases(check, draw)
            return
        for setting in check.settings():
            for depth in self.depths:
                yield self._stack_case(setting, draw, depth)

    def _stack_case(self, setting: Setting, draw: Draw, depth: int) -> Case:
        width = setting.shape[-1]
        tensors = {"x": draw.rows(setting.family, setting.shape), "dy": draw.normal(*setting.shape).float()}
        for index in range(depth):
            for name in self.sublayers:
                tensors[f"{name}.weight:{index}"] = (draw.normal(width, width) / width**0.5).float()
                tensors[f"{name}.bias:{index}"] = (draw.normal(width) * 0.3).float()
        request = {
            "entry": self.entry,
            "function": "gradient_norms",
            "args": self.arguments(width),
            "sublayers": list(self.sublayers),
            "scale": SCALE,
            "depth": depth,
        }
        return Case(setting, "stack", request, tensors, {"depth": depth})

    def expected(self, case: Case, answer: Answer) -> dict[str, Expected]:
        """Gradient norms in float64."""
        if case.driver != "stack":
            return super().expected(case, answer)
        if None not in case.memo:
            value = self._norms(case)
            case.memo[None] = {"norms": Expected(value, 2e-3 * value)}
        return case.memo[None]

    def problems(self, case: Case, answer: Answer) -> list[Problem]:
        """Numbers for stacks, blocks as everywhere."""
        if case.driver == "module":
            return super().problems(case, answer)
        return problems(self.expected(case, answer), answer)

    def _norms(self, case: Case) -> Tensor:
        width = case.setting.shape[-1]
        x = case.tensors["x"].double()
        parameters: list[list[Tensor]] = []
        for index in range(case.scalars["depth"]):
            wide = {
                f"{name}.{kind}": case.tensors[f"{name}.{kind}:{index}"].double().requires_grad_()
                for name in self.sublayers
                for kind in ("weight", "bias")
            }
            norms: list[Norm] = [
                (torch.ones(width, dtype=torch.float64, requires_grad=True),
                 torch.zeros(width, dtype=torch.float64, requires_grad=True))
                for _ in range(self.norms)
            ]  # fmt: skip
            branches = {name: _branch(wide[f"{name}.weight"], wide[f"{name}.bias"]) for name in self.sublayers}
            x = self.forward(x, branches, norms, case)
            parameters.append([*wide.values(), *(each for pair in norms for each in pair)])
        flat = [each for block in parameters for each in block]
        gradients = iter(torch.autograd.grad(x, flat, case.tensors["dy"].double()))
        norms_of = [math.sqrt(sum(float(next(gradients).square().sum()) for _ in block)) for block in parameters]
        return torch.tensor(norms_of, dtype=torch.float64)


def _branch(weight: Tensor, bias: Tensor) -> Any:
    return lambda x: torch.tanh(x @ weight.T + bias) * SCALE


class PreNormGradientsReference(StackReference):
    """A stack of Pre-Norm blocks."""

    entries = ("PreNormBlock", "gradient_norms")
    entry = "PreNormBlock"

    def forward(self, x: Tensor, branches: Mapping[str, Any], norms: list[Norm], case: Case) -> Tensor:
        """As PreNormBlockReference."""
        return PreNormBlockReference.forward(self, x, branches, norms, case)  # type: ignore[arg-type]


class PostNormGradientsReference(StackReference):
    """A stack of Post-Norm blocks, up to 48. Probe "trend": the least-squares slope of log10 of the norms by block."""

    entries = ("PostNormBlock", "gradient_norms", "trend")
    probes = ("", "block", "zero", "registered", "norms", "trend")
    entry = "PostNormBlock"
    depths = (1, 3, 48)

    def cases(self, check: Check, draw: Draw) -> Iterator[Case]:
        """For the trend, norms that fall, rise and scatter."""
        if check.probe != "trend":
            yield from super().cases(check, draw)
            return
        for depth, slope in ((2, -0.5), (6, 0.1), (48, -0.02), (48, 0.0)):
            logs = slope * torch.arange(depth, dtype=torch.float64) + 0.2 * draw.normal(depth)
            norms = [float(value) for value in 10.0**logs]
            request = {
                "entry": "trend",
                "args": [{"value": norms}],
                "count": 1,
                "tensors_too": True,
                "outputs": ["trend"],
            }
            yield Case(Setting(check.id, check.probe), "numbers", request, {}, {"norms": norms})

    def forward(self, x: Tensor, branches: Mapping[str, Any], norms: list[Norm], case: Case) -> Tensor:
        """As PostNormBlockReference."""
        return PostNormBlockReference.forward(self, x, branches, norms, case)  # type: ignore[arg-type]

    def expected(self, case: Case, answer: Answer) -> dict[str, Expected]:
        """The slope, or what every stack has."""
        if "norms" not in case.scalars:
            return super().expected(case, answer)
        logs = torch.tensor(case.scalars["norms"], dtype=torch.float64).log10()
        place = torch.arange(len(logs), dtype=torch.float64)
        place = place - place.mean()
        slope = (place * (logs - logs.mean())).sum() / place.square().sum()
        return {
            "trend": Expected(slope.reshape(1), torch.tensor(1e-4 * float(slope.abs()) + 1e-5, dtype=torch.float64))
        }
