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
from collections.abc import Callable, Mapping
from pathlib import Path

import pyte

PATIENCE = 60.0
MODES = re.compile(r"\x1b\[\?(1049|7|1000|1003|1006|2004|1004|2048)([hl])")


class Terminal:
    """Starts `python -m tutor ARGUMENTS`; every wait is for something on the screen, or for the end."""

    def __init__(self, *arguments: str, env: Mapping[str, str], size: tuple[int, int] = (80, 24)) -> None:
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self._modes: set[str] = set()
        self.raw = b""
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            os.execve(sys.executable, [sys.executable, "-m", "tutor", *arguments], dict(env))
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))

    @property
    def text(self) -> str:
        return "\n".join(self._screen.display)

    def wait(self, text: str) -> None:
        """Read until `text` is on the screen."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.text:
            assert time.monotonic() < deadline, f"{text!r} never came:\n{self.text}"
            self._read(0.2)

    def wait_for(self, condition: Callable[[], object]) -> None:
        """Read until the condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"it never held: {self.modes_on}, {self.echoes}\n{self.text}"
            self._read(0.2)

    @property
    def modes_on(self) -> frozenset[str]:
        """The terminal's modes that the program has switched on and not off: the other screen, the mouse, pastes ..."""
        return frozenset(self._modes)

    @property
    def echoes(self) -> bool:
        """Whether the terminal is as it was: what is typed is echoed, and ctrl+c is a signal."""
        flags = termios.tcgetattr(self._master)[3]
        return flags & (termios.ECHO | termios.ICANON | termios.ISIG) == termios.ECHO | termios.ICANON | termios.ISIG

    def settle(self) -> None:
        """Read until nothing more comes."""
        while self._read(0.3):
            pass

    def _read(self, seconds: float) -> bool:
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:  # the other end has gone
            return False
        self.raw += data
        for mode, switch in MODES.findall(data.decode(errors="replace")):
            changed = switch == ("l" if mode == "7" else "h")  # lines wrap unless that is switched off
            (self._modes.add if changed else self._modes.discard)(mode)
        self._stream.feed(data.replace(b"\x1b[<1u", b"").replace(b"\x1b[>25u", b""))
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
                self._read(0.1)
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
