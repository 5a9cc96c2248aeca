"""Takes the history to another machine and back: whole lines, as they were written, each event once.

An export is itself a journal. Importing adds to the journal what it does not hold yet, in a file of its own, all of it
or nothing; doing it twice adds nothing.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from tutor.memory.history import SUFFIX, files, lines_of
from tutor.memory.lines import checked


class Line(NamedTuple):
    """A line whose checksum fits, and the id of the event in it; also of an event that this version cannot read."""

    id: str
    time: str
    data: bytes


class Collected(NamedTuple):
    """The lines that were found, each event once, in order of time; and how many lines were damaged."""

    lines: tuple[Line, ...]
    damaged: int


class Imported(NamedTuple):
    """How many events were added, were there already, and how many damaged lines were left out."""

    added: int
    known: int
    damaged: int


def collect(sources: Iterable[bytes]) -> Collected:
    """The events in some files' contents."""
    found: dict[str, Line] = {}
    damaged = 0
    for data in sources:
        for raw, last in lines_of(data):
            line = _line(raw)
            if line is not None:
                found.setdefault(line.id, line)
            elif raw:
                damaged += not last  # a last line without its end was never said to be saved
    return Collected(tuple(sorted(found.values(), key=lambda line: (line.time, line.id))), damaged)


def exported(directory: Path) -> Collected:
    """Everything in the journal. OSError where a file of it cannot be read."""
    return collect(path.read_bytes() for path in files(directory))


def import_from(sources: Iterable[bytes], directory: Path) -> Imported:
    """Adds what the journal does not hold yet. OSError where that cannot be written; then nothing was added."""
    offered = collect(sources)
    known = {line.id for line in exported(directory).lines} if directory.is_dir() else set()
    new = [line for line in offered.lines if line.id not in known]
    if new:
        _write(directory, b"".join(line.data + b"\n" for line in new))
    return Imported(len(new), len(offered.lines) - len(new), offered.damaged)


def contents(paths: Iterable[Path]) -> Iterator[bytes]:
    """The contents of files, and of the journal files of directories. OSError where one cannot be read."""
    for path in paths:
        if path.is_dir():
            yield from (file.read_bytes() for file in files(path))
        else:
            yield path.read_bytes()


def _line(raw: bytes) -> Line | None:
    body = checked(raw)
    if body is None:
        return None
    try:
        event = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    id, time = (event.get("id"), event.get("time")) if isinstance(event, dict) else (None, None)
    return Line(id, str(time), raw) if isinstance(id, str) and id else None


def _write(directory: Path, data: bytes) -> None:
    from tutor.memory.whole_file import replace

    if not directory.is_dir():
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-import-{os.getpid()}-{secrets.token_hex(4)}{SUFFIX}"
    replace(directory / name, data)
