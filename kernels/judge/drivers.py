"""How a submission is asked for one case: called as a function, built as a module, fed numbers. Runs in the child.

A driver gets the request of a case and its tensors, and gives tensors and notes. It knows nothing of what is right.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from kernels.judge.watch import Launches, Record, watching
from kernels.judge.wire import MOST_VALUES, plain

HUGE = 10**300
Result = tuple[dict[str, Tensor], dict[str, Any]]


class RefusedError(Exception):
    """What the submission gave is not of the kind that was asked for. `kind` and the facts say how."""

    def __init__(self, kind: str, **facts: Any) -> None:
        super().__init__(kind)
        self.facts = {"kind": kind, **facts}


class Submission:
    """The names that a submission defined, and how it is watched."""

    def __init__(self, names: dict[str, Any], forbid: tuple[str, ...], device: str, launches: Launches | None) -> None:
        self.names = names
        self.forbid = forbid
        self.device = device
        self.launches = launches
        self.record = Record(())
        """What was seen during the last call, whether it returned or raised."""

    def call(self, function: Callable[..., Any], *args: Any, off: bool = False) -> tuple[Any, Record]:
        """The result of one call, and what was seen during it."""
        record = self.record = Record(self.forbid)
        if self.launches is None:
            with watching(record):
                return function(*args), record
        self.launches.record, self.launches.off = record, off
        try:
            with watching(record):
                return function(*args), record
        finally:
            self.launches.record, self.launches.off = None, False


def to_device(tensor: Tensor, device: str) -> Tensor:
    """The same values, strides and gaps on another device."""
    if device == "cpu":
        return tensor
    storage = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage()).to(device)
    return storage.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def call(submission: Submission, request: Mapping[str, Any], tensors: dict[str, Tensor]) -> Result:
    """A function of tensors: its outputs, the gradients asked for, and the inputs as they are afterwards."""
    function = submission.names[request["entry"]]
    wanted = list(request["grads"])
    given = {name: to_device(tensor, submission.device) for name, tensor in tensors.items()}
    for name in wanted:
        given[name].requires_grad_(True)
    args = [given[arg["tensor"]] if "tensor" in arg else arg["value"] for arg in request["args"]]
    result, record = submission.call(function, *args, off=bool(request.get("off")))
    outputs = _outputs(result, request["outputs"])
    notes = record.notes()
    sent = {name: plain(output) for name, output in outputs.items()}
    if wanted:
        sent |= _gradients(outputs, wanted, given, request["upstream"], notes)
    for name, tensor in given.items():
        sent[f"after:{name}"] = _storage(tensor)
    return sent, notes


def _outputs(result: Any, names: list[str]) -> dict[str, Tensor]:
    parts = list(result) if isinstance(result, tuple | list) and len(names) > 1 else [result]
    if len(parts) != len(names):
        raise RefusedError("count", got=len(parts) if result is not None else 0, want=len(names), names=names)
    for name, part in zip(names, parts, strict=True):
        fits(name, part)
    return dict(zip(names, parts, strict=True))


def fits(name: str, output: Any) -> None:
    """Refuses what is no tensor, or far too large a one."""
    if not isinstance(output, Tensor):
        raise RefusedError("not-a-tensor", output=name, got=type(output).__name__)
    if output.numel() > MOST_VALUES:
        raise RefusedError("too-many", output=name, got=output.numel(), want=MOST_VALUES)


def _gradients(
    outputs: Mapping[str, Tensor],
    wanted: list[str],
    given: Mapping[str, Tensor],
    upstream: Mapping[str, str],
    notes: dict[str, Any],
) -> dict[str, Tensor]:
    heads = [(outputs[name], given[d]) for name, d in upstream.items() if outputs[name].requires_grad]
    notes["differentiable"] = [name for name in upstream if outputs[name].requires_grad]
    if not heads:
        return {}
    for output, d in heads:
        if output.shape != d.shape:
            return {}
    leaves = [given[name] for name in wanted]
    before = [d.clone() for _, d in heads]
    gradients = torch.autograd.grad(
        [output for output, _ in heads], leaves, [d.to(output.dtype) for output, d in heads], allow_unused=True
    )
    notes["upstream_kept"] = all(bool(torch.equal(a, d)) for a, (_, d) in zip(before, heads, strict=True))
    return {
        f"grad:{name}": plain(gradient)
        for name, gradient in zip(wanted, gradients, strict=True)
        if gradient is not None
    }


def _storage(tensor: Tensor) -> Tensor:
    storage = tensor.detach().cpu().untyped_storage() if tensor.device.type == "cpu" else tensor.untyped_storage().cpu()
    return torch.empty(0, dtype=tensor.dtype).set_(storage)


def plain_numbers(submission: Submission, request: Mapping[str, Any], tensors: dict[str, Tensor]) -> Result:
    """A function of numbers: what it gives, as float64, with the types that it came in."""
    function = submission.names[request["entry"]]
    args = [_argument(arg, tensors) for arg in request["args"]]
    result, _ = submission.call(function, *args)
    tensors_too = bool(request.get("tensors_too"))  # the wire has a "tensors" of its own
    if isinstance(result, Tensor) and tensors_too:
        result = result.detach().flatten().tolist()
    parts = list(result) if isinstance(result, tuple | list) else [result]
    want = request.get("count")
    if want is not None and len(parts) != want:
        raise RefusedError("count", got=len(parts) if result is not None else 0, want=want, names=request["outputs"])
    values = []
    for part in parts:
        if isinstance(part, Tensor) and tensors_too and part.numel() == 1:
            part = part.item()
        if not isinstance(part, int | float) or part is True or part is False:
            raise RefusedError("not-a-number", output=request["outputs"][0], got=type(part).__name__)
        values.append(float(max(min(part, HUGE), -HUGE)) if isinstance(part, int) else float(part))
    notes = {"types": [type(part).__name__ for part in parts][:8]}
    return {request["outputs"][0]: torch.tensor(values, dtype=torch.float64)}, notes


def _argument(arg: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Any:
    if "tensor" in arg:
        return tensors[arg["tensor"]]
    if "value" in arg:
        value = arg["value"]
        return tuple(value) if isinstance(value, list) and arg.get("tuple") else value
    values = tensors[arg["stream"]].tolist()
    kinds: dict[str, Callable[[], Any]] = {
        "list": lambda: values,
        "tuple": lambda: tuple(values),
        "generator": lambda: _generate(values),
        "set-like": lambda: dict.fromkeys(values).keys(),
    }
    return kinds[arg["as"]]()


def _generate(values: list[float]) -> Iterator[float]:
    yield from values


def take_names(submission: Submission, request: Mapping[str, Any], tensors: dict[str, Tensor]) -> Result:
    """The values that the submission set, as float64: lists, numbers or tensors of at most `most` values."""
    sent = {}
    for name in request["names"]:
        value = submission.names[name]
        if callable(value) and not isinstance(value, Tensor):
            raise RefusedError("not-a-number", output=name, got=type(value).__name__)
        try:
            tensor = value.detach() if isinstance(value, Tensor) else torch.tensor(value, dtype=torch.float64)
        except (TypeError, ValueError, RuntimeError) as error:
            raise RefusedError("not-a-number", output=name, got=type(value).__name__) from error
        if tensor.numel() > request["most"]:
            raise RefusedError("too-many", output=name, got=tensor.numel(), want=request["most"])
        sent[name] = plain(tensor.flatten().to(torch.float64))
    return sent, {}


def signature_problem(value: Any, parameters: tuple[str, ...], is_class: bool) -> dict[str, Any] | None:
    """Why a name cannot be called as the exercise says; None where it can, or where Python cannot tell."""
    if is_class and not isinstance(value, type):
        return {"kind": "not-a-class", "got": type(value).__name__}
    if not callable(value):
        return {"kind": "not-a-function", "got": type(value).__name__}
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    try:
        signature.bind(*parameters)
    except TypeError:
        shown = ", ".join(str(each) for each in signature.parameters)
        return {"kind": "signature", "got": f"({shown})", "want": f"({', '.join(parameters)})"}
    return None
