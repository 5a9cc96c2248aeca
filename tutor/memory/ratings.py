"""How well each card was remembered, day by day, as its answers say."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Literal, NamedTuple

from tutor.memory.answer import Answer
from tutor.memory.card import Card
from tutor.memory.days import FIRST, Days
from tutor.memory.progress import Progress

Grade = Literal["again", "hard", "good", "easy"]
GRADES: tuple[Grade, ...] = ("again", "hard", "good", "easy")
AHEAD = timedelta(days=1)
"""How far a day may lie ahead of today: the learner has flown west. What lies further had a wrong clock."""


class DayRating(NamedTuple):
    """How a card went on one day, and whether a review asked it then."""

    day: date
    grade: Grade
    review: bool


class Given(NamedTuple):
    """An answer that counts for a card, with its day."""

    day: date
    grade: Grade
    answer: Answer


def grade_of(answer: Answer) -> Grade | None:
    """How well an answer was remembered; None if it says nothing: not settled yet, not readable, or not graded."""
    if not answer.final:
        return None
    if answer.verdict == "wrong":
        return "again"
    if answer.verdict == "partly" or answer.answered.hints > 0:
        return "hard"
    return "easy" if answer.easy else "good"


def given(card: Card, progress: Progress, days: Days, today: date) -> list[Given]:
    """The answers that count, in order of time: to the questions as they mean now, and of a day that can be.

    The days of a card never go back, whatever the clock and the time zones did.
    """
    answers = [
        (answer.time, answer.event, answer)
        for step in card.questions
        for answer in progress.answers(step.id)
        if answer.answered.version == step.version
    ]
    found: list[Given] = []
    for time, _event, answer in sorted(answers, key=lambda entry: entry[:2]):
        grade, day = grade_of(answer), days.of(time, answer.offset)
        if grade is None or day is None or not _can_be(day, today):
            continue
        found.append(Given(max(day, found[-1].day) if found else day, grade, answer))
    return found


def _can_be(day: date, today: date) -> bool:
    """Whether the clock was right that showed this day: not in the future, nor before this program was written.

    A clock that shows such a day now is believed for the moment, so that nothing is asked twice.
    """
    return min(FIRST, today) <= day <= today + AHEAD


def ratings(card: Card, answers: list[Given]) -> list[DayRating]:
    """One rating a day: the worst of its answers, since after the first the right one has been shown.

    Code is tried until it passes: then its day was hard if it took more than one try, and only failed if none passed.
    """
    by_day: dict[date, list[Given]] = {}
    for answer in answers:
        by_day.setdefault(answer.day, []).append(answer)
    rated = []
    for day, tries in by_day.items():
        worst = min((answer.grade for answer in tries), key=GRADES.index)
        passed = any(answer.grade != "again" for answer in tries)
        grade: Grade = "hard" if card.exercise and worst == "again" and passed else worst
        rated.append(DayRating(day, grade, any(answer.answer.review for answer in tries)))
    return rated
