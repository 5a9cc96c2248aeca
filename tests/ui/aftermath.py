"""What there was before a fault and what is left after it, in one picture: a test does the fault, and nothing else."""

from __future__ import annotations

import os
import select
import signal
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.ui.light import FAULTS
from tests.ui.terminal import PATIENCE, Terminal, alive, environment
from tutor.memory import journal
from tutor.memory.events import Event

ROOT = Path(__file__).parents[2]
TAG = "NORMTUTOR_TEST_RUN"
LIGHT = (sys.executable, "-m", "tests.ui.light")


class Place:
    """A home, a course and directories for sockets and temporary files; every process that starts in it is known."""

    def __init__(self, course: Path) -> None:
        # Not pytest's directory: its path is too long for sockets.
        self._directory = tempfile.TemporaryDirectory(prefix="nt-", ignore_cleanup_errors=True)
        root = Path(self._directory.name)
        self.home, self.faults = root / "home", root / "faults"
        self._private = [root / "run", root / "tmp"]
        for directory in (self.faults, *self._private):
            directory.mkdir(mode=0o700)
        self._tag = uuid.uuid4().hex
        self._terminals: list[Terminal] = []
        self.environment = environment(self.home, course) | {
            TAG: self._tag,
            FAULTS: str(self.faults),
            "XDG_RUNTIME_DIR": str(self._private[0]),
            "TMPDIR": str(self._private[1]),
            "PYTHONPATH": str(ROOT),
        }

    @property
    def temporary(self) -> Path:
        """Where temporary files go, instead of /tmp."""
        return self._private[1]

    @property
    def private(self) -> Path:
        """Where sockets go."""
        return self._private[0]

    def start(
        self,
        *arguments: str,
        command: tuple[str, ...] = LIGHT,
        env: Mapping[str, str] | None = None,
        size: tuple[int, int] = (80, 24),
    ) -> Terminal:
        """The program in a terminal, with a learner's Python that does without torch unless `command` is another."""
        terminal = Terminal(*arguments, env={**self.environment, **(env or {})}, command=command, size=size)
        self._terminals.append(terminal)
        return terminal

    @property
    def processes(self) -> dict[int, str]:
        """Everything alive that was started here, whoever is its parent by now, with its command line."""
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and alive(int(entry.name)):
                try:
                    if f"{TAG}={self._tag}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                        found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                except OSError:  # it has ended meanwhile, or is another user's
                    continue
        return found

    def named(self, part: str) -> list[int]:
        """The processes whose command line has `part`."""
        return [pid for pid, command in self.processes.items() if part in command]

    @property
    def leftovers(self) -> list[str]:
        """Sockets, directories and files that should not outlive the program."""
        return [str(path) for directory in self._private if directory.is_dir() for path in directory.rglob("*")]

    @property
    def events(self) -> tuple[Event, ...]:
        """The journal on disk, of which every line can be read."""
        history = journal.read(self.home)
        assert not history.problems
        return history.events

    def drafts(self) -> list[str]:
        """What was half typed, as far as it is on disk."""
        return [event.data["text"] for event in self.events if event.kind == "draft"]

    def until(self, condition: Callable[[], object], terminal: Terminal | None = None) -> None:
        """Wait; the terminals are read meanwhile, since a program whose output nobody takes cannot go on."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"never: {self.processes}, {self.leftovers}\n{self._screens()}"
            if terminal is None:
                select.select([], [], [], 0.05)
            else:
                terminal.read(0.05)

    def nothing_is_left(self, *terminals: Terminal) -> None:
        """After the end: no process, no socket, no file but the journal, which is whole; the terminals as they were."""
        self.until(lambda: not self.processes)
        self.until(lambda: not self.leftovers)
        assert self.events is not None  # which looks at every line
        for terminal in terminals:
            terminal.settle()
            assert not terminal.modes_on, f"left on: {terminal.modes_on}"
            assert terminal.attributes == terminal.attributes_before
            assert "Traceback" not in terminal.text
        assert not list(self.home.glob("fault-*")), "a fault of ours was reported"

    def _screens(self) -> str:
        return "\n".join(terminal.text for terminal in self._terminals)

    def clear(self) -> None:
        """End what a failed test has left."""
        for terminal in self._terminals:
            terminal.close()
        for pid in self.processes:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._directory.cleanup()
