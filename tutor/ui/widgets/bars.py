"""The first line of a screen (where am I) and its last (what can I press)."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len
from rich.text import Text
from textual.widgets import Static


class TopBar(Static):
    """One line: the title on the left, the state of things on the right; the title gives way."""

    DEFAULT_CSS = """
    TopBar { dock: top; height: 2; width: 100%; padding: 0 1; border-bottom: solid $foreground 30%; }
    """

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self._left = Text()
        self._right = Text()

    def show(self, left: Text, right: Text) -> None:
        """Set both sides."""
        self._left, self._right = left, right
        self._lay_out()

    def on_resize(self) -> None:
        """Keep the right side at the edge."""
        self._lay_out()

    def _lay_out(self) -> None:
        width = self.content_size.width
        if width <= 0:
            return
        right = self._right.copy()
        right.truncate(width, overflow="ellipsis")
        left = self._left.copy()
        room = max(0, width - cell_len(right.plain) - 2)
        left.truncate(room, overflow="ellipsis")
        gap = " " * max(0, width - cell_len(left.plain) - cell_len(right.plain))
        self.update(Text.assemble(left, gap, right, no_wrap=True))


class KeyBar(Static):
    """One line of keys, most useful first; those that do not fit are left to the help screen."""

    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; width: 100%; padding: 0 1; background: $foreground 8%; }
    """

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self._keys: list[tuple[str, str]] = []

    def show(self, keys: Iterable[tuple[str, str]]) -> None:
        """Set the keys as (key, what it does)."""
        keys = list(keys)
        if keys != self._keys:
            self._keys = keys
            self._lay_out()

    def on_resize(self) -> None:
        """More or fewer keys may fit."""
        self._lay_out()

    def _lay_out(self) -> None:
        width = self.content_size.width
        line = Text(no_wrap=True)
        for key, label in self._keys:
            entry = Text.assemble((key, "bold"), " ", (label, "dim"))
            gap = 3 if line else 0
            if cell_len(line.plain) + gap + cell_len(entry.plain) > width:
                continue
            line.append(" " * gap)
            line.append_text(entry)
        self.update(line)
