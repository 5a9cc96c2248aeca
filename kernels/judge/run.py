"""Grades one submission: asks the child everything, ends it, and only then works out what was expected."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernels.judge import mutants, report
from kernels.judge.case import Answer, Case, Check
from kernels.judge.exercise import Exercise, Job, definition, new_child
from kernels.judge.inputs import Draw
from kernels.judge.samples import Samples
from kernels.judge.session import CancelledError, EndedError

__all__ = ["CancelledError", "grade"]


@dataclass
class _Run:
    """What one source gave for the cases, as far as it came."""

    answers: list[Answer] = field(default_factory=list)
    unreadable: dict[str, Any] | None = None
    ended: dict[str, Any] | None = None
    report: dict[str, Any] = field(default_factory=dict)


def grade(
    exercise: Exercise, source: str, job: Job, *, seed: int | None, public: bool, samples: Samples | None = None
) -> dict[str, Any]:
    """The verdict as data: each check, the mutant that the numbers match, and how the child ended.

    `samples` is what earlier runs with the same seed share; it is added to, and its child runs the source. Only for an
    author's own samples: what is expected is then known while they run.
    """
    started = time.monotonic()
    seed = secrets.randbits(31) if seed is None else seed
    checks = [check for check in exercise.checks if check.public or not public]
    shared = Samples() if samples is None else samples
    cases = shared.cases = shared.cases or list(_cases(exercise, checks, Draw(seed)))
    mine = _ask(exercise, source, cases, job, seed, samples)
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
            try:
                result["mutant"] = mutants.named(
                    exercise, judged, failing, lambda mutant, case: shared.answer(exercise, mutant, case, job, seed)
                )
            finally:
                if samples is None:
                    shared.close()
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


def _ask(exercise: Exercise, source: str, cases: Sequence[Case], job: Job, seed: int, samples: Samples | None) -> _Run:
    """Runs a submission on the cases in a child of its own, which has ended when this returns; samples share one."""
    run = _Run()
    child = new_child(exercise, job) if samples is None else samples.child(exercise, job)
    try:
        run.unreadable = child.define(definition(exercise, source, job, seed))
        if run.unreadable is None:
            for index, case in enumerate(cases):
                run.answers.append(child.ask(case, exercise.entry(case)))
                job.progress(index + 1, len(cases))
            run.unreadable = _uncompiled(run.answers)
    except EndedError as error:
        run.ended = error.report
    finally:
        whole = run.unreadable is not None or len(run.answers) == len(cases)
        if samples is None:
            run.report = child.close()
        elif whole:
            samples.take(exercise, source, run.answers)
        else:
            run.report = samples.close()
    return run


def _uncompiled(answers: Sequence[Answer]) -> dict[str, Any] | None:
    """Why no call came to anything, where that is a kernel that Triton cannot compile."""
    raised = [answer.raised for answer in answers if answer.raised is not None]
    fails = ["CompilationError" in (each.get("bases") or []) for each in raised]
    if not raised or len(raised) < len(answers) or not all(fails):
        return None
    return {"kind": "kernel", "message": str(raised[0].get("message")), "line": raised[0].get("line")}
