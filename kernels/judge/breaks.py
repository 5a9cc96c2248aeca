"""Runs a learner's code for the input that it sets, and the faulty kernel on that input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernels.judge import faulty
from kernels.judge.case import Case, Setting
from kernels.judge.compare import number
from kernels.judge.exercise import Job
from kernels.judge.keeper import Limits
from kernels.judge.session import Child, EndedError

SECONDS = 5.0


def try_break(order: Mapping[str, Any], job: Job) -> dict[str, Any]:
    """Both results and the errors, or why there are none: `unreadable`, `problem`, `ended`."""
    if order["faulty"] not in faulty.FAULTY:
        raise ValueError(f"there is no faulty kernel {order['faulty']!r}; known: {', '.join(faulty.FAULTY)}")
    names = list(faulty.FAULTY[order["faulty"]].inputs)
    if set(order["names"]) != set(names):
        raise ValueError(f"{order['faulty']} takes {', '.join(names)}, not {', '.join(order['names'])}")
    limits = Limits(seconds=SECONDS, wall=2 * SECONDS)
    child = Child(job.server, limits, job.cancelled, triton=False)
    source = {
        "source": order["source"], "entries": [{"name": name, "parameters": None, "is_class": False} for name in names],
        "forbid": [], "triton": False, "device": "cpu", "seed": 0,
    }  # fmt: skip
    try:
        unreadable = child.define(source)
        if unreadable is not None:
            return {"unreadable": unreadable}
        answer = child.ask(Case(Setting("break"), "names", {"names": names, "most": faulty.MOST_VALUES}, {}), names[0])
    except EndedError as error:
        return {"ended": error.report}
    finally:
        child.close()
    if answer.raised is not None:
        return {"problem": {"kind": "raised", "facts": answer.raised}}
    refused = answer.notes.get("refused")
    if isinstance(refused, dict):
        return {"problem": {"kind": str(refused.get("kind")), "output": refused.get("output"), "facts": refused}}
    missing = [name for name in names if name not in answer.tensors]
    if missing:
        return {"problem": {"kind": "missing", "output": missing[0], "facts": {}}}
    try:
        found = faulty.try_on(order["faulty"], answer.tensors)
    except faulty.UnfitError as error:
        return {"problem": {"kind": error.kind, "output": error.name, "facts": {}}}
    return {"result": {name: number(value) for name, value in found.items()}}
