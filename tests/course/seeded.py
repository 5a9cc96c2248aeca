"""Cells of a lesson run with other seeds than the learner's first, for what a lesson says of seeds 0 to 4."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from typing import Any

from tutor.course.figures import contradicts, declared
from tutor.course.model import CellStep, Lesson, PredictStep
from tutor.grading import predict

PRELUDE = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\nfrom kernels import *\n"


def cell(lesson: Lesson, id: str) -> CellStep | PredictStep:
    """The step `id`, which has a cell."""
    step = next(step for step in lesson.own_steps if step.id == id)
    assert isinstance(step, CellStep | PredictStep), id
    return step


def fresh() -> dict[str, Any]:
    """The names that a learner's Python begins with."""
    names: dict[str, Any] = {}
    exec(PRELUDE, names)
    return names


def run(step: CellStep | PredictStep, names: dict[str, Any], seed: int = 0) -> str:
    """What the cell prints when it is drawn from `seed`. A cell that names no seed is refused for any other than 0."""
    code = step.cell if isinstance(step, PredictStep) else step.code
    seeded = re.sub(r"\bmanual_seed\(0\)", f"manual_seed({seed})", code)
    seeded = re.sub(r"\bseed=0\b", f"seed={seed}", seeded)
    assert seed == 0 or seeded != code, f"{step.id} has no seed to change"
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(seeded, step.id, "exec"), names)
    return printed.getvalue()


def outcome(step: PredictStep, names: dict[str, Any]) -> list[str] | float | None:
    """What came true of the prediction."""
    return predict.outcome(step, {key: repr(eval(code, names)) for key, code in predict.expressions(step).items()})


def contradicted(step: CellStep | PredictStep, names: dict[str, Any]) -> dict[str, float]:
    """The figures of a cell that has run which lie outside what the texts say, with what was measured."""
    measured = {name: float(eval(figure.value, names)) for name, figure in declared(step).items()}
    return {name: value for name, value in measured.items() if contradicts(declared(step)[name], value)}
