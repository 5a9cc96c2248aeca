"""What the learner's Python knows about code that is being typed: names that may follow, what a name is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from tutor.text.sanitize import sanitize

if TYPE_CHECKING:
    from tutor.runtime.session import Session

MOST_MATCHES = 200
MOST_LINES = 12
"""Lines of what is said about a name: the signature, and the beginning of its documentation."""


class Completion(msgspec.Struct, frozen=True):
    """What may stand between `start` and `end` of the code, in characters."""

    start: int
    end: int
    matches: tuple[str, ...]


async def complete(session: Session, code: str, cursor: int) -> Completion | None:
    """What may be typed at `cursor`; None while a cell runs, when there is no Python, and when nothing fits."""
    content = await session.ask("complete_request", {"code": code, "cursor_pos": cursor})
    start, end, matches = content.get("cursor_start"), content.get("cursor_end"), content.get("matches")
    if not (isinstance(start, int) and isinstance(end, int) and isinstance(matches, list)):
        return None
    if not 0 <= start <= end <= len(code):
        return None
    # A module may have names that are no text a terminal should see; `%` names IPython's commands, which cells refuse.
    sound = [m for m in matches if isinstance(m, str) and m.isprintable() and not m.startswith("%")]
    already = code[start:end].rpartition(".")[2]
    if not already.startswith("_"):
        sound = [match for match in sound if not match.rpartition(".")[2].startswith("_")] or sound
    return Completion(start, end, tuple(sound[:MOST_MATCHES])) if sound else None


async def about(session: Session, code: str, cursor: int) -> str:
    """The signature and the first lines of the documentation of what is called or named at `cursor`, or nothing."""
    content = await session.ask("inspect_request", {"code": code, "cursor_pos": cursor, "detail_level": 0})
    data = content.get("data")
    text = data.get("text/plain") if isinstance(data, Mapping) else None
    return _shortened(text) if isinstance(text, str) else ""


_FIELDS = ("Signature:", "Init signature:", "Call signature:", "Docstring:", "Init docstring:", "Class docstring:")


def _shortened(text: str) -> str:
    """Of IPython's page the signature and the documentation; the rest is about files and types."""
    lines: list[str] = []
    keep = False
    for line in sanitize(text, limit=20_000).splitlines():
        name, colon, rest = line.partition(":")
        if colon and name and not name[0].isspace() and name.replace(" ", "").isalpha() and name[0].isupper():
            keep = f"{name}:" in _FIELDS
            line = rest.strip() if keep else ""
            if not line:
                continue
        if keep and (line.strip() or (lines and lines[-1].strip())):
            lines.append(line.rstrip())
    more = len(lines) > MOST_LINES
    return "\n".join(lines[:MOST_LINES]).strip() + ("\n…" if more else "")


def offset(text: str, location: tuple[int, int]) -> int:
    """The place of a row and a column in a text, in characters."""
    row, column = location
    return sum(len(line) + 1 for line in text.split("\n")[:row]) + column


def location(text: str, offset: int) -> tuple[int, int]:
    """The row and the column of a place in a text."""
    before = text[:offset]
    return before.count("\n"), len(before) - (before.rfind("\n") + 1)
