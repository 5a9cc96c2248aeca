"""A card, as the schedule needs it: without the questions' texts, so that it can be kept beside the journal."""

from __future__ import annotations

from typing import NamedTuple


class Asked(NamedTuple):
    """A question of a card: its id and the version of what it means."""

    id: str
    version: int = 1


class Card(NamedTuple):
    """A thing to be remembered: the questions that ask it, of several kinds where it has twins, asked by turns."""

    id: str
    """The id of its first question."""
    lesson: str
    """The lesson that its first question belongs to."""
    questions: tuple[Asked, ...]
    claims: tuple[str, ...] = ()
    """The claims that it is about, each once."""
    misconceptions: tuple[str, ...] = ()
    """The names of the wrong ideas that it tells apart."""
    exercise: bool = False
    """Whether it is code to write, which takes longer and comes back less often."""
    varies: bool = False
    """Whether one of its questions is made afresh at each review, with an answer that is computed or measured."""
