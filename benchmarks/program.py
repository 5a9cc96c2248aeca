"""A program on a pseudo-terminal, timed from outside: what it sends, when, and what is on its screen."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from fcntl import ioctl
from pathlib import Path

import pyte

PATIENCE = 60.0
# What terminals answer; a program that waits for an answer would wait for its own patience to end.
ANSWERS = {b"\x1b[c": b"\x1b[?62;22c", b"\x1b[6n": b"\x1b[1;1R", b"\x1b[?2026$p": b"\x1b[?2026;2$y"}


class Program:
    """One run of a program; closed on leaving the `with` block."""

    def __init__(
        self, argv: Sequence[str], env: Mapping[str, str], size: tuple[int, int] = (80, 24), rate: float = 0.0
    ) -> None:
        self.sent = 0
        """Bytes received from it so far."""
        self._rate = rate
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self.begun = time.perf_counter()
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            os.execvpe(argv[0], list(argv), dict(env))
        ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        os.kill(self.pid, signal.SIGTERM)
        deadline = time.perf_counter() + 5
        while not os.waitpid(self.pid, os.WNOHANG)[0]:
            self.read(0.05)
            if time.perf_counter() > deadline:
                os.kill(self.pid, signal.SIGKILL)
        os.close(self._master)

    @property
    def text(self) -> str:
        """The screen."""
        return "\n".join(self._screen.display)

    def read(self, seconds: float) -> bool:
        """Takes what comes within so many seconds; at most `rate` bytes a second, if that is set."""
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 4096 if self._rate else 1 << 16)
        except OSError:
            return False
        for question, answer in ANSWERS.items():
            if question in data:
                os.write(self._master, answer)
        self.sent += len(data)
        self._stream.feed(re.sub(rb"\x1b\[[<>][0-9;]*u", b"", data))
        if self._rate:
            time.sleep(len(data) / self._rate)
        return bool(data)

    def wait(self, marker: str) -> float:
        """Seconds from the start until the pattern is on the screen."""
        deadline = time.perf_counter() + PATIENCE
        pattern = re.compile(marker)
        while not pattern.search(self.text):
            if time.perf_counter() > deadline:
                raise TimeoutError(f"{marker!r} never came:\n{self.text}")
            self.read(0.5)
        return time.perf_counter() - self.begun

    def settle(self, quiet: float = 0.5) -> None:
        """Reads until nothing comes for so long."""
        while self.read(quiet):
            pass

    def press(self, keys: bytes, quiet: float = 0.3) -> tuple[int, float]:
        """Bytes that the program sends for some keys, and seconds until the first of them."""
        before, began = self.sent, time.perf_counter()
        os.write(self._master, keys)
        first = 0.0
        while self.read(quiet):
            first = first or time.perf_counter() - began
        return self.sent - before, first

    def resident(self) -> int:
        """Resident bytes of the largest process with this one's name among it and its children: the one that draws."""
        return max(_resident(pid) for pid in (self.pid, *_children(self.pid)))


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _resident(pid: int) -> int:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) * 1024 if found else 0


def environment(home: str) -> dict[str, str]:
    """A plain terminal and a home that is thrown away."""
    return os.environ | {
        "NORMTUTOR_HOME": home,
        "NORMTUTOR_LANG": "en",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LC_ALL": "C.UTF-8",
    }


NORMTUTOR = (sys.executable, "-m", "tutor")
BARE = (
    sys.executable,
    "-c",
    "from textual.app import App\nfrom textual.widgets import Static\n"
    "class Bare(App):\n    def compose(self):\n        yield Static('HELLO')\nBare().run()",
)
"""The least Textual app: what any app costs."""
