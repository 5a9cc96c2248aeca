"""The lesson `placement`: its texts are sound in both languages, its cells run, and its facts come out of them."""

from __future__ import annotations

import io
import itertools
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tutor.course.lint import lint
from tutor.course.load import load_course
from tutor.course.model import CellStep, Course, Lesson, NumberStep, PredictStep, Text
from tutor.grading import grade, number, predict
from tutor.grading.arithmetic import evaluate
from tutor.text import flow, maths, prose

LESSON = Path(__file__).parents[2] / "lessons" / "placement.yaml"
PRELUDE = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\nfrom kernels import *\n"
WIDTH = 76
"""Cells that an 80-column terminal leaves for a text."""


@pytest.fixture(scope="module")
def course() -> Course:
    return load_course(LESSON)


@pytest.fixture(scope="module")
def lesson(course: Course) -> Lesson:
    (lesson,) = course.lessons
    return lesson


def step(lesson: Lesson, id: str) -> Any:
    return next(step for step in lesson.steps if step.id == id)


def code(step: CellStep | PredictStep) -> str:
    return step.cell if isinstance(step, PredictStep) else step.code


def texts(part: Any, path: str = "") -> Iterator[tuple[str, Text]]:
    """Every text below `part`, with the way to it."""
    if isinstance(part, Text):
        yield path, part
    elif isinstance(part, msgspec.Struct):
        for name in part.__struct_fields__:
            yield from texts(getattr(part, name), f"{path}.{name}")
    elif isinstance(part, tuple):
        for index, item in enumerate(part):
            yield from texts(item, f"{path}[{index}]")


# The lesson as a file


def test_it_loads_without_findings(course):
    assert [str(finding) for finding in [*course.findings, *lint(course)]] == []


def test_it_asks_in_every_way_and_has_live_cells(lesson):
    kinds = Counter(type(step).__struct_config__.tag for step in lesson.steps)
    assert {"text", "cell", "choice", "number", "predict", "short"} <= kinds.keys()
    assert kinds["cell"] >= 3
    assert all(step.title is not None for step in lesson.steps)
    assert step(lesson, "rq5") is lesson.steps[-1]


def test_it_teaches_its_claims_and_measures_what_can_be_measured(course, lesson):
    named = {claim for each in lesson.steps for claim in each.claims}
    assert named == {
        "post-norm", "pre-norm", "post-norm-jacobian", "pre-norm-identity", "post-norm-unstable", "xiong-variance",
        "no-warmup", "post-norm-quality", "cost-of-divergence", "final-norm", "what-ln-is-for", "goes-with-residual",
        "placement-matters",
    }  # fmt: skip
    in_cells = {claim for each in lesson.steps if isinstance(each, CellStep | PredictStep) for claim in each.claims}
    assert {claim for claim in named if course.claims[claim].show == "measure"} <= in_cells
    assert "xiong-variance" in step(lesson, "variance-prediction").claims


def test_no_text_is_longer_than_two_screens(lesson):
    for path, text in texts(lesson):
        for words in (text.vi, text.en):
            assert len(words) <= 2048, path


def test_code_fits_beside_the_frame_of_its_editor(lesson):
    for each in lesson.steps:
        if isinstance(each, CellStep | PredictStep):
            assert max(map(len, code(each).splitlines())) <= 72, each.id
            assert len(code(each).splitlines()) <= 20, each.id


def test_every_formula_renders_within_the_screen(lesson):
    found = set()
    for path, text in texts(lesson):
        for words in (text.vi, text.en):
            for formula in prose.formulas(words):
                found.add(formula)
                rows = maths.render(formula)
                assert len(rows[0]) <= WIDTH - 4, f"{path}: {formula}"
                assert not re.search(r"[?\\$]|TeX", "".join(rows)), f"{path}: {rows}"
            assert max(map(len, prose.plain(words, WIDTH).splitlines())) <= WIDTH, path
    assert len(found) > 20, "the formulas were looked for in the wrong place"


