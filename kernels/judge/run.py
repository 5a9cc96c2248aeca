"""Grades one submission: asks the child everything, ends it, and only then works out what was expected."""

from __future__ import annotations

import secrets
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernels.judge import mutants, report
from kernels.judge.case import Answer, Case, Check, Reference
from kernels.judge.inputs import Draw
from kernels.judge.keeper import Limits
from kernels.judge.session import CancelledError, Child, EndedError

__all__ = ["CancelledError", "Exercise", "Job", "grade"]


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


@dataclass
class Job:
    """How a submission is run: the fork server, who wants to know how far it is, and whether it is still wanted."""

    server: socket.socket
    progress: Callable[[int, int], None]
    cancelled: Callable[[float], bool]
    device: str = "cpu"


@dataclass
class Kept:
    """What an author's samples of one exercise share under one seed: the cases, and answers of mutants to them."""

    cases: list[Case] = field(default_factory=list)
    answers: dict[tuple[str, int], Answer] = field(default_factory=dict)
    """By the mutant's id and the place of the case."""

    def take(self, exercise: Exercise, source: str, answers: Sequence[Answer]) -> None:
        """Remembers the answers of a source that is one of the mutants."""
        for mutant in exercise.mutants:
            if mutant["code"] == source:
                self.answers |= {(mutant["id"], place): answer for place, answer in enumerate(answers)}

    def given(self, mutant: str, cases: Sequence[Case]) -> list[Answer] | None:
        """A mutant's answers to some of the cases, if all are known."""
        places = {id(case): place for place, case in enumerate(self.cases)}
        found = [self.answers.get((mutant, places[id(case)])) for case in cases]
        return [each for each in found if each is not None] if None not in found else None


@dataclass
class _Run:
    """What one source gave for the cases, as far as it came."""

    answers: list[Answer] = field(default_factory=list)
    unreadable: dict[str, Any] | None = None
    ended: dict[str, Any] | None = None
    report: dict[str, Any] = field(default_factory=dict)


def grade(
    exercise: Exercise, source: str, job: Job, *, seed: int | None, public: bool, kept: Kept | None = None
) -> dict[str, Any]:
    """The verdict as data: each check, the mutant that the numbers match, and how the child ended.

    `kept` is what earlier runs with the same seed have worked out; it is added to. Only for an author's own samples:
    what is expected is then known while a submission runs.
    """
    started = time.monotonic()
    seed = secrets.randbits(31) if seed is None else seed
    checks = [check for check in exercise.checks if check.public or not public]
    kept = Kept() if kept is None else kept
    kept.cases = kept.cases or list(_cases(exercise, checks, Draw(seed)))
    cases = kept.cases
    mine = _ask(exercise, source, cases, job, seed)
    kept.take(exercise, source, mine.answers)
    result: dict[str, Any] = {
        "seed": seed,
        "unreadable": mine.unreadable,
        "ended": mine.ended,
        "printed": mine.report.get("text", ""),
        "peak": mine.report.get("peak", 0),
        "public": public,
    }
    if mine.unreadable is None:
        judged = report.judge(exercise, cases, mine.answers)
        result["checks"] = report.checks(exercise, checks, cases, judged, mine.ended)
        failing = {each["id"] for each in result["checks"] if not each["passed"]}
        result["mutant"] = None
        if failing and mine.ended is None:
            result["mutant"] = mutants.named(
                exercise, judged, failing, lambda some: _ask_mutants(exercise, some, job, seed, kept)
            )
    result["took"] = round(time.monotonic() - started, 3)
    return result


def _cases(exercise: Exercise, checks: Sequence[Check], draw: Draw) -> Iterator[Case]:
    first = None
    for check in checks:
        for case in exercise.reference.cases(check, draw):
            first = first or (case if case.driver == "call" else None)
            if exercise.triton:
                case.request["optional_gradients"] = True
            yield case
    if exercise.triton and first is not None:
        request = {**first.request, "grads": [], "upstream": {}}
        yield Case(first.setting, first.driver, request, first.tensors, first.scalars, first.writable, off=True)


def _ask(exercise: Exercise, source: str, cases: Sequence[Case], job: Job, seed: int) -> _Run:
    """Runs a submission on the cases in a child of its own, which has ended when this returns."""
    run = _Run()
    child = _child(exercise, job)
    try:
        run.unreadable = child.define(_order(exercise, source, job, seed))
        if run.unreadable is None:
            for index, case in enumerate(cases):
                run.answers.append(child.ask(case, _entry(exercise, case)))
                job.progress(index + 1, len(cases))
    except EndedError as error:
        run.ended = error.report
    finally:
        run.report = child.close()
    return run


def _ask_mutants(
    exercise: Exercise, cases: Sequence[Case], job: Job, seed: int, kept: Kept
) -> Iterator[tuple[str, list[Answer]]]:
    """The answers of each mutant, one after the other in the same child: they are the lesson's, not a stranger's."""
    child: Child | None = None
    try:
        for mutant in exercise.mutants:
            answers = kept.given(mutant["id"], cases)
            if answers is None:
                answers = []
                child = child or _child(exercise, job)
                try:
                    if child.define(_order(exercise, mutant["code"], job, seed)) is None:
                        answers = [child.ask(case, _entry(exercise, case)) for case in cases]
                except EndedError:  # a mutant that hangs or crashes takes the child with it
                    child.close()
                    child = None
            yield mutant["id"], answers
    finally:
        if child is not None:
            child.close()


def _child(exercise: Exercise, job: Job) -> Child:
    gpu = exercise.triton and job.device != "cpu"
    limits = Limits(
        seconds=exercise.seconds,
        wall=2 * exercise.seconds + 3,
        address_space=not gpu,
        memory=(6 << 30) if gpu else (2 << 30),  # with a GPU the driver's own memory counts too
    )
    return Child(job.server, limits, job.cancelled, triton=exercise.triton)


def _order(exercise: Exercise, source: str, job: Job, seed: int) -> dict[str, Any]:
    return {
        "source": source,
        "entries": exercise.entries,
        "forbid": exercise.forbid,
        "triton": exercise.triton,
        "device": job.device if exercise.triton else "cpu",
        "seed": seed,
    }


def _entry(exercise: Exercise, case: Case) -> str:
    return str(case.request.get("entry") or exercise.entries[0]["name"])
