"""Whether unsure and overruled answers may be exported for the author: off until the learner says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import SystemCommand

from tutor.text.i18n import _

if TYPE_CHECKING:
    from tutor.ui.app import TutorApp


class Sharing:
    """The learner's agreement, as the palette shows and changes it."""

    def __init__(self, app: TutorApp) -> None:
        self._app = app

    @property
    def agreed(self) -> bool:
        """Whether they may be exported now."""
        from tutor.memory import sharing

        return self._app.study is not None and sharing.agreed(self._app.study.progress.settings)

    def command(self) -> SystemCommand:
        """Agree, or no longer."""
        if self.agreed:
            title, about = _("Stop sharing answers"), _("`normtutor export answers` then writes nothing")
        else:
            title = _("Allow sharing answers")
            about = _("Unsure and overruled ones, when you run `normtutor export answers`; nothing is sent")
        return SystemCommand(title, about, self.change)

    def change(self) -> None:
        """The other way than now, and say so."""
        from tutor.memory import sharing

        study = self._app.study
        if study is None:
            return
        study.setting(sharing.SETTING, "off" if self.agreed else "on")
        if self.agreed:
            note = _("Allowed: `normtutor export answers` writes what you may give to the author. Nothing is sent.")
        else:
            note = _("No longer allowed: `normtutor export answers` writes nothing.")
        self._app.notify(note)
