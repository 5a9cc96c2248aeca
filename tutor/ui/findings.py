"""Finds a text in lines, by letters without case and marks: `chuan` finds `Chuẩn`. No widgets here."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple

MOST_MATCHES = 100_000
LOOK = 5_000
"""Lines between two looks at whether the search is still wanted."""


class Match(NamedTuple):
    """A line, and the characters of it from `start` to before `end`."""

    line: int
    start: int
    end: int


def _folded(text: str) -> tuple[str, list[int]]:
    """`text` in lower case without marks, and for each of its characters, and for its end, the place in `text`."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for letter in unicodedata.normalize("NFD", character.lower()).replace("đ", "d"):
            if not unicodedata.combining(letter):
                letters.append(letter)
                places.append(place)
    return "".join(letters), [*places, len(text)]


def find(lines: Sequence[str], wanted: str, *, stopped: Callable[[], bool] = lambda: False) -> tuple[Match, ...]:
    """The matches in their order; none for an empty text. Stops early when `stopped` says so."""
    needle = _folded(wanted)[0]
    found: list[Match] = []
    if not needle:
        return ()
    for number, line in enumerate(lines):
        if number % LOOK == 0 and stopped():
            break
        folded, places = (line.lower(), None) if line.isascii() else _folded(line)
        at = folded.find(needle)
        while at >= 0:
            end = at + len(needle)
            # Marks that follow the last letter as characters of their own belong to it.
            span = (at, end) if places is None else (places[at], places[end])
            found.append(Match(number, *span))
            if len(found) >= MOST_MATCHES:
                return tuple(found)
            at = folded.find(needle, end)
    return tuple(found)
