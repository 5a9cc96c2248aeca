from __future__ import annotations

import math
from itertools import product

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.grading.conftest import ROOT
from tutor.course import vary
from tutor.course.load import load_course
from tutor.course.model import NumberStep, Text, WrongValue
from tutor.grading import grade, number
from tutor.grading.arithmetic import ArithmeticProblem
from tutor.grading.typed_number import read
from tutor.text import maths, prose

RMS = NumberStep(
    id="rms",
    prompt=Text(r"RMS của [{a}, {b}], $\frac{a}{2}$?", r"The RMS of [{a}, {b}], $\frac{x}{2}$?"),
    answer="sqrt((a**2 + b**2) / 2)",
    vary={"a": (3, 5, 8), "b": (4, 12, 15)},
    wrong=(WrongValue(value="sqrt(a**2 + b**2)", say=Text("Quên chia 2.", "You forgot to divide by 2.")),),
    why=Text("Vì vậy.", "That is why."),
)


def step(answer, within="1%", unit="", **more) -> NumberStep:
    return NumberStep(id="n", prompt=Text("?", "?"), answer=answer, within=within, unit=unit, **more)


def judged(question: NumberStep, answer: str, lang="en", seed=None):
    return grade(question, answer, lang=lang, glossary={}, seed=seed)


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("0.5", 0.5),
        (".5", 0.5),
        ("0,5", 0.5),
        ("−0,5", -0.5),
        ("+3", 3),
        ("1e-3", 1e-3),
        ("1E-3", 1e-3),
        ("1,5e-3", 1.5e-3),
        ("10^-3", 1e-3),
        ("10⁻³", 1e-3),
        ("10²", 100),
        ("2**10", 1024),
        ("1/3", 1 / 3),
        ("½", 0.5),
        ("50%", 0.5),
        ("50 %", 0.5),
        ("50 phần trăm", 0.5),
        ("3×10^2", 300),
        ("3 x 10^2", 300),
        ("3*10**2", 300),
        ("3·10⁻²", 0.03),
        ("5.10^-3", 0.005),
        ("1 000 000", 1e6),
        ("1 234,5", 1234.5),
        ("1.234,5", 1234.5),
        ("1,234.5", 1234.5),
        ("1,234,567", 1234567),
        ("1.234.567", 1234567),
        ("0,125", 0.125),
        ("2pi", 2 * math.pi),
        ("2π", 2 * math.pi),
        ("√2", math.sqrt(2)),
        ("√(2+2)", 2),
        ("sqrt(2)", math.sqrt(2)),
        ("2(3+4)", 14),
        ("log10(1000)", 3),
        ("max(1, 2)", 2),
        ("≈ 48.6", 48.6),
        ("khoảng 48,6", 48.6),
        ("y = 48.6", 48.6),
        ("= 48.6", 48.6),
        ("48.6.", 48.6),
        ("$48.6$", 48.6),
        ("48 lần", 48),
        ("48x", 48),
        ("０．５", 0.5),
    ],
)
def test_a_number_as_people_type_it(typed: str, value: float) -> None:
    for lang in ("vi", "en"):
        assert read(typed, lang).value == pytest.approx(value, rel=1e-12)


def test_one_comma_or_point_before_three_digits_has_two_readings() -> None:
    assert (read("1,024", "en").value, read("1,024", "en").other) == (1024, 1.024)
    assert (read("1,024", "vi").value, read("1,024", "vi").other) == (1.024, 1024)
    assert (read("1.024", "vi").value, read("1.024", "vi").other) == (1.024, 1024)
    assert (read("1.024", "en").value, read("1.024", "en").other) == (1.024, None)
    for lang in ("vi", "en"):
        for right in (1024, 1.024):
            verdict = judged(step(right), "1,024", lang)
            assert verdict.verdict == "right"
            assert (
                f"`{right}`".replace(".", "," if lang == "vi" else ".") in verdict.feedback
            )  # what was understood is shown


