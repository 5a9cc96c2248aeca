"""Search through the course and the look-up of a term, as the app offers them from any screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tutor.course.search import Index
    from tutor.ui.app import TutorApp


class Searching:
    """Opens the search, and goes to what was found."""

    def __init__(self, app: TutorApp) -> None:
        self._app = app

    def open(self) -> None:
        """A line to type into; nothing while there is no course yet."""
        from tutor.ui.screens.search import SearchScreen

        if self._app.study is not None and not isinstance(self._app.screen, SearchScreen):
            self._app.push_screen(SearchScreen(self._index), self._go)

    def _index(self) -> Index:
        """What can be found, with what was measured here; in a thread."""
        from tutor.course.search import Index

        study = self._app.study
        assert study is not None
        return Index(study.course, self._app.lang, study.figures.filled)

    async def _go(self, id: str | None) -> None:
        """Within the open lesson to its step, else to another lesson, in the place of the open one."""
        from tutor.ui.screens.lesson import LessonScreen

        if id is None:
            return
        screen = self._app.screen
        if type(screen) is LessonScreen:  # not a review, which goes on when the learner comes back
            if await screen.go_to(id):
                return
            screen.keep()
            self._app.pop_screen()
        self._app.open_step(id)
