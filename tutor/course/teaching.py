"""Which steps teach what a question is about: where to go back to after a wrong answer."""

from __future__ import annotations

from dataclasses import dataclass

from tutor.course.model import AnyStep, CellStep, Course, Lesson, PredictStep, TextStep

_TEACHES = (TextStep, CellStep, PredictStep)
"""Kinds that show something; the others only ask."""


@dataclass(frozen=True)
class Taught:
    """A step that teaches some of a question's claims, and the lesson that it belongs to."""

    lesson: Lesson
    step: AnyStep
    claims: frozenset[str]

    @property
    def number(self) -> int:
        """Which step of its lesson it is, from 1 on."""
        return [step.id for step in self.lesson.steps].index(self.step.id) + 1


def taught_in(course: Course, question: AnyStep) -> tuple[Taught, ...]:
    """As few steps as teach all claims of `question` that are taught at all, in order of study.

    Of two steps that teach as many of them the earlier one is taken. The last step of a lesson sums it up: it is named
    only for what no other step teaches. The question itself is never among them.
    """
    left = frozenset(question.claims)
    found = [
        Taught(lesson, step, left & frozenset(step.claims))
        for lesson in course.lessons
        for step in lesson.own_steps
        if isinstance(step, _TEACHES) and step.id != question.id and left & frozenset(step.claims)
    ]
    last = {lesson.own_steps[-1].id for lesson in course.lessons if lesson.own_steps}
    explained = frozenset[str]().union(*(taught.claims for taught in found if taught.step.id not in last))
    candidates = [taught for taught in found if taught.step.id not in last or taught.claims - explained]
    chosen = []
    while left:
        best = max(candidates, key=lambda taught: len(taught.claims & left), default=None)
        if best is None or not best.claims & left:
            break
        chosen.append(best)
        left -= best.claims
    return tuple(taught for taught in candidates if taught in chosen)
