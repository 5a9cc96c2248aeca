"""What is due and how reviews are opened, as the app holds it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tutor.text.i18n import _

if TYPE_CHECKING:  # all of these are imported when they are needed, after the first paint
    from tutor.memory.card import Card
    from tutor.memory.quiz import Choice
    from tutor.memory.reviews import Reviews
    from tutor.ui.app import TutorApp


class Reviewing:
    """Counts what is due, and opens the quiz."""

    def __init__(self, app: TutorApp) -> None:
        self._app = app
        self._cards: tuple[Card, ...] | None = None
        self.due: tuple[str, ...] = ()
        """The cards to review today, in order; as of the last `count`."""
        self._counted: tuple[object, ...] | None = None
        """What `due` was worked out from."""

    def begin(self, reviews: Reviews) -> None:
        """Take what was worked out while the course was read; after a long history that takes a moment."""
        self._cards = tuple(reviews.cards.values())
        self.due = tuple(state.card for state in reviews.due)
        self._counted = (reviews.progress.applied, reviews.today, reviews.settings.daily_limit)

    def reviews(self) -> Reviews | None:
        """The reviews as they stand now; None until the course is read."""
        from tutor.memory.cards import cards_of
        from tutor.memory.reviews import Reviews

        study = self._app.study
        if study is None:
            return None
        if self._cards is None:
            self._cards = cards_of(study.course)
        return Reviews(self._cards, study.progress, self._app.preferences.settings)

    def count(self) -> None:
        """Count again what is due, where something was done or it has become another day."""
        study, settings = self._app.study, self._app.preferences.settings
        if study is None:
            return
        now = (study.progress.applied, settings.days.today(), settings.daily_limit)
        reviews = self.reviews() if now != self._counted else None
        if reviews is not None:
            self.due, self._counted = tuple(state.card for state in reviews.due), now

    def open(self, choice: Choice | None = None, minutes: float | None = None) -> None:
        """Open the quiz; a choice asks for other cards than those that are due."""
        from tutor.memory.quiz import Choice
        from tutor.ui.screens.review import ReviewScreen

        study, reviews = self._app.study, self.reviews()
        if study is None or reviews is None:
            return
        if not study.course.lessons:
            self._app.notify(_("There is no lesson to open."))
            return
        self._app.push_screen(ReviewScreen(study, reviews, choice or Choice(), minutes))

    async def remember(self) -> None:
        """Leave behind what `normtutor due` needs, once everything is written."""
        from tutor.memory import refresh

        await asyncio.to_thread(refresh.current)
