"""How often a computation goes over a tensor in memory: counted on a CPU, timed on a GPU.

PyTorch runs one kernel an operator, which reads its inputs and writes its results: each is counted once, and views
move nothing. Of a Triton kernel in the interpreter every `tl.load` and `tl.store` is counted, masked lanes left out.
Caches are not modelled: this is what memory moves if nothing stays on the chip between two passes or two kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

_FILLS = ("copy_", "fill_", "zero_")
"""Operators that write their first argument without reading it."""


@dataclass
class Traffic:
    """Bytes read and written, and the operators of PyTorch that ran (a Triton kernel is `kernel`), in order."""

    read: int = 0
    written: int = 0
    operators: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """Bytes in both directions."""
        return self.read + self.written


def traffic(call: Callable[[], object]) -> Traffic:
    """What `call()` asks of memory. Tensors on a GPU are refused with RuntimeError: compiled kernels show no loads."""
    found = Traffic()
    with _triton_counted(found) as in_kernel, _Counted(found, in_kernel):
        call()
    return found


def memory_passes(call: Callable[[], object], x: Tensor) -> float:
    """How often `call()` goes over a tensor of the size of x, reads and writes together; 2 is a copy.

    On a CPU it is counted, see `traffic`. On a GPU it is the time that `call` takes as a multiple of half a copy's, so
    that a second read which finds its data in a cache costs as little as it does.
    """
    if not x.is_cuda:
        return traffic(call).total / x.nbytes
    from kernels import bench_timer

    target = torch.empty_like(x)
    copy = bench_timer.seconds(lambda: target.copy_(x), x.device, 10)
    return 2 * bench_timer.seconds(call, x.device, 10) / copy


class _Counted(TorchDispatchMode):
    def __init__(self, found: Traffic, in_kernel: Callable[[], bool]) -> None:
        super().__init__()
        self.found, self.in_kernel = found, in_kernel

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if self.in_kernel():  # the interpreter's own housekeeping
            return func(*args, **(kwargs or {}))
        before = self.found.total
        result = func(*args, **(kwargs or {}))
        if self.found.total > before:  # the operator ran a Triton kernel, whose loads and stores are counted already
            return result
        inputs, results = _tensors((args, kwargs)), _tensors(result)
        if any(tensor.is_cuda for tensor in (*inputs, *results)):
            raise RuntimeError("traffic is counted for tensors on the CPU; on a GPU, measure the time")
        name = func.overloadpacket.__name__
        writes = any(
            argument.alias_info is not None and argument.alias_info.is_write for argument in func._schema.arguments
        )
        owners = {tensor.untyped_storage().data_ptr() for tensor in inputs}
        view = not writes and any(tensor.untyped_storage().data_ptr() in owners for tensor in results)
        if view or not results or name.startswith(("empty", "new_empty")):
            return result
        self.found.read += sum(map(_size, inputs[name in _FILLS :]))
        self.found.written += sum(map(_size, results))
        self.found.operators += (name,)
        return result


@contextmanager
def _triton_counted(found: Traffic) -> Iterator[Callable[[], bool]]:
    """Counts what kernels load and store in the interpreter; gives a function that says whether one runs now."""
    if find_spec("triton") is None or not _interpreted():
        yield lambda: False
        return
    from triton.runtime import interpreter

    running: list[bool] = []
    builder = type(interpreter.interpreter_builder)
    load, store, launch = builder.create_masked_load, builder.create_masked_store, interpreter.GridExecutor.__call__

    def counted_load(self: Any, pointers: Any, mask: Any, *rest: Any) -> Any:
        found.read += int(mask.data.sum()) * _itemsize(pointers)
        return load(self, pointers, mask, *rest)

    def counted_store(self: Any, pointers: Any, value: Any, mask: Any, *rest: Any) -> Any:
        found.written += int(mask.data.sum()) * _itemsize(pointers)
        return store(self, pointers, value, mask, *rest)

    def counted_launch(self: Any, *args: Any, **kwargs: Any) -> Any:
        found.operators += ("kernel",)
        running.append(True)
        try:
            return launch(self, *args, **kwargs)
        finally:
            running.pop()

    with (
        _replaced(builder, "create_masked_load", counted_load),
        _replaced(builder, "create_masked_store", counted_store),
        _replaced(interpreter.GridExecutor, "__call__", counted_launch),
    ):
        yield lambda: bool(running)


@contextmanager
def _replaced(owner: Any, name: str, new: Any) -> Iterator[None]:
    old = getattr(owner, name)
    setattr(owner, name, new)
    try:
        yield
    finally:
        setattr(owner, name, old)


def _interpreted() -> bool:
    """Whether Triton interprets its kernels in this process, which is decided when it is first imported."""
    import triton.language as tl
    from triton.runtime import JITFunction

    return not isinstance(tl.sum, JITFunction)


def _tensors(tree: Any) -> list[Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, Tensor)]


def _size(tensor: Tensor) -> int:
    """Bytes of the elements that are there: those of an expanded dimension are one."""
    sizes = (size for size, stride in zip(tensor.shape, tensor.stride(), strict=True) if stride != 0 or size == 0)
    return math.prod(sizes) * tensor.element_size()


def _itemsize(pointers: Any) -> int:
    return int(pointers.get_element_ty().primitive_bitwidth) // 8
