"""What can happen, as the journal keeps it: one struct a kind of event, which also reads it back.

`Journal.append(kind, **data)` takes the fields below as keywords. Reading is forgiving on purpose: a journal lives for
years and is shared between versions and machines, so an event that does not fit is left alone, never an error.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, get_args

import msgspec

from tutor.memory.upgrade import upgraded

VERSION = 2
"""The version of the event format that this code writes. Events of a newer one are kept and ignored; those of an older
one are read as `memory.upgrade` brings them up to this one."""

OPENED = "opened"
SEEN = "seen"
DRAFT = "draft"
RAN = "ran"
PREDICTED = "predicted"
ANSWERED = "answered"
TICKED = "ticked"
OVERRULED = "overruled"
SETTING = "setting"
LAB = "lab"
ASKED = "asked"
RATED = "rated"
UNDONE = "undone"
FLAGGED = "flagged"
QUIZ = "quiz"
RESET = "reset"
GAVE_UP = "gave-up"


class Event(msgspec.Struct, frozen=True, gc=False):
    """One line of the journal.

    `time` is UTC and strictly increasing within a session; `offset` is the minutes that local time was ahead of UTC
    then, which is what tells the learner's day. `session` is one run of the program. The garbage collector need not
    look at events (`gc=False`): JSON data holds no cycles, and there may be tens of thousands.
    """

    id: str
    v: int
    time: Annotated[datetime, msgspec.Meta(tz=True)]
    offset: Annotated[int, msgspec.Meta(ge=-1440, le=1440)]
    session: str
    kind: str
    data: dict[str, Any]


class Opened(msgspec.Struct, frozen=True):
    """The learner is at this step now; None for a place that is no step, such as the home screen."""

    KIND: ClassVar[str] = OPENED
    lesson: str | None = None
    step: str | None = None


class Seen(msgspec.Struct, frozen=True):
    """A text was read, or a cell was left behind."""

    KIND: ClassVar[str] = SEEN
    step: str


class Draft(msgspec.Struct, frozen=True):
    """What is half typed; no text when there is nothing to keep any more. A review has drafts of its own."""

    KIND: ClassVar[str] = DRAFT
    step: str
    field: Literal["answer", "code", "review-answer", "review-code"]
    text: str | None


class GaveUp(msgspec.Struct, frozen=True):
    """The learner looked at the solution of a code question that they had not solved."""

    KIND: ClassVar[str] = GAVE_UP
    step: str


class Ran(msgspec.Struct, frozen=True):
    """A step's cell ran: how it ended (`runtime.outputs.Ending`), in how many seconds, and whether it was changed."""

    KIND: ClassVar[str] = RAN
    step: str
    ok: bool
    ending: str = ""
    seconds: float = 0.0
    code_changed: bool = False
    figures: dict[str, float] = {}
    """What it measured of the figures that texts quote."""
    cell: str = ""
    """Which cell measured them (`course.figures.fingerprint`), and on which machine."""
    machine: str = ""


class Predicted(msgspec.Struct, frozen=True):
    """The learner committed to a prediction, and has not run the cell yet."""

    KIND: ClassVar[str] = PREDICTED
    step: str
    answer: Any


class Answered(msgspec.Struct, frozen=True):
    """An answer and what the grader said: `verdict` is a `grading.verdict.Verdict` as builtins.

    `version` is that of the question's meaning (`Step.version`); `review` says that it was asked in a review.
    """

    KIND: ClassVar[str] = ANSWERED
    step: str
    answer: Any
    verdict: dict[str, Any]
    kind: str = ""
    lang: str = ""
    seed: int | None = None
    seconds: float | None = None
    hints: int = 0
    grader: int | str | None = None
    version: int = 1
    review: bool = False


