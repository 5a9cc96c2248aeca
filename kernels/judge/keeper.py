"""Holds one submission to its limits: a small process between the fork server and the child.

It reads what the child prints, looks at the whole family of processes every few milliseconds, and ends all of it when
a limit is passed, when the child ends, or when the judge is gone. It is the reaper of its family: what a child leaves
behind, in a session of its own or not, becomes the keeper's and ends with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NoReturn

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LOOK_EVERY = 0.02
SHOWN = 4000
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Limits:
    """What a submission may use."""

    seconds: float = 10.0
    """Processor time of the whole family."""
    wall: float = 35.0
    memory: int = 2 << 30
    """Bytes beyond what torch itself takes."""
    processes: int = 16
    printed: int = 16 << 20
    address_space: bool = True
    """Whether mapped memory is limited too; not with a GPU, whose driver maps far more than it uses."""


def prctl(option: int, value: int) -> None:
    """Tells the system how to treat this process, where it can be told so."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def keep(limits: Limits, control: socket.socket, run: Callable[[], None]) -> NoReturn:
    """Forks, calls `run` below, and watches over it; does not return, in either process.

    The death of the judge shows as the end of `control`; no signal kills the keeper before it has ended its family.
    """
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    reader, writer = os.pipe()
    keeper = os.getpid()
    child = os.fork()
    if child == 0:
        os.close(reader)
        control.close()
        _become_child(limits, keeper, writer)
        try:
            run()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(writer)
    report = _Watch(limits, child, reader, control).until_the_end()
    with contextlib.suppress(OSError):
        control.sendall(json.dumps(report).encode())
    os._exit(0)


def _become_child(limits: Limits, keeper: int, writer: int) -> None:
    os.setsid()
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != keeper:
        os._exit(1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(writer, 1)
    os.dup2(writer, 2)
    os.close(null)
    os.close(writer)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_CPU, int(limits.seconds) + 2)
    _limit(resource.RLIMIT_FSIZE, 64 << 20)
    if limits.address_space:
        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * _PAGE
        _limit(resource.RLIMIT_AS, mapped + limits.memory + (1 << 30))


def _limit(what: int, value: int) -> None:
    hard = resource.getrlimit(what)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(what, (value, value))


class _Watch:
    def __init__(self, limits: Limits, child: int, reader: int, control: socket.socket) -> None:
        self.limits, self.child, self.reader, self.control = limits, child, reader, control
        self.started = time.monotonic()
        self.shown = bytearray()
        self.printed = 0
        self.peak = 0
        self.base = _private(child)
        self.open = {reader, control.fileno()}

    def until_the_end(self) -> dict[str, object]:
        """Watches until something ends it; how it ended."""
        status: int | None = None
        why = ""
        while status is None and not why:
            ready, _, _ = select.select(list(self.open), [], [], LOOK_EVERY)
            if self.control.fileno() in ready:  # the judge has seen enough, or is gone
                why = "closed"
            if self.reader in ready:
                why = why or self._drain()
            status = self._reap()
            why = why or self._over_limit()
        cpu = _cpu([self.child, *_family(self.child)]) if status is None else 0.0
        self._end_all()
        self._drain_rest()
        return {
            "why": why or "ended",
            "code": None if status is None else os.waitstatus_to_exitcode(status),
            "printed": self.printed,
            "text": self.shown.decode("utf-8", "replace"),
            "peak": self.peak,
            "cpu": round(cpu, 3),
            "limits": asdict(self.limits),
        }

    def _drain(self) -> str:
        data = os.read(self.reader, 1 << 16)
        if not data:
            self.open.discard(self.reader)
            return ""
        self.printed += len(data)
        self.shown += data[: max(0, SHOWN - len(self.shown))]
        return "printed" if self.printed > self.limits.printed else ""

    def _drain_rest(self) -> None:
        os.set_blocking(self.reader, False)
        with contextlib.suppress(BlockingIOError):
            while self.printed <= self.limits.printed and (data := os.read(self.reader, 1 << 16)):
                self.printed += len(data)
                self.shown += data[: max(0, SHOWN - len(self.shown))]

    def _reap(self) -> int | None:
        status = None
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self.child:
                    status = ended[1]
        return status

    def _over_limit(self) -> str:
        if time.monotonic() - self.started > self.limits.wall:
            return "wall"
        family = [self.child, *_family(os.getpid(), but=self.child)]
        if len(family) > self.limits.processes:
            return "processes"
        used = sum(max(0, _private(pid) - self.base) for pid in family)
        self.peak = max(self.peak, used)
        if used > self.limits.memory:
            return "memory"
        return "seconds" if _cpu(family) > self.limits.seconds else ""

    def _end_all(self) -> None:
        """Ends the child's group at once, then whatever has left the group, until nothing is below us."""
        while True:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.child, signal.SIGKILL)
            for pid in _family(os.getpid()):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return
            select.select([], [], [], 0.001)


def _family(pid: int, but: int | None = None) -> list[int]:
    """Every living process below `pid`, but for one that is known already (what is below that one counts)."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        for child in children(parent):
            if child != but:
                found.append(child)
            waiting.append(child)
        if len(found) > 4096:
            break
    return found


def children(pid: int) -> list[int]:
    """The processes that a process has started and not yet waited for."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - this is asked often
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/children", "rb") as file:  # noqa: PTH123
                found.extend(map(int, file.read().split()))
    return found


def _private(pid: int) -> int:
    """Bytes of memory that are the process's own, or were its fork server's."""
    with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/statm", "rb") as file:  # noqa: PTH123
        parts = file.read().split()
        return (int(parts[1]) - int(parts[2])) * _PAGE
    return 0


def _cpu(pids: list[int]) -> float:
    """Seconds of processor time that living processes, and the children that they have waited for, have used."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            total += sum(map(int, file.read().rpartition(b")")[2].split()[11:15]))
    return total / _TICKS