@pytest.mark.parametrize(
    "typed",
    [
        "abc",
        "5 or 6",
        "5k",
        "1.2.3",
        "1,000,0",
        "1e400",
        "nan",
        "inf",
        "3 4",
        "(1",
        "'",
        "__import__('os')",
        "9**9**9",
        "True",
        "x" * 500,
        "5!",
    ],
)
def test_what_cannot_be_read_is_a_free_retry_that_shows_how(typed: str) -> None:
    verdict = judged(step(1), typed)
    assert verdict.verdict == "unreadable"
    assert verdict.score is None
    assert "`0.25`" in verdict.feedback


def test_nothing_typed_asks_for_a_number() -> None:
    assert judged(step(1), "  ").verdict == "unreadable"


@pytest.mark.parametrize(
    ("value", "right", "within", "close"),
    [
        (101, 100, "1%", True),
        (102, 100, "1%", False),
        (-101, -100, "1%", True),
        (99, 100, "1%", True),
        (100.5, 100, 0.5, True),
        (100.6, 100, 0.5, False),
        (0, 0, "1%", True),
        (0.001, 0, "1%", False),
        (0.001, 0, 0.01, True),
        (0.1 + 0.2, 0.3, 0, True),
    ],
)
def test_tolerance(value: float, right: float, within, close: bool) -> None:
    assert number.within(value, right, within) is close


def test_right_and_why() -> None:
    verdict = judged(RMS, "3.536")
    assert (verdict.verdict, verdict.score) == ("right", 1.0)
    assert "That is why." in verdict.feedback


def test_a_named_wrong_value_says_what_it_shows() -> None:
    verdict = judged(RMS, "5", "vi")
    assert verdict.verdict == "wrong"
    assert verdict.misconception is not None
    assert (verdict.misconception.id, verdict.misconception.message) == ("wrong-1", "Quên chia 2.")
    assert "3,53553" in verdict.feedback


@pytest.mark.parametrize(
    ("right", "typed", "name"),
    [
        (5, "-5", "sign"),
        (5, "500", "power-of-ten"),
        (5, "0.05", "power-of-ten"),
        (0.05, "5%", None),
        (5, "0.2", "reciprocal"),
        (5, "7", None),
        (0, "7", None),
    ],
)
def test_slips_that_the_numbers_give_away(right: float, typed: str, name: str | None) -> None:
    verdict = judged(step(right), typed)
    assert (verdict.misconception.id if verdict.misconception else None) == name


def test_percent_slips() -> None:
    assert judged(step(20, unit="%"), "20").verdict == "right"
    assert judged(step(20, unit="%"), "20%").verdict == "right"
    slip = judged(step(20, unit="%"), "0.2")
    assert slip.misconception is not None
    assert slip.misconception.id == "percent"


def test_units() -> None:
    assert judged(step(3, unit="ms"), "3").verdict == "right"
    assert judged(step(3, unit="ms"), "3 ms").verdict == "right"
    assert judged(step(3, unit="ms"), "3ms").verdict == "right"
    other = judged(step(3, unit="ms"), "3 s")
    assert other.verdict == "partly"
    assert other.misconception is not None
    assert "`ms`" in other.misconception.message
    wrong = judged(step(3, unit="ms"), "7 s")
    assert wrong.verdict == "wrong"
    assert wrong.misconception is not None
    assert wrong.misconception.id == "unit"


def test_rounded_too_far_is_half_right() -> None:
    verdict = judged(step("0.9**50"), "0.005")
    assert (verdict.verdict, verdict.score) == ("partly", 0.5)
    assert judged(step("0.9**50"), "0.0052").verdict == "right"
    assert judged(step("0.9**50"), "0.006").verdict == "wrong"


