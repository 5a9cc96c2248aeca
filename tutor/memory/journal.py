"""The journal: what the learner does, appended to a file of this run and on disk before anybody says "saved".

Every run has a file of its own, so two sessions, or two machines that share a home directory, need no locks. When the
storage fails nothing is lost: the events wait in memory, in order, and every later append tries again.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import secrets
import threading
import uuid
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from tutor.memory.events import VERSION, Entry, Event
from tutor.memory.history import SUFFIX, History, Problem, merged, read
from tutor.memory.lines import decode, encode
from tutor.memory.places import state_directory

__all__ = ["History", "Journal", "Problem", "Trouble", "read", "state_directory"]

FUTURE_LIMIT = timedelta(days=1)
_TICK = timedelta(microseconds=1)


class Trouble(StrEnum):
    """Why events are not on disk. `NONE` is empty, and so false."""

    NONE = ""
    FULL = "full"
    """The disk is full, or the quota used up."""
    FORBIDDEN = "forbidden"
    """The directory may not be written to, or its file system is read-only."""
    MEMORY = "memory"
    """This process, or the system, has no memory left."""
    FAILED = "failed"
    """The storage fails in another way, such as a network file system that has gone."""


_TROUBLES = {
    errno.ENOSPC: Trouble.FULL,
    errno.EDQUOT: Trouble.FULL,
    errno.EROFS: Trouble.FORBIDDEN,
    errno.EACCES: Trouble.FORBIDDEN,
    errno.EPERM: Trouble.FORBIDDEN,
}


def _local_now() -> datetime:
    return datetime.now().astimezone()


class Journal:
    """Appends the events of one run. All methods may be called from any thread, but not from a signal handler."""

    def __init__(self, directory: Path | None = None, *, clock: Callable[[], datetime] = _local_now) -> None:
        """`clock` gives the time now, with the local offset."""
        self.directory = Path(directory) if directory is not None else state_directory()
        self.session = uuid.uuid4().hex
        self.trouble = Trouble.NONE
        self.detail = ""
        """The system's words for `trouble`."""
        self._clock = clock
        self._last: datetime | None = None
        self._time_lock = threading.Lock()
        self._waiting: deque[bytes] = deque()
        self._file: _RunFile | None = None
        self._file_lock = threading.Lock()

    @property
    def unsaved(self) -> int:
        """How many events are only in memory."""
        return len(self._waiting)

    def append(self, kind: str, /, **data: Any) -> Event:
        """A new event, on disk when this returns; or else `trouble` says why it is not, and it waits in memory.

        TypeError if `data` holds something that JSON has no form for.
        """
        event = self.make(kind, **data)
        self.write(event)
        return event

    def record(self, entry: Entry) -> Event:
        """`append` for an entry that is already typed."""
        return self.append(entry.KIND, **msgspec.structs.asdict(entry))

    def make(self, kind: str, /, **data: Any) -> Event:
        """The event that `append` would write, for who wants to show it first and `write` it elsewhere."""
        with self._time_lock:
            moment = self._clock()
            now = moment.astimezone(UTC)
            if self._last is not None and now <= self._last:
                now = self._last + _TICK  # the clock was put back: order within a session matters more than the hour
            self._last = now
        offset = moment.utcoffset() or timedelta()
        event = Event(uuid.uuid4().hex, VERSION, now, offset // timedelta(minutes=1), self.session, kind, data)
        # What a later run will read, so that a restart changes nothing: JSON has no tuples and no aliases.
        again = decode(encode(event)[:-1])
        assert again is not None
        return again

    def write(self, event: Event) -> None:
        """Put an event on disk, after those that still wait. Never raises for what the storage does."""
        line = encode(event)
        with self._file_lock:
            self._waiting.append(line)
            self._flush()

    def retry(self) -> bool:
        """Write what waits in memory, in order; whether all of it is on disk now."""
        with self._file_lock:
            return self._flush()

    def read(self) -> History:
        """The whole history, with what is still only in memory.

        From here on this run's events come after all of it, also if another machine's clock is ahead of this one's;
        unless it is so far ahead that it must be wrong.
        """
        with self._file_lock:
            waiting = [event for line in self._waiting if (event := decode(line[:-1])) is not None]
        history = read(self.directory)
        history = History(merged([*history.events, *waiting]), history.problems)
        with self._time_lock:
            limit = self._clock().astimezone(UTC) + FUTURE_LIMIT
            near = next((event.time for event in reversed(history.events) if event.time <= limit), None)
            if near is not None:
                self._last = max(near, self._last or near)
        return history

    def close(self) -> None:
        """One last try to write what waits. The journal may still be used: it then begins another file."""
        with self._file_lock:
            self._flush()
            if self._file is not None:
                self._file.close()
                self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _flush(self) -> bool:
        while self._waiting:
            try:
                self._put(self._waiting[0])
            except MemoryError:
                self.trouble, self.detail = Trouble.MEMORY, str(self.directory)
                return False
            except OSError as error:
                self.trouble = _TROUBLES.get(error.errno or 0, Trouble.FAILED)
                self.detail = f"{error.strerror or error}: {self.directory}"
                return False
            self._waiting.popleft()
        self.trouble, self.detail = Trouble.NONE, ""
        return True

    def _put(self, line: bytes) -> None:
        for last_try in (False, True):
            if self._file is None:
                self._file = _RunFile(self.directory, self._clock().astimezone(UTC))
            try:
                return self._file.write(line)
            except OSError as error:
                if _TROUBLES.get(error.errno or 0) is not Trouble.FULL:
                    # Its handle may be dead (ESTALE), or it has been deleted: what is not saved goes to a new file.
                    self._file.close()
                    self._file = None
                if last_try or error.errno != errno.ESTALE:
                    raise
        return None


class _RunFile:
    """The file of one run. Only whole lines that are on disk count; `_end` is where they end."""

    def __init__(self, directory: Path, now: datetime) -> None:
        if not directory.is_dir():
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            _sync_directory(directory.parent)
        host = re.sub(r"[^A-Za-z0-9]+", "_", platform.node())[:40] or "host"
        name = f"{now:%Y%m%dT%H%M%SZ}-{host}-{os.getpid()}-{secrets.token_hex(4)}{SUFFIX}"
        self._path = directory / name
        self._handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        self._end = 0
        _sync_directory(directory)

    def write(self, line: bytes) -> None:
        """Put a line on disk. After an error the next call must bring the same line: it goes over the torn one."""
        written = 0
        while written < len(line):
            part = os.pwrite(self._handle, line[written:], self._end + written)
            if part == 0:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            written += part
        os.fsync(self._handle)
        if os.fstat(self._handle).st_nlink == 0:
            raise OSError(errno.ESTALE, "the journal's file was deleted")
        self._end += len(line)

    def close(self) -> None:
        try:
            if os.fstat(self._handle).st_size == 0:
                self._path.unlink(missing_ok=True)
            os.close(self._handle)
        except OSError:
            return  # everything that counts was synced already, and there is nobody left to tell


def _sync_directory(directory: Path) -> None:
    """Makes a new name in `directory` survive a power cut. Some file systems cannot do that, and need not."""
    try:
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        return
    finally:
        os.close(handle)
