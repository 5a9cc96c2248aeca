"""Residual sublayers and Transformer blocks, told apart by what they compute and by nothing that they are called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import torch
from torch import Tensor

from kernels.judge.case import Answer, Case, Check, Expected, Problem, Reference, Setting
from kernels.judge.compare import number, problems
from kernels.judge.inputs import Draw
from kernels.judge.references.tolerance import UNIT, drift, moves, spread
from kernels.reference import layer_norm_ref

EPS = 1e-5
SCALE = 0.8
RELATIVE = 4e-5
"""What float32 may lose on the way through two norms and two sublayers, relative to the largest value."""

Norm = tuple[Tensor, Tensor]
Order = tuple[int, ...]


class BlockReference(Reference):
    """A block around sublayers of ours. Subclasses say how the parts are put together.

    Probes: "zero" has sublayers that give 0, "registered" looks at the parameters. Gradients are those of x, of the
    sublayers' weights and of the norms.
    """

    probes: tuple[str, ...] = ("", "zero", "registered")
    entry: str
    sublayers: tuple[str, ...] = ("attention", "feed_forward")
    norms = 2

    def forward(self, x: Tensor, branches: Mapping[str, Any], norms: list[Norm], case: Case) -> Tensor:
        """The block in float64: `branches` are the sublayers as functions, `norms` their weights and biases."""
        raise NotImplementedError

    def arguments(self, width: int) -> list[dict[str, Any]]:
        """What the constructor is given."""
        return [{"value": width}, *({"module": name} for name in self.sublayers)]

    def scalars(self, draw: Draw) -> dict[str, Any]:
        """What else a case is about."""
        return {}

    def cases(self, check: Check, draw: Draw) -> Iterator[Case]:
        """Inputs (B, T, d), sublayers with random weights, and norms that are set to random weights and biases."""
        for setting in check.settings():
            yield self.block_case(setting, draw)

    def block_case(
        self, setting: Setting, draw: Draw, *, train: bool = False, extra: Mapping[str, Any] | None = None
    ) -> Case:
        """One case of the driver "module"."""
        width = setting.shape[-1]
        tensors = {"x": draw.rows(setting.family, setting.shape, "float32", setting.eps)}
        zero = setting.probe == "zero"
        for name in self.sublayers:
            weight = draw.normal(width, width) / width**0.5
            tensors[f"{name}.weight"] = (torch.zeros_like(weight) if zero else weight).float()
            # Without a bias a small x gives a small branch, so that eps shows in Post-Norm too.
            bias = draw.normal(width) * (0.0 if zero or setting.family == "tiny-variance" else 0.5)
            tensors[f"{name}.bias"] = bias.float()
        for index in range(self.norms):
            tensors[f"w{index}"], tensors[f"b{index}"] = draw.weight(width), draw.bias(width)
        tensors["dy"] = draw.normal(*setting.shape).float()
        scalars = self.scalars(draw)
        request: dict[str, Any] = {
            "entry": self.entry,
            "args": self.arguments(width) if not extra else list(extra["args"]),
            "sublayers": list(self.sublayers),
            "scale": SCALE,
            "train": train,
            "seed": draw.integer(0, 2**30),
            "weights": [f"w{index}" for index in range(self.norms)],
            "biases": [f"b{index}" for index in range(self.norms)],
            "upstream": {"y": "dy"} if setting.gradients else {},
        }
        for arg in request["args"]:
            if "scalar" in arg:
                arg["value"] = scalars[arg.pop("scalar")]
        case = Case(setting, "module", request, tensors, scalars)
        if self.norms > 1:  # a block may register its second norm first
            swapped = {name: request[name][::-1] for name in ("weights", "biases")}
            case.variants.append(replace(case, request=request | swapped, variants=[]))
        return case

    def expected(self, case: Case, answer: Answer) -> dict[str, Expected]:
        """With the norms in the order in which the block has them."""
        order = tuple(range(self.norms))
        return self._expected(case, answer, order, order)

    def problems(self, case: Case, answer: Answer) -> list[Problem]:
        """Compared under every order of the norms, since a block may register its second norm first."""
        if answer.raised is not None or answer.notes.get("refused"):
            return problems({}, answer)
        found = self._structure(case, answer)
        if found or case.setting.probe == "registered":
            return found
        first: list[Problem] = []
        for conditioned in (False, True):  # which costs more, and is seldom needed
            for weights, biases in product(permutations(range(self.norms)), repeat=2):
                expected = self._expected(case, answer, weights, biases, conditioned=conditioned)
                found = problems({"y": expected["y"]}, answer)
                if not found or not first:
                    found = problems(expected, answer)
                if not found:
                    return []
                first = first or found
        return first

    def _structure(self, case: Case, answer: Answer) -> list[Problem]:
        """Parameters of its own, the sublayers registered and called once, and following train() and eval()."""
        notes = answer.notes
        registered = notes.get("registered") or {}
        found = [Problem("not-registered", facts={"name": name}) for name in self.sublayers if not registered.get(name)]
        own = notes.get("own") or []
        starts = [str(each.get("start")) for each in own]
        width = [case.setting.shape[-1]]
        if sorted(starts) != ["ones"] * self.norms + ["zeros"] * self.norms or any(
            each.get("shape") != width for each in own
        ):
            found.append(Problem("parameters", facts={"got": len(own), "want": 2 * self.norms}))
        calls, modes = notes.get("calls") or {}, notes.get("modes") or {}
        for name in self.sublayers:
            if calls.get(name) != 1:
                found.append(Problem("calls", facts={"name": name, "got": calls.get(name, 0), "want": 1}))
            elif modes.get(name) != [case.request["train"]]:
                found.append(Problem("modes", facts={"name": name}))
        # The numbers say more than the count of parameters does, but only a registered block can be given numbers.
        return found if case.setting.probe == "registered" or not own or "y" not in answer.tensors else []

    def _expected(
        self, case: Case, answer: Answer, weights: Order, biases: Order, *, conditioned: bool = False
    ) -> dict[str, Expected]:
        """With the norms in some order; with what the roundings of a mean may move, where `conditioned`."""
        key = weights, biases, conditioned
        if key not in case.memo:
            case.memo[key] = self._work_out(case, weights, biases, conditioned=conditioned)
        found = dict(case.memo[key])
        own = {name: found.pop(name) for name in self._own() if name in found}
        for place, name in enumerate(answer.notes.get("given") or []):
            if f"grad:{name}" in own:
                found[f"grad:own:{place}"] = own[f"grad:{name}"]
        return found

    def _own(self) -> list[str]:
        return [f"grad:{kind}{index}" for index in range(self.norms) for kind in ("w", "b")]

    def _work_out(self, case: Case, weights: Order, biases: Order, *, conditioned: bool) -> dict[str, Expected]:
        def evaluate(inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
            return self._evaluate(inputs, case, weights, biases)

        wide = {name: value.detach().double() for name, value in case.tensors.items()}
        exact = evaluate(wide)
        found = {name: _near(value, "float32" if name == "y" else None) for name, value in exact.items()}
        if conditioned:
            unit = UNIT["float32"] * drift(case.setting.shape[-1])
            for name, moved in moves(evaluate, wide, exact, Draw(case.size)).items():
                rows = (-1,) if name in ("y", "grad:x") else tuple(range(moved.ndim))
                found[name].allowed = found[name].allowed + unit * spread(moved, rows)
        return found

    def _evaluate(self, inputs: Mapping[str, Tensor], case: Case, weights: Order, biases: Order) -> dict[str, Tensor]:
        """The output, and where gradients are asked for those, in float64."""
        wide = {name: value.detach().clone() for name, value in inputs.items()}
        named = ["grad:x", *(f"grad:{name}.weight" for name in self.sublayers), *self._own()]
        leaves = {name: wide[name.removeprefix("grad:")] for name in named}
        wanted = bool(case.request["upstream"])
        for leaf in leaves.values():
            leaf.requires_grad_(wanted)
        branches = {name: _branch(wide[f"{name}.weight"], wide[f"{name}.bias"]) for name in self.sublayers}
        norms = [(wide[f"w{w}"], wide[f"b{b}"]) for w, b in zip(weights, biases, strict=True)]
        with torch.set_grad_enabled(wanted):
            y = self.forward(wide["x"], branches, norms, case)
        if not wanted:
            return {"y": y}
        gradients = torch.autograd.grad(y, list(leaves.values()), wide["dy"], allow_unused=True)
        found = {"y": y.detach()}
        for (name, leaf), gradient in zip(leaves.items(), gradients, strict=True):
            found[name] = torch.zeros_like(leaf) if gradient is None else gradient
        return found


def _branch(weight: Tensor, bias: Tensor) -> Any:
    return lambda x: torch.tanh(x @ weight.T + bias) * SCALE


def _near(value: Tensor, dtype: str | None) -> Expected:
    size = float(value.abs().amax()) if value.numel() else 0.0
    times = 4 if dtype is None else 1  # of gradients
    return Expected(value, torch.tensor(times * RELATIVE * size + 1e-12, dtype=torch.float64), dtype)


def norm(x: Tensor, parameters: Norm) -> Tensor:
    """nn.LayerNorm in float64."""
    return layer_norm_ref(x, *parameters, EPS)


class PreNormBlockReference(BlockReference):
    """x + attention(norm1(x)), then x + feed_forward(norm2(x))."""

    entries = ("PreNormBlock",)
    entry = "PreNormBlock"

    def forward(self, x: Tensor, branches: Mapping[str, Any], norms: list[Norm], case: Case) -> Tensor:
        """Each norm stands on its branch."""
        for name, parameters in zip(self.sublayers, norms, strict=True):
            x = x + branches[name](norm(x, parameters))
        return x


class PostNormBlockReference(BlockReference):
    """norm1(x + attention(x)), then norm2(x + feed_forward(x))."""

    entries = ("PostNormBlock",)
    entry = "PostNormBlock"

    def forward(self, x: Tensor, branches: Mapping[str, Any], norms: list[Norm], case: Case) -> Tensor:
        """Each norm stands on the stream."""
        for name, parameters in zip(self.sublayers, norms, strict=True):
            x = norm(x + branches[name](x), parameters)
        return x


class ResidualSubLayerReference(BlockReference):
    """x + dropout(sublayer(norm(x))). Probe "dropout" runs it in training, where what is dropped must be the branch."""

    entries = ("ResidualSubLayer",)
    entry = "ResidualSubLayer"
    probes = ("", "zero", "registered", "dropout")
    sublayers = ("sublayer",)
    norms = 1

    def arguments(self, width: int) -> list[dict[str, Any]]:
        """A dropout that must do nothing in evaluation."""
        return [{"value": width}, {"module": "sublayer"}, {"value": 0.3}]

    def cases(self, check: Check, draw: Draw) -> Iterator[Case]:
        """With dropout, for one case each: nothing, half and most of the branch."""
        if check.probe != "dropout":
            yield from super().cases(check, draw)
            return
        for setting in check.settings():
            for p in (0.0, 0.5, 0.9):
                args = [{"value": setting.shape[-1]}, {"module": "sublayer"}, {"value": p}]
                case = self.block_case(setting, draw, train=True, extra={"args": args})
                case.scalars["dropout"] = p
                yield case

    def forward(self, x: Tensor, branches: Mapping[str, Any], norms: list[Norm], case: Case) -> Tensor:
        """Without dropout."""
        return x + branches["sublayer"](norm(x, norms[0]))

    def problems(self, case: Case, answer: Answer) -> list[Problem]:
        """In training every value of the branch is 0 or the sublayer's over 1 - p, and about a share p is 0."""
        p = case.scalars.get("dropout")
        y = answer.tensors.get("y")
        if p is None or answer.raised is not None or answer.notes.get("refused") or y is None or p == 0.0:
            return super().problems(case, answer)
        if y.shape != case.tensors["x"].shape:
            return super().problems(case, answer)
        branch = y.double() - case.tensors["x"].double()
        whole = self.expected(case, answer)["y"].value - case.tensors["x"].double()
        scaled = whole / (1 - p)
        room = 1e-4 * (1 + case.tensors["x"].abs().max().double())
        zero, kept = branch.abs() <= room, (branch - scaled).abs() <= room
        if not bool((zero | kept).all()):
            worst = int((~(zero | kept)).flatten().int().argmax())
            facts = {"p": p, "keep": 1 - p, "got": number(branch.flatten()[worst])}
            return [Problem("dropout", "y", facts)]
        # Values whose branch is 0 anyway say nothing of what was dropped.
        telling = scaled.abs() > 2 * room
        count = int(telling.sum())
        share = float((zero & telling).sum()) / max(1, count)
        if count and abs(share - p) > 5 * (p * (1 - p) / count) ** 0.5:
            return [Problem("dropout-rate", "y", {"p": p, "got": share})]
        return []
