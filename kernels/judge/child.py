"""The process that runs one submission: defines it, answers one case after the other, and sends nothing but tensors."""

from __future__ import annotations

import difflib
import importlib.abc
import linecache
import math
import os
import sys
import traceback
import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from kernels.judge import drivers, modules, wire
from kernels.judge.watch import Launches

FILE = "<your code>"
DRIVERS: dict[str, Callable[..., drivers.Result]] = {
    "call": drivers.call,
    "numbers": drivers.plain_numbers,
    "names": drivers.take_names,
    "module": modules.run,
    "stack": modules.gradient_norms,
}
_MOST_MESSAGE = 600


class _Closed(importlib.abc.MetaPathFinder):
    """Keeps the submission from importing the answer."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None) -> None:
        """Refuses our own packages."""
        if name.partition(".")[0] in ("kernels", "tutor"):
            raise ImportError(f"{name} is not available here: this exercise is to be written with torch alone")


def main(reader: int, writer: int) -> None:
    """Answers frames until the judge closes the pipe: a source to define, then the cases to try it on, perhaps more."""
    receive = _Receiver(reader)
    submission: drivers.Submission | None = None
    while True:
        try:
            request, tensors = receive()
        except EOFError:
            return
        if "source" in request:
            torch.manual_seed(int(request["seed"]))
            submission, unreadable = _define(request)
            _send(writer, {"nonce": request["nonce"], "unreadable": unreadable})
        elif submission is not None:
            header, outputs = _answer(submission, request, tensors)
            _send(writer, header | {"nonce": request["nonce"]}, outputs)


def _answer(
    submission: drivers.Submission, request: Mapping[str, Any], tensors: dict[str, Tensor]
) -> tuple[dict[str, Any], dict[str, Tensor]]:
    try:
        outputs, notes = DRIVERS[request["driver"]](submission, request, tensors)
        return {"raised": None, "notes": notes}, outputs
    except drivers.RefusedError as error:
        return {"raised": None, "notes": {**submission.record.notes(), "refused": error.facts}}, {}
    except BaseException as error:  # SystemExit too: it ends nothing here
        return {"raised": _described(error), "notes": submission.record.notes()}, {}


def _define(first: Mapping[str, Any]) -> tuple[drivers.Submission | None, dict[str, Any] | None]:
    """Runs the submission's text; what is wrong with it, if it cannot be used."""
    source: str = first["source"]
    lines = source.splitlines(keepends=True)
    linecache.cache[FILE] = (len(source), None, lines, FILE)  # Triton reads a kernel's source, and tracebacks do
    module = types.ModuleType("submission")
    module.__dict__.update(torch=torch, nn=nn, F=F, Tensor=Tensor, math=math, __file__=FILE)
    launches = None
    if first["triton"]:
        import triton
        import triton.language as tl

        module.__dict__.update(triton=triton, tl=tl)
        launches = _launches()
    provided = dict(module.__dict__)
    _close_packages()
    sys.modules["submission"] = module
    try:
        code = compile(source, FILE, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        line = getattr(error, "lineno", None)
        return None, {"kind": "syntax", "line": line, "message": str(getattr(error, "msg", error))[:_MOST_MESSAGE]}
    try:
        exec(code, module.__dict__)
    except BaseException as error:
        return None, {"kind": "fails", **_described(error)}
    unreadable = _missing(module.__dict__, provided, first["entries"])
    names = module.__dict__
    return drivers.Submission(names, tuple(first["forbid"]), first["device"], launches), unreadable


@cache
def _launches() -> Launches:
    launches = Launches(FILE)
    launches.install()
    return launches


def _close_packages() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] in ("kernels", "tutor")]:
        del sys.modules[name]
    if not any(isinstance(finder, _Closed) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Closed())


def _missing(
    names: Mapping[str, Any], provided: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> dict[str, Any] | None:
    own = {name: value for name, value in names.items() if provided.get(name) is not value and not name.startswith("_")}
    for entry in entries:
        name = entry["name"]
        if name not in own:
            near = difflib.get_close_matches(name, own, n=1, cutoff=0.4) or [
                each for each in own if each.lower().replace("_", "") == name.lower().replace("_", "")
            ]
            line = _line_of(own[near[0]]) if near else None
            return {"kind": "missing", "name": name, "near": near[0] if near else None, "line": line,
                    "empty": not own}  # fmt: skip
        problem = (
            drivers.signature_problem(own[name], tuple(entry["parameters"]), bool(entry["is_class"]))
            if entry.get("parameters") is not None
            else None
        )
        if problem is not None:
            return {**problem, "name": name, "line": _line_of(own[name])}
    return None


def _line_of(value: Any) -> int | None:
    if isinstance(value, type):
        value = value.__dict__.get("__init__", value)
    code = getattr(value, "__code__", None)
    return code.co_firstlineno if code is not None and code.co_filename == FILE else None


def _described(error: BaseException) -> dict[str, Any]:
    """An exception as data: type, bases, message, and the line of the submission that it came from."""
    cause: BaseException = error
    while type(cause).__name__ == "InterpreterError" and cause.__cause__ is not None:
        cause = cause.__cause__
    line = text = None
    for each in (error, cause):
        for frame in traceback.extract_tb(each.__traceback__):
            if frame.filename == FILE:
                line, text = frame.lineno, frame.line
    try:
        message = str(cause)
    except BaseException:  # a `__str__` of the submission's
        message = ""
    if isinstance(cause, MemoryError) or "can't allocate memory" in message:
        kind = "MemoryError"
    else:
        kind = type(cause).__name__
    return {
        "type": kind[:100],
        "bases": [base.__name__[:100] for base in type(cause).__mro__][:12],
        "message": message[:_MOST_MESSAGE],
        "line": line,
        "text": (text or "")[:200],
    }


class _Receiver:
    """Reads frames from the judge, who is trusted."""

    def __init__(self, reader: int) -> None:
        self._file = os.fdopen(reader, "rb")

    def __call__(self) -> tuple[dict[str, Any], dict[str, Tensor]]:
        head = self._file.read(wire.HEAD.size)
        if len(head) < wire.HEAD.size:
            raise EOFError
        text, data = wire.head(head)
        return wire.parse(self._file.read(text), self._file.read(data))


def _send(writer: int, header: dict[str, Any], tensors: Mapping[str, Tensor] | None = None) -> None:
    try:
        data = wire.frame(header, tensors)
    except (TypeError, ValueError, KeyError, RuntimeError) as error:
        data = wire.frame({"nonce": header.get("nonce"), "raised": _described(error), "notes": {}})
    view = memoryview(data)
    while view:
        view = view[os.write(writer, view) :]
