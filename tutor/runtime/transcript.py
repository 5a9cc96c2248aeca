"""Printed text as the lines that a terminal would show, in bounded memory."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from tutor.text.sanitize import cap_marks

TAB = 8
_SLICE = 1 << 18
"""Characters taken at a time: what is split into lines at once stays small, however long the text."""


class Cut(NamedTuple):
    """What a transcript left out.

    `lines` whole lines are missing before index `at` of `lines()`. `characters` are missing inside lines that were too
    long, or because the kernel sent less than was printed; each such line shows its own count.
    """

    lines: int
    characters: int
    at: int


class Transcript:
    r"""Collects printed text, sanitised but with its `\r` and `\b`, and keeps the beginning and the end of it.

    A carriage return goes back to the start of the line, so that a progress bar stays one line; a backspace goes back
    one character. Columns are counted in characters. At most about `max_lines` lines, `max_columns` characters a line
    and `max_bytes` bytes (as UTF-8) are kept, half from each end.
    """

    def __init__(self, *, max_lines: int = 2_000, max_columns: int = 2_000, max_bytes: int = 1_000_000) -> None:
        self._most_first = max_lines // 2
        self._most_last = max(max_lines - self._most_first, 1)
        self._most_bytes = max_bytes // 2
        self._max_columns = max_columns
        self._first: list[str] = []
        self._first_bytes = 0
        self._first_is_full = self._most_first == 0
        self._last: deque[str] = deque()
        self._last_bytes = 0
        self._line = _Line(max_columns)
        self._cut_lines = 0
        self._cut_characters = 0

    def append(self, text: str, dropped: int = 0) -> None:
        """Adds text, before which `dropped` characters are known to be missing."""
        if dropped:
            self._line.skip(dropped)
        for start in range(0, len(text), _SLICE):
            self._append(text[start : start + _SLICE])

    def lines(self) -> list[str]:
        """What is kept, without line ends; the line being written is the last. See `cut` for the gap in it."""
        current, _ = self._line.shown()
        return [*self._first, *self._last, *([cap_marks(current)] if current else [])]

    @property
    def cut(self) -> Cut:
        """What was left out so far."""
        return Cut(self._cut_lines, self._cut_characters + self._line.shown()[1], len(self._first))

    @property
    def cut_lines(self) -> int:
        """How many whole lines were left out."""
        return self._cut_lines

    def _append(self, text: str) -> None:
        ended, newline, rest = text.rpartition("\n")
        if newline:
            plain = not ("\r" in ended or "\b" in ended or "\t" in ended)
            room = 0 if self._first_is_full else self._most_first - len(self._first)
            count = ended.count("\n") + 1
            if count > room + self._most_last:
                *first, ended = ended.split("\n", room)
                self._end_lines(first, plain)
                last = ended.rsplit("\n", self._most_last)[1:]
                self._cut_lines += count - len(first) - len(last)
                if not first:
                    self._line = _Line(self._max_columns)
                self._end_lines(last, plain)
            else:
                self._end_lines(ended.split("\n"), plain)
        self._line.write(rest)

    def _end_lines(self, lines: list[str], plain: bool) -> None:
        for line in lines:
            if plain and len(line) <= self._max_columns and self._line.untouched:
                self._store(line)
            else:
                self._line.write(line)
                shown, cut = self._line.shown()
                self._cut_characters += cut
                self._store(shown)
                self._line = _Line(self._max_columns)

    def _store(self, line: str) -> None:
        line = cap_marks(line)  # backspaces, and streams that take turns, put marks beside marks
        size = 1 + (len(line) if line.isascii() else len(line.encode("utf-8", "replace")))
        if not self._first_is_full:
            if self._first_bytes + size <= self._most_bytes:
                self._first.append(line)
                self._first_bytes += size
                self._first_is_full = len(self._first) >= self._most_first
                return
            self._first_is_full = True
        self._last.append(line)
        self._last_bytes += size
        while len(self._last) > self._most_last or (self._last_bytes > self._most_bytes and len(self._last) > 1):
            gone = self._last.popleft()
            self._last_bytes -= 1 + (len(gone) if gone.isascii() else len(gone.encode("utf-8", "replace")))
            self._cut_lines += 1


class _Line:
    """The line being written: `_head`, then `cut` characters that are not kept, then `_text` with the cursor in it."""

    __slots__ = ("_cursor", "_head", "_max_columns", "_rest", "_text", "cut")

    def __init__(self, max_columns: int) -> None:
        self._max_columns = max_columns
        self._rest = max_columns - max_columns // 2
        self._head = ""
        self._text = ""
        self._cursor = 0
        self.cut = 0

    @property
    def untouched(self) -> bool:
        """Whether nothing has been written to it."""
        return not (self._text or self._head or self.cut)

    def skip(self, count: int) -> None:
        """Counts characters that never came, at the end of the line."""
        if not self.cut:
            self._head, self._text = self._text, ""
        self.cut += count
        self._cursor = len(self._text)

    def write(self, text: str) -> None:
        """Writes text without line ends from the cursor on."""
        first, *others = text.split("\r")
        self._write_segment(first)
        if not others:
            return
        # Each of the others begins at the start of the line. Only what no later one covers is ever seen, so going
        # backwards costs no more than looking at their lengths.
        written, self._cursor = _resolve(others[-1])
        for segment in reversed(others[:-1]):
            if "\t" in segment or len(segment) - segment.count("\b") > len(written):
                written += _resolve(segment)[0][len(written) :]
        if self.cut and written:
            self._head, self._text, self.cut = "", "", 0
        self._text = written + self._text[len(written) :]
        self._trim()

    def shown(self) -> tuple[str, int]:
        """The line, with the number of characters that are missing in it where they are missing; and that number."""
        head, text, cut = self._head, self._text, self.cut
        if not cut and len(text) > self._max_columns:
            head, text, cut = self._halves(text)
        elif cut and len(text) > self._rest:
            text, cut = text[-self._rest :], cut + len(text) - self._rest
        if not cut:
            return text, 0
        count = f"{cut:,}".replace(",", " ")
        return f"{head} … {count} … {text}", cut

    def _halves(self, text: str) -> tuple[str, str, int]:
        half = self._max_columns - self._rest
        return text[:half], text[-self._rest :], len(text) - half - self._rest

    def _write_segment(self, text: str) -> None:
        if not text:
            return
        if self.cut and self._cursor < len(self._text):
            self._head, self._text, self.cut, self._cursor = "", "", 0, 0
        text, end = _resolve(text, self._text, self._cursor)
        self._text = text
        self._cursor = end
        self._trim()

    def _trim(self) -> None:
        # Twice the room, so that a line of any length is cut rarely and each character is copied a few times only.
        if len(self._text) <= 2 * self._max_columns:
            return
        before = len(self._text)
        if self.cut:
            self._text = self._text[-self._rest :]
            self.cut += before - self._rest
        else:
            self._head, self._text, self.cut = self._halves(self._text)
        self._cursor = max(self._cursor - (before - len(self._text)), 0)


def _resolve(text: str, line: str = "", cursor: int = 0) -> tuple[str, int]:
    r"""`line` after `text`, without `\r`, was written at `cursor`: the line, and where the cursor is then."""
    if "\b" not in text:
        if "\t" in text:
            column = cursor % TAB
            text = (" " * column + text).expandtabs(TAB)[column:]
        end = cursor + len(text)
        return (line[:cursor] + text + line[end:] if line else text), end
    characters = list(line)
    for character in text:
        if character == "\b":
            cursor = max(cursor - 1, 0)
            continue
        for written in " " * (TAB - cursor % TAB) if character == "\t" else character:
            characters[cursor : cursor + 1] = written
            cursor += 1
    return "".join(characters), cursor
