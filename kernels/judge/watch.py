"""What a submission does while it is called: which operations, which kernels. Runs in the child.

Functions that would answer an exercise in one call are refused as they are called, by whatever name the submission has
them. New tensors come filled with NaN, so that what a kernel forgets to write shows, and so that nothing right is left
over from an earlier call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

# What the functions of torch are called when they reach its dispatcher.
ALIASES = {
    "autograd": ("grad", "backward", "_make_dual"),
    "layer_norm": ("layer_norm", "native_layer_norm", "native_layer_norm_backward", "_fused_layer_norm"),
    "rms_norm": ("rms_norm", "_fused_rms_norm", "_fused_rms_norm_backward"),
    "batch_norm": (
        "batch_norm", "native_batch_norm", "_native_batch_norm_legit", "_native_batch_norm_legit_no_training",
        "_native_batch_norm_legit_functional", "cudnn_batch_norm", "_batch_norm_impl_index", "_batch_norm_with_update",
        "_batch_norm_no_update", "batch_norm_stats", "batch_norm_elemt", "sync_batch_norm",
    ),
    "group_norm": ("group_norm", "native_group_norm"),
    "instance_norm": ("instance_norm",),
}  # fmt: skip
REDUCTIONS = frozenset({
    "sum", "mean", "var", "var_mean", "std", "std_mean", "norm", "linalg_vector_norm", "linalg_norm", "frobenius_norm",
    "prod", "cumsum", "nansum", "nanmean", "logsumexp", "logcumsumexp", "mm", "bmm", "addmm", "addmv", "baddbmm", "mv",
    "dot", "vdot", "inner", "matmul", "einsum", "linear", "conv1d", "conv2d", "convolution", "avg_pool1d", "avg_pool2d",
    "_adaptive_avg_pool2d", "mkldnn_linear", "cdist", "_cdist_forward", "dist", "renorm", "histc", "bincount",
    "index_add", "scatter_add", "scatter_add_", "index_add_", "index_reduce", "scatter_reduce", "segment_reduce",
    "_softmax", "_log_softmax", "softmax", "addbmm", "tensordot", "cov", "corrcoef", "trapezoid",
    "cumulative_trapezoid",
    *(name for names in ALIASES.values() for name in names),
})  # fmt: skip
_EMPTY = ("empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted")


class ForbiddenCallError(RuntimeError):
    """The submission called what the exercise asks it to write itself."""

    def __init__(self, name: str) -> None:
        super().__init__(f"this exercise is to be solved without {name}")
        self.name = name


class Record:
    """What was seen during one call."""

    def __init__(self, forbid: Iterable[str]) -> None:
        self.forbidden = {alias: name for name in forbid for alias in ALIASES.get(name, (name,))}
        self.called: list[str] = []
        self.reductions: list[str] = []
        self.launches = 0
        self.launching = False

    def notes(self) -> dict[str, Any]:
        """The facts for the judge."""
        return {"launches": self.launches, "reductions": self.reductions, "called": self.called}

    def refuse(self, name: str) -> None:
        """Raises for a function that is not allowed."""
        if name in self.forbidden and not self.launching:
            self.called.append(self.forbidden[name])
            raise ForbiddenCallError(self.forbidden[name])


class _Functions(TorchFunctionMode):
    def __init__(self, record: Record) -> None:
        super().__init__()
        self.record = record

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.record.refuse(str(getattr(func, "__name__", "")))
        return func(*args, **(kwargs or {}))


class _Operations(TorchDispatchMode):
    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # or the first call loads all of torch's compiler, which takes seconds

    def __init__(self, record: Record) -> None:
        super().__init__()
        self.record = record

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        record = self.record
        if record.launching:
            return func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        record.refuse(name)
        if name in REDUCTIONS and len(record.reductions) < 20:
            record.reductions.append(name)
        result = func(*args, **(kwargs or {}))
        if name in _EMPTY and isinstance(result, torch.Tensor):
            poison(result)
        return result


def poison(tensor: torch.Tensor) -> None:
    """Fills new memory with what no answer is."""
    if tensor.dtype.is_floating_point:
        tensor.fill_(float("nan"))
    elif tensor.dtype not in (torch.bool, torch.uint8) and not tensor.dtype.is_complex:
        tensor.fill_(torch.iinfo(tensor.dtype).max)


@contextmanager
def watching(record: Record) -> Iterator[None]:
    """Around one call of the submission."""
    with _Functions(record), _Operations(record):
        yield


class Launches:
    """Counts the launches of kernels that the submission wrote, and can switch all launches off."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.off = False
        self.record: Record | None = None

    def install(self) -> None:
        """Puts itself between `kernel[grid](...)` and the kernel, interpreted or compiled."""
        import triton
        from triton.runtime.autotuner import Autotuner
        from triton.runtime.interpreter import InterpretedFunction
        from triton.runtime.jit import JITFunction

        for kind in (InterpretedFunction, JITFunction):
            kind.run = self._wrap(kind.run)
        if triton.knobs.runtime.interpret:
            Autotuner.run = _with_one_configuration(Autotuner.run)

    def _wrap(self, run: Any) -> Any:
        launches = self

        def counted(kernel: Any, *args: Any, **kwargs: Any) -> Any:
            record = launches.record
            code = getattr(getattr(kernel, "fn", None), "__code__", None)
            if record is not None and code is not None and code.co_filename == launches.file:
                record.launches += 1
            if launches.off:
                return None
            if record is None:
                return run(kernel, *args, **kwargs)
            before, record.launching = record.launching, True
            try:
                return run(kernel, *args, **kwargs)
            finally:
                record.launching = before

        return counted


def _with_one_configuration(run: Any) -> Any:
    """Autotuning without a GPU takes the first configuration: there is nothing to time the others on."""

    def tuned(tuner: Any, *args: Any, **kwargs: Any) -> Any:
        tuner.configs = tuner.configs[:1]
        return run(tuner, *args, **kwargs)

    return tuned
