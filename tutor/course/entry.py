"""What an exercise asks for, `rms_norm(x, eps)` or `class Block(d_model)`, and the code of its mutants."""

from __future__ import annotations

import re
from typing import NamedTuple

from tutor.course.model import ExerciseStep, Mutant

_ENTRY = re.compile(r"(class\s+)?([A-Za-z_]\w*)\(\s*([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)?\s*\)")


class Entry(NamedTuple):
    """A name that must be there after the submission has run, and the parameters that it is called with, in order."""

    name: str
    parameters: tuple[str, ...]
    is_class: bool


def parse(text: str) -> Entry | None:
    """The entry that a lesson file writes; None where it is none."""
    found = _ENTRY.fullmatch(text.strip())
    if found is None:
        return None
    parameters = tuple(part.strip() for part in (found[3] or "").split(",") if part.strip())
    return Entry(found[2], parameters, found[1] is not None)


def entries(step: ExerciseStep) -> tuple[Entry, ...]:
    """Everything that the exercise asks for."""
    texts = (step.entry,) if isinstance(step.entry, str) else step.entry
    return tuple(entry for entry in map(parse, texts) if entry is not None)


def code_of(step: ExerciseStep, mutant: Mutant) -> str:
    """The mutant's source: its own, or the first solution with the mutant's changes, one after the other."""
    if not mutant.change or not step.solutions:
        return mutant.code
    code = step.solutions[0]
    for change in mutant.change:
        code = code.replace(change.old, change.new)
    return code
