"""Any number of lines to scroll through, with what was found in them marked."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from rich.text import Text
from textual.binding import Binding
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tutor.ui.findings import Match


class Reader(ScrollView, can_focus=False):
    """Long lines go on in the next row. A row is drawn when it is seen: the number of lines costs nothing."""

    DEFAULT_CSS = """
    Reader { height: 1fr; width: 1fr; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; }
    Reader > .reader--match { text-style: underline; background: $warning 30%; }
    Reader > .reader--current { text-style: reverse bold; }
    """
    COMPONENT_CLASSES = {"reader--match", "reader--current"}
    BINDINGS = [
        Binding("pageup", "page_up", "A page up", id="reader.page_up", show=False),
        Binding("pagedown", "page_down", "A page down", id="reader.page_down", show=False),
    ]

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__()
        self.lines = lines
        self._rows: list[tuple[int, int, int]] = []
        self._width = 0
        self._matches: tuple[Match, ...] = ()
        self._at = 0

    def on_resize(self) -> None:
        """Other rows for another width."""
        width = max(10, self.scrollable_content_region.width)
        if width != self._width:
            self._width = width
            self._rows = [row for number, line in enumerate(self.lines) for row in _rows(number, line, width)]
            self.virtual_size = Size(width, len(self._rows))
            self.refresh()

    def mark(self, matches: tuple[Match, ...], at: int) -> None:
        """Mark these, and show the one at `at`."""
        self._matches, self._at = matches, at
        if matches and self._rows:
            match = matches[at]
            row = bisect_right(self._rows, (match.line, match.start, 1 << 60)) - 1
            height = self.scrollable_content_region.height
            if not self.scroll_offset.y <= row < self.scroll_offset.y + height:
                self.scroll_to(y=max(0, row - height // 3), animate=False, force=True)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """A row of the screen."""
        row = self.scroll_offset.y + y
        if row >= len(self._rows):
            return Strip.blank(self._width, self.rich_style)
        number, start, end = self._rows[row]
        text = Text(self.lines[number][start:end], self.rich_style, no_wrap=True, end="")
        first = bisect_left(self._matches, (number, 0, 0))
        for place in range(first, len(self._matches)):
            match = self._matches[place]
            if match.line != number or match.start >= end:
                break
            if match.end > start:
                style = "reader--current" if place == self._at else "reader--match"
                text.stylize(self.get_component_rich_style(style), max(0, match.start - start), match.end - start)
        segments = [part for part in text.render(self.app.console) if isinstance(part, Segment)]
        return Strip(segments).adjust_cell_length(self._width, self.rich_style)


def _rows(number: int, line: str, width: int) -> list[tuple[int, int, int]]:
    """The rows of a line, each with where it begins and ends."""
    if len(line) <= width and (line.isascii() or cell_len(line) <= width):
        return [(number, 0, len(line))]
    if line.isascii():
        return [(number, start, min(start + width, len(line))) for start in range(0, len(line), width)]
    rows, start = [], 0
    for part in chop_cells(line, width):
        rows.append((number, start, start + len(part)))
        start += len(part)
    return rows
