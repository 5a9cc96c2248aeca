"""Questions that test the same in two ways: what their `twin` fields must say."""

from __future__ import annotations

from collections.abc import Iterator

from tutor.course.issues import Issue
from tutor.course.model import QUESTIONS, AnyStep, Course
from tutor.course.yaml_lines import quoted, suggestion


def twin_issues(course: Course, step: AnyStep) -> Iterator[Issue]:
    """A twin is another question of the course, and of another kind: else the same would be asked twice alike."""
    if not step.twin:
        return
    if not isinstance(step, QUESTIONS):
        yield Issue(("twin",), "only a question has a `twin`")
        return
    others = {
        other.id: other for lesson in course.lessons for other in lesson.own_steps if isinstance(other, QUESTIONS)
    }
    twin = others.get(step.twin)
    if step.twin == step.id or twin is None:
        message = f"`twin` names {quoted(step.twin)}, which is no other question of the course"
        yield Issue(("twin",), message + suggestion(step.twin, others.keys() - {step.id}))
    elif type(twin) is type(step):
        kind = step.__struct_config__.tag
        yield Issue(("twin",), f"`twin` names {quoted(step.twin)}, which is a `{kind}` too: a twin is of another kind")
