"""A live cell: an editor with Python highlighting, and what the code put out."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical

from tutor.text.i18n import _
from tutor.ui.study import StepState
from tutor.ui.widgets.editor import Editor as Editor
from tutor.ui.widgets.editor import Suggestions
from tutor.ui.widgets.entry import label
from tutor.ui.widgets.output import OutputView


class Cell(Vertical):
    """The editor and the output of one step's code."""

    DEFAULT_CSS = """
    Cell { height: auto; width: 1fr; }
    """

    def __init__(self, state: StepState, *, locked: bool = False) -> None:
        super().__init__()
        self._state = state
        self._locked = locked

    def compose(self) -> ComposeResult:
        """Editor above, output below."""
        editor = Editor(self._state.original if self._locked else self._state.code)
        editor.read_only = self._locked
        yield editor
        yield Suggestions()
        yield OutputView(self._state.run)

    def on_mount(self) -> None:
        """Label the frame."""
        self.relabel()

    @property
    def editor(self) -> Editor:
        """The editor."""
        return self.query_one(Editor)

    @property
    def output(self) -> OutputView:
        """The output."""
        return self.query_one(OutputView)

    @property
    def code(self) -> str:
        """The code as it stands in the editor."""
        return self.editor.text

    def relabel(self) -> None:
        """Say on the frame what the cell is and what can be done."""
        title = _("Python · read only until it has run") if self._locked else "Python"
        changed = not self._locked and self._state.code.rstrip("\n") != self._state.original.rstrip("\n")
        subtitle = _("changed · F2 original · F5 run") if changed else _("ctrl+j or F5 run")
        self.editor.border_title = label(f" {title} ")
        self.editor.border_subtitle = label(f" {subtitle} ")

    def unlock(self) -> None:
        """The prediction is settled: the code may be changed now."""
        if self._locked:
            self._locked = False
            self.editor.read_only = False
            self.editor.load_text(self._state.code.rstrip("\n"))
            self.relabel()

    def reset(self) -> None:
        """Back to the author's code; undo brings the change back."""
        if not self._locked:
            self.notify(_("The author's code again; ctrl+z brings yours back."))
            editor = self.editor
            editor.replace(self._state.original.rstrip("\n"), (0, 0), editor.document.end)
