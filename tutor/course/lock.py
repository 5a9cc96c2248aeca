"""Published ids: learners' histories hang on them, so that none may go, or come to mean another kind of step."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import NamedTuple

from tutor.course.load import BESIDE_LESSONS, shown
from tutor.course.model import Course, Finding
from tutor.course.yaml_lines import quoted, suggestion

LOCK = "ids.lock"
LESSON = "lesson"
_LINE = re.compile(r"([a-z0-9-]+) ([a-z]+)")
_HEAD = """\
# Ids that learners' histories hang on, and what each is. `normtutor check` fails when one goes or becomes another kind.
# `normtutor check --publish` adds those that are new.
"""


class Published(NamedTuple):
    """An entry of the lock: the kind that an id had when it was published, and its line."""

    kind: str
    line: int


def ids(course: Course) -> dict[str, str]:
    """The ids of a course and what each is: `lesson`, or the kind of its step."""
    found = {lesson.id: LESSON for lesson in course.lessons}
    for lesson in course.lessons:
        found |= {step.id: str(type(step).__struct_config__.tag) for step in lesson.own_steps}
    return found


def lock_issues(course: Course) -> Iterator[Finding]:
    """Published ids that the course does not have any more, or not as what they were."""
    if any(PurePath(finding.file).name not in BESIDE_LESSONS for finding in course.findings):
        return  # an id that seems to be missing may be in a lesson that could not be loaded
    path = _path(course)
    published, found = _read(path)
    yield from found
    now = ids(course)
    for id, (kind, line) in published.items():
        if id not in now:
            message = f"the published id {quoted(id)} ({kind}) is gone{suggestion(id, now)}: ids never change"
            yield Finding(shown(path), line, None, message)
        elif now[id] != kind:
            message = f"{quoted(id)} was published as {kind} and is {now[id]} now: give the new one an id of its own"
            yield Finding(shown(path), line, id, message)


def publish(course: Course) -> list[str]:
    """Adds the ids that are new to the lock, which is made where there is none; those that were added."""
    path = _path(course)
    published, _ = _read(path)
    now = ids(course)
    new = sorted(now.keys() - published.keys())
    if new:
        kinds = {id: entry.kind for id, entry in published.items()} | {id: now[id] for id in new}
        path.write_text(_HEAD + "".join(f"{id} {kinds[id]}\n" for id in sorted(kinds)), encoding="utf-8")
    return new


def _path(course: Course) -> Path:
    return Path(course.directory) / LOCK


def _read(path: Path) -> tuple[dict[str, Published], list[Finding]]:
    """The entries of a lock by id, and the lines that are none."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}, []
    except (OSError, UnicodeDecodeError) as error:
        return {}, [Finding(shown(path), 1, None, f"the file cannot be read: {error}")]
    published: dict[str, Published] = {}
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        entry = _LINE.fullmatch(line.strip())
        if entry is not None and entry[1] not in published:
            published[entry[1]] = Published(entry[2], number)
        elif line.strip() and not line.startswith("#"):
            message = f"{quoted(line.strip())} is there twice" if entry else f"{quoted(line.strip())} is no `id kind`"
            found.append(Finding(shown(path), number, None, message))
    return published, found
