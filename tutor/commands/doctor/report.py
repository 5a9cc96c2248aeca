"""One thing that `normtutor doctor` looked at."""

from __future__ import annotations

from typing import Literal

import msgspec

State = Literal["ok", "warning", "problem"]


class Finding(msgspec.Struct, frozen=True):
    """What was looked at (a stable name), how it is, what was found, and what to do about it (empty: nothing)."""

    what: str
    state: State
    found: str
    advice: str = ""


def ok(what: str, found: str) -> Finding:
    """Nothing to do."""
    return Finding(what, "ok", found)


def warning(what: str, found: str, advice: str) -> Finding:
    """It works, but less well than it could."""
    return Finding(what, "warning", found, advice)


def problem(what: str, found: str, advice: str) -> Finding:
    """A part of normtutor does not work because of this."""
    return Finding(what, "problem", found, advice)
