"""The capstone: what it asks, in which order, and that each of its questions can be asked in another way too."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from tutor.course.load import load_course
from tutor.course.model import QUESTIONS, AnyStep, Course, Lesson, ShortStep
from tutor.course.teaching import taught_in
from tutor.memory.cards import cards_of

REVIEW = [f"rq{n}" for n in range(1, 6)]
SELF_CHECK = ["sc1a", "sc1b", "sc2a", "sc2b", "sc3a", "sc3b", "sc4a", "sc4b", "sc5a", "sc5b", "sc6a", "sc6b"]
TWIN_KINDS = {"formula", "flow", "choice", "order", "predict"}


@pytest.fixture(scope="module")
def course() -> Course:
    return load_course(Path(__file__).parents[2] / "lessons")


@pytest.fixture(scope="module")
def lesson(course: Course) -> Lesson:
    found = course.lesson("capstone")
    assert found is not None
    return found


def kind(step: AnyStep) -> str:
    return str(type(step).__struct_config__.tag)


def test_it_asks_all_of_both_sources_in_their_order(lesson: Lesson) -> None:
    ids = [step.id for step in lesson.steps]
    asked = [id for id in ids if id in {*REVIEW, *SELF_CHECK}]
    assert asked == [*REVIEW, *SELF_CHECK]
    drawn = [ids.index(id) for id in ("sc4b", "flow-pre-norm", "flow-post-norm", "sc5b")]
    assert drawn == sorted(drawn)
    assert (ids[0], ids[-1]) == ("capstone-how", "capstone-end")
    assert [step.id for step in lesson.steps if kind(step) == "exercise"] == ["ex1", "ex2", "ex3"]
    assert {"depth", "residual", "norms", "placement", "kernels", "precision", "models"} == set(lesson.needs)


@pytest.mark.parametrize("id", [*REVIEW, *SELF_CHECK, "flow-pre-norm", "flow-post-norm"])
def test_each_question_has_a_twin_of_another_kind_on_its_card(course: Course, id: str) -> None:
    (card,) = (card for card in cards_of(course) if any(asked.id == id for asked in card.questions))
    kinds = {}
    for asked in card.questions:
        found = course.find(asked.id)
        assert found is not None
        kinds[asked.id] = kind(found[0].steps[found[1]])
    own = kinds.pop(id)
    assert any(other in TWIN_KINDS - {own} for other in kinds.values()), kinds


@pytest.mark.parametrize("id", [*REVIEW, *SELF_CHECK])
def test_each_question_in_words_has_samples_of_both_sides_in_both_languages(lesson: Lesson, id: str) -> None:
    (step,) = (step for step in lesson.steps if step.id == id)
    if not isinstance(step, ShortStep):
        assert id in ("sc2a", "sc5a")
        return
    assert len(step.samples) >= 12
    given = {(sample.verdict, vietnamese(sample.text)) for sample in step.samples}
    assert {(verdict, is_vi) for verdict in ("right", "wrong") for is_vi in (True, False)} <= given
    verdicts = {sample.verdict for sample in step.samples}
    assert {"unsure", "unreadable"} <= verdicts
    assert "partly" in verdicts or len([point for point in step.points if not point.only_if_none]) == 1


def vietnamese(text: str) -> bool:
    """Whether a text has Vietnamese marks."""
    return "đ" in text.lower() or any(unicodedata.combining(char) for char in unicodedata.normalize("NFD", text))


def test_what_is_not_right_leads_back_to_another_lesson(course: Course, lesson: Lesson) -> None:
    for step in lesson.steps:
        if isinstance(step, QUESTIONS):
            back = taught_in(course, step)
            assert back and all(taught.lesson.id != "capstone" for taught in back), step.id
            assert {claim for taught in back for claim in taught.claims} == set(step.claims), step.id
