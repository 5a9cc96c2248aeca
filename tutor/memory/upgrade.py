"""Brings the data of older events up to the format of now, one version at a time.

Only what is read changes: the lines on disk stay as they were written. A new version of the format adds one function
here, and a journal in `tests/memory/journals` that it was written to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def upgraded(kind: str, version: int, data: dict[str, Any]) -> dict[str, Any]:
    """The data of an event of this kind, written in format `version`, as the format of now has it."""
    for number, step in enumerate(_STEPS, start=1):
        if version <= number:
            data = step(kind, data)
    return data


def _to_2(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    """Format 1 knew no reviews and no versions of questions: its answers were all given in lessons, to the first."""
    return {**data, "version": 1, "review": False} if kind == "answered" else data


_STEPS: tuple[Callable[[str, dict[str, Any]], dict[str, Any]], ...] = (_to_2,)
"""From format 1 to 2, and so on."""
