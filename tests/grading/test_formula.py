"""Formulas as people type them, told apart by value."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.grading.conftest import DATA, ROOT
from tutor.course.load import load_course
from tutor.course.model import FormulaStep
from tutor.grading import formula, grade
from tutor.grading.formula import FormulaProblem
from tutor.text import maths


@cache
def questions() -> dict[str, FormulaStep]:
    lessons = load_course(ROOT / "lessons").lessons
    return {step.id: step for lesson in lessons for step in lesson.steps if isinstance(step, FormulaStep)}


def typed() -> list[tuple[str, str, str]]:
    read = yaml.safe_load((DATA / "formula_answers.yaml").read_text(encoding="utf-8"))
    return [(id, verdict, text) for id, groups in read.items() for verdict, texts in groups.items() for text in texts]


def judged(id: str, text: str, lang="en"):
    return formula.grade(questions()[id], text, lang)


@pytest.mark.parametrize(("id", "verdict", "text"), typed())
def test_what_people_type(id: str, verdict: str, text: str) -> None:
    assert judged(id, text).verdict == verdict


@pytest.mark.parametrize("id", questions())
def test_accepted_forms_are_right_and_known_wrong_forms_have_their_own_message(id: str) -> None:
    step = questions()[id]
    for form in step.accept:
        assert judged(id, form).verdict == "right", form
    for index, wrong in enumerate(step.wrong, start=1):
        verdict = judged(id, wrong.form, "vi")
        assert verdict.misconception is not None, wrong.form
        assert (verdict.misconception.id, verdict.misconception.message) == (f"wrong-{index}", wrong.say.vi)


def test_a_verdict_says_how_it_was_read_and_why_it_is_so() -> None:
    step = questions()["f-power"]
    assert step.why is not None
    for text in ("0.9^50", "0.1^50"):
        verdict = grade(step, text, lang="vi", glossary={})
        assert verdict.step == "f-power"
        assert f"${text.replace('50', '{50}')}$" in verdict.feedback
        assert step.why.vi.strip() in verdict.feedback
    assert step.why.vi.strip() not in grade(step, "0.9^", lang="vi", glossary={}).feedback


def test_a_formula_right_for_one_placement_is_wrong_for_the_others() -> None:
    forms = {"f-postnorm-block": "LN(x + F(x))", "f-prenorm-block": "x + F(LN(x))"}
    for id, form in forms.items():
        for other in forms.values():
            assert (judged(id, other).verdict == "right") is (other == form)


class TestReading:
    @pytest.mark.parametrize(
        ("id", "text", "latex"),
        [
            ("f-prenorm-block", "x+F(LN(x))", r"x + F(\text{LN}(x))"),
            ("f-residual-chain", "g(I+J2)(I+J1)", "g (I + J_{2}) (I + J_{1})"),
            ("f-residual-jacobian", "I + dF/dx", r"I + \frac{\partial F}{\partial x}"),
            ("f-residual-jacobian", "I + F'(x)", "I + F'"),
            ("f-layernorm", "x - mu / sqrt(eps)", r"x - \frac{\mu}{\sqrt{\epsilon}}"),
            ("f-layernorm", "-(x - mu)^2", r"-(x - \mu)^{2}"),
            ("f-power", "2^3^2", "2^{3^{2}}"),
            ("f-power", "(2^3)^2", "(2^{3})^{2}"),
            ("f-power", "1 - (2 - 3)", "1 - (2 - 3)"),
            ("f-power", "2 / 3 * 4", r"\frac{2}{3} \times 4"),
        ],
    )
    def test_is_shown_as_understood(self, id: str, text: str, latex: str) -> None:
        assert formula.read(questions()[id], text).latex == latex

    def test_everything_read_can_be_drawn(self) -> None:
        for id, verdict, text in typed():
            if verdict != "unreadable":
                assert maths.render(formula.read(questions()[id], text).latex)

    def test_a_problem_names_the_place(self) -> None:
        with pytest.raises(FormulaProblem) as caught:
            formula.read(questions()["f-prenorm-block"], "x + H(LN(x))")
        assert caught.value.position == 4
        assert "H" in str(caught.value)

    def test_powers_and_products_bind_as_usual(self) -> None:
        assert judged("f-power", "2^3^2 * 0.9^50 / 512").verdict == "right"
        assert judged("f-power", "-0.9^50 * -1").verdict == "right"
        assert judged("f-power", "6 / 2 / 3 * 0.9^50").verdict == "right"

    @pytest.mark.parametrize(
        ("id", "text"),
        [
            ("f-rmsnorm", r"gamma x / \sqrt[3]{mean(x^2) + eps}"),
            ("f-prenorm-block", "x + F(LN(x_foo))"),
            ("f-prenorm-block", "x + F(LN(x)) )"),
            ("f-prenorm-block", "x + F()"),
            ("f-power", "0.9^"),
            ("f-power", "0.9 50)"),
        ],
    )
    def test_what_it_cannot_be_sure_of_it_does_not_read(self, id: str, text: str) -> None:
        assert judged(id, text).verdict == "unreadable"

    def test_one_side_of_an_equation_is_enough_and_the_left_one_may_be_anything(self) -> None:
        assert judged("f-prenorm-block", "h_{42}(?) = x + F(LN(x))").verdict == "right"


class TestSlips:
    def test_sign(self) -> None:
        verdict = judged("f-chan-merge", "-M2_a - M2_b - delta^2 n_a n_b/(n_a + n_b)")
        assert verdict.misconception is not None
        assert verdict.misconception.id == "sign"

    def test_transposed(self) -> None:
        verdict = judged("f-prenorm-factor", "(I + J_F J_LN)^T")
        assert verdict.misconception is not None
        assert verdict.misconception.id == "transposed"


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('touch executed')",
        "().__class__.__bases__[0].__subclasses__()",
        "(lambda: 1)()",
        "eval('1')",
        "x.__class__",
        "9**9**9**9",
        "2^2^40",
        "(" * 300 + "x",
        "-" * 380 + "x",
        "x" * 400,
        "x + " * 500 + "x",
        "x^" * 190 + "x",
        "\\frac{" * 60,
        "\\frac" * 75,
        "{" * 300,
        "x" * 100_000,
        "|" * 300,
        "d" * 300,
        "∂" * 300,
        "sqrt " * 79,
        "J2J1" * 90,
        "'" * 300,
        "\x00\x1b[2J",
        "\ud800",
    ],
    ids=lambda text: text[:16].encode("ascii", "replace").decode(),
)
def test_nothing_executes_nothing_hangs(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for id in questions():
        start = time.thread_time()
        verdict = judged(id, text)
        assert time.thread_time() - start < 5  # nothing hangs; how quick it is on a busy machine says nothing
        assert verdict.verdict in ("wrong", "unreadable")
        assert "\x1b" not in verdict.feedback
    assert not (tmp_path / "executed").exists()


PIECES = st.sampled_from(
    [
        "x",
        "F",
        "LN",
        "(",
        ")",
        "+",
        "-",
        "*",
        "/",
        "^",
        "^T",
        "J1",
        "J_2",
        "g",
        "I",
        "d",
        "∂",
        "dx",
        "'",
        "2",
        "0.5",
        ",",
        "=",
        " ",
        "||",
        "[",
        "]",
        "\\frac",
        "{",
        "}",
        "_",
        "sqrt",
        "Σ",
        "mean",
        ".mean()",
        "eps",
        "|",
        ".",
    ]
)


@given(st.lists(PIECES, max_size=24), st.sampled_from(sorted(questions())))
def test_whatever_is_typed_gets_a_verdict(pieces: list[str], id: str) -> None:
    start = time.thread_time()
    assert judged(id, "".join(pieces)).verdict in ("right", "wrong", "unreadable")
    assert time.thread_time() - start < 0.25


@given(st.text(max_size=60), st.sampled_from(sorted(questions())))
def test_any_characters_at_all(text: str, id: str) -> None:
    assert judged(id, text).verdict in ("right", "wrong", "unreadable")


@pytest.mark.parametrize(
    ("typed", "latex", "row"),
    [
        ("0.9*50", r"0.9 \times 50", "0.9 × 50"),
        ("0.9^2 3", r"0.9^{2} \times 3", "0.9² × 3"),
        ("2 0.9^50", r"2 \times 0.9^{50}", None),
        ("2*3*4", r"2 \times 3 \times 4", "2 × 3 × 4"),
        ("2*(1/3)", r"2 \times \frac{1}{3}", None),
        ("2*(1+3)", r"2 (1 + 3)", None),
        ("2 sqrt(3)", r"2 \sqrt{3}", None),
    ],
)
def test_a_product_of_numbers_is_shown_with_its_sign(typed: str, latex: str, row: str | None) -> None:
    understood = formula.read(questions()["f-power"], typed)
    assert understood.latex == latex
    if row is not None:
        assert maths.on_one_row(understood.latex) == row
        assert maths.fit(understood.latex, 60) is not None


def test_where_nothing_has_a_name_only_numbers_are_expected() -> None:
    for lang, said in (("en", "only numbers are expected"), ("vi", "chỉ cần các số")):
        feedback = judged("f-power", "J^50", lang).feedback
        assert "“J”" in feedback and said in feedback
        assert "given names" not in feedback
