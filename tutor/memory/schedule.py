"""When an answered question comes back: FSRS, replayed from the journal, so no card state is stored anywhere.

py-fsrs counts elapsed time in whole 24-hour periods, which would hold back somebody who studies a little earlier each
day. So time is given to it in study days: the local day, beginning at 04:00, stood for by its noon in UTC. Intervals
are for a course of some weeks: retention 0.95 and at most 30 days give 1, 3, 8, 19 and 30 days when all goes well.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Literal

import msgspec

from tutor.memory.events import Event
from tutor.memory.progress import Answer, fold

if TYPE_CHECKING:
    from fsrs import Card, Rating, Scheduler

ROLLOVER = timedelta(hours=4)
RETENTION = 0.95
LONGEST = 30
"""Days."""

Grade = Literal["again", "hard", "good"]


class CardState(msgspec.Struct, frozen=True):
    """What is remembered of one question. Days are study days; stability is in days, difficulty in 1 to 10."""

    step: str
    due: date
    last: date
    reviews: int
    lapses: int
    stability: float
    difficulty: float

    @property
    def interval(self) -> int:
        """Days between the last answer and the next."""
        return (self.due - self.last).days


class Due(msgspec.Struct, frozen=True):
    """A question that is due. `overdueness` is the time since its last answer in units of its interval, at least 1."""

    step: str
    due: date
    overdueness: float


def study_day(moment: datetime) -> date:
    """The study day of a local time: what is before 04:00 belongs to the day before."""
    return (moment - ROLLOVER).date()


def grade_of(answer: Answer) -> Grade | None:
    """How well an answer was remembered; None if it says nothing: not settled yet, not readable, or not graded."""
    if not answer.final:
        return None
    if answer.verdict == "wrong":
        return "again"
    return "hard" if answer.verdict == "partly" or answer.answered.hints > 0 else "good"


def replay(events: Iterable[Event]) -> dict[str, CardState]:
    """The state of every question that was answered, by step id."""
    reviews = _reviews(events)
    if not reviews:
        return {}
    # Here and not above: reading the course needs no scheduler, and the app paints before it counts what is due.
    import fsrs

    scheduler = fsrs.Scheduler(
        desired_retention=RETENTION,
        learning_steps=(),
        relearning_steps=(),
        maximum_interval=LONGEST,
        enable_fuzzing=False,
    )
    ratings = {"again": fsrs.Rating.Again, "hard": fsrs.Rating.Hard, "good": fsrs.Rating.Good}
    states = {}
    for number, (step, answers) in enumerate(reviews.items()):
        # Card() without an id and a due date takes both from the clock, and sleeps.
        card = fsrs.Card(card_id=number, due=_noon(answers[0][0]))
        for day, grade in answers:
            card = _review(scheduler, card, ratings[grade], day)
        states[step] = _state(step, card, [grade for _, grade in answers])
    return states


def due(events: Iterable[Event], now: datetime | None = None) -> list[Due]:
    """The questions that are due at the local time `now` (by default this moment), most overdue first."""
    today = study_day(now if now is not None else datetime.now().astimezone())
    found = [
        Due(card.step, card.due, (today - card.last).days / max(1, card.interval))
        for card in replay(events).values()
        if card.due <= today
    ]
    return sorted(found, key=lambda card: (-card.overdueness, card.due, card.step))


def _reviews(events: Iterable[Event]) -> dict[str, list[tuple[date, Grade]]]:
    """Days and grades of the answers that count, by step. Days never go back, whatever the clock did."""
    progress = fold(events)
    reviews: dict[str, list[tuple[date, Grade]]] = {}
    for step in progress.answered_steps:
        for answer in progress.answers(step):
            grade = grade_of(answer)
            if grade is None:
                continue
            try:
                day = study_day(answer.time + timedelta(minutes=answer.offset))
                _noon(day) + timedelta(days=LONGEST)  # as far as the scheduler may go
            except OverflowError:
                continue  # the calendar ends there: the clock had been set to nonsense
            done = reviews.setdefault(step, [])
            done.append((max(day, done[-1][0]) if done else day, grade))
    return reviews


def _review(scheduler: Scheduler, card: Card, rating: Rating, day: date) -> Card:
    reviewed, _ = scheduler.review_card(card, rating, _noon(day))
    return reviewed


def _state(step: str, card: Card, grades: list[Grade]) -> CardState:
    assert card.last_review is not None and card.stability is not None and card.difficulty is not None
    return CardState(
        step,
        card.due.date(),
        card.last_review.date(),
        len(grades),
        grades.count("again"),
        card.stability,
        card.difficulty,
    )


def _noon(day: date) -> datetime:
    return datetime.combine(day, time(12), UTC)
