"""A line to type words into, what the course has on them, and the step that enter opens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from rich.table import Table
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tutor.course.search import Hit, Index
from tutor.text.i18n import _, ngettext
from tutor.text.sanitize import sanitize
from tutor.ui.widgets.entry import Field
from tutor.ui.widgets.options import Options
from tutor.ui.widgets.prose import Prose


class SearchScreen(ModalScreen[str | None]):
    """Returns the step to open, or None. `make` gives the index; it takes a moment, so the field is there first."""

    CSS_PATH = "search.tcss"
    BINDINGS = [
        Binding("escape", "close", "Back", id="search.close"),
        # First: a field takes the keys that would scroll it, and it has one line.
        Binding("down", "list(1)", "Next hit", show=False, id="search.down", priority=True),
        Binding("up", "list(-1)", "Hit before", show=False, id="search.up", priority=True),
        Binding("pagedown", "page(1)", "A page of hits down", show=False, id="search.page_down", priority=True),
        Binding("pageup", "page(-1)", "A page of hits up", show=False, id="search.page_up", priority=True),
    ]

    def __init__(self, make: Callable[[], Index]) -> None:
        super().__init__()
        self._make = make
        self._index: Index | None = None
        self._hits: tuple[Hit, ...] = ()

    def compose(self) -> ComposeResult:
        """The field, the hits, what the highlighted one says."""
        with Vertical(id="box"):
            yield Field(placeholder=_("a term, or words in a title, a text or a claim"), max_length=100)
            yield Options(id="hits", markup=False)
            with VerticalScroll(id="about", can_focus=False):
                yield Prose("")
            yield Static("", id="keys", markup=False)

    def on_mount(self) -> None:
        """Ready to type; the index is made beside that."""
        self.query_one("#hits").can_focus = False
        self.query_one(Input).focus()
        self._say(_("Reading the course …"))
        self.run_worker(self._prepare(), group="index")

    async def _prepare(self) -> None:
        self._index = await asyncio.to_thread(self._make)
        self._search(self.query_one(Input).value)

    @property
    def _list(self) -> Options:
        return self.query_one("#hits", Options)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._search(event.value)

    def _search(self, query: str) -> None:
        if self._index is None:
            return
        self._hits = self._index.find(query)
        self._list.clear_options()
        self._list.add_options([Option(_line(hit)) for hit in self._hits])
        if self._hits:
            self._list.highlighted = 0
            self._list.scroll_home(animate=False)
        else:
            self.query_one(Prose).show("")
        count = len(self._hits)
        if query.strip():
            self._say(ngettext("{n} place", "{n} places", count).format(n=count))
        else:
            self._say(ngettext("{n} term", "{n} terms", count).format(n=count))

    def _say(self, count: str) -> None:
        keys = _("↑ ↓ choose   enter open the step   esc back")
        self.query_one("#keys", Static).update(Text(f"{keys}   {count}", "dim"))

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_index < len(self._hits):
            self.query_one(Prose).show(self._hits[event.option_index].about)
            self.query_one("#about", VerticalScroll).scroll_home(animate=False)

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._open()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._open()

    def _open(self) -> None:
        at = self._list.highlighted
        if at is None or at >= len(self._hits):
            return
        if self._hits[at].step:
            self.dismiss(self._hits[at].step)
        else:
            self.notify(_("No step teaches this one."))

    def action_list(self, by: int) -> None:
        """The next hit, or the one before; the cursor stays in the field."""
        if by > 0:
            self._list.action_cursor_down()
        else:
            self._list.action_cursor_up()

    def action_page(self, by: int) -> None:
        """A page of hits."""
        if by > 0:
            self._list.action_page_down()
        else:
            self._list.action_page_up()

    def action_close(self) -> None:
        """Open nothing."""
        self.dismiss(None)


def _line(hit: Hit) -> Table:
    kinds = {
        "term": _("term"),
        "lesson": _("lesson"),
        "title": _("title"),
        "claim": _("claim"),
        "text": _("text"),
        "code": _("code"),
    }
    grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
    grid.add_column(width=10, no_wrap=True)
    grid.add_column(ratio=3, no_wrap=True, overflow="ellipsis")
    grid.add_column(ratio=2, no_wrap=True, overflow="ellipsis")
    lesson = "" if hit.kind == "lesson" else sanitize(hit.lesson, newlines=False)
    grid.add_row(Text(kinds[hit.kind], "dim"), Text(sanitize(hit.title, newlines=False)), Text(lesson, "dim"))
    return grid
