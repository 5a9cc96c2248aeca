"""The lesson `precision`: what it says of its cells holds for other seeds too, and its cures do cure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.course.seeded import cell, contradicted, fresh, outcome, run
from tutor.course.load import load_course
from tutor.course.model import Lesson, PredictStep

LESSON = Path(__file__).parents[2] / "lessons" / "precision.yaml"
DRAWN = {
    "precision-squares": "too-small",
    "precision-cancel": "worthless",
    "precision-usual-kernel": "nan",
    "precision-methods": "two-pass",
}


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    (lesson,) = load_course(LESSON).lessons
    return lesson


@pytest.fixture(autouse=True)
def _on_one_core():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # others run on these cores
    yield
    torch.set_num_threads(threads)


def after(lesson: Lesson, id: str, seed: int = 0) -> dict[str, Any]:
    names = fresh()
    run(cell(lesson, id), names, seed)
    return names


@pytest.mark.parametrize("seed", [1, 3])
@pytest.mark.parametrize("id", DRAWN)
def test_the_figures_and_the_outcome_hold_for_other_seeds(lesson: Lesson, id: str, seed: int) -> None:
    step, names = cell(lesson, id), after(lesson, id, seed)
    assert contradicted(step, names) == {}
    assert isinstance(step, PredictStep)
    assert outcome(step, names) == [DRAWN[id]]


@pytest.mark.parametrize("id", ["precision-257", "precision-ones", "precision-gradient", "precision-stream"])
def test_what_is_not_drawn_is_exact(lesson: Lesson, id: str) -> None:
    assert contradicted(cell(lesson, id), after(lesson, id)) == {}


def test_two_threads_stall_twice_as_far(lesson: Lesson) -> None:
    names = after(lesson, "precision-gradient")
    torch.set_num_threads(2)
    if torch.get_num_threads() == 2:
        assert names["bias_gradient"](torch.bfloat16) == 512


def test_squares_overflow_from_an_rms_of_four_or_one_value_of_256(lesson: Lesson) -> None:
    from kernels.precision import pairwise_sum

    assert pairwise_sum(torch.full((4096,), 4.0).half() ** 2).isinf()
    assert pairwise_sum(torch.full((4096,), 3.99).half() ** 2).isfinite()
    names = after(lesson, "precision-squares")
    assert (names["large"] * names["large"]).isinf().tolist() == [False, True]


def test_every_other_formula_saves_the_usual_kernel(lesson: Lesson) -> None:
    from kernels.precision import chan_variance, shifted_variance, two_pass_variance, welford_variance

    x = (1000 + after(lesson, "precision-usual-kernel")["z"]).half()
    true = x.double().var(unbiased=False).item()
    for cure in (two_pass_variance, shifted_variance, welford_variance, chan_variance):
        assert cure(x.float()).item() == pytest.approx(true, rel=2e-3), cure.__name__


def test_without_a_mean_the_usual_kernel_is_right(lesson: Lesson) -> None:
    names = after(lesson, "precision-usual-kernel")
    x = names["z"].half()
    var, rstd = names["usual_kernel"](x, names["sequential_sum"])
    assert var == pytest.approx(x.double().var(unbiased=False).item(), rel=1e-4)
    assert rstd == pytest.approx(var**-0.5, rel=1e-4)
