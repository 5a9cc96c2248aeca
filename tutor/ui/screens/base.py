"""What the app may ask of any of its screens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from textual.app import SystemCommand
from textual.screen import Screen

from tutor.ui.widgets.bars import TopBar

if TYPE_CHECKING:
    from tutor.ui.app import TutorApp


class TutorScreen(Screen[None]):
    """A screen with bars and text in the learner's language."""

    @property
    def tutor(self) -> TutorApp:
        """The app, by its own type."""
        return cast("TutorApp", self.app)

    @property
    def complete(self) -> bool:
        """Whether the widgets are there: not yet while it opens, no more while it closes."""
        return bool(self.query(TopBar))

    def commands(self) -> Iterable[SystemCommand]:
        """What the command palette offers on this screen, beside what the app does everywhere."""
        return ()

    def refresh_bars(self) -> None:
        """The state of the kernel, the journal or the device changed."""

    def on_resize(self) -> None:
        """Of a GPU more is said where there is room."""
        device = self.tutor.python.device
        if device is not None and device.kind == "cuda" and self.complete:
            self.refresh_bars()

    async def relabel(self) -> None:
        """The language changed."""

    def keep(self) -> None:
        """Write what is half typed."""

    def farewell(self) -> None:
        """The app ends now."""
        self.keep()
