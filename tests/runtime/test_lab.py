"""The lab's process: experiments in it, what goes wrong in it, and that nothing of it is left."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tutor.runtime.device import Device
from tutor.runtime.lab import Lab, LabError, RefusedError
from tutor.runtime.remaining import left

SMALL = {"arch": ["pre"], "depth": 3, "d_model": 16}
LONG = {"arch": ["post"], "warmup": [0], "steps": 20000, "depth": 2, "d_model": 16}


@pytest.fixture
async def lab() -> AsyncIterator[Lab]:
    lab = Lab(Device(kind="cpu", triton="missing"))
    yield lab
    await lab.stop()
    assert lab.pid is None


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


async def begin(lab: Lab) -> asyncio.Task[dict[str, Any]]:
    """A run that would take long, and has begun."""
    begun = asyncio.Event()
    running = asyncio.create_task(lab.measure("warmup", LONG, lambda *_progress: begun.set()))
    await asyncio.wait_for(begun.wait(), 60)
    return running


@pytest.mark.slow
async def test_one_process_runs_what_it_is_asked_and_says_what_it_refuses_until_a_run_is_cancelled(lab: Lab) -> None:
    heard: list[tuple[float, float]] = []
    seen: list[list[dict[str, Any]]] = []
    await lab.load()
    pid = lab.pid
    assert pid is not None
    first = await lab.measure("hidden-variance", SMALL, lambda *progress: heard.append(progress), seen.append)
    assert first["experiment"] == "hidden-variance" and first["parameters"]["depth"] == 3
    assert heard and seen[0][0]["label"] == "pre"
    assert (await lab.measure("hidden-variance", SMALL))["views"] == first["views"]
    with pytest.raises(RefusedError, match="did you mean depth"):
        await lab.measure("hidden-variance", {"dpeth": 3})
    with pytest.raises(RefusedError, match="there is no experiment"):
        await lab.measure("nonsense", {})
    with pytest.raises(LabError, match="KeyError"):
        await lab.order({"values": {}})
    assert lab.pid == pid

    running = await begin(lab)
    started = time.monotonic()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert time.monotonic() - started < 0.5
    assert gone(pid) and lab.pid is None


@pytest.mark.slow
async def test_a_process_that_dies_is_told_and_replaced(lab: Lab) -> None:
    running = await begin(lab)
    dead = lab.pid
    assert dead is not None
    os.kill(dead, 9)
    with pytest.raises(LabError, match=r"has ended.*SIGKILL"):
        await running
    assert (await lab.measure("hidden-variance", SMALL))["experiment"] == "hidden-variance"
    assert lab.pid != dead


@pytest.mark.slow
async def test_it_ends_with_whoever_started_it(lab: Lab) -> None:
    running = await begin(lab)
    pid, process = lab.pid, lab._process
    assert pid is not None and process is not None and process.stdin is not None
    process.stdin.close()  # what the system does when this process dies, also by SIGKILL
    with pytest.raises(LabError):
        await asyncio.wait_for(running, 10)
    assert gone(pid)


def test_no_time_is_promised_before_it_can_be_known() -> None:
    assert left(1, 100, 20) is None
    assert left(10, 100, 0.5) is None
    assert left(0, 0, 5) is None
    assert left(25, 100, 10) == pytest.approx(30)
    assert left(100, 100, 10) == 0
