"""The lesson `depth`: what it says of its cells holds for other seeds too, and its predictions can go either way."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from tests.course.seeded import cell, contradicted, fresh, outcome, run
from tutor.course.load import load_course
from tutor.course.model import Lesson, PredictStep

LESSON = Path(__file__).parents[2] / "lessons" / "depth.yaml"
COMES_TRUE = {
    "spectral-above-one": "vanishes",
    "real-block": "rms",
    "plain-48": "zero",
    "gate-run": "open-only",
    "deeper-is-worse": "deep",
}


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    (lesson,) = load_course(LESSON).lessons
    return lesson


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


@pytest.mark.slow
@pytest.mark.parametrize("id", COMES_TRUE)
def test_the_figures_and_the_outcome_hold_for_another_seed(lesson: Lesson, id: str) -> None:
    step, names = prediction(lesson, id), fresh()
    run(step, names, seed=4)
    assert contradicted(step, names) == {}
    assert outcome(step, names) == [COMES_TRUE[id]]


def test_only_the_right_order_of_factors_is_what_autograd_gets(lesson: Lesson) -> None:
    names = fresh()
    printed = run(cell(lesson, "multiply-jacobians"), names, seed=1)
    rows = [line.split("tensor")[1] for line in printed.splitlines() if "tensor" in line]
    assert rows[0] == rows[1] != rows[2]


def test_twice_the_layers_lose_twice_the_powers(lesson: Lesson) -> None:
    step, names = prediction(lesson, "twice-as-deep"), fresh()
    run(step, names, seed=1)
    assert contradicted(step, names) == {}
    assert names["deeper"] == pytest.approx(2 * names["twelve"], rel=0.2), "who doubles the power is right"


def test_a_spectral_norm_of_two_keeps_the_length_of_a_gradient_of_random_matrices(lesson: Lesson) -> None:
    names = fresh()
    run(cell(lesson, "spectral-above-one"), names)
    for sigma, low, high in ((2.0, 0.1, 10), (2.2, 100, 1000)):
        end = names["walk"]("random", lambda: torch.randn(128, 128), sigma=sigma).last
        assert low < end < high


def test_a_gate_that_starts_at_one_lies_between(lesson: Lesson) -> None:
    names = fresh()
    run(cell(lesson, "gate-run"), names)
    one = names["reach"](torch.nn.LSTM(32, 64), "bias 1", 1.0)
    assert names["kept"][1] * 1e3 < one.first / one.last < names["kept"][2] / 1e3


@pytest.mark.slow
def test_the_plus_sign_is_all_that_was_missing(lesson: Lesson) -> None:
    step, names = cell(lesson, "only-the-plus"), fresh()
    run(step, names, seed=4)
    assert contradicted(step, names) == {}


SIZES = [0.0, 1e-20, 1e-5, 0.05, 0.19, 0.5, 1.0, 2.0, 50.0]


def names_of(id: str) -> list[dict[str, object]]:
    """What a cell could measure, as far as the options ask for it."""
    if id == "spectral-above-one":
        return [{"random": SimpleNamespace(last=size)} for size in SIZES]
    if id == "plain-48":
        return [{"plain": SimpleNamespace(first=size)} for size in SIZES]
    if id == "real-block":
        return [{"per_block": size, "nearest": near} for size in SIZES for near in ("level", "rms", "middle")]
    if id == "gate-run":
        return [{"kept": list(kept)} for kept in product([1e-9, 0.5], repeat=3)]
    return [{"final": list(final)} for final in product([0.0, 0.3, 0.69], repeat=3)]


@pytest.mark.parametrize("id", COMES_TRUE)
def test_one_option_comes_true_whatever_is_measured_and_every_option_can(lesson: Lesson, id: str) -> None:
    step = prediction(lesson, id)
    came = [outcome(step, names) for names in names_of(id)]
    assert all(isinstance(true, list) and len(true) == 1 for true in came)
    assert {option for true in came for option in true} == {option.id for option in step.ask.choice}
