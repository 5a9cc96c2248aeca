"""Textual's terminal driver, made to survive a terminal that goes away and a process that is stopped.

Textual 8.2.8 starts its application mode once more at every SIGCONT: after a plain SIGSTOP that saves the raw terminal
settings as the ones to restore at the end, and after a hang-up (which sends SIGCONT too) it leaves a writer thread that
dies on the closed terminal, and the app waits for it for ever.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import termios
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from textual.drivers.linux_driver import LinuxDriver
from textual.events import Resize
from textual.message import Message

from tutor.text.aloud import aloud
from tutor.text.ascii import ascii_only, to_ascii
from tutor.ui.changes import Changes

if TYPE_CHECKING:
    from typing import TextIO

    from textual.app import App


class _Surviving:
    """A file on a terminal; once that has gone, what is written goes nowhere. In ASCII where it knows no UTF-8."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._gone = False
        self._ascii = ascii_only()

    def write(self, text: str) -> None:
        if not self._gone:
            try:
                self._file.write(to_ascii(text) if self._ascii else text)
            except OSError:
                self._gone = True

    def flush(self) -> None:
        if not self._gone:
            try:
                self._file.flush()
            except OSError:
                self._gone = True

    def fileno(self) -> int:
        return self._file.fileno()

    def isatty(self) -> bool:
        return self._file.isatty()


class TerminalDriver(LinuxDriver):
    """The driver of the app in a terminal."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        # No more of the file is used than `_Surviving` has.
        self._file = cast(Any, _Surviving(cast("TextIO", self._file)))
        self._changes = Changes()
        self._stopping = False
        self._hang_up: select.epoll | None = None

    def write(self, data: str) -> None:
        """Sends what changes the screen."""
        if changed := self._changes.reduced(data):
            super().write(changed)

    def forget(self) -> None:
        """Something else may have written on the screen: the next painting sends all of it."""
        self._changes.forget()

    # After a change of size nobody knows what the terminal shows. It is told by a signal or by the terminal itself.

    def _get_terminal_size(self) -> tuple[int, int]:
        self._changes.forget()
        return super()._get_terminal_size()

    def process_message(self, message: Message) -> None:
        """Hands a message to the app."""
        if isinstance(message, Resize):
            self._changes.forget()
        super().process_message(message)

    def start_application_mode(self) -> None:
        """Takes the terminal. From here on the event loop answers ctrl+z and `fg`."""
        with suppress(OSError):  # another program may have left it so that a write fails where it ought to wait
            os.set_blocking(cast("TextIO", self._file).fileno(), True)
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if aloud():
            self.write("\x1b[?25h")  # a screen reader follows the cursor that is seen
        # Textual answers in the signal's handler, in the midst of whatever is going on: where that is a write to the
        # queue of the writer thread, the handler's own write waits for ever for the queue's lock.
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTSTP, self._sigtstp_application)
        loop.add_signal_handler(signal.SIGCONT, self._sigcont_application)
        self._watch_for_a_hang_up(loop)

    def _watch_for_a_hang_up(self, loop: asyncio.AbstractEventLoop) -> None:
        # Where whatever started us ignores SIGHUP, only the terminal itself tells that it has gone; and from then on
        # it can be read for ever.
        if self._hang_up is None and hasattr(select, "epoll"):
            self._hang_up = select.epoll()
            self._hang_up.register(self.fileno, 0)  # a hang-up is always told
            loop.add_reader(self._hang_up.fileno(), self._hung_up, loop)

    def _hung_up(self, loop: asyncio.AbstractEventLoop) -> None:
        assert self._hang_up is not None
        loop.remove_reader(self._hang_up.fileno())
        self._hang_up.close()
        self._app.call_later(self._app.action_quit)

    def run_input_thread(self) -> None:
        """Reads what is typed. A terminal that cannot be read any more has gone, or is another's."""
        try:
            super().run_input_thread()
        except OSError:
            self._app.call_later(self._app.action_quit)

    def _sigtstp_application(self, *_: object) -> None:
        # The signal goes to the whole group, and the parent passes its own on: it is one wish to stop.
        if not self._stopping:
            self._stopping = True
            asyncio.get_running_loop().call_soon(self._stop)

    def _stop(self) -> None:
        signal.signal(signal.SIGTSTP, signal.SIG_IGN)
        super()._sigtstp_application()  # it returns when the process has been continued
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTSTP, self._sigtstp_application)
        # What had arrived before is read in the loop's next round, answered in the one after, and still counts as one.
        loop.call_soon(loop.call_soon, loop.call_soon, self._stopped)

    def _stopped(self) -> None:
        self._stopping = False

    def _sigcont_application(self, *_: object) -> None:
        if not self._auto_restart or not self._terminal_is_there():
            return
        if not self._must_signal_resume:  # a SIGSTOP, which nobody could prepare for
            self.suspend_application_mode()
            self._must_signal_resume = True
        self.resume_application_mode()

    def _terminal_is_there(self) -> bool:
        try:
            termios.tcgetattr(self.fileno)
        except (termios.error, OSError, ValueError):
            return False
        return True
