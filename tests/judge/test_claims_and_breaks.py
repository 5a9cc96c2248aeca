"""The search for counterexamples, its language, and inputs that break faulty kernels."""

from __future__ import annotations

from typing import Any

import pytest

from kernels.judge.language import LanguageError, evaluate, parse
from kernels.judge.search import search
from tests.judge.conftest import Judge


def found(left: str, right: str, inputs: dict[str, str], within: float = 1e-6, seed: int = 1) -> dict[str, Any]:
    return search({"inputs": inputs, "left": left, "right": right, "within": within, "seed": seed})


X, XC = {"x": "rows"}, {"x": "rows", "c": "scalar"}
HOLD = [
    ("layer_norm(x + c, 0.00001)", "layer_norm(x, 0.00001)", XC, 1e-4),
    ("layer_norm(x * a, 0)", "layer_norm(x, 0)", {"x": "rows", "a": "positive"}, 1e-4),
    ("rms_norm(x * a, 0)", "rms_norm(x, 0)", {"x": "rows", "a": "positive"}, 1e-6),
    ("rms_norm(x - mean(x), 0)", "layer_norm(x, 0)", X, 1e-6),
    ("first(layer_norm(others(x, y), 0.00001))", "first(layer_norm(x, 0.00001))", {"x": "rows", "y": "rows"}, 1e-6),
    ("first(batch_norm_eval(others(x, y), 0))", "first(batch_norm_eval(x, 0))", {"x": "rows", "y": "rows"}, 1e-6),
    ("swap(batch_norm(x, 0.001))", "batch_norm(swap(x), 0.001)", X, 1e-6),
]
FAIL = [
    ("rms_norm(x + c, 0)", "rms_norm(x, 0)", XC),
    ("layer_norm(x * c, 0)", "layer_norm(x, 0)", XC),
    ("layer_norm(x * a, 0.00001)", "layer_norm(x, 0.00001)", {"x": "rows", "a": "positive"}),
    ("first(batch_norm(others(x, y), 0.00001))", "first(batch_norm(x, 0.00001))", {"x": "rows", "y": "rows"}),
    ("layer_norm(x, 0.00001)", "rms_norm(x, 0.00001)", X),
    ("abs(x)", "x", X),
]


@pytest.mark.parametrize(("left", "right", "inputs", "within"), HOLD)
def test_what_holds_is_not_refuted(left: str, right: str, inputs: dict[str, str], within: float) -> None:
    for seed in range(5):
        result = found(left, right, inputs, within, seed)
        assert result["counterexample"] is None, result
        assert result["tried"] == 600


@pytest.mark.parametrize(("left", "right", "inputs"), FAIL)
def test_what_does_not_hold_is_refuted_by_a_small_input(left: str, right: str, inputs: dict[str, str]) -> None:
    for seed in range(5):
        example = found(left, right, inputs, seed=seed)["counterexample"]
        assert example is not None
        assert len(example["x"]) <= 3 and len(example["x"][0]) <= 3, example


def test_a_counterexample_is_as_round_as_it_can_be() -> None:
    example = found("rms_norm(x + c, 0)", "rms_norm(x, 0)", XC)["counterexample"]
    assert example == {"x": [[0, 1]], "c": 1} or example["c"] == 1, example


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')", "x.data", "x[0]", "lambda: 1", "(x := 1)", "y", "rms_norm(x)", "rms_norm(x, eps=1)", "True",
        "[x for x in x]", "'a'", "x if 1 else x", "x @ x", "exec(x)", "x ** y", "f'{x}'", "(" * 60 + "x" + ")" * 60 + " + (",
        "-" * 200 + "x", "x" * 600,
    ],
)  # fmt: skip
def test_everything_else_is_refused(text: str) -> None:
    with pytest.raises(LanguageError):
        parse(text, {"x": "rows"})


def test_arithmetic_is_that_of_tensors() -> None:
    import torch

    x = torch.tensor([[1.0, 3.0]], dtype=torch.float64)
    assert evaluate(parse("2 * x ** 2 - mean(x) / 4 + sqrt(9)", {"x": "rows"}), {"x": x}).tolist() == [[4.5, 20.5]]
    assert evaluate(parse("var(x) + std(x) + sum(x)", {"x": "rows"}), {"x": x}).tolist() == [[6.0]]


def broken(judge: Judge, faulty: str, source: str, *names: str) -> dict[str, Any]:
    return judge.order(op="break", faulty=faulty, names=list(names or ("x",)), source=source)


@pytest.mark.parametrize(
    ("faulty", "source", "names", "relative"),
    [
        ("one_pass_variance", "x = [10000.0, 10001.0, 10002.0, 10003.0]", ("x",), 0.5),
        ("one_pass_variance", "x = 1e4 + torch.arange(8.0)", ("x",), 0.1),
        ("float16_mean_square", "x = [1.0] * 4096", ("x",), 0.4),
        ("float16_mean_square", "x = [300]", ("x",), 0.9),
        ("eps_outside_rms_norm", "x = [1e-3, -1e-3]", ("x",), 0.5),
        ("int32_offset", "row, stride = 70000, 40000", ("row", "stride"), 0.5),
    ],
)
def test_inputs_that_break_a_kernel_do(
    judge: Judge, faulty: str, source: str, names: tuple[str, ...], relative: float
) -> None:
    result = broken(judge, faulty, source, *names)["result"]
    assert result["relative_error"] == "inf" or result["relative_error"] > relative, result


@pytest.mark.parametrize(
    ("faulty", "source", "names"),
    [
        ("one_pass_variance", "x = [1.0, 2.0, 3.0]", ("x",)),
        ("one_pass_variance", "x = [3.0]", ("x",)),
        ("float16_mean_square", "x = [1.0, 2.0]", ("x",)),
        ("eps_outside_rms_norm", "x = [3.0, 4.0]", ("x",)),
        ("int32_offset", "row, stride = 1000, 4096", ("row", "stride")),
    ],
)
def test_inputs_that_do_not_break_it_do_not(judge: Judge, faulty: str, source: str, names: tuple[str, ...]) -> None:
    assert broken(judge, faulty, source, *names)["result"]["relative_error"] < 0.01


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("x = []", "empty"),
        ("x = 'abc'", "not-a-number"),
        ("x = [1.0] * 5000", "too-many"),
        ("x = [1e300]", "not-finite"),
        ("x = print", "not-a-number"),
    ],
)
def test_an_input_that_is_none_is_named(judge: Judge, source: str, kind: str) -> None:
    assert broken(judge, "one_pass_variance", source)["problem"]["kind"] == kind


def test_code_that_sets_no_input_or_never_ends_is_no_fault_of_the_judge(judge: Judge) -> None:
    assert broken(judge, "one_pass_variance", "y = 1")["unreadable"]["kind"] == "missing"
    assert broken(judge, "one_pass_variance", "x = (")["unreadable"]["kind"] == "syntax"
    assert broken(judge, "one_pass_variance", "import os\nos._exit(0)")["ended"]["why"] == "ended"
    assert "fault" in broken(judge, "nothing", "x = [1]")
