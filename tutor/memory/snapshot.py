"""What `normtutor due` needs, kept beside the journal so that it need not be worked out again: cards and their states.

It is a shadow of the course, the journal and the settings, made anew whenever one of them is not what it was made
from, and never the only place of anything. Imports nothing slow.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from tutor import __version__
from tutor.memory.card import Asked, Card
from tutor.memory.days import FIRST
from tutor.memory.due import CardState

FILE = "reviews.json"
FORMAT = 1
SUFFIX = ".jsonl"
"""Of the journal's files."""
COURSE_VARIABLE = "NORMTUTOR_COURSE"
MAX_TAIL = 4 * 2**20
"""Bytes that were added to the journal since, and are looked through rather than everything read again."""

COUNTS = re.compile(rb'"kind": ?"(?:answered|ticked|overruled|rated|undone|flagged|reset)"')
"""A line that holds an event which can change what is due."""

Stamp = tuple[str, int, int]
"""A file: its name, its size in bytes, and when it was last changed, in nanoseconds."""


class Sources(NamedTuple):
    """What a snapshot is made from, as far as the file system tells it."""

    journal: tuple[Stamp, ...]
    course: tuple[str, ...]
    """Where the course is looked for, and its files, each as one text."""
    settings: str


class Snapshot(NamedTuple):
    """The cards of the course, their states as of `today`, and the settings that count for them."""

    cards: tuple[Card, ...]
    states: tuple[CardState, ...]
    today: date
    newest: date
    """The last day that an answer is of; a wrong clock may have put it ahead of today."""
    limit: int
    rollover: int
    zone: str
    language: str


def sources(directory: Path, course: Path, settings: Path) -> Sources:
    """How the files are now. Taken before they are read: what is added meanwhile then shows."""
    of_course = [f"{name} {size} {time}" for name, size, time in _stamps(course, ".yaml")]
    where = f"{os.environ.get(COURSE_VARIABLE, '')} {course}"
    return Sources(tuple(_stamps(directory, SUFFIX)), (where, *of_course), _stamp_of(settings))


def any_journal(directory: Path) -> bool:
    """Whether there is anything that a snapshot could be made from."""
    return bool(_stamps(directory, SUFFIX))


def write(directory: Path, sources: Sources, snapshot: Snapshot) -> bool:
    """Keeps a snapshot; whether that could be done. Without one all is as it was, and slower."""
    from tutor.memory.whole_file import replace

    document = {
        "format": FORMAT,
        "program": __version__,
        "sources": sources._asdict(),
        "snapshot": snapshot._asdict(),
    }
    try:
        replace(directory / FILE, json.dumps(document, default=str, separators=(",", ":")).encode())
    except OSError:
        return False
    return True


def read(directory: Path) -> tuple[Snapshot, Sources] | None:
    """The snapshot and what it was made from; None where there is none, or where its cards are not the course's of now.

    Whether the states are those of now is for `fits` to say.
    """
    try:
        document = json.loads((directory / FILE).read_bytes())
        if document["format"] != FORMAT or document["program"] != __version__:
            return None
        found = _sources_from(document["sources"])
        variable, _, root = found.course[0].partition(" ")
        if variable != os.environ.get(COURSE_VARIABLE, "") or not _is_ours(Path(root), variable):
            return None
        if sources(directory, Path(root), directory).course != found.course:
            return None
        return _snapshot_from(document["snapshot"]), found
    except (OSError, ValueError, TypeError, KeyError, LookupError, AttributeError, RecursionError):
        return None


def fits(snapshot: Snapshot, made_from: Sources, directory: Path, settings: Path, today: date) -> bool:
    """Whether nothing has happened since that could change the states.

    Files of the journal only grow. What was added is looked through for events that count; drafts and the like do not.
    """
    wrong_clock = snapshot.newest > snapshot.today or snapshot.today < FIRST
    if today < snapshot.today or (wrong_clock and today != snapshot.today):
        return False
    if made_from.settings != _stamp_of(settings):
        return False
    before = {name: (size, time) for name, size, time in made_from.journal}
    now = {name: (size, time) for name, size, time in _stamps(directory, SUFFIX)}
    if not before.keys() <= now.keys():
        return False
    for name, (size, time) in now.items():
        known, changed = before.get(name, (0, 0))
        if size == known and time == changed:
            continue
        if size <= known and known:
            return False
        if size - known > MAX_TAIL or _counts(directory / name, known):
            return False
    return True


def _counts(path: Path, start: int) -> bool:
    """Whether what follows after `start` may change what is due, or cannot be told."""
    try:
        with path.open("rb") as file:
            # A line that was torn then may have been written whole since: what is looked at begins with its start.
            file.seek(max(0, start - 1))
            before = file.read(1) if start else b"\n"
            return before != b"\n" or COUNTS.search(file.read(MAX_TAIL + 1)) is not None
    except OSError:
        return True


def _stamps(directory: Path, suffix: str) -> list[Stamp]:
    found = []
    with suppress(OSError):
        if directory.is_file():
            return [_stamp(directory.name, directory.stat())]
        for entry in os.scandir(directory):
            if entry.name.endswith(suffix):
                with suppress(OSError):
                    found.append(_stamp(entry.name, entry.stat()))
    return sorted(found)


def _stamp(name: str, status: os.stat_result) -> Stamp:
    return name, status.st_size, status.st_mtime_ns


def _stamp_of(path: Path) -> str:
    try:
        _name, size, time = _stamp(path.name, path.stat())
    except OSError:
        return str(path)
    return f"{path} {size} {time}"


def _is_ours(root: Path, variable: str) -> bool:
    """Whether a course without a variable to name it is this program's own, and not that of another checkout."""
    package = Path(__file__).resolve().parents[1]
    return bool(variable) or root in (package / "_lessons", package.parent / "lessons")


def _sources_from(found: dict[str, Any]) -> Sources:
    journal = tuple((str(name), int(size), int(time)) for name, size, time in found["journal"])
    return Sources(journal, tuple(str(line) for line in found["course"]), str(found["settings"]))


def _snapshot_from(found: dict[str, Any]) -> Snapshot:
    return Snapshot(
        cards=tuple(_card(row) for row in found["cards"]),
        states=tuple(_state(row) for row in found["states"]),
        today=date.fromisoformat(found["today"]),
        newest=date.fromisoformat(found["newest"]),
        limit=int(found["limit"]),
        rollover=int(found["rollover"]),
        zone=str(found["zone"]),
        language=str(found["language"]),
    )


def _card(row: list[Any]) -> Card:
    card = Card(*row)
    return card._replace(
        questions=tuple(Asked(*asked) for asked in card.questions),
        claims=tuple(card.claims),
        misconceptions=tuple(card.misconceptions),
    )


def _state(row: list[Any]) -> CardState:
    state = CardState(*row)
    return state._replace(due=_day(state.due) or date.min, last=_day(state.last), reviewed=_day(state.reviewed))


def _day(value: Any) -> date | None:
    return None if value is None else date.fromisoformat(value)
