"""Textual's command palette, in the learner's language and still when nothing happens, and what it offers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from textual.app import SystemCommand
from textual.command import CommandInput, CommandPalette
from textual.screen import Screen

from tutor.text.i18n import _
from tutor.ui.screens.base import TutorScreen
from tutor.ui.welcome import tour

if TYPE_CHECKING:
    from tutor.ui.app import TutorApp


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


def offers(app: TutorApp, screen: Screen[Any]) -> Iterator[SystemCommand]:
    """What the screen has to offer, then what can be done anywhere."""
    if isinstance(screen, TutorScreen):
        yield from screen.commands()
    yield SystemCommand(_("Lab"), _("Experiments of your own: parameters, curves, predictions"), app.open_lab)
    yield SystemCommand(_("Keys"), _("All keys and what the marks mean"), app.action_help)
    yield SystemCommand(_("Tour"), _("What there is, in half a minute"), lambda: tour(app))
    yield SystemCommand(_("Progress"), _("What you know, what comes, what to do next"), app.action_progress)
    yield SystemCommand(_("Settings"), _("Reviews a day, minutes, device and more"), app.action_settings)
    about = _("The glossary, and titles, texts, claims and code of the course")
    yield SystemCommand(_("Search, and look a term up"), about, app.action_search)
    yield SystemCommand(_("Language"), _("Vietnamese or English"), app.action_language)
    yield SystemCommand(_("Theme"), _("Colours for a dark or a light terminal"), app.action_change_theme)
    yield app.sharing.command()
    yield SystemCommand(_("Start Python again"), _("Variables are lost, what you typed stays"), app.action_restart)
    yield SystemCommand(_("To the shell"), _("fg comes back"), app.action_suspend_process)
    yield SystemCommand(_("Quit"), _("Everything is saved"), app.action_quit)
