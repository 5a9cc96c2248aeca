"""The source of what a cell uses of the `kernels` package: one definition at a time, the next by a key."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Span, Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Static

from tutor.course.source import Found
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize


class SourceScreen(ModalScreen[None]):
    """Shows definitions over the lesson. What the cell names comes first, then what those use."""

    CSS_PATH = "source.tcss"
    AUTO_FOCUS = "#page"
    BINDINGS = [
        Binding("escape,s,q", "close", "Back", id="source.close"),
        Binding("right,right_square_bracket,n,tab", "move(1)", "Next name", id="source.next"),
        Binding("left,left_square_bracket,p,shift+tab", "move(-1)", "Name before", id="source.previous"),
        Binding("space", "more", "Scroll on", id="source.more"),
        Binding("ctrl+f,slash", "find", "Find in it", id="source.find"),
    ]

    def __init__(self, found: Sequence[Found]) -> None:
        super().__init__()
        self._found = tuple(found)
        self._at = 0

    def compose(self) -> ComposeResult:
        """The names, the source, the keys."""
        with Vertical(id="box"):
            yield Static("", id="names", markup=False)
            with VerticalScroll(id="page"):
                yield Static("", id="source", markup=False)
            keys = _("← → other names   ↑ ↓ space scroll   ctrl+f find   esc back")
            yield Static(Text(keys, "dim"), markup=False)

    def on_mount(self) -> None:
        """The first one."""
        self._show()

    @property
    def current(self) -> Found:
        """What is on the screen."""
        return self._found[self._at]

    def _show(self) -> None:
        self.query_one("#names", Static).update(self._names())
        theme = "ansi_dark" if self.app.current_theme.dark else "ansi_light"
        self.query_one("#source", Static).update(_numbered(self.current, theme))
        self.query_one("#page", VerticalScroll).scroll_home(animate=False)

    def _names(self) -> Text:
        text = Text.assemble((f"{self._at + 1}/{len(self._found)}  ", "dim"))
        for number, found in enumerate(self._found):
            style = "bold reverse" if number == self._at else "" if found.direct else "dim"
            text.append(found.name, style)
            text.append("  ")
        text.append(f"\n{self.current.file}:{self.current.line}", "dim")
        return text

    def on_key(self, event: Key) -> None:
        """A digit goes to its name."""
        if event.character and event.character.isdigit() and 0 < int(event.character) <= len(self._found):
            event.stop()
            self._at = int(event.character) - 1
            self._show()

    def action_move(self, by: int) -> None:
        """Another one, round and round."""
        self._at = (self._at + by) % len(self._found)
        self._show()

    def action_find(self) -> None:
        """Find something in what is shown."""
        from tutor.ui.screens.find import FindScreen

        self.app.push_screen(FindScreen(self.current.name, self.current.source.split("\n")))

    def action_more(self) -> None:
        """A page on."""
        self.query_one("#page", VerticalScroll).scroll_page_down(animate=False)

    def action_close(self) -> None:
        """Back."""
        self.dismiss(None)


def _numbered(found: Found, theme: str) -> Table:
    """The source with the line numbers of its file. On the screen's own background, which `Syntax` would paint over."""
    text = Syntax("", "python", theme=theme).highlight(sanitize(found.source))
    text.style = "not bold"
    text.spans = [
        Span(span.start, span.end, Style(color=style.color, bold=style.bold, italic=style.italic))
        for span in text.spans
        if isinstance(style := span.style, Style)
    ]
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(justify="right", style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for number, line in enumerate(text.split("\n", allow_blank=True), start=found.line):
        grid.add_row(str(number), line)
    return grid
