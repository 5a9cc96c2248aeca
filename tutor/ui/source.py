"""What the cell of a step uses of the `kernels` package, for the screens that offer to show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tutor.course.model import LIVE_STEPS, AnyStep
from tutor.text.i18n import _
from tutor.ui.study import Study

if TYPE_CHECKING:
    from textual.screen import Screen

    from tutor.course.source import Found


def used_in(study: Study, step: AnyStep) -> tuple[Found, ...]:
    """What it uses as the code stands now; where that is no Python yet, as its author wrote it."""
    if not isinstance(step, LIVE_STEPS):
        return ()
    from tutor.course.source import used

    state = study.state(step)
    return used(state.code) or used(state.original)


def show(screen: Screen[None], study: Study, step: AnyStep) -> None:
    """Show it over the screen, or say that there is nothing."""
    from tutor.ui.screens.source import SourceScreen

    if found := used_in(study, step):
        screen.app.push_screen(SourceScreen(found))
    else:
        screen.notify(_("This step has no cell that uses the kernels package."))
