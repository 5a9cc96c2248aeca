"""The lesson `models`: its tables agree in both languages, and what its texts say of cells is what they measure."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from tutor.course.load import load_course
from tutor.course.model import CellStep, Lesson, PredictStep
from tutor.grading import predict
from tutor.text import prose

LESSON = Path(__file__).parents[2] / "lessons" / "models.yaml"
PRELUDE = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\nfrom kernels import *\n"
TABLES = {"models-ten": 10, "models-layernorm": 10, "models-rmsnorm": 13}
WIDTH = 76


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    (lesson,) = load_course(LESSON).lessons
    return lesson


@pytest.fixture(autouse=True)
def _on_one_core(monkeypatch):
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    monkeypatch.setenv("NORMTUTOR_DEVICE", "cpu")
    yield
    torch.set_num_threads(threads)


def step(lesson: Lesson, id: str) -> Any:
    return next(step for step in lesson.steps if step.id == id)


def code(lesson: Lesson, id: str) -> str:
    found = step(lesson, id)
    return found.cell if isinstance(found, PredictStep) else found.code


def fresh(seed: int = 0) -> dict[str, Any]:
    """The names of a kernel after its prelude; every stack is drawn from `seed`."""
    names: dict[str, Any] = {}
    exec(PRELUDE, names)
    stack = names["Stack"]
    names["Stack"] = lambda *args, **options: stack(*args, **{**options, "seed": seed})
    return names


def run(source: str, names: dict[str, Any]) -> str:
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(source, names)
    return printed.getvalue()


def came_true(lesson: Lesson, id: str, names: dict[str, Any]) -> Any:
    found = step(lesson, id)
    return predict.outcome(
        found, {key: repr(eval(wanted, names)) for key, wanted in predict.expressions(found).items()}
    )


def within(lesson: Lesson, id: str, names: dict[str, Any]) -> None:
    """Every figure of the cell lies where the lesson says."""
    for name, figure in step(lesson, id).figures.items():
        assert figure.low <= eval(figure.value, names) <= figure.high, name


def rows(markdown: str) -> list[list[str]]:
    lines = [line.strip().strip("|").split("|") for line in markdown.splitlines() if line.strip().startswith("|")]
    return [[cell.strip() for cell in line] for line in lines][2:]


def test_its_cells_are_short_and_fit_the_editor(lesson):
    for each in lesson.steps:
        if isinstance(each, CellStep | PredictStep):
            lines = code(lesson, each.id).splitlines()
            assert max(map(len, lines)) <= 72, each.id
            assert len(lines) <= 23, each.id


@pytest.mark.parametrize("id", TABLES)
def test_a_table_of_models_says_the_same_in_both_languages_and_names_a_source_in_each_row(lesson, id):
    body = step(lesson, id).body
    vi, en = rows(body.vi), rows(body.en)
    assert len(vi) == len(en) == TABLES[id]
    assert [(row[0], row[-1]) for row in vi] == [(row[0], row[-1]) for row in en]
    for row in en:
        assert re.fullmatch(r"\w+:\d+|\w+ §[\d.]+|grok-1 model.py", row[-1]), row


@pytest.mark.parametrize("id", [*TABLES, "models-where-to-look"])
def test_a_table_fits_the_screen_a_line_a_row(lesson, id):
    body = step(lesson, id).body
    for words in (body.vi, body.en):
        shown = prose.plain(words, WIDTH).splitlines()
        for row in rows(words):
            first, last = (re.sub(r"[`*]", "", cell) for cell in (row[0], row[-1]))
            assert any(first in line and last in line for line in shown), row
        assert all(len(line) <= 73 for line in shown if "─" in line)


def test_the_ten_models_of_the_sources_are_there(lesson):
    named = " ".join(row[0] for row in rows(step(lesson, "models-ten").body.en))
    for model in ("Transformer", "BERT", "GPT-2", "GPT-3", "PaLM", "LLaMA", "Mistral", "Qwen", "DeepSeek", "Gemma"):
        assert model in named


def test_the_probe_tells_the_placements_apart(lesson):
    names = fresh()
    run(code(lesson, "placement-probe"), names)
    assert names["found"] == {
        "post": (True, False, False),
        "pre": (False, True, False),
        "output-norm": (False, False, True),
        "sandwich": (False, True, True),
        "residual": (False, False, False),
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 4])
def test_without_the_final_norm_logits_grow_with_depth_and_with_it_they_do_not(lesson, seed):
    names = fresh(seed)
    run(code(lesson, "final-norm-depth"), names)
    within(lesson, "final-norm-depth", names)
    assert names["with_norm"] == pytest.approx([names["with_norm"][0]] * 4, rel=0.06)


def test_who_needs_a_final_norm_is_who_gets_one(lesson):
    from kernels.stack import FINAL_NORM

    right = {option.id for option in step(lesson, "needs-final-norm").options if option.right}
    assert right == {arch.removesuffix("-norm") for arch in FINAL_NORM}


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 4])
def test_an_output_norm_fixes_what_each_branch_adds(lesson, seed):
    names = fresh(seed)
    source = code(lesson, "output-norm-variance")
    run(source, names)
    within(lesson, "output-norm-variance", names)
    assert names["last"] == pytest.approx(97, rel=0.25), "1 + 2 * 48, which the prediction must accept"
    weak = {arch: curve.last for arch, curve in names["curves"].items()}
    if seed == 0:
        run(source.replace('"default"', '"xavier"'), names)
        strong = {arch: curve.last for arch, curve in names["curves"].items()}
        assert strong["pre"] > 8 * weak["pre"]
        assert all(strong[arch] < 1.4 * weak[arch] for arch in ("output-norm", "sandwich"))


def test_qk_norm_takes_the_scale_of_the_weights_out(lesson):
    names = fresh()
    run(code(lesson, "qk-norm-scores"), names)
    assert names["grown"] == pytest.approx({"plain": 100, "QK-Norm": 1}, rel=1e-3)
    within(lesson, "qk-norm-scores", names)
    assert came_true(lesson, "qk-norm-scores", names) == ["hundred-and-one"]
    plain, normed = names["scores"](10, False), names["scores"](1e4, True)
    assert normed.abs().max() <= 32**0.5 < plain.abs().max()


def test_exactly_one_option_comes_true_whatever_is_measured(lesson):
    for plain in (0.5, 5, 5.1, 19, 20, 100):
        for normed in (1, 2, 100):
            grown = {"grown": {"plain": plain, "QK-Norm": normed}}
            assert len(came_true(lesson, "qk-norm-scores", grown)) == 1, grown


@pytest.mark.parametrize(("arch", "qk_norm", "a_layer"), [("sandwich", True, 6), ("pre", False, 2)])
def test_the_norms_are_as_many_as_counted(arch, qk_norm, a_layer):
    names = fresh()
    norms = (names["ManualLayerNorm"], names["ManualRMSNorm"])
    for layers in (1, 3):
        stack = names["Stack"](arch, layers, 32, norm="rms", qk_norm=qk_norm)
        assert sum(isinstance(module, norms) for module in stack.modules()) == a_layer * layers + 1


def test_one_plus_w_rounded_to_bf16_is_off_by_as_much_as_told(lesson):
    import torch

    w = torch.linspace(-0.9, 0.9, 4001).bfloat16()
    off = ((1 + w).float() - (1 + w.float())).abs().max().item()
    assert off == pytest.approx(0.0039, abs=0.0001)
    assert "0.0039" in step(lesson, "gemma-weight").why.en
