from __future__ import annotations

from typing import get_args

import pytest

from tutor.course.load import load_course
from tutor.course.model import ChoiceStep, NumberStep, Option, Question, Text
from tutor.grading import grade
from tutor.grading.number import values
from tutor.grading.solution import given_up, solution

COURSE = load_course()
STEPS = {
    type(step): step for lesson in COURSE.lessons for step in lesson.own_steps if isinstance(step, get_args(Question))
}


@pytest.mark.parametrize("kind", get_args(Question), ids=lambda kind: kind.__name__)
def test_every_kind_has_one_in_both_languages(kind) -> None:
    if kind not in STEPS:
        pytest.skip("the course has none of this kind")
    vi, en = (solution(STEPS[kind], lang) for lang in ("vi", "en"))
    assert vi.strip() and en.strip()


def test_the_value_is_that_of_the_seed_and_would_be_right() -> None:
    step = NumberStep(id="n", prompt=Text("{a}", "{a}"), answer="2 * a", vary={"a": (1, 2, 3, 4)}, unit="ms")
    for seed in range(1, 6):
        value = 2 * values(step, seed)["a"]
        assert f"`{value:g} ms`" in solution(step, "en", seed)
        assert grade(step, f"{value}", lang="en", glossary={}, seed=seed).verdict == "right"


def test_giving_up_is_wrong_and_says_what_is_right() -> None:
    options = (
        Option(id="a", text=Text("phải", "this one"), right=True, why=Text("vì", "because")),
        Option(id="b", text=Text("không", "not this"), why=Text("không", "no")),
    )
    verdict = given_up(ChoiceStep(id="c", prompt=Text("?", "?"), options=options), "en", 3)
    assert (verdict.verdict, verdict.score, verdict.misconception) == ("wrong", 0.0, None)
    assert "gave up" in verdict.feedback and "this one" in verdict.feedback and "because" in verdict.feedback
    assert "not this" not in verdict.feedback
