"""The Python in a course: what a learner agrees to run."""

from __future__ import annotations

from tutor.course.model import CODE_QUESTIONS, LIVE_STEPS, Course
from tutor.text.i18n import ngettext


def counted(course: Course) -> str:
    """How much of it there is, in words."""
    steps = [step for lesson in course.lessons for step in lesson.own_steps]
    cells = sum(isinstance(step, LIVE_STEPS) for step in steps)
    exercises = sum(isinstance(step, CODE_QUESTIONS) for step in steps)
    return ", ".join(
        [
            ngettext("{n} cell", "{n} cells", cells).format(n=cells),
            ngettext("{n} exercise", "{n} exercises", exercises).format(n=exercises),
        ]
    )


def has_code(course: Course) -> bool:
    """Whether anything of it can run."""
    return any(isinstance(step, LIVE_STEPS + CODE_QUESTIONS) for lesson in course.lessons for step in lesson.steps)
