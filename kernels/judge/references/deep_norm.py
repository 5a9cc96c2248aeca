"""DeepNorm: the constants for a depth, and Post-Norm with the stream weighted up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from kernels.judge.case import Answer, Case, Check, Expected, Problem, Setting
from kernels.judge.compare import problems
from kernels.judge.inputs import Draw
from kernels.judge.references.blocks import BlockReference, Norm, norm

DEPTHS = (1, 2, 6, 12, 48, 100)


class DeepNormBlockReference(BlockReference):
    """LN(alpha x + F(x)) twice; alpha = (2N)^(1/4), beta = (8N)^(-1/4) for N layers of one kind.

    Wang et al. 2022, arXiv 2203.00555, table 2. Probe "constants" asks `deepnorm_constants(depth)`; "weights-kept" that
    the block leaves the sublayers' weights alone, since beta belongs to their initialisation.
    """

    entries = ("deepnorm_constants", "DeepNormBlock")
    probes = ("", "zero", "registered", "constants", "weights-kept")
    entry = "DeepNormBlock"

    def arguments(self, width: int) -> list[dict[str, Any]]:
        """The depth comes last."""
        return [*super().arguments(width), {"scalar": "depth"}]

    def scalars(self, draw: Draw) -> dict[str, Any]:
        """A depth."""
        return {"depth": draw.integer(3, 60)}

    def cases(self, check: Check, draw: Draw) -> Iterator[Case]:
        """Blocks, or depths for the constants."""
        if check.probe != "constants":
            yield from super().cases(check, draw)
            return
        for depth in (*DEPTHS, draw.integer(13, 400)):
            request = {
                "entry": "deepnorm_constants",
                "args": [{"value": depth}],
                "count": 2,
                "outputs": ["(alpha, beta)"],
            }
            yield Case(Setting(check.id, check.probe), "numbers", request, {}, {"depth": depth})

    def forward(self, x: Tensor, branches: Mapping[str, Any], norms: list[Norm], case: Case) -> Tensor:
        """The stream is weighed by alpha, the branch is not."""
        alpha = (2 * case.scalars["depth"]) ** 0.25
        for name, parameters in zip(self.sublayers, norms, strict=True):
            x = norm(alpha * x + branches[name](x), parameters)
        return x

    def expected(self, case: Case, answer: Answer) -> dict[str, Expected]:
        """The constants up to rounding in float32, or the block."""
        if case.driver != "numbers":
            return super().expected(case, answer)
        depth = case.scalars["depth"]
        value = torch.tensor([(2 * depth) ** 0.25, (8 * depth) ** -0.25], dtype=torch.float64)
        return {"(alpha, beta)": Expected(value, 1e-6 * value)}

    def problems(self, case: Case, answer: Answer) -> list[Problem]:
        """As for every block, and the sublayers' weights as they were."""
        if case.driver == "numbers":
            return problems(self.expected(case, answer), answer)
        if case.setting.probe == "weights-kept" and answer.raised is None:
            changed = [name for name in self.sublayers if not _kept(case, answer, name)]
            return [Problem("weights-changed", facts={"name": changed[0]})] if changed else []
        return super().problems(case, answer)


def _kept(case: Case, answer: Answer, name: str) -> bool:
    after = answer.tensors.get(f"kept:{name}")
    before = case.tensors[f"{name}.weight"]
    return after is not None and after.shape == before.shape and bool(torch.equal(after, before))
