"""Exercises whose answer is plain numbers: Welford's statistics, and the distance of the two norms."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import torch
from torch import Tensor

from kernels.judge.case import Answer, Case, Check, Expected, Reference, Setting
from kernels.judge.inputs import Draw
from kernels.judge.references.tolerance import UNIT, drift
from kernels.reference import layer_norm_ref, rms_norm_ref

_UNIT = 2.0**-53


class WelfordReference(Reference):
    """(count, mean, m2) of values in one pass, m2 = sum (x - mean)^2, and the merge of two such triples.

    Welford 1962, Technometrics 4(3); Chan, Golub and LeVeque 1979, Stanford STAN-CS-79-773. Exact in fractions here.
    """

    entries = ("welford", "merge")
    probes = ("", "list", "generator", "offset", "empty", "merge", "merge-empty")

    def cases(self, check: Check, draw: Draw) -> Iterator[Case]:
        """Several sizes for each probe."""
        setting = Setting(check.id, check.probe)
        if check.probe == "merge":
            for sizes in ((1, 1), (2, 5), (7, 3), (40, 1)):
                yield self._merge(setting, [draw.normal(size) * 3 + 2 for size in sizes])
            yield self._merge(setting, [draw.normal(6) + 1e8, draw.normal(9) + 1e8])
        elif check.probe == "merge-empty":
            for sizes in ((0, 4), (3, 0), (0, 0)):
                yield self._merge(setting, [draw.normal(size) for size in sizes])
        else:
            kinds = {"generator": ("generator",), "list": ("list", "tuple")}.get(check.probe, ("list", "generator"))
            for values in self._values(check.probe, draw):
                for kind in kinds:
                    request = {"entry": "welford", "args": [{"stream": "values", "as": kind}], "count": 3}
                    yield Case(setting, "numbers", request | {"outputs": ["(count, mean, m2)"]}, {"values": values})

    @staticmethod
    def _values(probe: str, draw: Draw) -> Iterator[Tensor]:
        if probe == "empty":
            yield draw.normal(0)
        elif probe == "offset":
            for centre in (1e6, 1e9):
                yield draw.normal(25) + centre
        else:
            for size in (1, 2, 3, 50):
                yield draw.normal(size) * 4 - 1

    @staticmethod
    def _merge(setting: Setting, parts: list[Tensor]) -> Case:
        triples = [[len(part), *map(float, _exact(part)[1:])] for part in parts]
        args = [{"value": triple, "tuple": True} for triple in triples]
        request = {"entry": "merge", "args": args, "count": 3, "outputs": ["(count, mean, m2)"]}
        return Case(setting, "numbers", request, {}, {"parts": parts})

    def expected(self, case: Case, answer: Answer) -> dict[str, Expected]:
        """Exact up to roundings of float64, as many as there are values."""
        values = case.tensors["values"] if "values" in case.tensors else torch.cat(case.scalars["parts"])
        count, mean, m2 = (float(part) for part in _exact(values))
        size = float(values.abs().amax()) if len(values) else 0.0
        steps = (16 + 4 * count) * _UNIT
        # An error of the mean of size * steps moves m2 by about sqrt(count m2) times that.
        room = steps * (m2 + size * (count * m2) ** 0.5) + count * (steps * size) ** 2 + 1e-300
        allowed = torch.tensor([0.0, steps * size, room], dtype=torch.float64)
        return {"(count, mean, m2)": Expected(torch.tensor([count, mean, m2], dtype=torch.float64), allowed)}


def _exact(values: Tensor) -> tuple[Fraction, Fraction, Fraction]:
    exact = [Fraction(value) for value in values.tolist()]
    if not exact:
        return Fraction(0), Fraction(0), Fraction(0)
    mean = sum(exact, Fraction(0)) / len(exact)
    return Fraction(len(exact)), mean, sum(((value - mean) ** 2 for value in exact), Fraction(0))


class NormComparisonReference(Reference):
    """compare(x, ratios, eps): how far RMSNorm is from LayerNorm when the mean of every row is r standard deviations.

    For large widths it is sqrt((1 - 1/sqrt(1 + r^2))^2 + r^2 / (1 + r^2)), about r for small r.
    """

    entries = ("compare",)

    def cases(self, check: Check, draw: Draw) -> Iterator[Case]:
        """Random rows and ratios from 0 to 3, some negative."""
        for setting in check.settings():
            x = draw.rows(setting.family, setting.shape, setting.dtype, setting.eps)
            ratios = [0.0, 0.01, *(round(float(value), 3) for value in draw.uniform(-3, 3, 3)), 1.0]
            args: list[dict[str, Any]] = [{"tensor": "x"}, {"value": ratios}, {"value": setting.eps}]
            request = {"args": args, "tensors_too": True, "count": len(ratios), "outputs": ["differences"]}
            yield Case(setting, "numbers", request, {"x": x}, {"eps": setting.eps, "ratios": ratios})

    def expected(self, case: Case, answer: Answer) -> dict[str, Expected]:
        """In float64. Float32 loses what cancels at r = 0, and rounds the mean of x, which is so much of its spread."""
        x, eps = case.tensors["x"].double(), case.scalars["eps"]
        centred = x - x.mean(-1, keepdim=True)
        spread = centred.square().mean(-1, keepdim=True).sqrt()
        z = centred / spread
        rounded = UNIT["float32"] * drift(x.shape[-1]) * float((x.mean(-1, keepdim=True) / spread).abs().max())
        values = []
        for ratio in case.scalars["ratios"]:
            a, b = layer_norm_ref(z + ratio, None, None, eps), rms_norm_ref(z + ratio, None, eps)
            values.append(float((a - b).norm() / a.norm()))
        value = torch.tensor(values, dtype=torch.float64)
        return {"differences": Expected(value, 2e-5 * value + 4e-6 + rounded)}
