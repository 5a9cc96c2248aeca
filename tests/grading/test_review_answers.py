"""Real-looking answers to the note's review questions, in both languages, with and without marks, and raw Telex."""

from __future__ import annotations

import time
from collections import Counter
from functools import cache

import pytest

from tests.grading.conftest import answers, course_glossary, review_questions
from tutor.grading import grade
from tutor.grading.verdict import Verdict


def verdict(answer: dict[str, str]) -> Verdict:
    step = review_questions()["r" + answer["question"]]
    return grade(step, answer["text"], lang="en", glossary=course_glossary())


@cache
def tally(name: str) -> dict[str, Counter[str]]:
    table: dict[str, Counter[str]] = {"good": Counter(), "partial": Counter(), "bad": Counter()}
    for answer in answers(name):
        table[answer["class"]][verdict(answer).verdict] += 1
    return table


def test_there_are_samples_of_each_class() -> None:
    assert {name: sum(table.values()) for name, table in tally("review_answers.jsonl").items()} == {
        "good": 24,
        "partial": 6,
        "bad": 19,
    }


@pytest.mark.parametrize(
    "answer", [a for a in answers("review_answers.jsonl") if a["class"] == "bad"], ids=lambda a: a["text"][:40]
)
def test_no_bad_answer_is_right(answer: dict[str, str]) -> None:
    assert verdict(answer).verdict != "right"


@pytest.mark.parametrize(
    "answer", [a for a in answers("review_answers.jsonl") if a["class"] == "good"], ids=lambda a: a["text"][:40]
)
def test_no_good_answer_is_wrong(answer: dict[str, str]) -> None:
    assert verdict(answer).verdict in ("right", "unsure", "partly")


def test_most_good_answers_are_right() -> None:
    good = tally("review_answers.jsonl")["good"]
    assert good["right"] >= 0.8 * good.total()


def test_no_partial_answer_is_right() -> None:
    assert tally("review_answers.jsonl")["partial"]["right"] == 0


def test_more_answers_that_the_glossary_grew_from() -> None:
    table = tally("more_answers.jsonl")
    assert table["bad"]["right"] == 0
    assert table["partial"]["right"] == 0
    assert table["good"]["wrong"] == 0
    assert table["good"]["right"] >= 0.95 * table["good"].total()


@pytest.mark.parametrize("step", review_questions().values(), ids=review_questions().keys())
def test_a_questions_own_samples(step) -> None:
    for sample in step.samples:
        found = grade(step, sample.text, lang="vi", glossary=course_glossary())
        assert found.verdict == sample.verdict, sample.text


@pytest.mark.parametrize("step", review_questions().values(), ids=review_questions().keys())
def test_the_model_answer_is_right_in_both_languages(step) -> None:
    for text in (step.model_answer.vi, step.model_answer.en):
        assert grade(step, text, lang="vi", glossary=course_glossary()).verdict == "right", text


def test_an_answer_takes_little_time() -> None:
    verdict(answers("review_answers.jsonl")[0])  # the lexicon is built at the first answer
    times = []
    for answer in answers("review_answers.jsonl"):
        start = time.thread_time()
        verdict(answer)
        times.append(time.thread_time() - start)
    assert sorted(times)[len(times) // 2] < 0.03