def test_both_flows_are_drawn_and_are_the_two_placements(lesson):
    post, pre = step(lesson, "norm-positions").flow
    assert (post.title.en, pre.title.en) == ("Post-Norm", "Pre-Norm")
    for named in (post, pre):
        drawn = "\n".join(flow.draw(flow.parse(named.flow)))
        norm, sublayer = drawn.index("LN"), drawn.index("Sub")
        assert (norm < sublayer) is (named is pre)


# Two languages


def split(text: str) -> tuple[list[str], list[str], str]:
    """The code, the formulas, and the prose that is left of them."""
    found_code = re.findall(r"```.*?```|`[^`]+`", text, re.DOTALL)
    left = re.sub(r"```.*?```|`[^`]+`", " ", text, flags=re.DOTALL)
    formulas = re.findall(r"\$\$.*?\$\$|\$.*?\$", left, re.DOTALL)
    return found_code, formulas, re.sub(r"\$\$.*?\$\$|\$.*?\$", " ", left, flags=re.DOTALL)


def numbers(prose_: str, mark: str) -> list[str]:
    """The numbers of a text with `mark` for the decimal point, as Python writes them."""
    return [found.replace(mark, ".") for found in re.findall(rf"\d+(?:{re.escape(mark)}\d+)?(?:e-?\d+)?", prose_)]


def test_both_languages_say_the_same_numbers_formulas_and_code(lesson):
    for path, text in texts(lesson):
        vi, en = split(text.vi), split(text.en)
        for what, ours, theirs in zip(("code", "formulas"), vi, en, strict=False):
            assert set(ours) == set(theirs), f"{path}: {what}"
        assert not re.search(r"\d\.\d", vi[2]), f"{path}: a decimal point in Vietnamese prose"
        assert not re.search(r"\d,\d", en[2]), f"{path}: a decimal comma in English prose"
        assert Counter(numbers(vi[2], ",")) == Counter(numbers(en[2], ".")), path
        assert sorted(re.findall(r"\{\w+\}", vi[2])) == sorted(re.findall(r"\{\w+\}", en[2])), path


@pytest.mark.parametrize(
    ("vi", "en"),
    [
        ("tăng 1,5 lần", "grows 1.6-fold"),
        ("tăng 1,5 lần", "grows"),
        ("lr 6e-3", "lr 6e-4"),
        ("6, 12 tầng", "612 layers"),
    ],
)
def test_a_slip_in_a_number_would_be_seen(vi, en):
    assert Counter(numbers(vi, ",")) != Counter(numbers(en, "."))


# The questions


def test_each_wrong_value_of_the_number_is_wrong_for_every_card(lesson):
    question: NumberStep = step(lesson, "variance-after-layers")
    for values in itertools.product(*question.vary.values()):
        names = dict(zip(question.vary, map(float, values), strict=True))
        right = evaluate(question.answer, names)
        assert right == 1 + names["v"] * names["n"]
        for wrong in question.wrong:
            assert not number.within(evaluate(wrong.value, names), right, question.within), (names, wrong.value)


def test_the_number_is_graded_and_its_slips_are_named(lesson):
    question = step(lesson, "variance-after-layers")  # without a seed: v = 1, n = 24
    assert grade(question, "25", lang="vi", glossary={}).verdict == "right"
    without_input = grade(question, "24", lang="en", glossary={})
    assert without_input.verdict == "wrong"
    assert without_input.misconception is not None
    assert "input" in without_input.misconception.message


@pytest.mark.parametrize("lang", ["vi", "en"])
def test_rq5_grades_its_model_answer_and_samples(course, lesson, lang):
    question = step(lesson, "rq5")
    assert grade(question, question.model_answer.get(lang), lang=lang, glossary=course.glossary).verdict == "right"
    for sample in question.samples:
        assert grade(question, sample.text, lang=lang, glossary=course.glossary).verdict == sample.verdict, sample.text


