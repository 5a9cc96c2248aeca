"""A live cell: an editor with Python highlighting, and what the code put out."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical

from tutor.text.i18n import _
from tutor.ui.study import StepState
from tutor.ui.widgets.entry import Area, label
from tutor.ui.widgets.output import OutputView

INDENT = "    "


class Editor(Area):
    """A Python editor. Enter keeps the indentation; tab moves on, as everywhere."""

    DEFAULT_CSS = """
    Editor {
        height: auto; min-height: 3; max-height: 12; padding: 0; background: transparent;
        border: none; border-top: solid $foreground 30%; border-bottom: solid $foreground 30%;
        scrollbar-size-horizontal: 0; scrollbar-size-vertical: 1;
    }
    Editor:focus { border: none; border-top: solid $primary; border-bottom: solid $primary; }
    Editor .text-area--cursor-line { background: $foreground 5%; }
    """

    BINDINGS = [
        Binding("ctrl+home", "ends(False)", "To the first line", show=False),
        Binding("ctrl+end", "ends(True)", "To the last line", show=False),
    ]

    def __init__(self, code: str) -> None:
        super().__init__(
            code.rstrip("\n"),
            language="python",
            soft_wrap=False,
            tab_behavior="focus",
            show_line_numbers=True,
            compact=False,
        )
        self.indent_width = 4

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter" and not self.read_only:
            event.stop()
            event.prevent_default()
            row, column = self.cursor_location
            before = self.document.get_line(row)[:column]
            indent = before[: len(before) - len(before.lstrip(" "))]
            if before.rstrip().endswith(":"):
                indent += INDENT
            self._replace_via_keyboard("\n" + indent, *self.selection)

    def action_ends(self, last: bool) -> None:
        """To the end of the code, or to its beginning."""
        self.move_cursor(self.document.end if last else (0, 0))

    def action_delete_left(self) -> None:
        """In front of a line's code, one level of indentation at once."""
        row, column = self.cursor_location
        before = self.document.get_line(row)[:column]
        if self.read_only or not self.selection.is_empty or not before or before.strip(" "):
            super().action_delete_left()
        else:
            self._delete_via_keyboard((row, (column - 1) // len(INDENT) * len(INDENT)), (row, column))


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
