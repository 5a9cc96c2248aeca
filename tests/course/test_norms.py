"""The lesson `norms`: what it says of its cells holds for other seeds too, and its predictions can go either way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

from tests.course.seeded import cell, contradicted, fresh, outcome, run
from tutor.course.load import load_course
from tutor.course.model import Lesson, PredictStep

LESSON = Path(__file__).parents[2] / "lessons" / "norms.yaml"
COMES_TRUE = {
    "norms-doubled-weights": "multiplied",
    "bn-padding-shift": "above",
    "bn-two-rows": "signs",
    "bn-train-eval-gap": "some",
    "bn-sees-the-future": "batchnorm",
    "ln-by-hand-run": "rounding",
    "rms-curve": "ten-percent",
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


@pytest.mark.parametrize("seed", [1, 4])
@pytest.mark.parametrize("id", COMES_TRUE)
def test_the_figures_and_the_outcome_hold_for_other_seeds(lesson: Lesson, id: str, seed: int) -> None:
    step, names = cell(lesson, id), fresh()
    run(step, names, seed)
    assert contradicted(step, names) == {}
    assert isinstance(step, PredictStep)
    assert outcome(step, names) == [COMES_TRUE[id]]


def test_batch_norm_and_layer_norm_are_told_apart_by_measurement(lesson: Lesson) -> None:
    printed = run(cell(lesson, "three-norms"), fresh())
    rows = [line.split() for line in printed.splitlines()[1:]]
    assert rows == [
        ["BatchNorm", "128", "yes", "no", "no", "1.00"],
        ["LayerNorm", "128", "yes", "yes", "yes", "1.00"],
        ["RMSNorm", "64", "no", "yes", "yes", "1.00"],
    ]


def test_without_padding_nothing_shifts(lesson: Lesson) -> None:
    step, names = cell(lesson, "bn-padding-shift"), fresh()
    assert isinstance(step, PredictStep)
    exec(step.cell.replace("[24, 6, 6, 6]", "[24, 24, 24, 24]"), names)
    assert outcome(step, names) == ["zero"]


def test_masking_the_padding_mends_it(lesson: Lesson) -> None:
    names = fresh()
    run(cell(lesson, "bn-padding-shift"), names)
    tokens = names["x"][names["real"]]
    masked = names["ManualBatchNorm"](64)(tokens)
    assert masked.mean().item() == pytest.approx(0, abs=1e-5)
    assert masked.std().item() == pytest.approx(1, abs=1e-3)


def test_the_gap_between_train_and_eval_is_the_noise_of_the_batch(lesson: Lesson) -> None:
    names = fresh()
    run(cell(lesson, "bn-train-eval-gap"), names)
    assert names["steady"].last == pytest.approx((1 / 32 + 1 / 64) ** 0.5, rel=0.15)
    assert names["gap"](0, rows=512).last == pytest.approx((1.5 / 512) ** 0.5, rel=0.3), "it falls with the batch"
    assert names["of_ln"] == 0


def test_batch_norm_of_one_value_is_an_error_there_and_in_torch(lesson: Lesson) -> None:
    printed = run(cell(lesson, "bn-two-rows"), fresh())
    with pytest.raises(ValueError, match="Expected more than 1 value per channel") as raised:
        torch.nn.BatchNorm1d(8)(torch.zeros(1, 8))
    assert str(raised.value).split(",")[0] in printed


@pytest.mark.slow
def test_the_mean_shrinks_with_the_width_and_has_no_trend_with_depth(lesson: Lesson, monkeypatch) -> None:
    monkeypatch.setenv("NORMTUTOR_DEVICE", "cpu")
    step, names = cell(lesson, "rms-deep-means"), fresh()
    run(step, names)
    assert contradicted(step, names) == {}
    for curve in names["curves"]:
        d = int(re.findall(r"\d+", curve.label)[0])
        assert names["mean"][curve.label] == pytest.approx(d**-0.5, rel=0.25)
        first, last = (sum(part) / 12 for part in (curve.y[1:13], curve.y[13:]))
        assert 0.6 < last / first < 1.6


@pytest.mark.slow
def test_re_scaling_learns_and_re_centring_does_not(lesson: Lesson) -> None:
    step, names = cell(lesson, "rms-what-matters"), fresh()
    run(step, names, seed=1)
    assert contradicted(step, names) == {}
    assert isinstance(step, PredictStep)
    assert outcome(step, names) == ["both-scale"]
    assert min(names["final"]["centre only"], names["final"]["none"]) > 3.47, "worse than knowing nothing"
