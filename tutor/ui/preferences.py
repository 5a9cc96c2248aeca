"""The learner's settings as the app holds them: used at the start, changed by what the learner does, and written."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from tutor.memory.settings import AUTO, Found, Settings
from tutor.text import aloud
from tutor.text.i18n import _
from tutor.ui import screen_reader

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tutor.ui.app import TutorApp


class Preferences:
    """The settings in use. Before there was a file of settings, language and theme were kept in the journal."""

    def __init__(self, app: TutorApp) -> None:
        self._app = app
        self.settings = Settings()
        self._first: dict[str, Any] = {}
        self._ready = False

    def use(self, found: Found, journalled: Mapping[str, Any]) -> None:
        """Take the settings that were read; say what is wrong with them."""
        settings = found.settings
        if not found.there:
            self._first = _from_journal(journalled)
            settings = settings._replace(**self._first)
        self.settings = settings
        if not os.environ.get("NORMTUTOR_LANG") and settings.language in ("vi", "en"):
            self._app.use_language("vi" if settings.language == "vi" else "en")
        if "TEXTUAL_THEME" not in os.environ and settings.theme in self._app.available_themes:
            self._app.theme = settings.theme
        elif settings.theme not in (AUTO, *self._app.available_themes):
            self._warn(_("There is no theme {name}.").format(name=settings.theme))
        aloud.use(settings.screen_reader)
        screen_reader.dress(self._app)
        if settings.keys:
            self._use_keys(settings.keys)
        for problem in found.problems:
            self._warn(str(problem))
        self._ready = True

    def change(self, attribute: str, value: Any) -> None:
        """Change a setting, here and in the file. Where that cannot be written it holds until the app ends."""
        if not self._ready or getattr(self.settings, attribute) == value:
            return
        self.settings = self.settings._replace(**{attribute: value})
        if attribute == "keys":
            self._use_keys(value)
        first, self._first = self._first, {}
        self._app.run_worker(lambda: self._write(attribute, value, first), thread=True, group="settings")

    def _write(self, attribute: str, value: Any, first: Mapping[str, Any]) -> None:
        from tutor.memory.settings_file import NotWrittenError, change

        try:
            change(attribute, value, first=first)
        except NotWrittenError as error:
            message = _("The setting holds until you leave, but could not be saved: {why}").format(why=error)
            self._app.call_from_thread(self._warn, message)

    def _use_keys(self, keys: Mapping[str, str]) -> None:
        from tutor.ui.keys import bindings
        from tutor.ui.widgets.bars import KeyBar

        known = bindings()
        unknown = [id for id in keys if id not in known]
        self._app.set_keymap({id: value for id, value in keys.items() if id in known})
        for screen in self._app.screen_stack:
            for bar in screen.query(KeyBar):
                bar.relabel()
        if unknown:
            self._warn(_("[keys] names what no key does: {names}").format(names=", ".join(unknown)))

    def _warn(self, message: str) -> None:
        self._app.notify(message, severity="warning", timeout=10)


def _from_journal(journalled: Mapping[str, Any]) -> dict[str, Any]:
    """What older versions have kept in the journal."""
    language, theme = journalled.get("lang"), journalled.get("theme")
    found: dict[str, Any] = {"language": language} if language in ("vi", "en") else {}
    return found | ({"theme": theme} if isinstance(theme, str) and theme else {})
