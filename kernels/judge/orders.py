"""What the judge is asked to do, from the JSON of an order to the JSON of a result."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Mapping
from typing import Any

from kernels.judge import references
from kernels.judge.breaks import try_break
from kernels.judge.case import Check
from kernels.judge.exercise import Exercise, Job
from kernels.judge.run import CancelledError, grade
from kernels.judge.samples import Samples
from kernels.judge.search import search

__all__ = ["CancelledError", "serve"]


def serve(
    order: Mapping[str, Any],
    server: socket.socket,
    progress: Callable[[int, int], None],
    cancelled: Callable[[float], bool],
) -> dict[str, Any]:
    """The result of one order. Raises CancelledError, and ValueError for an order that makes no sense."""
    job = Job(server, progress, cancelled, str(order.get("device", "cpu")))
    if order["op"] == "grade":
        exercise = _exercise(order["exercise"])
        samples = _samples(order) if order.get("samples") else None
        return grade(exercise, order["source"], job, seed=order.get("seed"), public=order["public"], samples=samples)
    if order["op"] == "search":
        return search(order)
    if order["op"] == "break":
        return try_break(order, job)
    raise ValueError(f"there is no order {order['op']!r}")


_last: tuple[str, Samples] = ("", Samples())


def _samples(order: Mapping[str, Any]) -> Samples:
    """What the last order has left, if that was about this exercise with this seed."""
    global _last
    key = json.dumps([order["exercise"], order.get("seed"), order["public"]], sort_keys=True)
    if _last[0] != key:
        _last[1].close()
        _last = (key, Samples())
    return _last[1]


def _exercise(part: Mapping[str, Any]) -> Exercise:
    reference = references.find(part["reference"])
    if reference is None:
        raise ValueError(f"there is no reference {part['reference']!r}; known: {', '.join(references.NAMES)}")
    checks = tuple(_check(each) for each in part["checks"])
    for check in checks:
        if check.probe not in reference.probes:
            known = ", ".join(probe for probe in reference.probes if probe)
            raise ValueError(f"{part['reference']} has no probe {check.probe!r}; known: {known or 'none'}")
    return Exercise(
        entries=tuple(part["entries"]),
        reference=reference,
        checks=checks,
        mutants=tuple(part["mutants"]),
        forbid=tuple(part["forbid"]),
        triton=part["triton"],
        seconds=part["seconds"],
    )


def _check(part: Mapping[str, Any]) -> Check:
    return Check(
        id=part["id"],
        probe=part["probe"],
        shapes=tuple(tuple(shape) for shape in part["shapes"]),
        families=tuple(part["families"]),
        dtypes=tuple(part["dtypes"]),
        layouts=tuple(part["layouts"]),
        eps=tuple(part["eps"]),
        gradients=part["gradients"],
        public=part["public"],
    )
