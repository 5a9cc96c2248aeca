"""The claims ledger: whether a course teaches each claim of its claims.yaml, in the way that the entry says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from tutor.course.citations import cites
from tutor.course.load import BESIDE_LESSONS
from tutor.course.locate import Places
from tutor.course.model import LIVE_STEPS, QUESTIONS, AnyStep, Claim, Course, Finding, Lesson
from tutor.course.yaml_lines import quoted

Taught = list[tuple[Lesson, AnyStep]]


def ledger(course: Course) -> Iterator[Finding]:
    """The findings about claims that are taught nowhere, or otherwise than they are to be shown."""
    if any(PurePath(finding.file).name not in BESIDE_LESSONS for finding in course.findings):
        return  # a lesson that could not be loaded may teach what seems to be missing
    places = Places(course)
    for id, claim in course.claims.items():
        taught = teaching(course, id)
        if message := _missing(claim, taught):
            yield places.of_claim(id, message, "show" if taught else "id")


def teaching(course: Course, claim: str) -> Taught:
    """The steps that teach a claim, each in the lesson that it belongs to."""
    return [(lesson, step) for lesson in course.lessons for step in lesson.own_steps if claim in step.claims]


def _missing(claim: Claim, taught: Taught) -> str:
    if not taught:
        return "no step teaches it: name it in the `claims` of one that does"
    steps = ", ".join(quoted(step.id) for _, step in taught)
    match claim.show:
        case "measure" if not any(isinstance(step, LIVE_STEPS) for _, step in taught):
            return f"it is to be measured, and no cell or prediction teaches it, only {steps}"
        case "derive" if not any(isinstance(step, QUESTIONS) for _, step in taught):
            return f"it is to be derived, and no question asks for that: it is taught by {steps}"
        case "cite" if not any(cites(lesson, step) for lesson, step in taught):
            return f"it is to be cited, and no step that teaches it names a source of its lesson: {steps}"
    return ""
