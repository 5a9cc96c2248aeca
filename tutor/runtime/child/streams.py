"""stdout and stderr of the learner's process: what a cell prints, thinned out before it is sent when it is a flood.

A cell can print faster than anything can read. What is not sent costs nobody anything, so the limit is here, at the
source: a burst at full speed, then so much a second, and always the end of what was printed.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from ipykernel.iostream import OutStream

BURST = 1 << 20
PER_SECOND = 1 << 18
"""Characters that pass at once, and then each second: far more than anyone reads, and no work for the app."""
KEPT = 1 << 15
"""Characters at the end of a flood that are sent when there is room again."""
FLUSH_INTERVAL = 0.05
"""Seconds between two messages of a cell that flushes after every line."""


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
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


class BoundedStream(OutStream):
    """A stream to the app that sends no more than `budget` allows."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._tail = ""
        self._missing = 0
        self._flushed_at = 0.0
        self._flood_lock = threading.RLock()
        _streams.append(self)

    def write(self, string: Any) -> Any:
        """As OutStream's; beyond the budget only the end is kept, and what is left out is counted."""
        if not isinstance(string, str):
            super().write(string)  # raises TypeError
            return None
        with self._flood_lock:
            if not self._tail and budget.take(len(string)):
                super().write(encodable(string))
                return len(string)
            kept = string
            if not self._tail:
                room = int(budget.level())
                super().write(encodable(string[:room]))
                budget.take(room)
                kept = string[room:]
                self._release_later()
            whole = len(self._tail) + len(kept)
            self._tail = kept[-KEPT:] if len(kept) >= KEPT else (self._tail + kept)[-KEPT:]
            self._missing += whole - len(self._tail)
        return len(string)

    def flush(self) -> None:
        """As OutStream's, but a cell that flushes all the time is heard a few times a second."""
        now = time.monotonic()
        if now - self._flushed_at < FLUSH_INTERVAL:
            self._schedule_flush()
            return
        self.flush_now()

    def flush_now(self) -> None:
        """Everything that was written is sent when this returns, except what is over the budget."""
        self._flushed_at = time.monotonic()
        super().flush()

    def end_of_run(self) -> None:
        """Everything that is to be sent is sent when this returns, the end of a flood too."""
        with self._flood_lock:
            self._release()
        self.flush_now()

    def _release_later(self) -> None:
        delay = 2 * KEPT / PER_SECOND
        self.pub_thread.schedule(lambda: self._io_loop.call_later(delay, self._release_if_room))

    def _release_if_room(self) -> None:
        with self._flood_lock:
            if not self._tail or self.closed:
                return
            if budget.take(len(self._tail)):
                self._release()
            else:
                self._release_later()

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


def end_streams() -> None:
    """Sends all that was printed in the run that ends."""
    for stream in _streams:
        stream.end_of_run()


_streams: list[BoundedStream] = []
