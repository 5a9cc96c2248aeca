"""What a grader says about an answer."""

from __future__ import annotations

from typing import Literal

import msgspec

Word = Literal["right", "partly", "wrong", "unsure", "unreadable", "not-graded"]


class PointFound(msgspec.Struct, frozen=True):
    """A point of the rubric, whether the answer makes it, and the two texts shown for it (may be empty)."""

    id: str
    found: bool
    says: str = ""
    hint: str = ""


class Named(msgspec.Struct, frozen=True):
    """A misconception (or a known wrong value) that the answer shows."""

    id: str
    message: str


class Check(msgspec.Struct, frozen=True):
    """One check of an answer, such as one option ticked or one shape tried.

    `message` says what is checked, and where it failed the reason behind a colon, with the input that shows it.
    `problem` is that reason alone, where other checks may fail for the same.
    """

    id: str
    passed: bool
    message: str
    problem: str = ""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The judgement of one answer.

    `unsure` asks the learner to tick the points that they made; `unreadable` is a free retry, and its feedback shows
    what was understood; `not-graded` is the tutor's own failure and never counts against the learner.
    All texts are in the learner's language, Markdown with `$maths$` allowed in `feedback` and messages.
    """

    step: str
    verdict: Word
    score: float | None = None
    points: tuple[PointFound, ...] = ()
    misconception: Named | None = None
    checks: tuple[Check, ...] = ()
    feedback: str = ""
