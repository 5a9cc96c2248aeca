"""What the learner knows, what is shaky and what is unseen, by card, claim and lesson; and how well reviews go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Literal, NamedTuple

from tutor.course.model import Course
from tutor.memory import due
from tutor.memory.card import Card
from tutor.memory.due import CardState
from tutor.memory.events import Event
from tutor.memory.ratings import given, ratings
from tutor.memory.reviews import Reviews
from tutor.memory.schedule import retrievability

Mark = Literal["known", "shaky", "unseen"]

FADED = 0.8
"""A card that is remembered with less chance than this is shaky, however well it went last."""
PERIOD = 30
"""Days that the retention looks back over."""
PAUSE = timedelta(minutes=5)
"""The longest time between two things done that is taken for study."""


class Retention(NamedTuple):
    """Reviews of the last days: how many were remembered, of how many; and the chance to remember a card now."""

    right: int
    of: int
    expected: float | None


class Standing(NamedTuple):
    """Where the learner stands."""

    cards: dict[str, Mark]
    claims: dict[str, Mark]
    """Of the claims that a question of the course asks."""
    lessons: dict[str, Counter[Mark]]
    """How many cards of each lesson are known, shaky and unseen; only of lessons that have cards."""
    retention: Retention
    forecast: list[int]
    """Cards that come on each of the next 14 days, today first."""


def standing(course: Course, reviews: Reviews) -> Standing:
    """Where the learner stands at the moment of `reviews`."""
    cards = {card.id: _mark(reviews.states.get(card.id), reviews.today) for card in reviews.cards.values()}
    lessons: dict[str, Counter[Mark]] = {}
    for lesson in course.lessons:
        own = [cards[card.id] for card in reviews.cards.values() if card.lesson == lesson.id]
        if own:
            lessons[lesson.id] = Counter(own)
    return Standing(
        cards,
        _claims(reviews.cards.values(), cards),
        lessons,
        _retention(reviews),
        due.forecast(reviews.states.values(), reviews.today, limit=reviews.settings.daily_limit),
    )


def seconds_by_day(history: Iterable[Event], reviews: Reviews) -> dict[date, float]:
    """How long the learner studied on each study day, in seconds: times between things done, without long pauses."""
    days, last = reviews.settings.days, dict[str, Event]()
    spent: dict[date, float] = {}
    for event in history:
        before = last.get(event.session)
        last[event.session] = event
        day = days.of(event.time, event.offset)
        if before is None or day is None or day > reviews.today:
            continue
        gap = event.time - before.time
        if timedelta() < gap <= PAUSE:
            spent[day] = spent.get(day, 0.0) + gap.total_seconds()
    return spent


def _mark(state: CardState | None, today: date) -> Mark:
    if state is None:
        return "unseen"
    if state.last is None or state.shaky or retrievability(state, today) < FADED:
        return "shaky"
    return "known"


def _claims(cards: Iterable[Card], marks: Mapping[str, Mark]) -> dict[str, Mark]:
    """A claim is shaky when one of its cards is, known when all that were seen are known."""
    found: dict[str, set[Mark]] = {}
    for card in cards:
        for claim in card.claims:
            found.setdefault(claim, set()).add(marks[card.id])
    return {
        claim: "shaky" if "shaky" in seen else "known" if "known" in seen else "unseen" for claim, seen in found.items()
    }


def _retention(reviews: Reviews) -> Retention:
    since = reviews.today - timedelta(days=PERIOD)
    right = total = 0
    for card in reviews.cards.values():
        rated = ratings(card, given(card, reviews.progress, reviews.settings.days, reviews.today))
        # The first day is learning, not remembering.
        for rating in rated[1:]:
            if rating.review and rating.day > since:
                total += 1
                right += rating.grade != "again"
    chances = [retrievability(state, reviews.today) for state in reviews.states.values() if state.last is not None]
    return Retention(right, total, sum(chances) / len(chances) if chances else None)
