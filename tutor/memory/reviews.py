"""The learner's reviews as they stand now: the cards of the course, what is remembered of each, and what is due."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from functools import cached_property

from tutor.memory import due
from tutor.memory.card import Card
from tutor.memory.due import CardState
from tutor.memory.progress import Progress
from tutor.memory.schedule import states
from tutor.memory.settings import Settings


class Reviews:
    """What follows from the course, the journal and the settings, at one moment."""

    def __init__(
        self, cards: Iterable[Card], progress: Progress, settings: Settings, now: datetime | None = None
    ) -> None:
        """`cards` are those of a course (`cards_of`); `now` is a local time, by default this moment."""
        self.progress = progress
        self.settings = settings
        self._now = now
        self.today: date = settings.days.today(now)
        self.cards: dict[str, Card] = {card.id: card for card in cards}
        """All cards of the course by id, in its order."""
        self.states: dict[str, CardState] = {
            state.card: state for state in states(self.cards.values(), progress, settings.days, self.today)
        }
        """What is remembered of the cards that were answered, by card."""

    def again(self) -> Reviews:
        """The same after something has happened."""
        return Reviews(self.cards.values(), self.progress, self.settings, self._now)

    @cached_property
    def due(self) -> list[CardState]:
        """What to review today, in order, no more than the daily limit."""
        return due.due(self.states.values(), self.today, self.settings.daily_limit)

    def chosen(self, *, lesson: str | None = None, weak: bool = False, ahead: bool = False) -> list[CardState]:
        """The cards of a review, in order: those of a lesson, the weak ones, or those not due yet; else what is due.

        Of a lesson what is due comes first, whatever the daily limit says.
        """
        known = [state for state in self.states.values() if lesson is None or state.topic == lesson]
        if weak:
            return due.weakest(known)
        if ahead:
            return due.interleaved(due.ahead(known, self.today))
        if lesson is not None:
            return due.due(known, self.today, limit=len(known) + len(self.states)) + due.ahead(known, self.today)
        return self.due
