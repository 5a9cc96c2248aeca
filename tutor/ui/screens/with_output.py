"""What a lesson and a review can do with the output of a step: copy it, and find something in it."""

from __future__ import annotations

from collections.abc import Iterable

from textual.app import SystemCommand
from textual.binding import Binding
from textual.widgets import Input, TextArea

from tutor.text.i18n import _
from tutor.ui import clipboard, outputs
from tutor.ui.clipboard import Thing
from tutor.ui.screens.base import TutorScreen
from tutor.ui.study import StepState

COPY = Binding("y", "copy", "Copy the output, the code or the answer", id="output.copy")
FIND = Binding("ctrl+f", "find", "Find in the output", id="output.find")


class WithOutput(TutorScreen):
    """A screen that shows a step."""

    BINDINGS = [COPY, FIND]

    def step_state(self) -> StepState | None:
        """What the learner has done with the step that is on the screen."""
        raise NotImplementedError

    def _things(self) -> list[Thing]:
        state = self.step_state()
        if state is None:
            return []
        things = outputs.things(state.run)
        for area in self.query(TextArea):
            things.append(Thing(_("Code") if area.language == "python" else _("Your answer"), area.text))
        things += [Thing(_("Your answer"), field.value) for field in self.query(Input)]
        if not self.query("TextArea, Input"):
            things.append(Thing(_("Your answer"), state.answer))
        return [thing for thing in things if thing.text.strip()]

    def action_copy(self) -> None:
        """Copy what there is; where there are several things, the learner says which."""
        things = self._things()
        if not things:
            self.notify(_("There is nothing here to copy yet."))
        elif len(things) == 1:
            self._copy(things[0])
        else:
            from tutor.ui.screens.copy import CopyScreen

            def chosen(index: int | None) -> None:
                if index is not None:
                    self._copy(things[index])

            self.app.push_screen(CopyScreen(things), chosen)

    def _copy(self, thing: Thing) -> None:
        self.tutor.run_worker(clipboard.copy(self.tutor, thing), group="copy", exclusive=True)

    def action_find(self) -> None:
        """Look through all of the output."""
        state = self.step_state()
        lines = outputs.lines(state.run) if state is not None else []
        if not lines:
            self.notify(_("There is no output here to look through."))
            return
        from tutor.ui.screens.find import FindScreen

        self.app.push_screen(FindScreen(_("Output"), lines))

    def commands(self) -> Iterable[SystemCommand]:
        """What the command palette offers here."""
        what = _("To your clipboard, and to a file; over SSH too")
        yield SystemCommand(_("Copy the output, the code or the answer"), what, self.action_copy)
        what = _("All lines of it, and what you type is marked")
        yield SystemCommand(_("Find in the output"), what, self.action_find)
