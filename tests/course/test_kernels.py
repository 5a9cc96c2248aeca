"""The lesson `kernels`: what its texts say of its cells is what they measure."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tutor.course.load import load_course
from tutor.course.model import CellStep, Lesson, PredictStep
from tutor.grading import predict

os.environ.setdefault("TRITON_INTERPRET", "1")  # before anything imports triton

LESSON = Path(__file__).parents[2] / "lessons" / "kernels.yaml"
PRELUDE = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\nfrom kernels import *\n"


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


def code(lesson: Lesson, id: str) -> str:
    step: Any = next(step for step in lesson.steps if step.id == id)
    return step.cell if isinstance(step, PredictStep) else step.code


def fresh() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(PRELUDE + "from kernels.device import default_device\ndevice = default_device()\n", names)
    return names


def run(source: str, names: dict[str, Any], name: str = "cell") -> str:
    """What the code prints; its text is where Triton looks for it."""
    import linecache

    printed, file = io.StringIO(), f"<lesson {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    with redirect_stdout(printed):
        exec(compile(source, file, "exec"), names)
    return printed.getvalue()


def came_true(lesson: Lesson, id: str, names: dict[str, Any]) -> Any:
    step: Any = next(step for step in lesson.steps if step.id == id)
    return predict.outcome(step, {key: repr(eval(wanted, names)) for key, wanted in predict.expressions(step).items()})


def test_its_cells_are_short_and_fit_the_editor(lesson):
    for step in lesson.steps:
        if isinstance(step, CellStep | PredictStep):
            lines = code(lesson, step.id).splitlines()
            assert max(map(len, lines)) <= 72, step.id
            assert len(lines) <= 27, step.id


def test_the_table_of_passes_is_what_is_counted(lesson):
    names = fresh()
    run(code(lesson, "norm-passes"), names)
    counted = {way: [round(count, 2) for count in counts] for way, counts in names["passes"].items()}
    assert counted == {"operators": [8, 5], "in blocks": [4, 3], "one read": [2, 2]}
    assert came_true(lesson, "norm-passes", names) == ["not-one-read"]


def test_with_weight_and_bias_the_operators_make_12_and_7_passes():
    names = fresh()
    x = names["torch"].randn(512, 4096)
    for module, passes in (("ManualLayerNorm", 12), ("ManualRMSNorm", 7)):
        norm = names[module](4096)
        assert names["memory_passes"](lambda norm=norm: norm(x), x) == pytest.approx(passes, abs=0.05)


def test_on_a_cpu_layer_norm_is_one_kernel_and_rms_norm_six_operators():
    names = fresh()
    torch, functional = names["torch"], names["F"]
    x, w, b = torch.randn(512, 4096), torch.ones(4096), torch.zeros(4096)
    layer = names["traffic"](lambda: functional.layer_norm(x, (4096,), w, b))
    rms = names["traffic"](lambda: functional.rms_norm(x, (4096,), w))
    assert len(layer.operators) == 1
    assert len(rms.operators) == 6
    assert layer.total / x.nbytes == pytest.approx(2, abs=0.05)
    assert rms.total / x.nbytes == pytest.approx(7, abs=0.05)


def test_the_merged_variance_is_the_true_one_and_forgetting_the_term_shows_on_a_ramp_only(lesson):
    names = fresh()
    source = code(lesson, "welford-lanes")
    run(source, names)
    true = names["x"].double().var(correction=0).item()
    assert names["merged"] == pytest.approx(true, rel=1e-9)
    assert names["forgotten"] < 0.15 * true
    run(source.replace("torch.linspace(0, 10, 1024)", "torch.zeros(1024)"), names)
    assert names["forgotten"] == pytest.approx(names["merged"], rel=0.05)


@pytest.mark.slow
def test_the_first_kernel_is_right_and_its_mistakes_are_loud_or_quiet_as_told(lesson):
    names, source = fresh(), code(lesson, "first-kernel")
    assert float(run(source, names).split()[-1]) < 1e-5
    for change, by in (("other=0.0", "other=1.0"), ("BLOCK=1024", "BLOCK=512"), ("/ N +", "/ BLOCK +")):
        assert change in source
        error = float(run(source.replace(change, by), names, by).split()[-1])
        assert not error < 1e-3, f"{by} is quiet, and wrong"
    with pytest.raises(Exception, match="power of 2"):
        run(source.replace("BLOCK=1024", "BLOCK=1000"), names, "1000")


def test_the_lanes_past_the_end_count_unless_they_are_masked_after_the_mean(lesson):
    names = fresh()
    run("import triton\nimport triton.language as tl\n", names)
    source = code(lesson, "padding-lanes")
    run(source, names)
    assert names["reported"] == pytest.approx(1.6, abs=1e-3)
    assert came_true(lesson, "padding-lanes", names) == pytest.approx(1.6, abs=1e-3)
    cured = "x = tl.where(mask, x - tl.sum(x, axis=0) / N, 0.0)"
    run(source.replace("x = x - tl.sum(x, axis=0) / N", cured), names, "cured")
    assert names["reported"] == pytest.approx(1.0, abs=1e-3)


def test_fusing_saves_one_pass_of_five_and_changes_no_bit(lesson):
    names = fresh()
    printed = run(code(lesson, "fused-passes"), names)
    assert "same results: True" in printed
    assert {name: round(count, 2) for name, count in names["n"].items()} == {
        "separate": 5, "fused": 4, "two_reads": 6,
    }  # fmt: skip
    assert came_true(lesson, "fused-passes", names) == ["a-fifth"]


@pytest.mark.slow
def test_the_fused_forward_is_that_of_the_stack(lesson):
    names = fresh()
    run("from kernels.bench_timer import seconds\n", names)
    printed = run(code(lesson, "fused-forward"), names)
    assert printed.count("as stack(x) True") == 2
    assert "nothing is fused" in printed


def test_exactly_one_option_comes_true_whatever_is_measured(lesson):
    ways = ("operators", "in blocks", "one read")
    for bits in range(8):
        saves = {way: bool(bits >> place & 1) for place, way in enumerate(ways)}
        assert len(came_true(lesson, "norm-passes", {"saves": saves})) == 1, saves
    for value in (0.0, 0.09, 0.1, 0.2, 0.27, 0.3, 0.36, 0.5, 0.77, 1.0, 1.3, 2.0):
        assert len(came_true(lesson, "fused-passes", {"saved": value})) == 1, value
        assert len(came_true(lesson, "which-is-faster", {"ratio": value})) == 1, value


def test_the_estimates_of_the_text_are_worked_out_as_it_says():
    pass_bytes = 4096 * 4096 * 2
    llama = SimpleNamespace(layers=32, weights=6.74e9, bandwidth=3.35e12)
    saved = 2 * llama.layers * pass_bytes
    assert saved / 2**30 == 2
    assert saved / llama.bandwidth == pytest.approx(0.6e-3, abs=0.05e-3)
    products = 2 * llama.weights * 4096
    assert products == pytest.approx(55e12, rel=0.01)
    assert products / 600e12 == pytest.approx(90e-3, rel=0.05)
    assert saved / llama.bandwidth / (products / 600e12) < 0.01
    launches = 2 * llama.layers * 2e-6
    reading = 2 * llama.weights / llama.bandwidth
    assert launches == pytest.approx(0.13e-3, abs=0.005e-3)
    assert reading == pytest.approx(4e-3, rel=0.05)
    assert launches / reading == pytest.approx(0.03, abs=0.005)
    assert (2 * llama.layers + 1) * 2 * pass_bytes / llama.bandwidth == pytest.approx(1.3e-3, abs=0.05e-3)
