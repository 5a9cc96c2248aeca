"""A failed cell in words: where in the learner's code, where in a library, and why.

The learner's process sends the exception as data (`child.failures`); here it becomes what is shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tutor.runtime.outputs import Failure
from tutor.text.i18n import _, ngettext
from tutor.text.sanitize import sanitize

MOST_TEXT = 20_000
INTERPRETER_ERRORS = ("InterpreterError",)
"""Triton's wrapper around what went wrong in an interpreted kernel; its cause is what the learner needs."""


def failure(content: Mapping[str, Any], cells: Mapping[int, str], name: str) -> Failure:
    """What an `error` message of the cell `name` says; `cells` are the names of cells by the number of their run."""
    data = _data(content)
    if data is not None:
        try:
            return _described(data, cells, name)
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
            pass  # a cell that writes such messages itself has got one wrong: what it says in plain words is shown
    kind, message = _clean(content.get("ename"), 200), _clean(content.get("evalue"))
    if not kind:
        kind, message = _("Lost"), _("Python did not say how the cell ended.")
    lines = content.get("traceback")
    traceback = _clean("\n".join(map(str, lines))) if data is None and isinstance(lines, list) else ""
    return Failure(kind, message, traceback or f"{kind}: {message}")


def _described(data: dict[str, Any], cells: Mapping[int, str], name: str) -> Failure:
    while data["name"] in INTERPRETER_ERRORS and data.get("cause"):
        data = {**data["cause"], "frames": [*data["frames"][:-1], *data["cause"]["frames"]]}
    rows = _rows(data, cells, name)
    cause = data.get("cause")
    while cause:
        rows += ["", _("caused by:"), *_rows(cause, cells, name)]
        cause = cause.get("cause")
    return Failure(_clean(data["name"], 200), _message(data), "\n".join(rows), _line(data))


def _data(content: Mapping[str, Any]) -> dict[str, Any] | None:
    """The exception as `child.failures` describes it; None for one that is not described so."""
    traceback = content.get("traceback") or ("",)
    try:
        data = json.loads(traceback[0])
        return data if isinstance(data["name"], str) and isinstance(data["frames"], list) else None
    except (ValueError, TypeError, KeyError, LookupError):
        return None


def _message(data: Mapping[str, Any]) -> str:
    if data["name"] == "StdinNotImplementedError":
        return _("input() cannot ask for anything here. Give the variable its value in the cell instead.")
    message = _clean(data.get("message"))
    return message or (_("the cell ended itself") if data["name"] == "SystemExit" else "")


def _line(data: Mapping[str, Any]) -> int | None:
    """The innermost line of the cell that ran; in a cause, if the exception itself was raised elsewhere."""
    lines = [frame["line"] for frame in data["frames"] if frame.get("current") and isinstance(frame.get("line"), int)]
    if lines:
        return int(lines[-1])
    return _line(data["cause"]) if data.get("cause") else None


def _rows(data: Mapping[str, Any], cells: Mapping[int, str], name: str) -> list[str]:
    rows: list[str] = []
    for frame in data["frames"]:
        if "omitted" in frame:
            count = int(frame["omitted"])
            rows.append(ngettext("… {n} more call …", "… {n} more calls …", count).format(n=count))
            continue
        rows.append(_place(frame, cells, name))
        source = _clean(frame.get("source"), 200)
        if source:
            rows.append(f"    {source}")
            start, end = frame.get("start"), frame.get("end")
            if isinstance(start, int) and isinstance(end, int) and len(source) == len(str(frame.get("source"))):
                rows.append(f"    {' ' * start}{'^' * min(end - start, 200)}")
    message = _message(data)
    kind = _clean(data["name"], 200)
    rows.append(f"{kind}: {message}" if message else kind)
    return rows


def _place(frame: Mapping[str, Any], cells: Mapping[int, str], name: str) -> str:
    function = _clean(frame.get("function"), 100)
    line = frame.get("line")
    if frame.get("current"):
        where = _("line {line}").format(line=line)
    elif "cell" in frame:
        cell = cells.get(frame["cell"], "")
        cell = _("an earlier run of this cell") if cell == name else cell or _("an earlier cell")
        where = _("{cell}, line {line}").format(cell=cell, line=line)
    else:
        where = _("{file}, line {line}").format(file=_clean(frame.get("file"), 200), line=line)
    return _("{where}, in {function}").format(where=where, function=function) if function else where


def _clean(value: object, limit: int = MOST_TEXT) -> str:
    return sanitize(str(value or ""), limit=limit).expandtabs()
