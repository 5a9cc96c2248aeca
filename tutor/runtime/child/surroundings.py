"""What a cell may break for itself, and no later cell may find broken: the streams, the hooks and Python's built-ins.

`sys.stdout = None`, `os.close(1)`, `print = 3` through `builtins`: each is one cell's own affair. ipykernel flushes
`sys.stdout` before it replies, so that without this the next cells would end without a word.
"""

from __future__ import annotations

import builtins
import contextlib
import fcntl
import os
import sys
from typing import Any

_OF_SYS = ("stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__", "displayhook", "excepthook")
_METHODS = ("write", "flush", "flush_now", "begin_run", "end_of_run", "writelines", "isatty", "close")
"""Of a stream: one that is set on it hides the class's own."""
_MEANT = ("print", "input")
_DESCRIPTORS = (0, 1, 2)
_HIGH = 64
"""Copies of descriptors are above this, out of the way of code that closes the first few."""


class Surroundings:
    """How things were when it was made; `restore` makes them so again and leaves alone what has been added."""

    def __init__(self) -> None:
        self._sys: dict[str, Any] = {name: getattr(sys, name) for name in _OF_SYS}
        self._builtins = dict(vars(builtins))
        self._copies: dict[int, int] = {}
        for number in _DESCRIPTORS:
            with contextlib.suppress(OSError):  # closed when we were started
                self._copies[number] = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _HIGH)

    def restore_machinery(self) -> None:
        """Put back what the machinery of a run itself needs, between the statements of one cell.

        What a cell may mean to change until its last line stays: where it prints, and how.
        """
        vars(builtins).update({name: value for name, value in self._builtins.items() if name not in _MEANT})

    def restore(self) -> None:
        """Put back what is missing or another, when the cell is over."""
        vars(builtins).update(self._builtins)
        for name, value in self._sys.items():
            setattr(sys, name, value)
        for stream in (sys.stdout, sys.stderr):
            for name in _METHODS:
                getattr(stream, "__dict__", {}).pop(name, None)
        for number, copy in self._copies.items():
            if not _same(number, copy):
                os.dup2(copy, number)


def _same(number: int, copy: int) -> bool:
    """Whether the descriptor still leads to where its copy does."""
    try:
        return os.path.samestat(os.fstat(number), os.fstat(copy))
    except OSError:
        return False
