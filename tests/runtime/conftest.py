"""Real kernels: one with torch that most tests share, and quick ones without it for those that end them."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from tutor.runtime.device import Device, child_environment
from tutor.runtime.outputs import Finished, Output, Stream
from tutor.runtime.session import Session

PATIENCE = 60.0


def cell_environment() -> dict[str, str]:
    environment = child_environment(Device(kind="cpu", triton="interpreted"))
    environment.pop("PYTEST_CURRENT_TEST", None)  # ipykernel behaves differently when it sees this
    return environment


class Told(list[Output]):
    """What a run puts out, to be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = asyncio.Event()

    def __call__(self, output: Output) -> None:
        self.append(output)
        self.changed.set()

    @property
    def printed(self) -> str:
        return "".join(output.text for output in self if isinstance(output, Stream))

    async def until(self, condition: Callable[[Told], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition(self):
                self.changed.clear()
                await self.changed.wait()


async def run(session: Session, code: str, **options: object) -> tuple[Finished, Told]:
    told = Told()
    async with asyncio.timeout(PATIENCE):
        finished = await session.run(code, on_output=told, **options)  # type: ignore[arg-type]
    return finished, told


async def begin(session: Session, code: str, mark: str = "go") -> tuple[asyncio.Task[Finished], Told]:
    """Starts a cell that prints `mark`, and waits for that."""
    told = Told()
    task = asyncio.create_task(session.run(code, on_output=told))
    await told.until(lambda outputs: mark in outputs.printed or task.done())
    assert not task.done()
    return task, told


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def gone(*pids: int) -> None:
    """Waits until no such process lives: the system says when."""
    for pid in pids:
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        ended = asyncio.Event()
        asyncio.get_running_loop().add_reader(handle, ended.set)
        try:
            await asyncio.wait_for(ended.wait(), PATIENCE)
        finally:
            asyncio.get_running_loop().remove_reader(handle)
            os.close(handle)
        assert not is_alive(pid)


class Heart:
    """Beats in the event loop, and knows how long others have once kept it from beating.

    Counted in CPU seconds of this thread: on a busy machine, the loop also stands still when it is nobody's fault.
    """

    async def __aenter__(self) -> Heart:
        self.longest = 0.0
        self._task = asyncio.create_task(self._beat())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()

    async def _beat(self) -> None:
        before = time.thread_time()
        while True:
            await asyncio.sleep(0.005)
            now = time.thread_time()
            self.longest, before = max(self.longest, now - before), now


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def session() -> AsyncIterator[Session]:
    """A session with torch, in the state that earlier tests have left it in: ready."""
    shared = Session(environment=cell_environment())
    await shared.start()
    yield shared
    await shared.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def quick(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Session]:
    """A session of the test's own, without torch."""
    monkeypatch.setattr("tutor.runtime.session.PRELUDE", "own = 1")
    mine = Session(environment=cell_environment())
    await mine.start()
    assert not mine.detail
    yield mine
    await mine.stop()
