"""Figures in the app: texts that quote them show what the learner's own cells have measured."""

from __future__ import annotations

from typing import Any, TypeVar

from tutor.course import figures
from tutor.course.model import AnyStep, Course
from tutor.memory import measured
from tutor.memory.progress import Progress
from tutor.runtime.outputs import Finished

Part = TypeVar("Part")


class Measurements:
    """The figures of the course, and which of them the Python that runs now can still be trusted to measure.

    The cells of a lesson share their variables. Once one was run with other code than its author's, what the others
    measure is another experiment than the one that the texts speak of.
    """

    def __init__(self, course: Course, progress: Progress) -> None:
        self.known = measured.figures(course, progress)
        self._lessons = [{step.id for step in lesson.steps} for lesson in course.lessons]
        self._steps: dict[str, AnyStep] = {step.id: step for lesson in course.lessons for step in lesson.steps}
        self._altered: set[str] = set()

    def own(self, step: AnyStep) -> AnyStep:
        """The step as the course has it, with its references."""
        return self._steps.get(step.id, step)

    def filled(self, step: AnyStep) -> AnyStep:
        """The step as it is shown and graded: with numbers instead of references."""
        return self.known.fill(self.own(step))

    def ran(self, step: AnyStep, finished: Finished, *, changed_code: bool) -> dict[str, Any]:
        """A run ended: keep what it measured, and give what its event says of it."""
        if changed_code:
            self._altered.add(step.id)
            return {}
        if finished.ending != "ok":
            return {}
        self._altered.discard(step.id)
        if any(self._altered & ids for ids in self._lessons if step.id in ids):
            return {}
        found = figures.measured(self.own(step), finished.values)
        if found:
            self.known.measured[step.id] = found
        return measured.noted(self.own(step), found)

    def new_python(self) -> None:
        """Variables are gone, and what altered code made of them."""
        self._altered.clear()
