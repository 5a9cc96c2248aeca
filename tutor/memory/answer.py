"""One answer to a question, what the grader said to it, and what the learner said to that."""

from __future__ import annotations

from typing import Any

from tutor.memory import events
from tutor.memory.events import Event, word_of

FINAL = frozenset({"right", "partly", "wrong"})
"""The verdicts that settle a question."""

Said = events.Ticked | events.Overruled | events.Rated | events.Undone
"""What a learner can say to an answer."""


class Answer:
    """One answer to a question, what the grader said, and what the learner said to that."""

    __slots__ = ("answered", "easy", "event", "offset", "overruling", "ticking", "time", "undone")

    def __init__(self, event: Event, answered: events.Answered) -> None:
        self.event = event.id
        """The id of its event, for `ticked` and `overruled`."""
        self.time = event.time
        self.offset = event.offset
        self.answered = answered
        self.ticking: events.Ticked | None = None
        self.overruling: events.Overruled | None = None
        self.easy = False
        """Whether the learner said that it was easy."""
        self.undone = False
        """Whether the learner took it back: it is kept, and counts for nothing."""

    @property
    def review(self) -> bool:
        """Whether a review asked for it, rather than the lesson."""
        return self.answered.review

    @property
    def answer(self) -> Any:
        """What was handed in."""
        return self.answered.answer

    @property
    def seed(self) -> int | None:
        """What the question's varying values were made from."""
        return self.answered.seed

    @property
    def ticked(self) -> tuple[str, ...]:
        """The points that the learner ticked."""
        return self.ticking.points if self.ticking else ()

    @property
    def overruled(self) -> bool:
        """Whether the learner set another verdict themselves."""
        return self.overruling is not None

    @property
    def shown(self) -> dict[str, Any]:
        """The last full verdict, the self-check's or else the grader's, as builtins of `grading.verdict.Verdict`."""
        if self.ticking and isinstance(self.ticking.verdict, dict):
            return self.ticking.verdict
        return self.answered.verdict

    @property
    def verdict(self) -> str:
        """The word that counts: what the learner overruled it to, else what they ticked, else the grader's."""
        given = (self.overruling or self.ticking or self.answered).verdict
        return word_of(given)

    @property
    def final(self) -> bool:
        """Whether this settles the question: `unsure` does only once it is ticked or overruled."""
        return self.verdict in FINAL

    def take(self, said: Said) -> None:
        """What the learner says to it."""
        match said:
            case events.Ticked():
                self.ticking = said
            case events.Overruled():
                self.overruling = said
            case events.Rated():
                self.easy = True
            case events.Undone():
                self.undone = True
