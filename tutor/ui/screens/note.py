"""A line to type what is wrong with a question."""

from __future__ import annotations

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tutor.text.i18n import _
from tutor.ui.widgets.entry import Field


class NoteScreen(ModalScreen[str | None]):
    """Returns the note, or None."""

    CSS_PATH = "note.tcss"
    BINDINGS = [Binding("escape", "close", "Back", id="note.close")]

    def compose(self) -> ComposeResult:
        """What is asked, and the field."""
        with Vertical(id="box"):
            yield Static(Text(_("What is wrong with this question?"), "bold"), markup=False)
            yield Field(placeholder=_("such as: the unit is missing"), max_length=500)
            yield Static(Text(_("enter notes it, and it is not asked again   esc back"), "dim"), markup=False)

    def on_mount(self) -> None:
        """Ready to type."""
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip():
            self.dismiss(event.value.strip())

    def action_close(self) -> None:
        """No note."""
        self.dismiss(None)
