"""Comparison with what is expected, and of two submissions with each other. NaN equals nothing here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeVar

import torch
from torch import Tensor

from kernels.judge.case import Answer, Case, Expected, Problem, Reference
from kernels.judge.wire import NAMES

T = TypeVar("T")
_NOISE = {"float64": 1e-12, "float32": 2e-6, "float16": 2e-3, "bfloat16": 2e-2}


def problems(expected: Mapping[str, Expected], answer: Answer) -> list[Problem]:
    """What is wrong with the outputs, output by output."""
    if answer.raised is not None:
        return [Problem("raised", facts=dict(answer.raised))]
    refused = answer.notes.get("refused")
    if refused:
        return [Problem(str(refused.get("kind", "refused")), str(refused.get("output", "")), dict(refused))]
    found = (_output(name, wanted, answer.tensors.get(name)) for name, wanted in expected.items())
    return [problem for problem in found if problem is not None]


def _output(name: str, wanted: Expected, got: Tensor | None) -> Problem | None:
    if got is None:
        return Problem("no-gradient" if name.startswith("grad:") else "missing", name)
    if tuple(got.shape) != tuple(wanted.value.shape):
        return Problem("shape", name, {"got": list(got.shape), "want": list(wanted.value.shape)})
    if wanted.dtype is not None and NAMES.get(got.dtype) != wanted.dtype:
        return Problem("dtype", name, {"got": NAMES.get(got.dtype, "?"), "want": wanted.dtype})
    value = got.to(torch.float64)
    error = (value - wanted.value).abs()
    allowed = wanted.allowed.expand_as(wanted.value)
    right = (error <= allowed) | ((value == wanted.value) & wanted.value.isinf())
    if bool(right.all()):
        return None
    # The worst place, in units of what is allowed there; a NaN is the worst of all.
    worst = torch.where(right, -1.0, torch.nan_to_num(error / (allowed + 1e-300), nan=math.inf, posinf=math.inf))
    at = int(worst.flatten().argmax())
    place = [int(part) for part in torch.unravel_index(torch.tensor(at), value.shape)] if value.ndim else []
    facts = {
        "at": place,
        "got": number(value.flatten()[at]),
        "want": number(wanted.value.flatten()[at]),
        "error": number(error.flatten()[at]),
        "allowed": number(allowed.flatten()[at]),
        "wrong": int((~right).sum()),
        "of": value.numel(),
    }
    return Problem("not-finite" if not bool(value.isfinite().all()) else "values", name, facts)


def same(reference: Reference, case: Case, mine: Answer, theirs: Answer) -> bool:
    """Whether two submissions give the same for a case, up to the rounding of two ways to compute it.

    Exceptions are the same when their types are; what is refused, when it is refused as the same.
    """
    if mine.raised is not None or theirs.raised is not None:
        both = mine.raised is not None and theirs.raised is not None
        return both and (mine.raised or {}).get("type") == (theirs.raised or {}).get("type")
    if "refused" in mine.notes or "refused" in theirs.notes:
        return _refused(mine) == _refused(theirs)
    ours, others = _by_name(mine.tensors, mine), _by_name(theirs.tensors, theirs)
    names = {name for name in (*ours, *others) if not name.startswith("after:")}
    if not names:
        return False
    expected = _by_name(reference.expected(case, theirs), theirs)
    for name in sorted(names | expected.keys()):
        a, b = ours.get(name), others.get(name)
        if a is None and b is None:
            continue
        if a is None or b is None or a.shape != b.shape:
            return False
        wanted = expected.get(name)
        if not _close(a, b, None if wanted is None else wanted.allowed):
            return False
    return True


def _by_name(values: Mapping[str, T], answer: Answer) -> dict[str, T]:
    """With the gradients of a block's own parameters by what the judge put into them, whatever their order."""
    given = [str(name) for name in answer.notes.get("given") or []]
    names = {f"grad:own:{place}": f"grad:{name}" for place, name in enumerate(given)}
    return {names.get(name, name): value for name, value in values.items()}


def _refused(answer: Answer) -> tuple[object, ...]:
    facts = answer.notes.get("refused")
    return tuple(facts.get(name) for name in ("kind", "output", "got")) if isinstance(facts, dict) else ()


def _close(a: Tensor, b: Tensor, allowed: Tensor | None) -> bool:
    noise = max(_NOISE.get(NAMES.get(a.dtype, ""), 0.0), _NOISE.get(NAMES.get(b.dtype, ""), 0.0))
    a, b = a.to(torch.float64), b.to(torch.float64)
    finite = b.isfinite()
    scale = b[finite].abs().max() if bool(finite.any()) else b.new_zeros(())
    room = noise * (b.abs() + scale)
    if allowed is not None:
        room = room + 4 * allowed.expand_as(b)
    # Memory that neither wrote to holds NaN where it came empty, and 0 where it was asked for as zeros.
    nothing = (a.isnan() | (a == 0)) & (b.isnan() | (b == 0))
    return bool((((a - b).abs() <= room) | (a == b) | nothing).all())


def number(value: Any) -> float | str:
    """A float as JSON can hold it."""
    value = float(value)
    return value if math.isfinite(value) else repr(value)
