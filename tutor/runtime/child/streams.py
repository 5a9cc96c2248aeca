"""stdout and stderr of the learner's process: what a cell prints, thinned out before it is sent when it is a flood.

A cell can print faster than anything can read. What is not sent costs nobody anything, so the limit is here, at the
source: a burst at full speed, then so much a second, and always the end of what was printed.
"""

from __future__ import annotations

import array
import codecs
import fcntl
import os
import select
import termios
import threading
import time
from typing import Any

from ipykernel.iostream import OutStream

BURST = 1 << 18
PER_SECOND = 1 << 18
"""Characters that pass at once, and then each second: far more than anyone reads, and little work for the app."""
KEPT = 1 << 15
"""Characters at the end of a flood that are sent when there is room again."""
INTERVAL = 0.1
"""Seconds between two messages."""
FLUSHES = 20
"""Flushes that are carried out at once, and then each second: some cells flush after every line."""
PIPE_PATIENCE = 0.2
_CHUNK = 1 << 16


def dropped_mark(count: int) -> str:
    """Says in the stream that `count` characters are missing here. As an APC, it is invisible should it be shown."""
    return f"\x1b_normtutor-dropped:{count}\x1b\\"


class Budget:
    """A token bucket: so much at once, so much a second."""

    def __init__(self, burst: float, per_second: float) -> None:
        self._burst = burst
        self._per_second = per_second
        self.refill()

    def refill(self) -> None:
        """Begin with a full bucket."""
        self._level = self._burst
        self._at = time.monotonic()

    def level(self) -> float:
        """How much can be taken now."""
        now = time.monotonic()
        self._level = min(self._burst, self._level + (now - self._at) * self._per_second)
        self._at = now
        return self._level

    def take(self, amount: float) -> bool:
        """Takes that much, if there is."""
        if self.level() < amount:
            return False
        self._level -= amount
        return True


budget = Budget(BURST, PER_SECOND)
"""Both streams share it; each run begins with a full one."""


def encodable(text: str) -> str:
    """`text` with U+FFFD for what cannot be sent (lone surrogates)."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class BoundedStream(OutStream):
    """A stream to the app that sends no more than `budget` allows, and in few messages.

    What is written is put together here first: OutStream does more for each piece than a million lines can bear.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._lock = threading.RLock()
        self._pipe_lock = threading.Lock()
        self._pieces: list[str] = []
        self._size = 0
        self._scheduled = False
        self._tail = ""
        self._missing = 0
        self._flushes = Budget(FLUSHES, FLUSHES)
        super().__init__(*args, **kwargs)  # starts a thread that writes already
        _streams.append(self)

    def write(self, string: Any) -> Any:
        """As OutStream's; beyond the budget only the end is kept, and what is left out is counted."""
        if not isinstance(string, str) or self.closed:
            return super().write(string)
        with self._lock:
            self._pieces.append(string)
            self._size += len(string)
            if self._size >= _CHUNK or (_forked and "\n" in string):
                self._move()
            if not self._scheduled:
                self._schedule()
        return len(string)

    def flush(self) -> None:
        """As OutStream's, but a cell that flushes all the time is heard a few times a second."""
        if self._flushes.take(1):
            self.flush_now()

    def flush_now(self) -> None:
        """Everything that was written is sent when this returns, except what is over the budget."""
        with self._lock:
            self._move()
        if not _forked:
            super().flush()

    def close(self) -> None:
        """Nothing but a flush: a cell that closes it would close it for all later ones. It ends with the process."""
        self.flush_now()

    def begin_run(self) -> None:
        """A run begins: it has all its flushes before it."""
        self._flushes.refill()

    def end_of_run(self) -> None:
        """Everything that is to be sent is sent when this returns, the end of a flood too."""
        self._empty_pipe()
        with self._lock:
            self._move()
            self._release()
        self.flush_now()

    def _watch_pipe_fd(self) -> None:
        """Takes what native code and other programs write to the descriptor; in place of OutStream's, which may cut
        a character in two, and does not say when the pipe is empty.
        """
        if self._fid is None:
            return
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        data = b"-"
        while data and self._should_watch:
            select.select([self._fid], [], [])
            with self._pipe_lock:
                data = os.read(self._fid, _CHUNK)
                self.write(decoder.decode(data))

    def _empty_pipe(self) -> None:
        """Waits until what was written to the descriptor has been taken; not for long, as something may write on."""
        if self._fid is None or _forked:
            return
        end = time.monotonic() + PIPE_PATIENCE
        waiting = array.array("i", [1])
        while waiting[0] and time.monotonic() < end:
            with self._pipe_lock:
                fcntl.ioctl(self._fid, termios.FIONREAD, waiting)
            if waiting[0]:
                time.sleep(0.001)

    def forget(self) -> None:
        """In a forked child: what was written before belongs to the parent, and its lock may be held there."""
        self._lock = threading.RLock()
        self._pieces, self._size, self._tail, self._missing = [], 0, "", 0
        self._scheduled = True  # there is no thread that would come by: every line is handed on at once

    def _write_to_parent(self, text: str) -> None:
        """From a forked child, through the pipe that takes what native code prints: ipykernel has a TCP port for it."""
        data = memoryview(encodable(text).encode())
        while data:
            data = data[os.write(self._original_stdstream_fd, data) :]

    def _schedule(self) -> None:
        self._scheduled = True
        self.pub_thread.schedule(lambda: self._io_loop.call_later(INTERVAL, self._after_interval))

    def _after_interval(self) -> None:
        """Runs in the thread that sends."""
        with self._lock:
            self._scheduled = False
            if self.closed:
                return
            self._move()
            if self._tail and budget.take(len(self._tail)):
                self._release()
            if self._tail:
                self._schedule()
        super().flush()

    def _move(self) -> None:
        """Hands what was put together on, or to the tail when it is over the budget."""
        if not self._pieces:
            return
        text = "".join(self._pieces)
        self._pieces.clear()
        self._size = 0
        if _forked:
            self._write_to_parent(text)
            return
        if not self._tail:
            room = min(int(budget.level()), len(text))
            budget.take(room)
            super().write(encodable(text[:room]))
            text = text[room:]
        whole = len(self._tail) + len(text)
        self._tail = (self._tail + text[-KEPT:])[-KEPT:]
        self._missing += whole - len(self._tail)

    def _release(self) -> None:
        if not self._tail:
            return
        mark = dropped_mark(self._missing) if self._missing else ""
        text, self._tail, self._missing = self._tail, "", 0
        super().write(mark + encodable(text))


def flush_streams() -> None:
    """Sends what was printed so far, so that what is sent next comes after it."""
    for stream in _streams:
        stream.flush_now()


def begin_streams() -> None:
    """A run begins."""
    budget.refill()
    for stream in _streams:
        stream.begin_run()


def end_streams() -> None:
    """Sends all that was printed in the run that ends."""
    for stream in _streams:
        stream.end_of_run()


_streams: list[BoundedStream] = []
_forked = False
"""Whether this is a child of the learner's process, whose threads did not come along."""


def _note_fork() -> None:
    global _forked
    _forked = True
    for stream in _streams:
        stream.forget()


os.register_at_fork(after_in_child=_note_fork)
