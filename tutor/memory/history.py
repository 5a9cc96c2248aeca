"""Reads a journal: every file of a directory, merged by time, whatever state the files are in."""

from __future__ import annotations

import gc
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec

from tutor.memory.events import Event
from tutor.memory.lines import DamagedLineError, decode
from tutor.memory.places import state_directory

SUFFIX = ".jsonl"
MAX_FILE = 512 * 2**20
"""Bytes. One run writes some kilobytes; a file as large as this is not ours."""


class Problem(msgspec.Struct, frozen=True):
    """Something in the journal that could not be read. It stays where it is.

    `line` is the first such line (0: the file as a whole), `count` how many there are, `detail` the reason in
    English, for whoever looks into it.
    """

    file: str
    what: Literal["damaged", "unreadable"]
    line: int = 0
    count: int = 1
    detail: str = ""

    def __str__(self) -> str:
        from tutor.text.sanitize import spelt_out  # only a damaged journal needs it

        more = f" (and {self.count - 1} more)" if self.count > 1 else ""
        return f"{spelt_out(self.file)}:{self.line}: {self.what}: {self.detail}{more}"


class History(msgspec.Struct, frozen=True):
    """What has happened so far, in order of time, and what of it could not be read."""

    events: tuple[Event, ...] = ()
    problems: tuple[Problem, ...] = ()


def read(directory: Path | None = None, *, only: re.Pattern[bytes] | None = None) -> History:
    """All events in `directory` (by default the journal's own), in order of time and id, each once.

    With `only`, lines that do not match it are passed over without a look at what is wrong with them.

    Never raises for what lies there. A last line without its end is a write that was cut off, or one under way in
    another session: it is left out, and nothing is said about it, since nobody was told that it was saved.
    """
    directory = directory if directory is not None else state_directory()
    events: list[Event] = []
    problems: list[Problem] = []
    try:
        paths = files(directory)
    except FileNotFoundError:
        paths = []
    except OSError as error:
        return History(problems=(_unreadable(directory, error),))
    with _no_collection():
        for path in paths:
            try:
                data = _bytes_of(path)
            except (OSError, MemoryError) as error:
                problems.append(_unreadable(path, error))
            else:
                events += _events_of(path, data, problems, only)
        return History(merged(events), tuple(problems))


def files(directory: Path) -> list[Path]:
    """The journal's files in a directory, in the order of their names. OSError where it cannot be read."""
    return sorted(Path(entry.path) for entry in os.scandir(directory) if entry.name.endswith(SUFFIX))


def lines_of(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """The lines of a file without their ends, and whether each is a last one that has none."""
    lines = data.split(b"\n")
    return ((line, number == len(lines)) for number, line in enumerate(lines, start=1))


def _matching(data: bytes, only: re.Pattern[bytes]) -> Iterator[tuple[bytes, bool]]:
    """The lines that match, as `lines_of` gives them; the others are not even cut."""
    at = 0
    while (match := only.search(data, at)) is not None:
        start = data.rfind(b"\n", 0, match.start()) + 1
        end = data.find(b"\n", match.end())
        at = len(data) if end < 0 else end
        yield data[start:at], end < 0


def merged(events: Iterable[Event]) -> tuple[Event, ...]:
    """The events in order of time and id, each id once."""
    known: set[str] = set()
    ordered = []
    for event in sorted(events, key=lambda event: (event.time, event.id)):
        if event.id not in known:
            known.add(event.id)
            ordered.append(event)
    return tuple(ordered)


@contextmanager
def _no_collection() -> Iterator[None]:
    """No garbage collection meanwhile: it would walk all that was read, again and again, and find nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _bytes_of(path: Path) -> bytes:
    # Without O_NONBLOCK, opening a named pipe would wait for somebody to write to it.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError("not a regular file")
        if status.st_size > MAX_FILE:
            raise OSError(f"larger than {MAX_FILE >> 20} MiB")
        return file.read()


def _events_of(path: Path, data: bytes, problems: list[Problem], only: re.Pattern[bytes] | None) -> list[Event]:
    events: list[Event] = []
    bad: list[tuple[int, str]] = []
    for number, (line, last) in enumerate(lines_of(data) if only is None else _matching(data, only), start=1):
        if not line:
            continue
        try:
            event = decode(line)
        except DamagedLineError as error:
            if not last:
                bad.append((number, str(error)))
        else:
            if event is not None:
                events.append(event)
    if bad:
        problems.append(Problem(str(path), "damaged", bad[0][0], len(bad), bad[0][1]))
    return events


def _unreadable(path: Path, error: BaseException) -> Problem:
    reason = error.strerror if isinstance(error, OSError) else None
    return Problem(str(path), "unreadable", detail=reason or str(error) or type(error).__name__)
