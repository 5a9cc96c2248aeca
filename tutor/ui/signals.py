"""Hang-up and termination: Textual installs no handler, so the process would die with nothing written."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

ENDING = (signal.SIGHUP, signal.SIGTERM)


def on_ending(leave: Callable[[], None], interrupt: Callable[[], None], orphaned: int | None = None) -> None:
    """Call `leave` in the running event loop on SIGHUP and SIGTERM, `interrupt` on SIGINT.

    In raw mode ctrl+c is a key; SIGINT still comes from other programs, and must not end in a traceback. `leave` is
    called too when the descriptor `orphaned` can be read, which happens when its other end is closed.
    """
    loop = asyncio.get_running_loop()
    for number in ENDING:
        loop.add_signal_handler(number, leave)
    loop.add_signal_handler(signal.SIGINT, interrupt)
    if orphaned is not None:
        loop.add_reader(orphaned, _once, loop, orphaned, leave)


def ended() -> None:
    """Everything is written and nothing runs: one more signal could only spoil the end of the process."""
    loop = asyncio.get_running_loop()
    for number in (*ENDING, signal.SIGINT):
        if loop.remove_signal_handler(number):  # else the loop would give it back its default when it closes
            signal.signal(number, signal.SIG_IGN)


def _once(loop: asyncio.AbstractEventLoop, descriptor: int, call: Callable[[], None]) -> None:
    loop.remove_reader(descriptor)  # the end of a pipe can be read for ever
    call()
