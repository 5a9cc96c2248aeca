"""Exercises that are one function of tensors: called, differentiated, and compared with the same in float64."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from kernels.judge.case import Answer, Case, Check, Expected, Problem, Reference, Setting
from kernels.judge.compare import problems
from kernels.judge.inputs import Draw
from kernels.judge.references.tolerance import (
    BASELINE,
    HALF,
    ROUNDINGS_IN_HALF,
    UNIT,
    drift,
    moves,
    rounding,
    spread,
)

Inputs = Mapping[str, Tensor]
Scalars = Mapping[str, Any]


class FunctionReference(Reference):
    """A function with named inputs and outputs. Subclasses say how inputs are drawn and what comes out in float64."""

    arguments: tuple[str, ...]
    """Names of the arguments in order, of tensors or of scalars."""
    outputs: tuple[str, ...] = ("y",)
    same_dtype: bool = True

    def draw_inputs(self, setting: Setting, draw: Draw) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """The tensors and the scalars of one case."""
        raise NotImplementedError

    def compute(self, inputs: Inputs, scalars: Scalars) -> dict[str, Tensor]:
        """The outputs, in the dtype of the inputs, differentiable."""
        raise NotImplementedError

    def baseline(self, inputs: Inputs, scalars: Scalars) -> dict[str, Tensor]:
        """PyTorch's own kernel for the same; nothing where it has none."""
        return {}

    def terms(self, inputs: Inputs, scalars: Scalars, upstream: Inputs) -> dict[str, Tensor]:
        """The size of what is added up in each output and gradient, before anything cancels."""
        return {}

    def width(self, inputs: Inputs) -> int:
        """How many values the longest sum adds."""
        return int(inputs["x"].shape[-1])

    def dims(self, name: str) -> tuple[int, ...]:
        """Over which dimensions of an output roundings spread; gradients of vectors are summed over all rows."""
        return (-1,)

    def differentiable(self, inputs: Inputs) -> tuple[str, ...]:
        """The inputs whose gradients are compared."""
        return tuple(name for name in self.arguments if name in inputs)

    def writable(self, setting: Setting) -> tuple[str, ...]:
        """Inputs that the function is to write to."""
        return ()

    def cases(self, check: Check, draw: Draw) -> Iterator[Case]:
        """A case for each setting of the check."""
        for setting in check.settings():
            tensors, scalars = self.draw_inputs(setting, draw)
            request: dict[str, Any] = {
                "args": [{"tensor": name} if name in tensors else {"value": scalars[name]} for name in self.arguments],
                "outputs": list(self.outputs),
                "grads": [],
                "upstream": {},
            }
            if setting.gradients:
                request["grads"] = list(self.differentiable(tensors))
                outputs = self.compute({name: value.double() for name, value in tensors.items()}, scalars)
                for name in self.outputs:
                    value = outputs[name]
                    upstream = draw.normal(*value.shape).to(next(iter(tensors.values())).dtype)
                    tensors[f"d{name}"] = draw.laid_out(
                        upstream, "transposed" if setting.layout != "contiguous" else ""
                    )
                    request["upstream"][name] = f"d{name}"
            yield Case(setting, "call", request, tensors, scalars, self.writable(setting))

    def problems(self, case: Case, answer: Answer) -> list[Problem]:
        """What is wrong; a kernel whose outputs carry no gradient at all is judged by those alone."""
        expected = self.expected(case, answer)
        if case.request.get("optional_gradients") and answer.notes.get("differentiable") == []:
            expected = {name: each for name, each in expected.items() if not name.startswith("grad:")}
        return problems(expected, answer)

    def expected(self, case: Case, answer: Answer) -> dict[str, Expected]:
        """The outputs, and with gradients those, with what each may err."""
        if None not in case.memo:
            case.memo[None] = self._work_out(case)
        return case.memo[None]

    def _work_out(self, case: Case) -> dict[str, Expected]:
        dtype = case.setting.dtype
        wide = {name: value.detach().double().clone() for name, value in case.tensors.items()}
        noise = Draw(case.size)

        def evaluate(inputs: Inputs) -> dict[str, Tensor]:
            return self._evaluate(inputs, case)

        exact = evaluate(wide)
        unit, width = UNIT[dtype], self.width(case.tensors)
        moved = moves(evaluate, wide, exact, noise)
        measured = self._baseline(case, exact)
        upstream = {name: wide[d] for name, d in case.request["upstream"].items()}
        terms = self.terms(wide, case.scalars, upstream)
        result = {}
        for name, value in exact.items():
            allowed = unit * drift(width) * moved[name]
            size = torch.maximum(terms[name].expand_as(value), value.abs()) if name in terms else value.abs()
            allowed = allowed + unit * rounding(self._count(name, case)) * size
            if name in measured:
                allowed = allowed + BASELINE * measured[name]
            # The gradient of a vector is summed over all rows: its values share their roundings.
            vector = name.startswith("grad:") and value.ndim == 1
            allowed = spread(allowed, (0,) if vector else self.dims(name))
            kept = dtype if self.same_dtype else None
            if dtype == "float16":
                allowed = allowed + ROUNDINGS_IN_HALF * HALF * size + 2.0**-24
                kept = dtype
            result[name] = Expected(value, allowed, kept)
        return result

    def _count(self, name: str, case: Case) -> int:
        x = case.tensors["x"]
        width = self.width(case.tensors)
        return max(width, x.numel() // max(1, width)) if name.startswith("grad:") else width

    def _evaluate(self, inputs: Inputs, case: Case) -> dict[str, Tensor]:
        """Outputs and the gradients that the case asks for, in the dtype of the inputs."""
        wanted = case.request["grads"]
        if not wanted:
            with torch.no_grad():
                return self.compute(inputs, case.scalars)
        return _with_gradients(self.compute, inputs, case)

    def _baseline(self, case: Case, exact: Inputs) -> dict[str, Tensor]:
        """The largest error of PyTorch's kernel and of the plain formula, both in float32 (or float64)."""
        precision = torch.float64 if case.setting.dtype == "float64" else torch.float32
        inputs = {name: value.detach().to(precision).clone() for name, value in case.tensors.items()}
        errors: dict[str, Tensor] = {}
        for way in (self.baseline, self.compute):
            if case.request["grads"]:
                found = _with_gradients(way, inputs, case)
            else:
                with torch.no_grad():
                    found = way(inputs, case.scalars)
            for name, value in found.items():
                error = torch.nan_to_num((value.double() - exact[name]).abs(), nan=0.0, posinf=0.0)
                errors[name] = torch.maximum(errors[name], error) if name in errors else error
        return errors


def _with_gradients(way: Any, inputs: Inputs, case: Case) -> dict[str, Tensor]:
    wanted = case.request["grads"]
    leaves = {name: value.detach().clone().requires_grad_(name in wanted) for name, value in inputs.items()}
    with torch.enable_grad():
        outputs = way(leaves, case.scalars)
    if not outputs:
        return {}
    named = [(outputs[name], inputs[d]) for name, d in case.request["upstream"].items() if name in outputs]
    gradients = torch.autograd.grad(
        [output for output, _ in named], [leaves[name] for name in wanted], [d for _, d in named], allow_unused=True
    )
    result = {name: value.detach() for name, value in outputs.items()}
    for name, gradient in zip(wanted, gradients, strict=True):
        result[f"grad:{name}"] = torch.zeros_like(inputs[name]) if gradient is None else gradient
    return result
