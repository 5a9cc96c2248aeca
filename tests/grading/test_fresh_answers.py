"""Answers to all questions in words that were written in four goes, none of them with the rubric in sight.

Each time the glossary was widened for what had been misread. When they were first graded, 165 of the 212 good answers
of the first three goes were right and 2 wrong, and 12 of 249 bad ones were right; of the fourth, 33 of 36 good ones
were right, none wrong, and 1 of 63 bad ones was right.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.grading.conftest import answers, course_glossary, review_questions
from tutor.grading import grade

ANSWERS = answers("fresh_answers.jsonl")


@pytest.fixture(scope="module")
def table() -> dict[str, Counter[str]]:
    counted: dict[str, Counter[str]] = {"good": Counter(), "partial": Counter(), "bad": Counter()}
    for answer in ANSWERS:
        step = review_questions()[answer["question"]]
        counted[answer["class"]][grade(step, answer["text"], lang="vi", glossary=course_glossary()).verdict] += 1
    return counted


def test_every_question_has_some_of_both_sides() -> None:
    for id in review_questions():
        classes = Counter(answer["class"] for answer in ANSWERS if answer["question"] == id)
        assert classes["good"] >= 10 and classes["bad"] >= 10, (id, classes)


def test_bad_answers_are_hardly_ever_right(table: dict[str, Counter[str]]) -> None:
    assert table["bad"]["right"] <= table["bad"].total() / 40


def test_good_answers_are_mostly_right_and_never_wrong(table: dict[str, Counter[str]]) -> None:
    assert table["good"]["wrong"] == 0
    assert table["good"]["right"] >= 0.9 * table["good"].total()


def test_partial_answers_are_hardly_ever_right(table: dict[str, Counter[str]]) -> None:
    assert table["partial"]["right"] <= table["partial"].total() / 10
