"""What the learner's cells measured on this machine, of the figures that texts quote, from the journal."""

from __future__ import annotations

import platform
from typing import Any

from tutor.course.figures import Figures, fingerprint
from tutor.course.model import AnyStep, Course
from tutor.memory.progress import Progress


def machine() -> str:
    """The name of this machine. Several may share a home directory, and each has figures of its own."""
    return platform.node()


def figures(course: Course, progress: Progress) -> Figures:
    """The course's figures, with the last measurement that was made here by the cell as it is now."""
    known = Figures(course)
    for id, step in known.steps.items():
        ran = progress.measured.get((machine(), id))
        if ran is not None and ran.cell == fingerprint(step):
            known.measured[id] = ran.figures
    return known


def noted(step: AnyStep, measured: dict[str, float]) -> dict[str, Any]:
    """What the event of a run says of the figures that it measured; nothing where it measured none."""
    return {"figures": measured, "cell": fingerprint(step), "machine": machine()} if measured else {}