class Ticked(msgspec.Struct, frozen=True):
    """After `unsure` the learner ticked the points that answer `answer_event` made; that gives the verdict."""

    KIND: ClassVar[str] = TICKED
    step: str
    answer_event: str
    verdict: dict[str, Any] | str
    points: tuple[str, ...] = ()


class Overruled(msgspec.Struct, frozen=True):
    """The learner holds that the verdict of answer `answer_event` should be another."""

    KIND: ClassVar[str] = OVERRULED
    step: str
    answer_event: str
    verdict: dict[str, Any] | str


class Setting(msgspec.Struct, frozen=True):
    """A setting was changed."""

    KIND: ClassVar[str] = SETTING
    name: str
    value: Any


class Asked(msgspec.Struct, frozen=True):
    """A review put the question, with the values and the order of options that `seed` gives."""

    KIND: ClassVar[str] = ASKED
    step: str
    seed: int
    version: int = 1


class Rated(msgspec.Struct, frozen=True):
    """The learner says that answer `answer_event`, which was right, was easy."""

    KIND: ClassVar[str] = RATED
    step: str
    answer_event: str
    rating: Literal["easy"]


class Undone(msgspec.Struct, frozen=True):
    """Answer `answer_event` does not count: a slip, not what the learner knows. The answer itself is kept."""

    KIND: ClassVar[str] = UNDONE
    step: str
    answer_event: str


class Flagged(msgspec.Struct, frozen=True):
    """The learner holds that the question is bad, as `seed` put it; no note takes that back."""

    KIND: ClassVar[str] = FLAGGED
    step: str
    note: str
    seed: int | None = None
    version: int = 1


class Quiz(msgspec.Struct, frozen=True):
    """A review of these cards, in this order, begins, pauses or ends; `seconds` of its time are used."""

    KIND: ClassVar[str] = QUIZ
    state: Literal["begun", "paused", "ended"]
    cards: tuple[str, ...] = ()
    minutes: float = 0.0
    seconds: float = 0.0
    about: str = ""
    """How the cards were chosen: `due`, `ahead`, `weak` or `lesson:ID`."""


class LabRun(msgspec.Struct, frozen=True):
    """An experiment that was run in the lab: what was asked, on what it was measured, and all that came out.

    `views` are those of `kernels.lab.result.View.to_dict`. `sketch` is what the learner drew before it ran.
    """

    KIND: ClassVar[str] = LAB
    experiment: str
    parameters: dict[str, Any]
    views: tuple[dict[str, Any], ...]
    seed: int = 0
    command: str = ""
    device: str = ""
    versions: dict[str, str] = {}
    seconds: float = 0.0
    sketch: dict[str, Any] | None = None


class Reset(msgspec.Struct, frozen=True):
    """What happened to these steps before this counts no more; without any, everything. Nothing is deleted."""

    KIND: ClassVar[str] = RESET
    steps: tuple[str, ...] | None = None
    lesson: str | None = None


Entry = (
    Opened
    | Seen
    | Draft
    | Ran
    | Predicted
    | Answered
    | Ticked
    | Overruled
    | Setting
    | Asked
    | Rated
    | Undone
    | Flagged
    | Quiz
    | LabRun
    | Reset
    | GaveUp
)
_ENTRIES: dict[str, type[Entry]] = {entry.KIND: entry for entry in get_args(Entry)}


def entry_of(event: Event) -> Entry | None:
    """The event's data as the struct of its kind; None if this version does not know it or it does not fit."""
    known = _ENTRIES.get(event.kind)
    if known is None or event.v > VERSION:
        return None
    data = event.data if event.v == VERSION else upgraded(event.kind, event.v, event.data)
    try:
        return msgspec.convert(data, known)
    except msgspec.ValidationError:
        return None


def word_of(verdict: dict[str, Any] | str) -> str:
    """The verdict's word, `right`, `unsure` and so on; empty if there is none in it."""
    word = verdict if isinstance(verdict, str) else verdict.get("verdict")
    return word if isinstance(word, str) else ""
