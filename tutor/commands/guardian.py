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
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

from tutor.runtime.endings import ending, out_of_memory_kills
from tutor.text.i18n import _

PATIENCE = 20
"""Seconds that the app has to end when it is asked to: writing to a terminal that nobody reads may take for ever."""

MOMENT = 0.05
LOOKS = 10
"""Seconds in which a signal to a whole group has reached all of it, and how often it is looked whether it has."""

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
    # The patience is at its end.
    signal.SIGALRM: signal.SIGKILL,
}
ENDING = (signal.SIGHUP, signal.SIGTERM)

MODES_OFF = (
    b"\x1b[?2026l"  # synchronised output
    b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l"  # the mouse
    b"\x1b[?2004l\x1b[?1004l\x1b[?2048l"  # pastes, focus and sizes told
    b"\x1b[<u"  # keys told in kitty's way
    b"\x1b[0m\x1b[?7h\x1b[?1049l\x1b[?25h"  # colours, wrapped lines, the other screen, the cursor
)

Attributes = list[Any]


def guarded(app: Callable[[int], int]) -> int:
    """Runs `app` in a child and gives its exit code; of one that a signal killed, 128 and the signal's number.

    `app` gets a descriptor that can be read when the parent has died, which is a reason to leave. Until it has handlers
    of its own, every signal ends it. This process ignores signals from then on, for it has only to end.
    """
    before = termios.tcgetattr(sys.stdin.fileno())
    kills = out_of_memory_kills()
    orphaned, held = os.pipe()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)  # none is lost between the fork and the handlers
    child = os.fork()
    if child == 0:
        os.close(held)
        for number in PASSED_ON:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
        return app(orphaned)
    os.close(orphaned)
    _pass_signals_on(child)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
    try:
        status = _wait(child)
    finally:
        for number in PASSED_ON:
            signal.signal(number, signal.SIG_IGN)
        os.close(held)
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    cause = os.WTERMSIG(status)
    _put_right(before, ending(-cause, out_of_memory=out_of_memory_kills() > kills))
    return 128 + cause


def _pass_signals_on(child: int) -> None:
    def pass_on(number: int, _frame: FrameType | None) -> None:
        passed = PASSED_ON[signal.Signals(number)]
        if passed in ENDING:
            signal.alarm(PATIENCE)
        with suppress(ProcessLookupError):
            os.kill(child, passed)

    for number in PASSED_ON:
        signal.signal(number, pass_on)


def _wait(child: int) -> int:
    """How the child ended. While it is stopped the parent is too: the shell waits for the parent."""
    while True:
        _pid, status = os.waitpid(child, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            return status
        # Both may have been stopped and continued together, in any order: the parent must not stop after that.
        changed = _changed(child)
        if changed is None:
            os.kill(os.getpid(), signal.SIGSTOP)
            # `fg` continues both; a signal that was sent to the parent alone is passed on.
            changed = _changed(child)
        if changed is None:
            os.kill(child, signal.SIGCONT)
        elif not os.WIFCONTINUED(changed):  # killed while it was stopped
            return changed


def _changed(child: int) -> int | None:
    """The status of a stopped child that is continued, or ends, at this moment; None if it stays stopped."""
    for _look in range(LOOKS):
        pid, status = os.waitpid(child, os.WCONTINUED | os.WNOHANG)
        if pid:
            return status
        time.sleep(MOMENT / LOOKS)
    return None


def _put_right(attributes: Attributes, why: str) -> None:
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # the shell may have taken the terminal back already
    words = [
        _("normtutor has ended."),
        why,
        _("What you typed and answered is kept: start it again, and it goes on where you were."),
    ]
    with suppress(termios.error, OSError):  # or it has gone
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, attributes)
        os.write(sys.stdout.fileno(), MODES_OFF)
        os.write(sys.stderr.fileno(), "".join(f"{line}\n" for line in words).encode())
