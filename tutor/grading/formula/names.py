"""The names of a formula question, in the one spelling that they are known by."""

from __future__ import annotations

import re

from tutor.course.model import FormulaName, FormulaStep

_BOUNDARY = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")


def normal(name: str) -> str:
    """A name with its index set off by underscores: `J1`, `J_1` and `J_{1}` are one."""
    plain = re.sub(r"[{}\s]", "", name)
    plain = _BOUNDARY.sub("_", plain)
    return re.sub(r"[_,]+", "_", plain).strip("_")


def names(step: FormulaStep) -> dict[str, FormulaName]:
    """Every name of the question with its description."""
    return {
        normal(spelt): name if isinstance(name, FormulaName) else FormulaName(kind=name)
        for spelt, name in step.symbols.items()
    }
