from __future__ import annotations

import pytest

from tutor.course.lint import lint
from tutor.course.load import load_course


def twin(files, kind: str, named: str) -> dict[str, str]:
    """The sound step of a kind with a `twin`."""
    first = "  body:" if kind == "text" else "  prompt:"
    return files.changed(kind, first, f"  twin: {named}\n{first}")


@pytest.mark.parametrize(
    ("kind", "named", "says"),
    [
        ("short", "which-axis", None),
        ("choice", "rms", None),
        ("short", "rq4", "`twin` names `rq4`, which is no other question of the course"),
        ("short", "which-axes", "which is no other question of the course; did you mean `which-axis`?"),
        ("short", "stream", "which is no other question of the course"),
        ("short", "nothing-like-it", "which is no other question of the course"),
        ("text", "which-axis", "only a question has a `twin`"),
    ],
)
def test_a_twin_is_another_question_of_the_course(files, kind, named, says):
    changed = twin(files, kind, named)
    found = files.lint(**changed)
    if says is None:
        assert found == []
    else:
        ((line, message),) = found
        assert says in message
        assert line == files.line(files.sound(**changed), "  twin:")


def test_a_twin_of_the_same_kind_is_none(files):
    sound = files.sound()
    second = sound.replace("id: sound", "id: second")
    for id in ("stream", "try-it", "which-axis", "rms", "guess", "rq4"):
        second = second.replace(f"- id: {id}\n", f"- id: {id}2\n")
    files.write(second, "second.yaml")
    files.write(files.sound(**twin(files, "short", "rq42")))
    ((message),) = [finding.message for finding in lint(load_course(files.root))]
    assert "`twin` names `rq42`, which is a `short` too: a twin is of another kind" in message
