"""What is wrong with a course beyond what its types say. Only the structure: nothing here grades, runs or renders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from tutor.course.figure_rules import references
from tutor.course.figures import declared
from tutor.course.load import CLAIMS, GLOSSARY
from tutor.course.locate import Places
from tutor.course.model import LIVE_STEPS, Course, Finding, Lesson
from tutor.course.rules import clean, issues
from tutor.course.yaml_lines import quoted, suggestion


def lint(course: Course) -> list[Finding]:
    """The findings about the lessons that could be loaded; `course.findings` holds the others."""
    places = Places(course)
    # A lesson, a glossary or a list of claims that could not be read is a finding already: do not miss it again.
    unread = {PurePath(finding.file).name for finding in course.findings}
    return [finding for lesson in course.lessons for finding in _lesson(course, lesson, places, unread)]


def _lesson(course: Course, lesson: Lesson, places: Places, unread: set[str]) -> Iterator[Finding]:
    ids = {other.id for other in course.lessons}
    for index, need in enumerate(lesson.needs):
        if need == lesson.id or (need not in ids and not places.beside(lesson, need)):
            message = f"`needs` names {quoted(need)}, which is no other lesson of the course"
            yield places.finding(lesson, None, message + suggestion(need, ids - {lesson.id}), "needs", index)
    if lesson.minutes < 1:
        yield places.finding(lesson, None, "`minutes` must be at least 1", "minutes")
    for name in ("title", "goals", "sources"):
        for issue in clean(getattr(lesson, name), (name,)):
            yield places.finding(lesson, None, issue.message, *issue.path, row=issue.row)
    yield from _borrows(course, lesson, places)
    for step in lesson.own_steps:
    figures = {step.id: declared(step) for other in course.lessons for step in other.steps if declared(step)}
    cells = {step.id: step for other in course.lessons for step in other.steps if isinstance(step, LIVE_STEPS)}
    for issue in references(lesson, figures, cells, but=("steps",)):
        yield places.finding(lesson, None, issue.message, *issue.path, row=issue.row)
        for index, claim in enumerate(step.claims):
            if claim not in course.claims and CLAIMS not in unread:
                message = f"claims.yaml has no {quoted(claim)}{suggestion(claim, course.claims)}"
                yield places.finding(lesson, step, message, "claims", index)
        for issue in issues(step, course.glossary if course.glossary or GLOSSARY not in unread else None):
            yield places.finding(lesson, step, issue.message, *issue.path, row=issue.row)


def _borrows(course: Course, lesson: Lesson, places: Places) -> Iterator[Finding]:
    elsewhere = {step.id for other in course.lessons if other.id != lesson.id for step in other.own_steps}
    ids = {step.id for step in lesson.steps}
    for index, entry in enumerate(lesson.borrows):
        if entry.step not in elsewhere:
            message = f"`borrows` names {quoted(entry.step)}, which is no step of another lesson"
            yield places.finding(lesson, None, message + suggestion(entry.step, elsewhere), "borrows", index)
        if entry.after and entry.after not in ids:
            message = f"`after` names {quoted(entry.after)}, which is no step of this lesson"
            yield places.finding(lesson, None, message + suggestion(entry.after, ids), "borrows", index, "after")
