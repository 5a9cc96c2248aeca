"""What to review today, of the cards as they stand, and when the others come. Imports nothing slow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

DAILY_LIMIT = 20
"""Cards a day unless the learner sets another: after three weeks away nobody meets a wall."""
EXERCISES = 1
"""Exercises a day: each takes as long as all the rest."""
QUESTION_SECONDS, EXERCISE_SECONDS = 40, 600
"""What a card takes, roughly."""


class CardState(NamedTuple):
    """What is remembered of one card that was answered. Days are study days, stability is in days, difficulty 1 to 10.

    `last` is None for a question that came to mean something else since it was answered: it starts anew.
    `shaky` says that it last went wrong or only partly well; `reviewed` is the last day on which a review asked it.
    """

    card: str
    topic: str
    due: date
    last: date | None = None
    reviewed: date | None = None
    days: int = 0
    """The days on which it was answered."""
    lapses: int = 0
    stability: float = 0.0
    difficulty: float = 0.0
    shaky: bool = False
    exercise: bool = False
    forward: bool = False
    """Whether a wrong answer elsewhere has brought it forward."""

    @property
    def interval(self) -> int:
        """Days between the last answer and the next."""
        return (self.due - self.last).days if self.last is not None else 1

    def is_due(self, today: date) -> bool:
        """Whether it is due; never twice on one day."""
        return self.due <= today and (self.last is None or self.last < today)

    def overdueness(self, today: date) -> float:
        """The time since its last answer in units of its interval: at 1 it falls due."""
        return (today - self.last).days / max(1, self.interval) if self.last is not None else 1.0


def due(states: Iterable[CardState], today: date, limit: int = DAILY_LIMIT) -> list[CardState]:
    """What to review today, in order: the most overdue first, but neighbours of different topics; exercises last.

    What reviews have asked today counts towards the limit.
    """
    states = list(states)
    waiting = sorted((state for state in states if state.is_due(today)), key=lambda state: _urgency(state, today))
    asked = [state for state in states if state.reviewed == today]
    room = max(0, limit - len(asked))
    exercises = [state for state in waiting if state.exercise]
    exercises = exercises[: max(0, EXERCISES - sum(state.exercise for state in asked))][:room]
    questions = [state for state in waiting if not state.exercise][: room - len(exercises)]
    return interleaved(questions) + exercises


def interleaved(states: Sequence[CardState]) -> list[CardState]:
    """The same cards, each of another topic than the one before where that can be, otherwise in their order."""
    left, ordered = list(states), list[CardState]()
    while left:
        counts = Counter(state.topic for state in left)
        before = ordered[-1].topic if ordered else None
        others = [state for state in left if state.topic != before] or left
        # A topic with more than half of what is left has to come now, or it would end in a row of its own.
        crowded = [state for state in others if 2 * counts[state.topic] > len(left)]
        ordered.append((crowded or others)[0])
        left.remove(ordered[-1])
    return ordered


def ahead(states: Iterable[CardState], today: date) -> list[CardState]:
    """What is not due, to practise all the same: what will be due first comes first."""
    waiting = [state for state in states if not state.is_due(today) and not state.exercise]
    return sorted(waiting, key=lambda state: _urgency(state, today))


def weakest(states: Iterable[CardState]) -> list[CardState]:
    """The shaky cards, then those that were forgotten most often and that are remembered for the shortest time."""
    waiting = [state for state in states if (state.shaky or state.lapses) and not state.exercise]
    return sorted(waiting, key=lambda state: (not state.shaky, -state.lapses, state.stability))


def next_day(states: Iterable[CardState], today: date) -> tuple[date, int] | None:
    """The next day after today on which something is due, and how much; None where nothing ever is."""
    later = [max(state.due, today + timedelta(days=1)) for state in states if not state.is_due(today)]
    return (min(later), later.count(min(later))) if later else None


def forecast(states: Iterable[CardState], today: date, days: int = 14, limit: int = DAILY_LIMIT) -> list[int]:
    """How many cards come on each of the next days, today first, if each day's are done and no more than the limit.

    What a day has no room for waits for the next. Cards that are answered meanwhile come back too; that is not in it.
    """
    states = list(states)
    coming = Counter(max(0, (state.due - today).days) for state in states if state.is_due(today) or state.due > today)
    waiting, counts = 0, []
    for number in range(days):
        room = max(0, limit - sum(state.reviewed == today for state in states)) if number == 0 else limit
        waiting += coming[number]
        counts.append(min(waiting, room))
        waiting -= counts[-1]
    return counts


def minutes(states: Iterable[CardState]) -> int:
    """About how long these cards take, in whole minutes."""
    seconds = sum(EXERCISE_SECONDS if state.exercise else QUESTION_SECONDS for state in states)
    return max(1, round(seconds / 60)) if seconds else 0


def _urgency(state: CardState, today: date) -> tuple[float, date]:
    """What sorts first is due first; of two alike the one that comes first in the course, in whose order states are."""
    return -state.overdueness(today), state.due
