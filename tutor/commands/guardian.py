"""A small parent of the app, which puts the terminal right when the app dies of something that it cannot handle.

A fault in native code, the OOM killer or `kill -9` end a process with the terminal raw and on its other screen. The
parent is forked before the app imports anything, so it stays small; it does nothing but wait, pass signals on,
stop when the app stops (ctrl+z), and clean up.
"""

from __future__ import annotations

import os
import signal
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from tutor.text.i18n import _

PASSED_ON = {
    signal.SIGHUP: signal.SIGHUP,
    signal.SIGTERM: signal.SIGTERM,
    signal.SIGINT: signal.SIGINT,
    signal.SIGTSTP: signal.SIGTSTP,
    # Somebody wants it gone: it ends in order.
    signal.SIGQUIT: signal.SIGTERM,
    # These came from outside: the parent runs no code that could cause them.
    signal.SIGABRT: signal.SIGABRT,
    signal.SIGSEGV: signal.SIGSEGV,
}

MODES_OFF = (
    "\x1b[?2026l"  # synchronised output
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l"  # the mouse
    "\x1b[?2004l\x1b[?1004l\x1b[?2048l"  # pastes, focus and sizes told
    "\x1b[<u"  # keys told in kitty's way
    "\x1b[0m\x1b[?7h\x1b[?1049l\x1b[?25h"  # colours, wrapped lines, the other screen, the cursor
)

Attributes = list[Any]


def guarded(app: Callable[[int], int]) -> int:
    """Runs `app` in a child and gives its exit code; of one that a signal killed, 128 and the signal's number.

    `app` gets a descriptor that can be read when the parent has died, which is a reason to leave.
    """
    before = termios.tcgetattr(sys.stdin.fileno())
    orphaned, held = os.pipe()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    child = os.fork()
    if child == 0:
        os.close(held)
        return app(orphaned)
    os.close(orphaned)
    try:
        with _passing_signals_on(child):
            status = _wait(child)
    finally:
        os.close(held)
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    number = os.WTERMSIG(status)
    _put_right(before, number)
    return 128 + number


@contextmanager
def _passing_signals_on(child: int) -> Iterator[None]:
    def pass_on(number: int, _frame: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, PASSED_ON[signal.Signals(number)])

    before = {number: signal.signal(number, pass_on) for number in PASSED_ON}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _wait(child: int) -> int:
    """How the child ended. While it is stopped the parent is too: the shell waits for the parent."""
    while True:
        _pid, status = os.waitpid(child, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            return status
        os.kill(os.getpid(), signal.SIGSTOP)
        # `fg` continues both; a signal that was sent to the parent alone is passed on.
        continued, _status = os.waitpid(child, os.WCONTINUED | os.WNOHANG)
        if not continued:
            os.kill(child, signal.SIGCONT)


def _put_right(attributes: Attributes, number: int) -> None:
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # the shell may have taken the terminal back already
    with suppress(termios.error, OSError):  # or it has gone
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, attributes)
        sys.stdout.write(MODES_OFF)
        sys.stdout.flush()
        print(
            _("normtutor was ended by a signal ({name}). What you typed and answered is kept.").format(
                name=signal.Signals(number).name
            ),
            file=sys.stderr,
        )
