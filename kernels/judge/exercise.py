"""What an exercise asks, how its submissions are run, and a child for one."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kernels.judge.case import Case, Check, Reference
from kernels.judge.keeper import Limits
from kernels.judge.session import Child


@dataclass(frozen=True)
class Exercise:
    """What is asked, as the lesson gives it."""

    entries: tuple[dict[str, Any], ...]
    reference: Reference
    checks: tuple[Check, ...]
    mutants: tuple[dict[str, Any], ...] = ()
    forbid: tuple[str, ...] = ()
    triton: bool = False
    seconds: float = 10.0

    def entry(self, case: Case) -> str:
        """The name that a case calls."""
        return str(case.request.get("entry") or self.entries[0]["name"])


@dataclass
class Job:
    """How a submission is run: the fork server, who wants to know how far it is, and whether it is still wanted."""

    server: socket.socket
    progress: Callable[[int, int], None]
    cancelled: Callable[[float], bool]
    device: str = "cpu"


def new_child(exercise: Exercise, job: Job, *, sources: int = 1) -> Child:
    """A child for so many sources, one after the other: several only where they are the lesson's own."""
    gpu = exercise.triton and job.device != "cpu"
    limits = Limits(
        seconds=sources * exercise.seconds,
        wall=sources * (2 * exercise.seconds + 3),
        address_space=not gpu,
        memory=(6 << 30) if gpu else (2 << 30),  # with a GPU the driver's own memory counts too
    )
    return Child(job.server, limits, job.cancelled, triton=exercise.triton)


def definition(exercise: Exercise, source: str, job: Job, seed: int) -> dict[str, Any]:
    """What a child is sent to define a source."""
    return {
        "source": source,
        "entries": exercise.entries,
        "forbid": exercise.forbid,
        "triton": exercise.triton,
        "device": job.device if exercise.triton else "cpu",
        "seed": seed,
    }
