"""The grader process from the tutor's side: it starts when asked, can be stopped at any time, and is replaced."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.runtime.conftest import gone
from tutor.runtime.device import Device
from tutor.runtime.grader import Grader, GraderError

CPU = Device(kind="cpu", triton="interpreted")
CLAIM = {"op": "search", "inputs": {"x": "rows"}, "left": "x", "right": "x", "within": 1e-6, "seed": 1}


def exercise(source: str, seconds: float = 20.0) -> dict[str, Any]:
    check = {
        "id": "rows", "probe": "", "shapes": [[2, 3], [3, 4]], "families": ["normal"], "dtypes": ["float32"],
        "layouts": ["contiguous"], "eps": [1e-5], "gradients": False, "public": True,
    }  # fmt: skip
    return {
        "op": "grade", "source": source, "public": False, "seed": 1,
        "exercise": {
            "reference": "rms_norm", "checks": [check], "mutants": [], "forbid": [], "triton": False,
            "seconds": seconds,
            "entries": [{"name": "rms_norm", "parameters": ["x", "weight", "eps"], "is_class": False}],
        },
    }  # fmt: skip


RIGHT = "def rms_norm(x, weight, eps):\n    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight\n"
ENDLESS = "calls = []\n" + RIGHT.replace(
    "    return", "    calls.append(1)\n    while len(calls) > 1: pass\n    return"
)
"""Answers once and then never again."""


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def grader() -> AsyncIterator[Grader]:
    grader = Grader(CPU)
    yield grader
    await grader.stop()


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_it_starts_when_it_is_first_asked_and_tells_how_far_it_is(grader: Grader) -> None:
    assert grader.pid is None
    steps: list[tuple[int, int]] = []
    result = await grader.order(exercise(RIGHT), lambda done, of: steps.append((done, of)))
    assert [check["passed"] for check in result["checks"]] == [True, True]
    assert steps == [(1, 2), (2, 2)]
    assert grader.pid is not None


async def test_a_cancelled_order_frees_it_at_once(grader: Grader) -> None:
    task = await under_way(grader)
    pid = grader.pid
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(10):
        assert (await grader.order(CLAIM))["tried"] == 600
    assert grader.pid == pid


async def under_way(grader: Grader) -> asyncio.Task[dict[str, Any]]:
    """An order that has begun and does not end."""
    begun = asyncio.Event()
    task = asyncio.create_task(grader.order(exercise(ENDLESS, seconds=60), lambda _done, _of: begun.set()))
    async with asyncio.timeout(60):
        await begun.wait()
    return task


def below(grader: Grader) -> list[int]:
    """The judge and every process below it: the fork server, a keeper, a submission."""
    pids = [grader.pid or 0]
    for pid in pids:
        pids += [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return pids


async def test_orders_that_come_together_are_carried_out_one_after_the_other(grader: Grader) -> None:
    results = await asyncio.gather(grader.order(exercise(RIGHT)), grader.order(CLAIM), grader.order(exercise(RIGHT)))
    assert [("checks" in result) for result in results] == [True, False, True]


async def test_a_judge_that_dies_is_replaced_and_asked_again(grader: Grader) -> None:
    await grader.start()
    before = grader.pid
    assert before is not None
    task = asyncio.create_task(grader.order(exercise(RIGHT)))
    os.kill(before, signal.SIGKILL)
    result = await task
    assert all(check["passed"] for check in result["checks"])
    assert grader.pid not in (None, before)


async def test_whoever_kills_every_judge_gets_no_verdict(grader: Grader) -> None:
    source = """
import os, signal
pid = os.getpid()
for _ in range(3):
    pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
os.kill(pid, signal.SIGKILL)
"""
    with pytest.raises(GraderError):
        await grader.order(exercise(source + RIGHT))
    assert all(check["passed"] for check in (await grader.order(exercise(RIGHT)))["checks"])


async def test_an_order_that_makes_no_sense_is_the_graders_fault(grader: Grader) -> None:
    with pytest.raises(GraderError, match="no reference"):
        order = exercise(RIGHT)
        order["exercise"]["reference"] = "nothing"
        await grader.order(order)


async def test_nothing_is_left_when_it_stops() -> None:
    grader = Grader(CPU)
    task = await under_way(grader)
    pids = below(grader)
    assert len(pids) >= 4
    directory = os.readlink(f"/proc/{grader.pid}/cwd")  # noqa: PTH115
    await grader.stop()
    with pytest.raises(GraderError):
        await task
    await gone(*pids)
    assert not os.path.exists(directory)  # noqa: ASYNC240, PTH110


async def test_a_python_that_cannot_start_says_so() -> None:
    with pytest.raises(GraderError):
        await Grader(CPU, python="/nonexistent/python").order(CLAIM)
