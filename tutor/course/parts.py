"""What every part of a course is made of: texts in two languages, and structs that refuse unknown keys."""

from __future__ import annotations

from typing import Literal

import msgspec

Lang = Literal["vi", "en"]
LANGS: tuple[Lang, ...] = ("vi", "en")


class Text:
    """A text in every language of the course. A plain string in a lesson file is the same text in all of them."""

    __slots__ = ("en", "vi")

    def __init__(self, vi: str, en: str) -> None:
        self.vi = vi
        self.en = en

    def get(self, lang: Lang) -> str:
        """The text in `lang`."""
        return self.vi if lang == "vi" else self.en

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and (self.vi, self.en) == (other.vi, other.en)

    def __hash__(self) -> int:
        return hash((self.vi, self.en))

    def __repr__(self) -> str:
        return f"Text(vi={self.vi!r}, en={self.en!r})"


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of everything in a lesson file: immutable, unknown keys refused."""


class Source(Part, frozen=True, kw_only=True):
    """Where a fact comes from."""

    id: str
    title: str
    authors: str
    year: int
    where: str


class NamedFlow(Part, frozen=True, kw_only=True):
    """A data flow with a caption; several in one step are drawn side by side."""

    title: Text
    flow: str


class Step(Part, tag_field="kind", frozen=True, kw_only=True):
    """What every step has. `id` is unique in the course and never changes: a learner's history hangs on it."""

    id: str
    title: Text | None = None
    claims: tuple[str, ...] = ()
    version: int = 1
    """Raised when a question comes to mean something else: its reviews then start anew, and its history is kept."""
    twin: str = ""
    """A question of another kind that tests the same: reviews take the two by turns, as one card."""


class Figure(Part, frozen=True, kw_only=True):
    """A number that a cell measures and that prose may quote as `{{step.name}}`.

    Prose shows what was measured here, or, before the cell has run here, the range that was measured by the author.
    """

    value: str
    """A Python expression over the names of the cell."""
    low: float
    high: float
    digits: int = 2
    """Significant digits shown."""
