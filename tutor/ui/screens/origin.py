"""Where the claims of a step come from, and whether they held on the learner's machine."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from tutor.text.i18n import _
from tutor.ui.widgets.prose import Prose


class OriginScreen(ModalScreen[None]):
    """Shows an account in a box over the lesson; it scrolls."""

    CSS_PATH = "origin.tcss"
    BINDINGS = [Binding("escape,w,q", "close", "Back", id="origin.close")]

    def __init__(self, account: str) -> None:
        super().__init__()
        self._account = account

    def compose(self) -> ComposeResult:
        """The title, the account, the way back."""
        with VerticalScroll(id="box"):
            yield Static(Text(_("Where this comes from, and whether it held here"), "bold"), markup=False)
            yield Prose(self._account)
            yield Static(Text(_("esc closes this   ↑ ↓ scroll"), "dim"), markup=False)

    def action_close(self) -> None:
        """Back."""
        self.dismiss(None)