# The cells


@pytest.fixture(autouse=True)
def _measured_on_one_core(monkeypatch):
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # others run on these cores: threads that wait for each other take ten times as long
    monkeypatch.setenv("NORMTUTOR_DEVICE", "cpu")
    yield
    torch.set_num_threads(threads)


def fresh(seed: int | None = None) -> dict[str, Any]:
    """The names of a kernel after its prelude; with a seed every stack is drawn from that one."""
    names: dict[str, Any] = {}
    exec(PRELUDE, names)
    if seed is not None:
        stack = names["Stack"]
        names["Stack"] = lambda *args, **options: stack(*args, **{**options, "seed": seed})
    return names


def run(each: CellStep | PredictStep, names: dict[str, Any]) -> str:
    """What the cell prints, plots included."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(code(each), each.id, "exec"), names)
    return printed.getvalue()


def measured(each: PredictStep, names: dict[str, Any]) -> list[str] | float | None:
    evidence = {key: repr(eval(wanted, names)) for key, wanted in predict.expressions(each).items()}
    return predict.outcome(each, evidence)


def quoted(text: str, pattern: str) -> list[float]:
    """The figures that a text gives, so that a test holds what the learner reads against what is measured."""
    found = re.search(pattern, " ".join(text.split()))
    assert found, pattern
    return [float(figure) for figure in found.groups()]


@pytest.mark.slow
def test_all_cells_run_in_order_and_in_time(lesson):
    names = fresh()
    for each in lesson.steps:
        if isinstance(each, CellStep | PredictStep):
            started = time.monotonic()
            assert run(each, names).strip(), each.id
            assert time.monotonic() - started <= each.finishes_within, each.id


def test_without_branches_pre_norm_returns_x_and_post_norm_its_norm(lesson):
    lines = [line.split() for line in run(step(lesson, "silent-sublayers"), fresh()).splitlines()]
    assert [line[-1] for line in lines] == ["PreNormBlock", "True", "False", "PostNormBlock", "False", "True"]


def test_post_norm_stays_level_and_pre_norm_grows_linearly(lesson):
    prediction, names = step(lesson, "variance-prediction"), fresh()
    printed = run(prediction, names)
    post, pre = names["post"], names["pre"]
    assert len(post.y) == len(pre.y) == 49
    assert all(value == pytest.approx(1.0, abs=0.02) for value in post.y)
    low, high = quoted(prediction.why.en, r"which is (\d+) to (\d+) at")
    assert (low, high) == (1 + 48 / 2, 1 + 3 * 48 / 2)
    for layer in (12, 24, 36, 48):
        assert 1 + layer / 2 < pre.y[layer] < 1 + 3 * layer / 2, "Xiong et al. 2020, Lemma 2"
    assert correlation(pre.x, pre.y) > 0.98
    assert re.search(r"post +1\.01 -> 1\.00\npre +1\.01 -> \d\d\.\d", printed)
    assert "post" in printed.split("->")[0]


def correlation(x: tuple[float, ...], y: tuple[float, ...]) -> float:
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    shared = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return shared / (sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_one_prediction_comes_true_and_the_figures_hold_whatever_the_seed(lesson, seed):
    names = fresh(seed)

    variance = step(lesson, "variance-prediction")
    run(variance, names)
    assert measured(variance, names) == ["pre-grows"]
    low, high = quoted(variance.why.en, r"we measured (\d+) to (\d+) \(seeds 0 to 9")
    assert low <= round(names["pre"].last) <= high
    low, high = quoted(step(lesson, "variance-after-layers").why.en, r"a layer gave ([\d.]+) to ([\d.]+) \(")
    assert low <= round((names["pre"].last - 1) / 48, 1) <= high

    by_layer = step(lesson, "gradient-by-layer")
    run(by_layer, names)
    told = step(lesson, "last-layer-gradient").prompt.en
    low, high = quoted(told, r"stayed within ([\d.]+) to ([\d.]+) in all layers")
    assert low <= round(min(names["post"].y), 1) <= round(max(names["post"].y), 1) <= high
    low, high, end = quoted(told, r"from ([\d.]+) to ([\d.]+) in layer 1 down to about ([\d.]+) in layer")
    assert low <= round(names["pre"].first, 1) <= high
    assert round(names["pre"].last, 1) == end

    last = step(lesson, "last-layer-gradient")
    run(last, names)
    assert measured(last, names) == ["pre-falls"]
    low, high, post_low, post_high = quoted(
        last.why.en,
        r"falls to ([\d.]+) to ([\d.]+) of its value; under Post-Norm it is ([\d.]+) to ([\d.]+) of its own",
    )
    assert low <= round(names["pre"].growth, 2) <= high
    assert post_low <= round(names["post"].growth, 2) <= post_high

    final = step(lesson, "final-norm-logits")
    printed = run(final, names)
    low, high = quoted(final.why.en, r"we measured ([\d.]+) to ([\d.]+) \(seeds 0 to 9")
    factor = measured(final, names)
    assert isinstance(factor, float)
    assert low <= round(factor, 1) <= high
    without, with_norm = (float(loss) for loss in re.findall(r"loss ([\d.]+)", printed))
    low, high = quoted(final.why.en, r"Without, it is (\d+) to (\d+):")
    assert low <= round(without) <= high
    assert with_norm == pytest.approx(7.1, abs=0.1)


def test_the_options_of_each_prediction_exclude_each_other(lesson):
    class Grown:
        def __init__(self, growth: float) -> None:
            self.growth = growth

    for each in lesson.steps:
        if isinstance(each, PredictStep) and each.ask.choice:
            came = [
                tuple(measured(each, {"post": Grown(post), "pre": Grown(pre)}))
                for post, pre in itertools.product([0.1, 0.6, 1.0, 1.7, 2.0, 5.0], repeat=2)
            ]
            assert all(len(true) == 1 for true in came), each.id
            assert set(came) == {(option.id,) for option in each.ask.choice}, "an option that can never come true"


@pytest.mark.slow
def test_without_final_norm_the_last_gradient_grows(lesson):
    names = fresh()
    run(step(lesson, "last-layer-gradient"), names)
    assert names["last_layer"]("pre", depths=(6, 48), final_norm=False).growth > 2


def test_without_a_norm_the_signal_dies_or_explodes(lesson):
    names = fresh()
    run(step(lesson, "without-the-norm"), names)
    plain, residual, post, pre = (curve.last for curve in names["curves"])
    assert plain < 1e-12
    assert residual > 1e9
    assert post == pytest.approx(1.0, abs=0.01)
    assert 13 < pre < 37
    slow = names["hidden_variance"](names["Stack"]("pre", 48, init="default"))
    assert slow.last == pytest.approx(6, abs=0.5)


@pytest.mark.slow
def test_post_norm_needs_warm_up_here_and_not_at_a_small_learning_rate(lesson):
    names = fresh()
    run(step(lesson, "warm-up-run"), names)
    rows = re.findall(r"^\| (\d+) layers, lr (\S+) \|(.*)$", step(lesson, "warm-up-evidence").body.en, re.MULTILINE)
    assert [(depth, rate) for depth, rate, _ in rows] == [("6", "6e-3"), ("6", "1e-3"), ("12", "1e-3")]
    assert names["train"]("deepnorm", 0).last < 0.05
    for depth, rate, cells in rows:
        for (arch, warmup), cell in zip((("post", 0), ("post", 20), ("pre", 0)), cells.split("|"), strict=False):
            low, high = (float(figure) for figure in cell.split("–"))
            losses = names["train"](arch, warmup, depth=int(depth), lr=float(rate)).y
            places = len(cell.split(".")[-1].strip())
            assert low <= round(sum(losses[-5:]) / 5, places) <= high, (depth, rate, arch, warmup)
