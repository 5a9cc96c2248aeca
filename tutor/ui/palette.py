"""Textual's command palette, in the learner's language and still when nothing happens."""

from __future__ import annotations

from textual.command import CommandInput, CommandPalette

from tutor.text.i18n import _


class Palette(CommandPalette):
    """Ctrl+p."""

    DEFAULT_CSS = """
    Palette SearchIcon { display: none; }
    """

    def __init__(self) -> None:
        super().__init__(placeholder=_("Search for commands …"), id="--command-palette")

    def on_mount(self) -> None:
        """A cursor that blinks would send something twice a second over a slow line."""
        self.query_one(CommandInput).cursor_blink = False
