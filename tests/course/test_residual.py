"""The lesson `residual`: what it says of its cells holds for other seeds too, and its predictions can go either way."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.course.seeded import cell, contradicted, fresh, outcome, run
from tutor.course.load import load_course
from tutor.course.model import Lesson, PredictStep

LESSON = Path(__file__).parents[2] / "lessons" / "residual.yaml"
COMES_TRUE = {
    "paths-measured": "fewer",
    "identity-highway-run": "one",
    "sublayer-wrapper": "good-part",
    "residual-alone": "hundreds",
    "zero-start": "w2-first",
    "learn-identity": "lower",
}


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    # With the whole course: a step of this lesson is borrowed from another.
    return next(lesson for lesson in load_course(LESSON.parent).lessons if lesson.id == "residual")


@pytest.fixture(autouse=True)
def _on_one_core(monkeypatch):
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # others run on these cores
    monkeypatch.setenv("NORMTUTOR_DEVICE", "cpu")
    yield
    torch.set_num_threads(threads)


def prediction(lesson: Lesson, id: str) -> PredictStep:
    step = cell(lesson, id)
    assert isinstance(step, PredictStep)
    return step


def test_the_wrapper_is_written_right_after_it_was_measured(lesson: Lesson) -> None:
    ids = [step.id for step in lesson.steps]
    assert ids[ids.index("sublayer-wrapper") + 1] == "code-residual-sublayer"


@pytest.mark.parametrize("id", COMES_TRUE)
def test_the_figures_and_the_outcome_hold_for_another_seed(lesson: Lesson, id: str) -> None:
    step, names = prediction(lesson, id), fresh()
    run(step, names, seed=3)
    assert contradicted(step, names) == {}
    assert outcome(step, names) == [COMES_TRUE[id]]


def test_the_ways_add_up_to_the_gradient_and_with_large_branches_the_middle_ones_carry_most(lesson: Lesson) -> None:
    step, names = prediction(lesson, "paths-measured"), fresh()
    exec(step.cell.replace('init="default"', 'init="xavier"'), names)
    assert names["off"].abs().max() < 1e-4
    size = (names["size"] / names["size"][0]).tolist()
    assert max(size[2:5]) > 2
    assert size[8] < 0.5


def test_each_sublayer_has_its_own_residual(lesson: Lesson) -> None:
    printed = run(cell(lesson, "two-residuals"), fresh(), seed=1).splitlines()
    assert [line.split()[-1] for line in printed[:2]] == ["False", "True"]
    attention, ffn = (float(line.split()[2]) for line in printed[2:])
    assert attention < ffn


@pytest.mark.parametrize("depth", [24, 96])
def test_scaled_by_their_number_branches_add_the_same_at_any_depth(lesson: Lesson, depth: int) -> None:
    step, names = prediction(lesson, "small-branches-run"), fresh()
    exec(step.cell.replace("depth = 48", f"depth = {depth}"), names)
    assert 1.25 <= names["grown"][1] <= 1.35
    assert names["grown"][2] == 1
    v = (names["attention"] + names["ffn"]) / 2
    assert names["grown"][1] == pytest.approx(torch.tensor(v).exp().item(), rel=0.3), "who computes e^v is right"


def test_where_both_matrices_are_zero_nothing_but_the_last_bias_learns(lesson: Lesson) -> None:
    step, names = prediction(lesson, "zero-start"), fresh()
    both = "nn.init.zeros_(branch.w1.weight)\nnn.init.zeros_(branch.w1.bias)\nx, target ="
    exec(step.cell.replace("x, target =", both), names)
    assert names["w1"] == names["w2"] == [0, 0, 0]
    assert outcome(step, names) == ["never"]
    assert names["branch"].w2.bias.abs().max() > 0


@pytest.mark.slow
def test_without_a_norm_small_branches_learn_and_a_norm_holds_at_a_larger_learning_rate(lesson: Lesson) -> None:
    step, names = prediction(lesson, "train-without-norm"), fresh()
    run(step, names, seed=1)
    assert contradicted(step, names) == {}
    assert outcome(step, names) == ["small"]

    last = cell(lesson, "start-or-every-step")
    run(last, names, seed=1)
    assert contradicted(last, names) == {}
    assert names["ends"][1] < names["ends"][0] / 2


SIZES = [0.0, 0.005, 0.05, 0.3, 0.7, 1.0, 1.7, 3.0, 50.0, 300.0]


def names_of(id: str) -> list[dict[str, Any]]:
    """What a cell could measure, as far as the options ask for it."""
    one = {"paths-measured": "four", "identity-highway-run": "share", "sublayer-wrapper": "share"}
    if id in one:
        return [{one[id]: size} for size in SIZES]
    if id == "residual-alone":
        return [{"default": SimpleNamespace(last=size)} for size in SIZES]
    if id == "learn-identity":
        ends = [SimpleNamespace(last=size) for size in SIZES[1:]]
        return [{"plain": plain, "residual": residual} for plain, residual in product(ends, repeat=2)]
    if id == "train-without-norm":
        return [{"large": a, "small": [b, c]} for a, b, c in product([True, False], repeat=3)]
    w1 = [[0.0, 0.0, 0.0], [0.0, 0.1, 0.1], [0.1, 0.1, 0.1]]
    return [{"w1": gradient, "w2": [0.1, 0.1, 0.1]} for gradient in w1] + [{"w1": w1[0], "w2": w1[0]}]


@pytest.mark.parametrize("id", [*COMES_TRUE, "train-without-norm"])
def test_one_option_comes_true_whatever_is_measured_and_every_option_can(lesson: Lesson, id: str) -> None:
    step = prediction(lesson, id)
    came = [outcome(step, names) for names in names_of(id)]
    assert all(isinstance(true, list) and len(true) == 1 for true in came)
    assert {option for true in came for option in true} == {option.id for option in step.ask.choice}
