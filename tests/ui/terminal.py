"""The real program on a real pseudo-terminal, its screen kept by pyte."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyte

PATIENCE = 60.0
MODES = re.compile(r"\x1b\[\?(1049|7|25|1000|1002|1003|1006|1015|1016|2004|1004|2026|2048)([hl])")
KITTY = re.compile(r"\x1b\[([<>])\d*u")
ON_AT_FIRST = ("7", "25")
"""Lines wrap and the cursor is shown, unless that is switched off."""
KITTY_BYTES = re.compile(KITTY.pattern.encode())


class Terminal:
    """Starts `python -m tutor ARGUMENTS`; every wait is for something on the screen, or for the end."""

    def __init__(
        self,
        *arguments: str,
        env: Mapping[str, str],
        size: tuple[int, int] = (80, 24),
        command: Sequence[str] = (sys.executable, "-m", "tutor"),
    ) -> None:
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self._modes: set[str] = set()
        self.raw = b""
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            os.execve(command[0], [*command, *arguments], dict(env))
        os.set_inheritable(self._master, False)  # else the next program would keep this terminal open
        self.attributes_before = termios.tcgetattr(self._master)  # the new program has not even been loaded
        self.resize(*size)

    @property
    def text(self) -> str:
        return "\n".join(self._screen.display)

    def wait(self, text: str) -> None:
        """Read until `text` is on the screen."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.text:
            assert time.monotonic() < deadline, f"{text!r} never came:\n{self.text}"
            self.read(0.2)

    def wait_for(self, condition: Callable[[], object]) -> None:
        """Read until the condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"it never held: {self.modes_on}, {self.echoes}\n{self.text}"
            self.read(0.2)

    @property
    def modes_on(self) -> frozenset[str]:
        """The terminal's modes that the program has switched on and not off: the other screen, the mouse, pastes ..."""
        return frozenset(self._modes)

    @property
    def echoes(self) -> bool:
        """Whether the terminal is as it was: what is typed is echoed, and ctrl+c is a signal."""
        flags = termios.tcgetattr(self._master)[3]
        return flags & (termios.ECHO | termios.ICANON | termios.ISIG) == termios.ECHO | termios.ICANON | termios.ISIG

    @property
    def attributes(self) -> list[object]:
        """The terminal's settings, as `termios.tcgetattr` gives them."""
        return termios.tcgetattr(self._master)

    def resize(self, columns: int, rows: int) -> None:
        """Make the terminal another size: the program gets SIGWINCH."""
        self._screen.resize(rows, columns)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def settle(self) -> None:
        """Read until nothing more comes."""
        while self.read(0.3):
            pass

    def read(self, seconds: float) -> bool:
        """Take what comes within so many seconds; whether anything came."""
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:  # the other end has gone
            return False
        self.raw += data
        for mode, switch in MODES.findall(data.decode(errors="replace")):
            changed = switch == ("l" if mode in ON_AT_FIRST else "h")
            (self._modes.add if changed else self._modes.discard)(mode)
        for direction in KITTY.findall(data.decode(errors="replace")):
            (self._modes.add if direction == ">" else self._modes.discard)("kitty")
        self._stream.feed(KITTY_BYTES.sub(b"", data))
        return bool(data)

    def scribble(self, text: str) -> None:
        """Write on the screen as another program would."""
        self._stream.feed(text.encode())

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def hang_up(self) -> None:
        """Close the terminal, as a dropped connection does."""
        os.close(self._master)
        self._master = -1

    def kill(self, number: int = signal.SIGKILL) -> None:
        os.kill(self.pid, number)

    def ended(self) -> int:
        """Wait for the end; the exit status as `os.waitstatus_to_exitcode` gives it."""
        deadline = time.monotonic() + PATIENCE
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                break
            assert time.monotonic() < deadline, f"it does not end:\n{self.text}"
            if self._master >= 0:
                self.read(0.1)
            else:
                select.select([], [], [], 0.05)
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        """End it, however the test went."""
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        if self._master >= 0:
            os.close(self._master)


def environment(home: Path, course: Path) -> dict[str, str]:
    """A plain terminal, a home of the test's own."""
    return os.environ | {
        "NORMTUTOR_HOME": str(home),
        "NORMTUTOR_COURSE": str(course),
        "NORMTUTOR_TRUST": "1",  # the course is ours
        "NORMTUTOR_LANG": "en",
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
    }


def children(pid: int) -> list[int]:
    """All living descendants of a process."""
    found: list[int] = []
    todo = [pid]
    while todo:
        parent = todo.pop()
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                ids = [int(word) for word in task.read_text().split()]
            except OSError:
                continue
            found += ids
            todo += ids
    return found


def alive(pid: int) -> bool:
    """Whether a process still runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
