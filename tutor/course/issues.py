"""Something to mend in a step, and what the rules of several kinds have in common."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import NamedTuple

Path = tuple[str | int, ...]


class Issue(NamedTuple):
    """Something to mend, and the way to it from the step; `row` is a line within that text."""

    path: Path
    message: str
    row: int | None = None


def name_of(path: Path) -> str:
    """What messages call the part of a step at `path`."""
    return "`" + ".".join(part for part in path if isinstance(part, str)) + "`"


def python(code: str, *path: str | int, expression: bool = False) -> Iterator[Issue]:
    """The code is Python, all of it or as one expression."""
    where = name_of(path)
    if not code.strip():
        yield Issue(path, f"{where} is empty")
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # such as an escape that Python does not know
            ast.parse(code.strip() if expression else code, mode="eval" if expression else "exec")
    except SyntaxError as error:
        yield Issue(path, f"{where} is not Python: {error.msg}", error.lineno)
    except (ValueError, RecursionError, MemoryError) as error:
        yield Issue(path, f"{where} is not Python: {error}")


def positive(seconds: float, field: str) -> Iterator[Issue]:
    """A time is more than none."""
    if seconds <= 0:
        yield Issue((field,), f"`{field}` must be more than 0 seconds")
