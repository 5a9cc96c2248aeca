"""The cards of a course: one for each question, one for a question and its twins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tutor.course.model import (
    QUESTIONS,
    BreakStep,
    Course,
    ExerciseStep,
    NumberStep,
    PredictStep,
    Question,
    ShortStep,
)
from tutor.memory.card import Asked, Card

__all__ = ["Asked", "Card", "cards_of"]


def cards_of(course: Course) -> tuple[Card, ...]:
    """The cards of a course, in its order. Questions are twins whichever of them names the other."""
    owned = [(lesson.id, step) for lesson in course.lessons for step in lesson.own_steps if isinstance(step, QUESTIONS)]
    groups = _groups(step for _lesson, step in owned)
    members: dict[str, list[tuple[str, Question]]] = {}
    for lesson, step in owned:
        members.setdefault(groups[step.id], []).append((lesson, step))
    return tuple(_card(together[0][0], [step for _lesson, step in together]) for together in members.values())


def _card(lesson: str, steps: list[Question]) -> Card:
    return Card(
        id=steps[0].id,
        lesson=lesson,
        questions=tuple(Asked(step.id, step.version) for step in steps),
        claims=tuple(dict.fromkeys(claim for step in steps for claim in step.claims)),
        misconceptions=tuple(dict.fromkeys(name for step in steps for name in _named(step))),
        exercise=any(isinstance(step, ExerciseStep | BreakStep) for step in steps),
        varies=any(bool(step.vary) for step in steps if isinstance(step, NumberStep | PredictStep)),
    )


def _groups(steps: Iterable[Question]) -> dict[str, str]:
    """For each question the name of its group: questions that name each other as twins are together."""
    steps = list(steps)
    groups = {step.id: step.id for step in steps}
    for step in steps:
        if step.twin in groups:
            old, new = groups[step.twin], groups[step.id]
            groups = {id: new if group == old else group for id, group in groups.items()}
    return groups


def _named(step: Question) -> Iterator[str]:
    """An option's id names the option, and the number of a wrong value its place; these name an idea."""
    if isinstance(step, ShortStep):
        yield from (misconception.id for misconception in step.misconceptions)
    elif isinstance(step, ExerciseStep):
        yield from (mutant.id for mutant in step.mutants)
