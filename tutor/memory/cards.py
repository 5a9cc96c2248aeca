"""What reviews ask: a card for each question of the course, one for a question and its twin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

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


class Card(msgspec.Struct, frozen=True):
    """A thing to be remembered: the questions that ask it, of several kinds where it has twins, asked by turns."""

    id: str
    """The id of its first question."""
    steps: tuple[Question, ...]
    lesson: str
    """The lesson that its first question belongs to."""

    @property
    def claims(self) -> tuple[str, ...]:
        """The claims that it is about, each once."""
        return tuple(dict.fromkeys(claim for step in self.steps for claim in step.claims))

    @property
    def exercise(self) -> bool:
        """Whether it is code to write, which takes longer and comes back less often."""
        return any(isinstance(step, ExerciseStep | BreakStep) for step in self.steps)

    @property
    def varies(self) -> bool:
        """Whether one of its questions is made afresh at each review, with an answer that is computed."""
        return any(bool(step.vary) for step in self.steps if isinstance(step, NumberStep | PredictStep))

    @property
    def misconceptions(self) -> frozenset[str]:
        """The names of the wrong ideas that it tells apart."""
        return frozenset(name for step in self.steps for name in _named(step))


def cards_of(course: Course) -> tuple[Card, ...]:
    """The cards of a course, in its order. What a step has been called by its twin counts both ways."""
    owned = [(lesson.id, step) for lesson in course.lessons for step in lesson.own_steps if isinstance(step, QUESTIONS)]
    groups = _groups(step for _lesson, step in owned)
    cards: dict[str, list[tuple[str, Question]]] = {}
    for lesson, step in owned:
        cards.setdefault(groups[step.id], []).append((lesson, step))
    return tuple(
        Card(members[0][1].id, tuple(step for _lesson, step in members), members[0][0]) for members in cards.values()
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
