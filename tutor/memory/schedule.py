"""When each card comes back: FSRS, replayed from the journal, so no card state is stored anywhere.

Time is given to py-fsrs in study days, each stood for by its noon in UTC. Intervals are for a course of some weeks:
retention 0.95 and at most 30 days give 1, 3, 8, 19 and 30 days when all goes well. Writing code takes ten times as
long, and comes back less often: after 3, 14 and 45 days.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, NamedTuple

from tutor.memory.card import Asked, Card
from tutor.memory.days import Days
from tutor.memory.due import CardState
from tutor.memory.progress import Progress
from tutor.memory.ratings import DayRating, Given, given, ratings

if TYPE_CHECKING:
    from fsrs import Scheduler


class Rhythm(NamedTuple):
    """How sure the learner is to remember when a card comes back, and the fewest and most days until then."""

    retention: float
    least: int
    most: int


QUESTION = Rhythm(0.95, 1, 30)
EXERCISE = Rhythm(0.9, 3, 45)


def states(cards: Iterable[Card], progress: Progress, days: Days, today: date) -> tuple[CardState, ...]:
    """The state of every card that was answered so that it is settled, in the order of the course.

    The others are for their lessons to ask.
    """
    known: list[tuple[Card, list[Given]]] = []
    found: list[CardState] = []
    cards = list(cards)
    for card in cards:
        if all(is_flagged(asked, progress) for asked in card.questions):
            continue
        answers = given(card, progress, days, today)
        if answers:
            known.append((card, answers))
        elif any(answer.final for step in card.questions for answer in progress.answers(step.id)):
            # It meant something else then, or the clock was wrong: it starts anew.
            found.append(CardState(card.id, card.lesson, today, exercise=card.exercise))
    if known:
        found += _forward(known, _replayed(known))
    places = {card.id: place for place, card in enumerate(cards)}
    return tuple(sorted(found, key=lambda state: places[state.card]))


def is_flagged(asked: Asked, progress: Progress) -> bool:
    """Whether the learner holds the question, as it means now, to be bad: reviews then leave it out."""
    flag = progress.flags.get(asked.id)
    return flag is not None and flag.version == asked.version


def retrievability(state: CardState, day: date) -> float:
    """The chance that a card is remembered on a day, as FSRS has it; 0 for one that starts anew."""
    if state.last is None:
        return 0.0
    import fsrs

    memory = fsrs.Card(
        card_id=0, due=_noon(state.due), stability=state.stability, last_review=_noon(min(state.last, day))
    )
    return float(_scheduler(QUESTION).get_card_retrievability(memory, _noon(day)))


def _replayed(known: Sequence[tuple[Card, list[Given]]]) -> list[CardState]:
    schedulers = {rhythm: _scheduler(rhythm) for rhythm in (QUESTION, EXERCISE)}
    return [
        _state(card, ratings(card, answers), schedulers[EXERCISE if card.exercise else QUESTION])
        for card, answers in known
    ]


def _state(card: Card, rated: list[DayRating], scheduler: Scheduler) -> CardState:
    import fsrs

    grades = {
        "again": fsrs.Rating.Again,
        "hard": fsrs.Rating.Hard,
        "good": fsrs.Rating.Good,
        "easy": fsrs.Rating.Easy,
    }
    # Card() without an id and a due date takes both from the clock, and sleeps.
    memory = fsrs.Card(card_id=0, due=_noon(rated[0].day))
    for rating in rated:
        memory, _log = scheduler.review_card(memory, grades[rating.grade], _noon(rating.day))
    assert memory.stability is not None and memory.difficulty is not None
    last = rated[-1].day
    least = (EXERCISE if card.exercise else QUESTION).least
    return CardState(
        card=card.id,
        topic=card.lesson,
        due=max(memory.due.date(), last + timedelta(days=least)),
        last=last,
        reviewed=max((rating.day for rating in rated if rating.review), default=None),
        days=len(rated),
        lapses=sum(rating.grade == "again" for rating in rated),
        stability=memory.stability,
        difficulty=memory.difficulty,
        shaky=rated[-1].grade in ("again", "hard"),
        exercise=card.exercise,
    )


def _forward(known: Sequence[tuple[Card, list[Given]]], replayed: Sequence[CardState]) -> list[CardState]:
    """The states, with those of cards that treat what went wrong elsewhere due at once; never twice on a day."""
    by_card = {state.card: state for state in replayed}
    cards = [card for card, _answers in known]
    for card, answers in known:
        for answer in answers:
            named = answer.answer.shown.get("misconception") if answer.grade == "again" else None
            if not isinstance(named, dict):
                continue
            for other in treating(str(named.get("id")), card, cards):
                state = by_card[other.id]
                assert state.last is not None
                if state.last <= answer.day:  # else it has been asked since
                    when = max(answer.day, state.last + timedelta(days=1))
                    by_card[other.id] = state._replace(due=min(state.due, when), forward=when <= state.due)
    return list(by_card.values())


def treating(misconception: str, card: Card, cards: Sequence[Card]) -> list[Card]:
    """The cards to bring forward when `misconception` showed in an answer to `card`.

    They share a claim with it: those that name the misconception too, else the one that shares most. Code to write is
    none of them: it would not fit into the same review.
    """
    claims = set(card.claims)
    near = [other for other in cards if other.id != card.id and not other.exercise and claims & set(other.claims)]
    naming = [other for other in near if misconception in other.misconceptions]
    return naming or sorted(near, key=lambda other: -len(claims & set(other.claims)))[:1]


def _scheduler(rhythm: Rhythm) -> Scheduler:
    import fsrs  # here and not above: reading the course needs none, and the app paints before it counts what is due

    return fsrs.Scheduler(
        desired_retention=rhythm.retention,
        learning_steps=(),
        relearning_steps=(),
        maximum_interval=rhythm.most,
        enable_fuzzing=False,
    )


def _noon(day: date) -> datetime:
    return datetime.combine(day, time(12), UTC)
