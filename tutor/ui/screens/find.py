"""Find in an output, a traceback or a source: all of it to scroll through, and what is typed is searched at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text
from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, Static
from textual.worker import get_current_worker

from tutor.text.i18n import _
from tutor.text.sanitize import sanitize
from tutor.ui.findings import MOST_MATCHES, Match, find
from tutor.ui.widgets.entry import Field
from tutor.ui.widgets.reader import Reader


class FindScreen(ModalScreen[None]):
    """The field keeps the focus: letters search, the arrows go from match to match, pages scroll."""

    CSS_PATH = "find.tcss"
    BINDINGS = [
        Binding("escape", "close", "Back", id="find.close"),
        Binding("enter,down", "go(1)", "Next match", id="find.next", priority=True),
        Binding("up,shift+tab", "go(-1)", "Match before", id="find.previous", priority=True),
        Binding("pageup", "page(-1)", "A page up", id="find.page_up", priority=True),
        Binding("pagedown", "page(1)", "A page down", id="find.page_down", priority=True),
    ]

    reader = getters.query_one(Reader)

    @dataclass
    class Found(Message):
        """A search has ended."""

        wanted: str
        matches: tuple[Match, ...]

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        """`lines` are foreign text as it was printed."""
        super().__init__()
        self._title = title
        self._lines = [sanitize(line, newlines=False) for line in lines]
        self.matches: tuple[Match, ...] = ()
        self.at = 0

    def compose(self) -> ComposeResult:
        """The text, what is searched for, how many there are."""
        with Vertical(id="box"):
            yield Static(Text(self._title, "bold"), markup=False)
            yield Reader(self._lines)
            yield Field(placeholder=_("find; without case and marks"), max_length=200)
            yield Static("", id="count", markup=False)

    def on_mount(self) -> None:
        """Ready to type."""
        self.query_one(Input).focus()
        self._say()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._search(event.value)

    @work(thread=True, exclusive=True, group="find")
    def _search(self, wanted: str) -> None:
        worker = get_current_worker()
        matches = find(self._lines, wanted, stopped=lambda: worker.is_cancelled)
        if not worker.is_cancelled:
            self.post_message(self.Found(wanted, matches))

    @on(Found)
    def _found(self, event: Found) -> None:
        if event.wanted == self.query_one(Input).value:
            self.matches, self.at = event.matches, 0
            self._show()

    def _show(self) -> None:
        self.reader.mark(self.matches, self.at)
        self._say()

    def _say(self) -> None:
        keys = _("enter ↓ next   ↑ before   pgup pgdn scroll   esc back")
        if not self.query_one(Input).value:
            count = ""
        elif not self.matches:
            count = _("nothing found") + "   "
        else:
            more = "+" if len(self.matches) >= MOST_MATCHES else ""
            count = _("{n} of {all}").format(n=self.at + 1, all=f"{len(self.matches)}{more}") + "   "
        self.query_one("#count", Static).update(Text.assemble((count, "bold"), (keys, "dim")))

    def action_go(self, by: int) -> None:
        """Another match, round and round; with nothing to find, a row of the text."""
        if self.matches:
            self.at = (self.at + by) % len(self.matches)
            self._show()
        else:
            self.reader.scroll_relative(y=by, animate=False)

    def action_page(self, by: int) -> None:
        """A page of the text."""
        self.reader.scroll_relative(y=by * max(1, self.reader.size.height - 1), animate=False)

    def action_close(self) -> None:
        """Back."""
        self.dismiss(None)
