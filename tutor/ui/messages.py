"""What happened: workers post these, screens react to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:  # the first paint needs none of these
    from tutor.course.model import Course
    from tutor.grading.verdict import Verdict
    from tutor.memory.journal import History, Journal
    from tutor.memory.progress import Progress
    from tutor.memory.reviews import Reviews
    from tutor.memory.settings import Found
    from tutor.runtime.outputs import Finished
    from tutor.ui.lab_run import Run


@dataclass
class CourseRead(Message):
    """The course, the learner's history and their settings are in memory."""

    course: Course
    journal: Journal
    history: History
    progress: Progress
    settings: Found
    reviews: Reviews
    agreed: bool
    """Whether the code of the course may run here."""


class KernelChanged(Message):
    """The device is known, or the kernel's state or its detail changed; only the newest matters."""

    def can_replace(self, message: Message) -> bool:
        """Collapse a burst of changes."""
        return isinstance(message, KernelChanged)


@dataclass
class CellStarted(Message):
    """A run of the cell of `step` began."""

    step: str


@dataclass
class CellFinished(Message):
    """A run of the cell of `step` ended, with a verdict if it settled a prediction."""

    step: str
    finished: Finished
    verdict: Verdict | None = None


@dataclass
class Judging(Message):
    """How far the judge is with the answer to `step`."""

    step: str
    note: str


@dataclass
class Judged(Message):
    """The judge's verdict on the answer to `step` is there; it has been written down."""

    step: str
    verdict: Verdict


class LabMoved(Message):
    """The experiment that runs got further, or has new curves; only the newest matters."""

    def can_replace(self, message: Message) -> bool:
        """Collapse a burst of changes."""
        return isinstance(message, LabMoved)


@dataclass
class LabEnded(Message):
    """An experiment ended: with its run, which has been written down, or with what went wrong."""

    run: Run | None
    trouble: str


class SavedChanged(Message):
    """Something became safe on disk, or cannot be written at the moment."""

    def can_replace(self, message: Message) -> bool:
        """Collapse a burst of changes."""
        return isinstance(message, SavedChanged)