class TestVarying:
    def test_without_a_seed_the_first_values(self) -> None:
        assert number.values(RMS, None) == number.values(RMS, 0) == {"a": 3, "b": 4}

    def test_a_seed_always_gives_the_same(self) -> None:
        assert number.values(RMS, 7) == number.values(RMS, 7)
        seen = {tuple(number.values(RMS, seed).values()) for seed in range(1, 200)}
        assert len(seen) == 9

    def test_two_questions_with_one_seed_do_not_vary_together(self) -> None:
        other = NumberStep(id="other", prompt=RMS.prompt, answer=RMS.answer, vary=RMS.vary)
        assert any(number.values(RMS, seed) != number.values(other, seed) for seed in range(1, 20))

    def test_the_prompt_shows_the_values_and_leaves_latex_alone(self) -> None:
        assert number.prompt(RMS, "en", None) == r"The RMS of [3, 4], $\frac{x}{2}$?"
        values = number.values(RMS, 5)
        assert f"[{values['a']}, {values['b']}]" in number.prompt(RMS, "vi", 5)

    def test_what_is_said_about_an_answer_shows_the_values(self) -> None:
        wrong = WrongValue(value="a + b", say=Text("Bạn cộng {a} và {b}.", "You added {a} and {b}: $\\sqrt{x}$."))
        asked = msgspec.structs.replace(RMS, wrong=(wrong,), why=Text("Từ {a}.", "From {a}."))
        verdict = number.grade(asked, "7", "en", seed=None)
        assert verdict.misconception is not None
        assert verdict.misconception.message == "You added 3 and 4: $\\sqrt{x}$."
        assert "From 3." in verdict.feedback

    def test_the_answer_follows_the_values(self) -> None:
        for seed in range(1, 10):
            a, b = number.values(RMS, seed).values()
            assert judged(RMS, str(math.sqrt((a * a + b * b) / 2)), seed=seed).verdict == "right"


def test_what_is_shown_again_is_safe() -> None:
    verdict = judged(step(1), "\x1b]0;title\x07`[red]")
    assert "\x1b" not in verdict.feedback
    assert "`[red]" not in verdict.feedback.replace("`'[red]`", "")


def test_a_fault_of_the_question_never_counts_against_the_learner() -> None:
    verdict = judged(step("1 / 0"), "3")
    assert verdict.verdict == "not-graded"
    assert "ArithmeticProblem" in verdict.feedback


@given(st.text(max_size=80))
def test_whatever_is_typed_gets_a_verdict(text: str) -> None:
    assert judged(step(3.5, unit="ms"), text).verdict != "not-graded"


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=1e-9, max_value=1e12))
def test_a_number_written_by_python_is_read_back(value: float) -> None:
    try:
        assert number.within(read(repr(value), "en").value, value, "0.0001%")
    except ArithmeticProblem:
        pytest.fail(repr(value))


def test_words_are_told_to_be_no_number_yet() -> None:
    assert "“hai mươi lăm” chưa phải là số." in judged(step(25), "hai mươi lăm", "vi").feedback
    assert "“twenty-five” is not a number yet." in judged(step(25), "twenty-five", "en").feedback


GENERAL = {"gemma-weight", "logit-scale", "qk-bound", "norm-count", "ln-one-large"}
"""Varied questions whose explanation is a rule for all values, so that it need not repeat those asked."""


def test_explanations_speak_of_the_values_that_were_asked() -> None:
    lessons = load_course(ROOT / "lessons").lessons
    varied = [step for lesson in lessons for step in lesson.steps if isinstance(step, NumberStep) and step.vary]
    assert len(varied) > len(GENERAL)
    for step in varied:
        assert step.why is not None
        for lang in ("vi", "en"):
            for name in () if step.id in GENERAL else step.vary:
                assert f"{{{name}}}" in step.why.get(lang), (step.id, lang, name)
            for chosen in product(*step.vary.values()):
                names = {name: f"{value:g}" for name, value in zip(step.vary, chosen, strict=True)}
                told = vary.filled(step.why.get(lang), names)
                for each in prose.formulas(told):
                    assert maths.on_one_row(each), (step.id, each)
