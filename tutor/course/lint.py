"""What is wrong with a course beyond what its types say. Only the structure: nothing here grades, runs or renders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

from tutor.course.citations import citation_issues
from tutor.course.figure_rules import references
from tutor.course.figures import declared
from tutor.course.issues import Issue
from tutor.course.languages import untranslated
from tutor.course.load import BESIDE_LESSONS, CLAIMS, GLOSSARY
from tutor.course.locate import Places
from tutor.course.model import LIVE_STEPS, AnyStep, Course, Finding, Lesson
from tutor.course.rules import clean, issues
from tutor.course.twins import twin_issues
from tutor.course.yaml_lines import quoted, suggestion


def lint(course: Course, lessons: Iterable[Lesson] | None = None) -> list[Finding]:
    """The findings about all lessons that could be loaded, or about some; `course.findings` holds the others."""
    context = _Context(course)
    return [
        finding
        for lesson in (course.lessons if lessons is None else lessons)
        for finding in (*_lesson(lesson, context), *_steps(lesson, context))
    ]


class _Context:
    """What the rules look up in the whole course."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.places = Places(course)
        # A lesson, a glossary or a list of claims that could not be read is a finding already: do not miss it again.
        unread = {PurePath(finding.file).name for finding in course.findings}
        self.claims = None if CLAIMS in unread else course.claims
        self.glossary = course.glossary if course.glossary or GLOSSARY not in unread else None
        self.complete = unread <= set(BESIDE_LESSONS)
        steps = {step.id: step for lesson in course.lessons for step in lesson.own_steps}
        self.steps = frozenset(steps)
        self.cells = {id: step for id, step in steps.items() if isinstance(step, LIVE_STEPS)}
        self.figures = {id: declared(step) for id, step in self.cells.items() if declared(step)}

    def references(self, part: Any, but: tuple[str, ...] = ()) -> Iterator[Issue]:
        return references(part, self.figures, self.cells, complete=self.complete, but=but)


def _lesson(lesson: Lesson, context: _Context) -> Iterator[Finding]:
    places = context.places
    ids = {other.id for other in context.course.lessons}
    for index, need in enumerate(lesson.needs):
        if need == lesson.id or (need not in ids and not places.beside(lesson, need)):
            message = f"`needs` names {quoted(need)}, which is no other lesson of the course"
            yield places.finding(lesson, None, message + suggestion(need, ids - {lesson.id}), "needs", index)
    if lesson.minutes < 1:
        yield places.finding(lesson, None, "`minutes` must be at least 1", "minutes")
    for name in ("title", "goals", "sources"):
        for issue in clean(getattr(lesson, name), (name,)):
            yield places.finding(lesson, None, issue.message, *issue.path, row=issue.row)
    yield from _borrows(context, lesson, places)
    for issue in context.references(lesson, but=("steps",)):
        yield places.finding(lesson, None, issue.message, *issue.path, row=issue.row)
    yield from untranslated(lesson, None, places)


def _steps(lesson: Lesson, context: _Context) -> Iterator[Finding]:
    places = context.places
    for step in lesson.own_steps:
        for issue in _step(lesson, step, context):
            yield places.finding(lesson, step, issue.message, *issue.path, row=issue.row)
        yield from untranslated(lesson, step, places)


def _step(lesson: Lesson, step: AnyStep, context: _Context) -> Iterator[Issue]:
    for index, claim in enumerate(step.claims):
        if context.claims is not None and claim not in context.claims:
            yield Issue(("claims", index), f"claims.yaml has no {quoted(claim)}{suggestion(claim, context.claims)}")
    if context.complete or step.twin in context.steps:
        yield from twin_issues(context.course, step)
    yield from context.references(step)
    yield from citation_issues(lesson, step)
    yield from issues(step, context.glossary)


def _borrows(context: _Context, lesson: Lesson, places: Places) -> Iterator[Finding]:
    elsewhere = {step.id for other in context.course.lessons if other.id != lesson.id for step in other.own_steps}
    ids = {step.id for step in lesson.steps}
    for index, entry in enumerate(lesson.borrows):
        if entry.step not in elsewhere and context.complete:
            message = f"`borrows` names {quoted(entry.step)}, which is no step of another lesson"
            yield places.finding(lesson, None, message + suggestion(entry.step, elsewhere), "borrows", index)
        if entry.after and entry.after not in ids and context.complete:
            message = f"`after` names {quoted(entry.after)}, which is no step of this lesson"
            yield places.finding(lesson, None, message + suggestion(entry.after, ids), "borrows", index, "after")
