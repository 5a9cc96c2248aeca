"""A cell step: run it, change it, run it again."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.widgets import TextArea

from tutor.course.model import CellStep
from tutor.grading.verdict import Verdict
from tutor.text.i18n import _
from tutor.ui.steps.base import Answered, Keys, StepView
from tutor.ui.widgets.cell import Cell
from tutor.ui.widgets.prose import Prose


class CellView(StepView):
    """Text, editor, output."""

    def compose(self) -> ComposeResult:
        """What it is about, and the cell."""
        assert isinstance(self.step, CellStep)
        if self.step.about is not None:
            yield Prose(self.step.about.get(self.study.lang), classes="prompt")
        yield Cell(self.state)

    @property
    def cell(self) -> Cell:
        """The cell."""
        return self.query_one(Cell)

    def act(self) -> None:
        """Run the code as it stands."""
        self.post_message(self.run_asked(self.cell.code))

    def edit_focus(self) -> None:
        """Into the editor."""
        self.cell.editor.focus()

    def reset(self) -> None:
        """The author's code again."""
        self.cell.reset()

    def ended(self, verdict: Verdict | None) -> None:
        """Show the end of the output."""
        self.cell.output.look()
        self._reread()
        self.call_after_refresh(self.cell.output.scroll_visible, animate=False)
        self.post_message(Answered())

    def _reread(self) -> None:
        """What it is about may quote what it has measured."""
        step = self.study.figures.filled(self.step)
        if isinstance(step, CellStep) and step.about is not None:
            self.query_one(Prose).show(step.about.get(self.study.lang))

    @property
    def finished(self) -> bool:
        """Enter goes on once the cell has run."""
        return self.state.run.finished is not None or self.study.progress.done(self.step)

    def key_hints(self) -> Keys:
        """Run first; once it has run, go on."""
        run = ("ctrl+j", _("run"))
        return [("enter", _("next")), run, ("e", _("edit"))] if self.finished else [run, ("enter", _("edit"))]

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.state.code = event.text_area.text
        self.typed("code", event.text_area.text)
        self.cell.relabel()
