"""Verdicts on code from what the judge found, said in both languages; the judge itself is tested in tests/judge."""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tutor.commands.grade import lines
from tutor.course.load import load_course
from tutor.course.model import BreakStep, ClaimStep, CodeCheck, ExerciseStep, Mutant, Search, Text
from tutor.grading import break_, claim, exercise, problems, report
from tutor.grading.code import grade_code
from tutor.grading.verdict import Check
from tutor.ui.widgets.feedback import _report

ROOT = Path(__file__).parents[2]


def both(text: str) -> Text:
    return Text(vi=f"vi {text}", en=f"en {text}")


EXERCISE = ExerciseStep(
    id="code",
    prompt=both("prompt"),
    entry="rms_norm(x, weight, eps)",
    reference="rms_norm",
    starter="...",
    checks=(
        CodeCheck(id="rows", say=both("random rows"), shapes=((2, 3),), public=True),
        CodeCheck(id="wide", say=both("wide rows"), shapes=((2, 300),)),
    ),
    solutions=("...",),
    mutants=(Mutant(id="no-eps", say=both("there is no eps"), code="..."),),
    why=both("because"),
)
CLAIM = ClaimStep(
    id="claim", statement=both("s"), holds=False, search=Search(inputs={"x": "rows"}, left="x", right="2*x")
)
BREAK = BreakStep(
    id="break", prompt=both("p"), faulty="one_pass_variance", input={"x": both("a row")},
    broken_if="relative_error > 0.1", solutions=("x = [1]",), why=both("large numbers"),
)  # fmt: skip

VALUES = {
    "kind": "values", "output": "y", "facts": {"at": [0, 1], "got": 1.5, "want": 2.0, "error": 0.5},
    "case": {"shape": [2, 3], "family": "tiny-variance", "dtype": "float16", "layout": "sliced", "eps": 1e-5},
    "row": {"index": 0, "values": [1.0, 2.0], "width": 3}, "scalars": {"eps": 1e-5},
}  # fmt: skip


def result(*passed: bool, **more: Any) -> dict[str, Any]:
    checks = [
        {"id": id, "passed": ok, "tried": 1, "failed": 0, "problem": None if ok else VALUES}
        for id, ok in zip(("rows", "wide", "inputs-unchanged"), passed, strict=False)
    ]
    return {"unreadable": None, "ended": None, "checks": checks, "seed": 7, "printed": "", "public": False, **more}


def test_all_checks_make_it_right() -> None:
    verdict = exercise.verdict(EXERCISE, result(True, True, True), "en")
    assert (verdict.verdict, verdict.score) == ("right", 1.0)
    assert [check.message for check in verdict.checks] == [
        "en random rows",
        "en wide rows",
        "The inputs are left as they were",
    ]
    assert "All 3 checks pass." in verdict.feedback and "en because" in verdict.feedback


def test_one_that_fails_makes_it_wrong_and_the_others_are_still_reported() -> None:
    verdict = exercise.verdict(EXERCISE, result(True, False, True, mutant="no-eps"), "en")
    assert (verdict.verdict, verdict.score) == ("wrong", 0.667)
    assert [check.passed for check in verdict.checks] == [True, False, True]
    assert verdict.checks[1].message == (
        "en wide rows: y[0, 1] is 1.5, expected 2 "
        "(x 2×3; values about √eps; every second value of a larger tensor; float16; eps=1e-05; row 0: [1, 2, …])"
    )
    assert verdict.misconception is not None and verdict.misconception.id == "no-eps"
    assert "2 of 3 checks pass" in verdict.feedback and "seed 7" in verdict.feedback
    assert "en because" not in verdict.feedback


def test_no_checks_at_all_are_not_right() -> None:
    assert exercise.verdict(EXERCISE, result(), "en").verdict == "wrong"


def test_a_public_run_says_how_many_are_left() -> None:
    verdict = exercise.verdict(EXERCISE, result(True, public=True), "vi")
    assert verdict.verdict == "right"
    assert "Nộp bài để chạy 1 phép còn lại" in verdict.feedback and "vi because" not in verdict.feedback


def test_numbers_that_differ_late_are_shown_with_enough_digits() -> None:
    problem = {**VALUES, "facts": {"at": [], "got": 1.23456789, "want": 1.23456781}}
    assert problems.problem(problem, None, "en").startswith("y is 1.23456789, expected 1.23456781")


