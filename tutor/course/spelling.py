"""Spelling of the English texts, by codespell's list of common misspellings; nothing where it is not installed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from tutor.course.issues import Issue
from tutor.course.quotes import prose
from tutor.course.texts import texts

WORDS = "words.txt"
"""Beside the lessons: words that are right though the list has them, one a line."""
_WORD = re.compile(r"[A-Za-z][A-Za-z'’]*[A-Za-z]")
_ADDRESS = re.compile(r"https?://\S+|\S+@\S+|\S*[/_]\S*")


class Spelling:
    """The misspellings that are known, but for the words that a course makes exceptions of."""

    def __init__(self, directory: Path) -> None:
        right = _exceptions(directory / WORDS)
        self._known: Mapping[str, str] = {
            wrong: meant for wrong, meant in _misspellings().items() if wrong not in right
        }

    def issues(self, part: Any, but: tuple[str, ...] = ()) -> Iterator[Issue]:
        """The misspelt words in the English texts of `part`, outside formulas and code."""
        for path, text in texts(part, but=but):
            for word, meant, row in self.misspelt(text.en):
                yield Issue((*path, "en"), f"`{word}` is misspelt: {meant}?", row)

    def misspelt(self, markdown: str) -> Iterator[tuple[str, str, int]]:
        """The misspelt words of a text, what may be meant, and their lines in it."""
        for start, end in prose(markdown):
            stretch = _ADDRESS.sub(lambda found: " " * len(found[0]), markdown[start:end])
            for found in _WORD.finditer(stretch):
                meant = self._known.get(found[0].lower().replace("’", "'"))
                if meant is not None:
                    yield found[0], meant, markdown.count("\n", 0, start + found.start()) + 1


def _exceptions(path: Path) -> set[str]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return set()
    return {line.strip().lower() for line in lines if not line.startswith("#")}


@cache
def _misspellings() -> Mapping[str, str]:
    """Each known misspelling and what may be meant."""
    try:
        dictionary = resources.files("codespell_lib") / "data" / "dictionary.txt"
        lines = dictionary.read_text(encoding="utf-8").split("\n")
    except (ModuleNotFoundError, FileNotFoundError):
        return {}
    pairs = (line.partition("->") for line in lines)
    return {wrong.lower(): ", ".join(re.split(r",\s*", meant.strip(", "))) for wrong, arrow, meant in pairs if arrow}
