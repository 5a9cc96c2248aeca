"""Steps that a lesson shows and another owns: put in their places when all lessons are loaded."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from tutor.course.model import AnyStep, Lesson


def with_borrowed_steps(lessons: Iterable[Lesson]) -> tuple[Lesson, ...]:
    """The lessons with the steps they borrow. A step that no other lesson has is left out: the lint reports it."""
    lessons = tuple(lessons)
    owned = {step.id: step for lesson in lessons for step in lesson.steps}
    return tuple(_filled(lesson, owned) if lesson.borrows else lesson for lesson in lessons)


def _filled(lesson: Lesson, owned: dict[str, AnyStep]) -> Lesson:
    steps = list(lesson.steps)
    for entry in lesson.borrows:
        if entry.step not in owned or any(step.id == entry.step for step in steps):
            continue
        places = [index for index, step in enumerate(steps) if step.id == entry.after]
        steps.insert(places[0] + 1 if places else len(steps), owned[entry.step])
    return msgspec.structs.replace(lesson, steps=tuple(steps))