@pytest.mark.parametrize(
    ("kind", "output", "says"),
    [
        ("values", "grad:x", "the gradient of x[1] is"),
        ("values", "grad:own:0", "the gradient of a norm's parameter[1] is"),
        ("values", "after:running_var", "running_var afterwards[1] is"),
        ("no-gradient", "grad:attention.weight", "no gradient reaches attention.weight ("),
        ("no-gradient", "grad:own:3", "no gradient reaches a norm's parameter ("),
    ],
)
def test_what_is_wrong_is_called_by_its_name(kind: str, output: str, says: str) -> None:
    problem = {**VALUES, "kind": kind, "output": output, "facts": {"at": [1], "got": 1.0, "want": 2.0}}
    assert problems.problem(problem, None, "en").startswith(says)


def test_what_was_printed_is_shown_and_cannot_leave_its_block() -> None:
    verdict = exercise.verdict(EXERCISE, result(False, printed="a\n```\n# big\x1b[31m"), "en")
    assert "\x1b" not in verdict.feedback
    assert verdict.feedback.count("```") == 2


@pytest.mark.parametrize("lang", ["vi", "en"])
@pytest.mark.parametrize(
    ("found", "says"),
    [
        ({"kind": "syntax", "line": 3, "message": "invalid syntax"}, "3"),
        ({"kind": "fails", "line": 2, "type": "NameError", "message": "name 'y'"}, "NameError"),
        ({"kind": "missing", "name": "rms_norm", "near": "RMSNorm", "line": 4}, "RMSNorm"),
        ({"kind": "missing", "name": "rms_norm", "near": None, "empty": True}, "rms_norm"),
        ({"kind": "missing", "name": "rms_norm", "near": None, "empty": False}, "rms_norm"),
        ({"kind": "signature", "name": "rms_norm", "got": "(x)", "want": "(x, eps)", "line": 1}, "(x, eps)"),
        ({"kind": "kernel", "message": "at 3:4: undefined", "line": 9}, "at 3:4: undefined"),
        ({"kind": "not-a-class", "name": "Block", "got": "int"}, "class"),
        ({"kind": "not-a-function", "name": "f", "got": "int"}, "f"),
    ],
)
def test_what_cannot_be_used_is_a_free_retry(found: Mapping[str, Any], says: str, lang: Any) -> None:
    verdict = exercise.verdict(EXERCISE, {"unreadable": found}, lang)
    assert (verdict.verdict, verdict.score) == ("unreadable", None)
    assert says in verdict.feedback
    if found.get("line"):
        assert str(found["line"]) in verdict.feedback


@pytest.mark.parametrize("lang", ["vi", "en"])
@pytest.mark.parametrize("why", ["seconds", "wall", "memory", "processes", "printed", "garbled", "keeper", "ended"])
def test_every_way_to_end_has_words(why: str, lang: Any) -> None:
    limits = {"seconds": 10, "wall": 23, "memory": 2 << 30, "processes": 16, "printed": 16 << 20}
    for code in (None, 0, -9, -24, -99):
        assert len(problems.ended({"why": why, "code": code, "limits": limits}, lang)) > 20


def kinds() -> set[str]:
    """Every kind of problem that the judge can find: the first argument of `Problem` and of `RefusedError`."""
    found = set()
    for path in (ROOT / "kernels" / "judge").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("Problem", "RefusedError")
            ):
                first = node.args[0]
                options = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
                found |= {each.value for each in options if isinstance(each, ast.Constant)}
    return found


def test_there_are_kinds_to_look_for() -> None:
    assert {"values", "raised", "shape", "count", "not-registered", "right-without-launches"} <= kinds()


@pytest.mark.parametrize("lang", ["vi", "en"])
@pytest.mark.parametrize("kind", sorted(kinds()))
def test_every_kind_of_problem_has_words(kind: str, lang: Any) -> None:
    facts = {
        "at": [0], "got": 1.0, "want": 2.0, "type": "ValueError", "message": "m", "line": 3, "name": "n", "names": ["a"],
        "p": 0.5, "keep": 0.5,
    }  # fmt: skip
    sentence = problems.problem({**VALUES, "kind": kind, "facts": facts}, None, lang)
    assert sentence != kind and "?" not in sentence and not re.search(r"\{\w+\}", sentence)


# claims


@pytest.mark.parametrize("word", ["yes", "Yes.", "y", "có", "đúng", "true", "It holds", claim.HOLDS])
def test_yes_is_said_in_many_ways(word: str) -> None:
    assert claim.says(word) is True


@pytest.mark.parametrize("word", ["no", "No!", "không", "khong", "sai", "false", "does not hold", claim.FAILS])
def test_no_is_said_in_many_ways(word: str) -> None:
    assert claim.says(word) is False


def test_a_counterexample_decides_and_is_shown() -> None:
    found = {"tried": 3, "counterexample": {"x": [[0, 1]]}, "left": [[0, 1]], "right": [[0, 2]]}
    right, wrong = (claim.verdict(CLAIM, answer, found, "en") for answer in ("no", "yes"))
    assert (right.verdict, wrong.verdict) == ("right", "wrong")
    assert "x = [[0, 1]]" in right.feedback and "[[0, 2]]" in wrong.feedback


