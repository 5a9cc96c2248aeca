"""Whether somebody is here for the first time, and what is asked of them then."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tutor.memory.settings import AUTO

if TYPE_CHECKING:
    from tutor.ui.app import TutorApp
    from tutor.ui.messages import CourseRead


def first_start(event: CourseRead) -> bool:
    """Nothing has happened yet, and nobody has said which language."""
    chosen = bool(os.environ.get("NORMTUTOR_LANG")) or event.settings.settings.language != AUTO
    return not (chosen or event.history.events or event.history.problems)


def ask_language(app: TutorApp) -> None:
    """Ask for the language, once: that it was asked is in the journal, whatever the answer."""
    from tutor.ui.screens.welcome import ASKED, LanguageScreen

    def answered(wish: str | None) -> None:
        if app.study is not None:
            app.study.setting(ASKED, "yes")
        if wish:
            tour(app)

    app.push_screen(LanguageScreen(), answered)


def tour(app: TutorApp) -> None:
    """What there is, in six cards."""
    from tutor.ui.screens.welcome import TourScreen

    if not isinstance(app.screen, TourScreen):
        app.push_screen(TourScreen())
