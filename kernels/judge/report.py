"""From answers to the report on each check: what failed, and the smallest input that shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from kernels.judge.case import Answer, Case, Check, Problem
from kernels.judge.compare import number
from kernels.judge.exercise import Exercise

INPUTS_UNCHANGED, ALLOWED_CALLS, OWN_KERNEL = "inputs-unchanged", "allowed-calls", "own-kernel"
SHOWN_VALUES = 6


@dataclass(frozen=True)
class Judged:
    """A case that was answered, and what is wrong with the answer."""

    case: Case
    answer: Answer
    problems: list[Problem]

    @property
    def fails(self) -> bool:
        """Whether anything is wrong."""
        return bool(self.problems)


def judge(exercise: Exercise, cases: Sequence[Case], answers: Sequence[Answer]) -> list[Judged]:
    """Every answer beside the reference; for one with launches off, what is right is what is wrong."""
    judged = []
    for case, answer in zip(cases, answers, strict=False):
        problems = exercise.reference.problems(case, answer)
        if case.off:
            wrong = {problem.output for problem in problems}
            right = [name for name in case.request["outputs"] if name not in wrong]
            stopped = answer.raised is not None or "refused" in answer.notes
            problems = [] if stopped else [Problem("right-without-launches", name) for name in right]
        judged.append(Judged(case, answer, problems))
    return judged


def checks(
    exercise: Exercise,
    wanted: Sequence[Check],
    cases: Sequence[Case],
    judged: Sequence[Judged],
    ended: Mapping[str, Any] | None,
) -> list[dict[str, Any]]:
    """The report on each check, in order, then those that the judge adds. `ended` says how a child broke off."""
    last = cases[len(judged)].setting.check if ended is not None and len(judged) < len(cases) else None
    reports = [_check(check, cases, judged, last) for check in wanted]
    numeric = [each for each in judged if not each.case.off]
    if any(case.driver in ("call", "module") for case in cases):
        reports.append(_added(INPUTS_UNCHANGED, [(each, changed(each)) for each in numeric]))
    if exercise.forbid:
        reports.append(_added(ALLOWED_CALLS, [(each, _called(each)) for each in judged]))
    if exercise.triton:
        reports.append(_own_kernel(judged, complete=ended is None))
    return reports


def _check(check: Check, cases: Sequence[Case], judged: Sequence[Judged], last: str | None) -> dict[str, Any]:
    total = sum(case.setting.check == check.id and not case.off for case in cases)
    mine = [each for each in judged if each.case.setting.check == check.id and not each.case.off]
    failing = [each for each in mine if each.fails]
    report: dict[str, Any] = {"id": check.id, "passed": False, "tried": total, "failed": len(failing), "problem": None}
    if failing:
        shown = min(failing, key=lambda each: each.case.size)
        report["problem"] = described(shown.problems[0], shown.case)
    elif len(mine) < total:
        report["problem"] = {"kind": "ended" if last == check.id else "not-reached"}
    else:
        report["passed"] = True
    return report


def _added(id: str, found: Sequence[tuple[Judged, Problem | None]]) -> dict[str, Any]:
    failing = [(each, problem) for each, problem in found if problem is not None]
    report: dict[str, Any] = {
        "id": id,
        "passed": bool(found) and not failing,
        "tried": len(found),
        "failed": len(failing),
        "problem": None if found else {"kind": "not-reached"},
    }
    if failing:
        each, problem = min(failing, key=lambda pair: pair[0].case.size)
        report["problem"] = described(problem, each.case)
    return report


def _own_kernel(judged: Sequence[Judged], *, complete: bool) -> dict[str, Any]:
    """Each call launches a kernel of the submission's, torch adds nothing up, and nothing is right without launches."""
    found: list[tuple[Judged, Problem | None]] = []
    for each in judged:
        problem = None
        if each.case.off:
            problem = each.problems[0] if each.problems else None
        elif each.answer.raised is None and not each.answer.notes.get("refused"):
            reductions = each.answer.notes.get("reductions") or []
            if reductions:
                problem = Problem("reductions", facts={"names": sorted({str(name) for name in reductions})[:4]})
            elif not each.answer.notes.get("launches"):
                problem = Problem("no-launch")
        found.append((each, problem))
    report = _added(OWN_KERNEL, found)
    if report["passed"] and (not complete or not any(each.answer.notes.get("launches") for each in judged)):
        report |= {"passed": False, "problem": {"kind": "no-launch" if complete else "not-reached"}}
    return report


def _called(each: Judged) -> Problem | None:
    called = each.answer.notes.get("called")
    return Problem("forbidden", facts={"name": str(called[0])}) if called else None


def changed(each: Judged) -> Problem | None:
    """The first input that the submission wrote to, beyond those that it was to write to."""
    for name, tensor in each.case.tensors.items():
        after = each.answer.tensors.get(f"after:{name}")
        if after is None or name in each.case.writable:
            continue
        storage = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage())
        if after.shape != storage.shape or after.dtype != storage.dtype or not _same_bits(after, storage):
            return Problem("changed", name)
    if each.answer.notes.get("upstream_kept") is False:
        return Problem("changed", "dy")
    return Problem("changed", "x") if each.answer.notes.get("x_kept") is False else None


def _same_bits(a: Tensor, b: Tensor) -> bool:
    return bool(torch.equal(a.contiguous().view(torch.uint8), b.contiguous().view(torch.uint8)))


def described(problem: Problem, case: Case) -> dict[str, Any]:
    """A problem with the input that shows it, as JSON."""
    setting = case.setting
    return {
        "kind": problem.kind,
        "output": problem.output,
        "facts": problem.facts,
        "case": {
            "shape": list(setting.shape),
            "family": setting.family,
            "dtype": setting.dtype,
            "layout": setting.layout,
            "eps": setting.eps,
            "probe": setting.probe,
        },
        "row": _row(problem, case),
        "scalars": {name: value for name, value in case.scalars.items() if isinstance(value, int | float)},
    }


def _row(problem: Problem, case: Case) -> dict[str, Any] | None:
    """The row of x that the wrong value belongs to, or its first, as far as it can be shown."""
    x = case.tensors.get("x")
    if x is None or not x.ndim or not x.numel():
        return None
    at = problem.facts.get("at") or []
    rows = x.reshape(-1, x.shape[-1])
    index = 0
    if len(at) == x.ndim and problem.output in ("y", "h", "dx", "grad:x"):
        for place, size in zip(at[:-1], x.shape[:-1], strict=True):
            index = index * size + place
    values = [number(value) for value in rows[index][:SHOWN_VALUES].tolist()]
    return {"index": index, "values": values, "width": int(x.shape[-1])}
