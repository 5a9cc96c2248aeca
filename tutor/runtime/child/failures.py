"""An exception as plain data: the frames that a learner can do something about, and where their own code is in them.

The app turns it into words. The form is fixed here and read in `tutor.runtime.failure`.
"""

from __future__ import annotations

import builtins
import linecache
import os
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice
from types import CodeType, TracebackType
from typing import Any

MOST_FRAMES = 12
MOST_CAUSES = 3
MOST_TEXT = 20_000


def is_cell(filename: str) -> bool:
    """Whether it is the name that a cell's code is compiled under."""
    return filename.startswith("<cell ") and filename.endswith(">")


def describe(error: BaseException, current: str, depth: int = 0) -> dict[str, Any]:
    """Name, message, frames and causes of an exception; `current` is the file name of the cell that runs."""
    data: dict[str, Any] = {"name": type(error).__name__, "message": clip(_message(error), MOST_TEXT), "frames": []}
    if isinstance(error, SyntaxError) and _is_of_the_cell(error):
        data["frames"] = [_syntax_frame(error, current)]
    else:
        data["frames"] = _frames(error, current)
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and depth < MOST_CAUSES:
        data["cause"] = describe(cause, current, depth + 1)
    return data


def clip(text: str, limit: int) -> str:
    """At most `limit` characters: the beginning and the end, and how many are missing between them."""
    if len(text) <= limit:
        return text
    half = (limit - 24) // 2
    count = f"{len(text) - 2 * half:,}".replace(",", " ")
    return f"{text[:half]} … {count} … {text[-half:]}"


def _message(error: BaseException) -> str:
    """The message as Python prints it, with its suggestions and notes."""
    if isinstance(error, SyntaxError):
        return str(error.msg or "")
    try:
        # Without frames (limit 0): of a RecursionError there are thousands, and only the last lines are wanted here.
        told = traceback.TracebackException(type(error), error, error.__traceback__, limit=0, compact=True)
        whole = "".join(told.format_exception_only())
    except Exception:  # `__str__` of a learner's exception, or of what is in it
        return "?"
    name = type(error).__qualname__
    text = whole.strip("\n")
    for prefix in (f"{type(error).__module__}.{name}", name):
        if text == prefix:
            text = ""
        text = text.removeprefix(prefix + ": ")
    return text + _suggestion(error) if "Did you mean" not in text else text


def _suggestion(error: BaseException) -> str:
    """What Python 3.12 would suggest for a misspelt name; 3.11 does so only where it prints the error itself."""
    name = getattr(error, "name", None)
    if not isinstance(name, str) or not name:
        return ""
    if isinstance(error, AttributeError):
        known = dir(type(error.obj)) + list(getattr(error.obj, "__dict__", ()))
    elif isinstance(error, NameError):
        *_, last = [None, *_walk(error)]
        known = [*last.tb_frame.f_locals, *last.tb_frame.f_globals, *dir(builtins)] if last is not None else []
    else:
        return ""
    close = get_close_matches(name, [other for other in known if isinstance(other, str) and other != name], 1, 0.75)
    return f". Did you mean: {close[0]!r}?" if close else ""


def _frames(error: BaseException, current: str) -> list[dict[str, Any]]:
    """The frames of cells, and the last one where that is a library's: where it was raised."""
    every = list(_walk(error))
    cells = [entry for entry in every if is_cell(entry.tb_frame.f_code.co_filename)]
    chosen = list(cells)
    if every and (not cells or every[-1] is not cells[-1]) and not _is_machinery(every[-1]):
        chosen.append(every[-1])
    half = MOST_FRAMES // 2
    if len(chosen) <= MOST_FRAMES:
        return [_frame(entry, current) for entry in chosen]
    return [
        *(_frame(entry, current) for entry in chosen[:half]),
        {"omitted": len(chosen) - 2 * half},
        *(_frame(entry, current) for entry in chosen[-half:]),
    ]


def _is_machinery(entry: TracebackType) -> bool:
    """Whether it is of what runs the cells: nothing that a learner has called."""
    module = str(entry.tb_frame.f_globals.get("__name__", "")).split(".")[0]
    return module in ("IPython", "ipykernel", "tutor")


def _frame(entry: TracebackType, current: str) -> dict[str, Any]:
    code = entry.tb_frame.f_code
    filename, line = code.co_filename, entry.tb_lineno
    source = linecache.getline(filename, line)
    start, end = _columns(code, entry.tb_lasti, line, source)
    return {
        **_place(filename, current),
        "line": line,
        "function": "" if code.co_name == "<module>" else code.co_name,
        **_source(source, start, end),
    }


def _is_of_the_cell(error: SyntaxError) -> bool:
    """Whether a cell's text is what cannot be read, and not something that its code reads."""
    if error.filename and is_cell(error.filename):
        return True
    # Before a cell has a name, its indentation is looked at.
    return bool(error.lineno) and not any(is_cell(trace.tb_frame.f_code.co_filename) for trace in _walk(error))


def _walk(error: BaseException) -> Iterator[TracebackType]:
    trace = error.__traceback__
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _syntax_frame(error: SyntaxError, current: str) -> dict[str, Any]:
    line = error.lineno or 1
    source = error.text or linecache.getline(str(error.filename), line)
    start = (error.offset or 1) - 1
    end = (error.end_offset or 0) - 1 if error.end_lineno == error.lineno else -1
    named = bool(error.filename) and is_cell(str(error.filename))
    place = _place(str(error.filename), current) if named else {"cell": 0, "current": True}
    return {**place, "line": line, "function": "", **_source(source, start, max(end, start + 1), beyond=1)}


def _place(filename: str, current: str) -> dict[str, Any]:
    if not is_cell(filename):
        return {"file": _short(filename)}
    number = filename[len("<cell ") : -1].split(".")[0]
    return {"cell": int(number) if number.isdecimal() else 0, "current": filename == current}


def _source(source: str, start: int, end: int, beyond: int = 0) -> dict[str, Any]:
    """The line without its indentation, and which part of it is meant, where that is not all of it.

    What is missing at the end of a line may be `beyond` it.
    """
    bare = source.strip()
    indent = len(source) - len(source.lstrip())
    start, end = max(start - indent, 0), min(end - indent, len(bare) + beyond)
    data: dict[str, Any] = {"source": clip(bare, 200)}
    if 0 <= start < end and (start, end) != (0, len(bare)) and len(bare) <= 200:
        data.update(start=start, end=end)
    return data


def _columns(code: CodeType, instruction: int, line: int, source: str) -> tuple[int, int]:
    """Where in the line the instruction stands, in characters; (-1, -1) where it is not known."""
    if instruction < 0:
        return -1, -1
    position = next(islice(code.co_positions(), instruction // 2, None), None)
    if position is None:
        return -1, -1
    first, last, start, end = position
    if first != line or start is None or end is None:
        return -1, -1
    raw = source.encode("utf-8", "replace")
    begin = len(raw[:start].decode("utf-8", "replace"))
    return begin, len(raw[:end].decode("utf-8", "replace")) if last == line else len(source.rstrip())


def _short(filename: str) -> str:
    """A file's path below the place that modules are found in, as they are imported."""
    roots = [*sys.path, sysconfig.get_path("stdlib")]
    for root in sorted(filter(None, roots), key=len, reverse=True):
        if filename.startswith(root.rstrip(os.sep) + os.sep):
            return os.path.relpath(filename, root)
    return filename
