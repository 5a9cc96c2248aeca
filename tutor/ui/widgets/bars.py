"""The first line of a screen (where am I) and its last (what can I press)."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len
from rich.text import Text
from textual.dom import DOMNode
from textual.widgets import Static

from tutor.text.aloud import aloud
from tutor.text.i18n import _

NARROW = 96
"""Columns below which the first line leaves out what can be seen elsewhere."""
GAP = 3
"""Columns between two keys."""


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
        if aloud():
            self.update(Text(_spoken(self._left, self._right)))
            return
        right = self._right.copy()
        if width < NARROW:  # the language is seen in every word on the screen: the title has its room
            right = _without_language(right)
        right.truncate(width, overflow="ellipsis")
        left = self._left.copy()
        room = max(0, width - cell_len(right.plain) - 2)
        if cell_len(left.plain) > room:  # half a bar says nothing; the numbers before it do
            left = left[: len(left.plain.rstrip("▰▱ "))]
        left.truncate(room, overflow="ellipsis")
        gap = " " * max(0, width - cell_len(left.plain) - cell_len(right.plain))
        self.update(Text.assemble(left, gap, right, no_wrap=True))


def _without_language(text: Text) -> Text:
    """A state without the language that it ends with."""
    before, _dot, last = text.plain.rpartition(" · ")
    return text[: len(before)] if before and last in ("vi", "en") else text


def _spoken(left: Text, right: Text) -> str:
    """Both sides as a sentence each."""
    parts = [", ".join(filter(None, (part.strip() for part in side.plain.split("·")))) for side in (left, right)]
    return " ".join(f"{part}." for part in parts if part)


class KeyBar(Static):
    """One line of keys, most useful first; those that do not fit are left to the help screen, never the way out."""

    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; width: 100%; padding: 0 1; background: $foreground 8%; }
    """

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self._keys: list[tuple[str, str]] = []
        self._always = 0

    def show(self, keys: Iterable[tuple[str, str]], *, always: int = 0) -> None:
        """Set the keys as (key, what it does). The last `always` of them are shown before any other is."""
        keys = list(keys)
        if (keys, always) != (self._keys, self._always):
            self._keys, self._always = keys, always
            self._lay_out()

    def on_resize(self) -> None:
        """More or fewer keys may fit."""
        self._lay_out()

    def relabel(self) -> None:
        """The learner has set other keys."""
        self._lay_out()

    def _set(self, key: str) -> str:
        """The key as the learner has set it."""
        preferences = getattr(self.app, "preferences", None)
        if preferences is None or not preferences.settings.keys:
            return key
        from tutor.ui.keys import remapped

        owners = [
            owner for node in (self.screen, self.app) for owner in type(node).__mro__ if issubclass(owner, DOMNode)
        ]
        return remapped(owners, preferences.settings.keys, key)

    def _lay_out(self) -> None:
        width = self.content_size.width
        entries = [Text.assemble((self._set(key), "bold"), " ", (label, "dim")) for key, label in self._keys]
        if aloud():
            said = [f"{self._set(key)}: {label}" for key, label in self._keys]
            self.update(Text(_("Keys:") + " " + ", ".join(said) + "."))
            return
        first = len(entries) - self._always
        kept: set[int] = set()
        room = width + GAP
        for index in (*range(first, len(entries)), *range(first)):
            taken = cell_len(entries[index].plain) + GAP
            if taken <= room:
                kept.add(index)
                room -= taken
        self.update(Text(" " * GAP, no_wrap=True).join(entry for i, entry in enumerate(entries) if i in kept))
