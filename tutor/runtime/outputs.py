"""What a cell puts out, ready to be shown: every string in here has been sanitised."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class Stream(msgspec.Struct, frozen=True):
    """Printed text. May hold carriage returns and backspaces, which a `Transcript` resolves.

    `dropped` characters were printed just before it and did not come through: a flood is thinned out. With `clears`
    everything that the cell has put out so far is to go first.
    """

    name: Literal["stdout", "stderr"]
    text: str
    dropped: int = 0
    clears: bool = False


class Value(msgspec.Struct, frozen=True):
    """The value of the cell's last expression, or something displayed, as plain text.

    Outputs of one run with the same `display`, if it is not empty, replace one another.
    """

    text: str
    display: str = ""


class Curves(msgspec.Struct, frozen=True):
    """Curves passed to `kernels.show`: the decoded document of its MIME type, and the same as plain text.

    Outputs of one run with the same `display`, if it is not empty, replace one another.
    """

    document: dict[str, Any]
    text: str
    display: str = ""


class Failure(msgspec.Struct, frozen=True):
    """An exception in the cell. `line` is the line of the learner's code (1-based), None where there is none."""

    name: str
    message: str
    traceback: str
    line: int | None = None


Output = Stream | Value | Curves | Failure

Ending = Literal["ok", "error", "interrupted", "died", "unavailable"]


class Finished(msgspec.Struct, frozen=True):
    """How a run ended.

    `values` holds the `repr` of each expression asked for with the run, for those that could be evaluated, and
    `errors` the reason for those that could not. `detail` says in words what happened when the kernel died or
    never started. `dropped` counts the displayed outputs that were left out because there were too many or too large.
    """

    ending: Ending
    seconds: float
    values: dict[str, str] = msgspec.field(default_factory=dict)
    errors: dict[str, str] = msgspec.field(default_factory=dict)
    detail: str = ""
    dropped: int = 0
    fault: str = ""
    """What of the GPU it failed by, if it did: `gpu_faults.Kind`. `detail` says what to do then."""
