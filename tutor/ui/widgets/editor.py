"""The editor of live cells and exercises, and what it suggests while one types."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.message import Message
from textual.widgets import Static

from tutor.runtime.assistance import Completion, location, offset
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize
from tutor.ui.widgets.entry import Area

INDENT = "    "
NAME = re.compile(r"[\w.]$")
CALL = re.compile(r"[\w.(,=]\s*$")
SHOWN = 24
"""Matches shown at once."""


class Suggestions(Static):
    """Below the editor: names that may follow, the one typed at the moment marked; or what a name is."""

    DEFAULT_CSS = """
    Suggestions { height: auto; max-height: 8; padding: 0 1; display: none; color: $text-muted; }
    """

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self.completion: Completion | None = None
        """What tab goes through."""
        self._at = -1

    def close(self) -> None:
        """Show nothing."""
        self.completion = None
        self._at = -1
        self.display = False

    def offer(self, completion: Completion) -> None:
        """Let tab go through the matches."""
        self.completion = completion
        self._at = -1

    def following(self) -> str:
        """The next match."""
        assert self.completion is not None
        self._at = (self._at + 1) % len(self.completion.matches)
        self.list(self.completion.matches, self._at)
        return self.completion.matches[self._at]

    def list(self, matches: tuple[str, ...], at: int = -1) -> None:
        """Show the matches, from one page of them."""
        first = max(at, 0) // SHOWN * SHOWN
        line = Text()
        for number, match in enumerate(matches[first : first + SHOWN], first):
            line.append(sanitize(match.rpartition(".")[2], newlines=False), "reverse" if number == at else "")
            line.append("  ")
        left = len(matches) - first - SHOWN
        if left > 0:
            line.append(f"+{left}")
        self.update(line)
        self.display = True

    def explain(self, text: str) -> None:
        """Show what a name is."""
        self.close()
        self.update(Text(sanitize(text)))
        self.display = True


class Editor(Area):
    """A Python editor. Enter keeps the indentation; tab completes a name, and moves on where there is none.

    What a name may go on with, and what it is, only the learner's Python knows: the editor asks with `Asked`, and is
    told with `offer` and `explain`. Both are shown in the `Suggestions` that follows it.
    """

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
        Binding("ctrl+home", "ends(False)", "To the first line", id="editor.ends_first", show=False),
        Binding("ctrl+end", "ends(True)", "To the last line", id="editor.ends_last", show=False),
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

    @dataclass
    class Asked(Message):
        """The learner wants to know how the name at the cursor may go on or, with `about`, what it is."""

        editor: Editor
        code: str
        cursor: int
        about: bool

    async def _on_key(self, event: events.Key) -> None:
        if event.key in ("tab", "shift+tab") and self._asks(about=event.key == "shift+tab"):
            event.stop()
            event.prevent_default()
            return
        self._suggestions.close()
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

    @property
    def _suggestions(self) -> Suggestions:
        assert self.parent is not None
        return self.parent.query_one(Suggestions)

    def _asks(self, *, about: bool) -> bool:
        """Whether the key asks something here. Where it does not, it moves the focus."""
        if self.read_only or not self.selection.is_empty:
            return False
        before = self.document.get_line(self.cursor_location[0])[: self.cursor_location[1]]
        if not (CALL if about else NAME).search(before):
            return False
        if not about and self._suggestions.completion is not None:
            self._complete(self._suggestions.following())
        else:
            self.post_message(self.Asked(self, self.text, offset(self.text, self.cursor_location), about))
        return True

    def offer(self, asked: Asked, completion: Completion | None) -> None:
        """Type what all matches begin with; where that is nothing new, the first of them, and tab goes on."""
        if not self.has_focus or (self.text, offset(self.text, self.cursor_location)) != (asked.code, asked.cursor):
            return  # typing went on meanwhile
        if completion is None:
            self._suggestions.explain(_("no such name; esc leaves the editor"))
            return
        typed = self.text[completion.start : completion.end]
        common = os.path.commonprefix(completion.matches)  # noqa: RUF071 - of characters is meant
        self._suggestions.offer(completion)
        if len(common) > len(typed) or len(completion.matches) == 1:
            self._complete(common)
            self._suggestions.close()
            if len(completion.matches) > 1:
                self._suggestions.list(completion.matches)
        else:
            self._complete(self._suggestions.following())

    def explain(self, asked: Asked, text: str) -> None:
        """Show what a name is."""
        if self.has_focus and self.text == asked.code:
            self._suggestions.explain(text or _("nothing is known about it; run the cell first"))

    def _complete(self, text: str) -> None:
        completion = self._suggestions.completion
        assert completion is not None
        start = location(self.text, completion.start)
        self._replace_via_keyboard(text, start, self.cursor_location)

    def _on_blur(self, event: events.Blur) -> None:
        self._suggestions.close()
        super()._on_blur(event)