def test_a_search_that_contradicts_the_lesson_decides_nothing() -> None:
    assert claim.verdict(CLAIM, "yes", {"tried": 600, "counterexample": None}, "en").verdict == "not-graded"


# breaks


def test_a_bare_list_of_numbers_is_the_input() -> None:
    assert break_.order(BREAK, "10000, 10001; [10002]\n1e4")["source"] == "x = [10000, 10001, 10002, 1e4]"
    assert break_.order(BREAK, "x = [1]")["source"] == "x = [1]"


def test_the_bound_decides() -> None:
    found = {"got": 2.0, "want": 1.0, "relative_error": 1.0, "absolute_error": 1.0}
    assert break_.verdict(BREAK, {"result": found}, "en").verdict == "right"
    assert break_.verdict(BREAK, {"result": {**found, "relative_error": 0.1}}, "en").verdict == "wrong"
    assert break_.verdict(BREAK, {"result": {**found, "relative_error": "inf", "got": "nan"}}, "vi").verdict == "right"


@pytest.mark.parametrize(
    "found",
    [
        {"unreadable": {"kind": "syntax", "line": 1, "message": "m"}},
        {"ended": {"why": "seconds", "limits": {"seconds": 5}}},
        {"problem": {"kind": "empty", "output": "x", "facts": {}}},
        {"problem": {"kind": "raised", "facts": {"type": "ValueError", "message": "m", "line": 1}}},
    ],
)
def test_what_is_no_input_is_a_free_retry(found: Mapping[str, Any]) -> None:
    verdict = break_.verdict(BREAK, found, "en")
    assert verdict.verdict == "unreadable" and verdict.feedback


# The way there


async def test_a_grader_that_fails_is_not_the_learners_fault() -> None:
    async def ask(order: Mapping[str, Any], on_progress: object) -> Mapping[str, Any]:
        raise RuntimeError("gone")

    for step in (EXERCISE, CLAIM, BREAK):
        verdict = await grade_code(step, "no", ask=ask, lang="en")
        assert verdict.verdict == "not-graded" and "gone" in verdict.feedback


async def test_a_claim_that_says_neither_asks_nobody() -> None:
    async def ask(order: Mapping[str, Any], on_progress: object) -> Mapping[str, Any]:
        raise AssertionError("asked")

    assert (await grade_code(CLAIM, "perhaps", ask=ask, lang="en")).verdict == "unreadable"


def test_the_exercises_of_the_course_are_orders() -> None:
    steps = [step for lesson in load_course(ROOT / "lessons").lessons for step in lesson.steps]
    exercises = [step for step in steps if isinstance(step, ExerciseStep)]
    assert {"code-layernorm", "code-rmsnorm"} <= {step.id for step in exercises}
    for step in exercises:
        order = exercise.order(step, "x = 1", seed=3)
        assert order["exercise"]["entries"] and len(order["exercise"]["mutants"]) >= 4


def test_a_reason_that_checks_share_is_told_once_with_the_checks() -> None:
    missing = {"kind": "not-a-tensor", "output": "y", "facts": {"got": "NoneType"}}
    found = result(False)
    found["checks"] = [
        {"id": id, "passed": False, "problem": missing | {"case": {"shape": [2, width]}}}
        for id, width in (("rows", 3), ("wide", 300))
    ]
    judged = exercise.verdict(EXERCISE, found, "en")
    reason = judged.checks[0].problem
    assert reason == "y must be a tensor, not NoneType"
    assert judged.checks[1].message == f"en wide rows: {reason} (x 2×300)"
    [(row, names)] = report.gathered(judged.checks)
    assert (row.message, row.passed, names) == (f"{reason} (x 2×3)", False, ("en random rows", "en wide rows"))
    told = "\n".join(lines(EXERCISE, judged))
    assert told.count(reason) == 1 and "In 2 checks: en random rows; en wide rows" in told
    other = Check("other", False, "no rows: y is 1", "y is 1")
    passed = Check("fine", True, "few rows")
    assert report.gathered([passed, other]) == [(passed, ()), (other, ())]


def test_the_screen_tells_a_shared_reason_once() -> None:
    checks = [Check(name, False, f"{name}: y is no tensor", "y is no tensor") for name in ("small rows", "wide rows")]
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(_report([*checks, Check("d", True, "no rows")]))
    told = console.export_text()
    assert told.count("y is no tensor") == 1
    assert "small rows; wide rows" in told and "✓ no rows" in told
