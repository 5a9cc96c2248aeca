"""Answers to the chapter's self-check questions: no bad one is right, no good one is wrong."""

from __future__ import annotations

import pytest

from tests.grading.conftest import answers, course_glossary, review_questions
from tutor.grading import grade

ANSWERS = answers("self_check_answers.jsonl")


def verdict(answer: dict[str, str]) -> str:
    return grade(review_questions()[answer["question"]], answer["text"], lang="vi", glossary=course_glossary()).verdict


@pytest.mark.parametrize("answer", [a for a in ANSWERS if a["class"] == "bad"], ids=lambda a: a["text"][:40])
def test_no_bad_answer_is_right(answer: dict[str, str]) -> None:
    assert verdict(answer) in ("wrong", "unsure", "partly")


@pytest.mark.parametrize("answer", [a for a in ANSWERS if a["class"] == "good"], ids=lambda a: a["text"][:40])
def test_no_good_answer_is_wrong(answer: dict[str, str]) -> None:
    assert verdict(answer) in ("right", "unsure", "partly")


def test_most_good_answers_are_right() -> None:
    good = [verdict(answer) for answer in ANSWERS if answer["class"] == "good"]
    assert good.count("right") >= 0.9 * len(good)
