"""What `normtutor check` proves of a question that asks for a formula."""

from __future__ import annotations

import msgspec
import pytest

from tutor.commands.verify_formulas import formula_issues
from tutor.course.model import FormulaName, FormulaStep, Text, WrongForm

STEP = FormulaStep(
    id="f",
    prompt=Text("?", "?"),
    symbols={"x": "vector", "F": "map", "LN": "map", "mu": FormulaName(is_="mean(x)")},
    statistics=("mean",),
    accept=("x + F(LN(x))",),
    wrong=(WrongForm(form="LN(x + F(x))", say=Text("Post", "Post")),),
)


def wrong(*forms: str) -> tuple[WrongForm, ...]:
    return tuple(WrongForm(form=form, say=Text("a", "a")) for form in forms)


def test_a_sound_one() -> None:
    assert list(formula_issues(STEP)) == []


@pytest.mark.parametrize(
    ("changed", "path", "says"),
    [
        ({"accept": ("x + H(x)",)}, ("accept", 0), "cannot be read"),
        ({"wrong": wrong("x +")}, ("wrong", 0, "form"), "cannot be read"),
        ({"symbols": {**STEP.symbols, "mu": FormulaName(is_="mean(y")}}, ("symbols", "mu", "is"), "cannot be read"),
        ({"accept": ("x + LN",)}, ("accept", 0), "is graded wrong"),
        ({"accept": ("x + F(LN(x))", "F(LN(x)) + x")}, ("accept", 1), "the same formula"),
        ({"wrong": wrong("F(LN(x)) + x")}, ("wrong", 0), "is graded right"),
        ({"wrong": wrong("F(x)", "F(x)")}, ("wrong", 1), "the message of wrong-1"),
        ({"wrong": wrong("x + LN")}, ("wrong", 0), "is not recognised"),
    ],
)
def test_each_fault_is_found_in_its_place(changed, path, says: str) -> None:
    ((found, _, message),) = formula_issues(msgspec.structs.replace(STEP, **changed))
    assert found == path
    assert says in message
