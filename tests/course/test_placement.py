"""The lesson `placement`: what it says of its cells holds for other seeds, and its predictions can go either way."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.course.seeded import cell, contradicted, fresh, outcome, run
from tutor.course.load import load_course
from tutor.course.model import CellStep, Course, Lesson, NumberStep, PredictStep
from tutor.grading import grade, number
from tutor.grading.arithmetic import evaluate
from tutor.text import flow

LESSONS = Path(__file__).parents[2] / "lessons"
COMES_TRUE = {
    "variance-prediction": ["pre-grows"],
    "without-the-norm": ["dies-and-explodes"],
    "last-layer-gradient": ["pre-falls"],
    "warm-up-run": ["warm-up-or-pre"],
    "nudged-weights": ["grows-and-falls"],
}
NUMBERS = ("variance-after-layers", "cost-of-a-run", "deepnorm-constants")


@pytest.fixture(scope="module")
def course() -> Course:
    # The whole of it: a step of this lesson is borrowed from another.
    return load_course(LESSONS)


@pytest.fixture(scope="module")
def lesson(course: Course) -> Lesson:
    found = course.lesson("placement")
    assert found is not None
    return found


@pytest.fixture(autouse=True)
def _on_one_core(monkeypatch):
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # others run on these cores: threads that wait for each other take ten times as long
    monkeypatch.setenv("NORMTUTOR_DEVICE", "cpu")
    yield
    torch.set_num_threads(threads)


def step(lesson: Lesson, id: str) -> Any:
    return next(step for step in lesson.steps if step.id == id)


# The lesson as a file


def test_it_asks_in_every_way(lesson: Lesson) -> None:
    kinds = Counter(type(step).__struct_config__.tag for step in lesson.steps)
    assert {"text", "cell", "choice", "order", "number", "predict", "formula", "flow", "multi", "short"} <= kinds.keys()
    assert kinds["number"] >= 3 and kinds["predict"] >= 5


def test_it_teaches_its_claims_and_measures_what_can_be_measured(course: Course, lesson: Lesson) -> None:
    wanted = {
        "post-norm", "pre-norm", "post-norm-jacobian", "pre-norm-identity", "post-norm-unstable", "xiong-variance",
        "no-warmup", "post-norm-quality", "cost-of-divergence", "prenorm-default", "deepnorm", "deepnorm-1000",
        "final-norm", "what-ln-is-for", "goes-with-residual", "placement-matters",
    }  # fmt: skip
    assert wanted <= {claim for each in lesson.own_steps for claim in each.claims}
    cells = [each for each in lesson.own_steps if isinstance(each, CellStep | PredictStep)]
    measured = {claim for each in cells for claim in each.claims}
    assert {claim for claim in wanted if course.claims[claim].show == "measure"} <= measured


def test_code_fits_beside_the_frame_of_its_editor(lesson: Lesson) -> None:
    for each in lesson.own_steps:
        if isinstance(each, CellStep | PredictStep):
            lines = (each.cell if isinstance(each, PredictStep) else each.code).splitlines()
            assert max(map(len, lines)) <= 72 and len(lines) <= 20, each.id


def test_both_flows_are_drawn_and_are_the_two_placements(lesson: Lesson) -> None:
    post, pre = step(lesson, "norm-positions").flow
    assert (post.title.en, pre.title.en) == ("Post-Norm", "Pre-Norm")
    for named in (post, pre):
        drawn = "\n".join(flow.draw(flow.parse(named.flow)))
        assert (drawn.index("LN") < drawn.index("Sub")) is (named is pre)


# The questions


@pytest.mark.parametrize("id", NUMBERS)
def test_the_numbers_are_graded_and_every_named_slip_is_told_apart(lesson: Lesson, id: str) -> None:
    question: NumberStep = step(lesson, id)
    for values in itertools.product(*question.vary.values()):
        names = dict(zip(question.vary, map(float, values), strict=True))
        right = evaluate(question.answer, names)
        slips = [evaluate(wrong.value, names) for wrong in question.wrong]
        assert not any(number.within(slip, right, question.within) for slip in slips), names
        for slip, other in itertools.combinations(slips, 2):
            assert not number.within(slip, other, question.within), (names, slip, other)
    for index, wrong in enumerate(question.wrong, start=1):
        first = {name: float(values[0]) for name, values in question.vary.items()}
        verdict = grade(question, f"{evaluate(wrong.value, first):.12g}", lang="en", glossary={})
        assert verdict.misconception is not None and verdict.misconception.id == f"wrong-{index}"


def test_the_numbers_are_what_the_formulas_give(lesson: Lesson) -> None:
    def answer(id: str, **names: float) -> float:
        return evaluate(step(lesson, id).answer, names)

    assert answer("variance-after-layers", v=2, n=24) == 49
    assert answer("cost-of-a-run", u=40, p=2) == pytest.approx(1.398, abs=0.001)  # as the explanation says
    assert answer("deepnorm-constants", n=6) == pytest.approx(12.9, abs=0.05)
    assert answer("deepnorm-constants", n=48) == pytest.approx(61.3, abs=0.05)


def test_the_branch_of_deep_norm_is_as_much_lighter_as_the_question_says() -> None:
    from kernels import Stack

    torch.manual_seed(0)
    x = torch.randn(4, 16, 128)
    post, deep = (Stack(arch, 48, init="xavier", seed=0).blocks[0] for arch in ("post", "deepnorm"))
    assert deep.alpha == pytest.approx(3.13, abs=0.005)
    with torch.no_grad():
        for name in ("attention", "ffn"):
            lighter = deep.alpha * getattr(post, name)(x).std() / getattr(deep, name)(x).std()
            assert lighter.item() == pytest.approx(61.3, rel=0.01)


@pytest.mark.parametrize("lang", ["vi", "en"])
def test_rq5_grades_its_model_answer_and_samples(course: Course, lesson: Lesson, lang) -> None:
    question = step(lesson, "rq5")
    assert grade(question, question.model_answer.get(lang), lang=lang, glossary=course.glossary).verdict == "right"
    for sample in question.samples:
        assert grade(question, sample.text, lang=lang, glossary=course.glossary).verdict == sample.verdict, sample.text


# The cells


def prediction(lesson: Lesson, id: str) -> PredictStep:
    found = cell(lesson, id)
    assert isinstance(found, PredictStep)
    return found


@pytest.mark.parametrize("id", COMES_TRUE)
def test_the_figures_and_the_outcome_hold_for_another_seed(lesson: Lesson, id: str) -> None:
    found, names = prediction(lesson, id), fresh()
    run(found, names, seed=3)
    assert contradicted(found, names) == {}
    assert outcome(found, names) == COMES_TRUE[id]


@pytest.mark.parametrize("id", ["gradient-by-layer", "final-norm-logits"])
def test_the_figures_hold_for_another_seed(lesson: Lesson, id: str) -> None:
    found, names = cell(lesson, id), fresh()
    run(found, names, seed=3)
    assert contradicted(found, names) == {}


def test_the_options_of_each_prediction_exclude_each_other(lesson: Lesson) -> None:
    sizes = [1e-6, 0.05, 0.3, 0.6, 1.0, 1.7, 2.0, 5.0, 1e6]
    for id in COMES_TRUE:
        found = prediction(lesson, id)
        came = set()
        for post, pre, other in itertools.product(sizes, repeat=3):
            growth = {"post": post, "pre": pre, "deep": other}
            names: dict[str, Any] = {name: SimpleNamespace(growth=value) for name, value in growth.items()}
            names |= {"plain": SimpleNamespace(last=post), "residual": SimpleNamespace(last=pre)}
            if id == "warm-up-run":
                names |= {"post": post, "warm": other, "pre": pre}
            true = [option.id for option in found.ask.choice if eval(option.true_if, names)]
            assert len(true) == 1, (id, growth, true)
            came |= set(true)
        assert came == {option.id for option in found.ask.choice}, f"{id}: an option that can never come true"


def test_without_branches_pre_norm_returns_x_and_post_norm_its_norm(lesson: Lesson) -> None:
    lines = [line.split() for line in run(cell(lesson, "silent-sublayers"), fresh()).splitlines()]
    assert [line[-1] for line in lines] == ["PreNormBlock", "True", "False", "PostNormBlock", "False", "True"]


def test_post_norm_stays_level_and_pre_norm_grows_linearly(lesson: Lesson) -> None:
    found, names = prediction(lesson, "variance-prediction"), fresh()
    run(found, names)
    post, pre = names["post"], names["pre"]
    assert all(value == pytest.approx(1.0, abs=0.02) for value in post.y)
    for layer in (12, 24, 36, 48):
        assert 1 + layer / 2 < pre.y[layer] < 1 + 3 * layer / 2, "Xiong et al. 2020, Lemma 2"
    line = torch.corrcoef(torch.tensor([pre.x, pre.y], dtype=torch.float64))[0, 1]
    assert line > 0.98


@pytest.mark.slow
def test_without_final_norm_the_last_gradient_grows(lesson: Lesson) -> None:
    names = fresh()
    run(cell(lesson, "last-layer-gradient"), names)
    assert names["last_layer"]("pre", depths=(6, 48), final_norm=False).growth > 2


@pytest.mark.slow
def test_post_norm_needs_warm_up_here_and_not_at_a_small_learning_rate(lesson: Lesson) -> None:
    names = fresh()
    run(cell(lesson, "warm-up-run"), names)
    rows = re.findall(r"^\| (\d+) layers, lr (\S+) \|(.*)$", step(lesson, "warm-up-evidence").body.en, re.MULTILINE)
    assert [(depth, rate) for depth, rate, _ in rows] == [("6", "6e-3"), ("6", "1e-3"), ("12", "1e-3")]
    assert names["train"]("deepnorm", 0).last < 0.05
    for depth, rate, cells in rows:
        for (arch, warmup), found in zip((("post", 0), ("post", 20), ("pre", 0)), cells.split("|"), strict=False):
            low, high = (float(figure) for figure in found.split("–"))
            losses = names["train"](arch, warmup, depth=int(depth), lr=float(rate)).y
            places = len(found.split(".")[-1].strip())
            assert low <= round(sum(losses[-5:]) / 5, places) <= high, (depth, rate, arch, warmup)
