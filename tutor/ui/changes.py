"""Leaves out of what goes to the terminal the lines that are on its screen already.

Textual paints a widget whole when anything in it changes: a letter typed into an editor costs all of its lines, 6 kB of
them in true colour, which is felt over a slow link. Its output is a sequence of pieces, each a place and what stands
there from then on; a piece that was last written there and has not been written over since need not be sent again.
"""

from __future__ import annotations

import re

from rich.cells import cell_len

_SYNCHRONISED = re.compile(r"(\x1b\[\?2026[hl])")
_PLACE = re.compile(r"\x1b\[(\d+);(\d+)H")
_STYLES = re.compile(r"\x1b\[[\d;]*m|\x1b\]8;[^\x1b\x07]*(?:\x1b\\|\x07)")
_ENDS = "\r\n"


class Changes:
    """What is on the screen, as far as it is known."""

    def __init__(self) -> None:
        self._rows: dict[int, dict[int, tuple[int, str]]] = {}

    def forget(self) -> None:
        """The screen may hold anything."""
        self._rows.clear()

    def reduced(self, data: str) -> str:
        """The part of `data` that changes something."""
        parts = enumerate(_SYNCHRONISED.split(data))
        return "".join(part if number % 2 else self._painted(part) for number, part in parts)

    def _painted(self, data: str) -> str:
        """One run of pieces. Whatever else comes is passed on, and the screen is then unknown."""
        before, *pieces = _PLACE.split(data)
        if before:
            self.forget()
            return data
        kept: list[str] = []
        last = len(pieces) - 3
        for i in range(0, len(pieces), 3):
            row, column, content = int(pieces[i]), int(pieces[i + 1]), pieces[i + 2]
            text = _STYLES.sub("", content).rstrip(_ENDS)
            if not text:  # it only moves the cursor: where it ends up is all that matters
                if i == last:
                    kept.append(f"\x1b[{row};{column}H{content}")
            elif not text.isprintable():
                self.forget()
                kept.append(f"\x1b[{row};{column}H{content}")
            elif self._is_new(row, column, cell_len(text), content.rstrip(_ENDS)):
                kept.append(f"\x1b[{row};{column}H{content.rstrip(_ENDS)}")
        return "".join(kept)

    def _is_new(self, row: int, column: int, width: int, content: str) -> bool:
        known = self._rows.setdefault(row, {})
        if known.get(column) == (width, content):
            return False
        for start in [start for start, (wide, _) in known.items() if start < column + width and column < start + wide]:
            del known[start]
        known[column] = (width, content)
        return True
