"""What a norm moves through memory, one operation at a time and fused; and on a GPU, how long that takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from kernels import bench_timer, functional
from kernels import bench_work as work
from kernels.curve import Curve
from kernels.device import default_device
from kernels.lab.monitor import Monitor, Work
from kernels.lab.readings_traffic import read_bytes, read_speed
from kernels.lab.spec import Measured
from kernels.norms import ManualLayerNorm, ManualRMSNorm

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
REPEATS = 20
STEPS, TWO, FUSED, COPY = "op by op", "add, norm", "fused", "copy"

Forward = Callable[..., Any]


class CountBytes(TorchDispatchMode):
    """Adds up the bytes of the tensors that each operation reads and writes. Views move nothing.

    An operation reads each tensor of its arguments and writes each of its results, as a kernel of its own would; it
    counts what has to cross the memory bus when nothing stays in a cache between two operations.
    """

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0
        self.operations = 0

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run the operation and count it."""
        result = func(*args, **(kwargs or {}))
        if not func.is_view and not func.name().startswith(("aten::detach", "aten::_unsafe_view")):
            tensors = [each for each in tree_leaves((args, kwargs, result)) if isinstance(each, Tensor)]
            self.bytes += sum(tensor.untyped_storage().nbytes() for tensor in tensors)
            self.operations += 1
        return result


def traffic(
    monitor: Monitor, *, norm: str, direction: str, columns: tuple[int, ...], elements: int, dtype: str
) -> Measured:
    """Bytes, seconds and GB/s of h = x + residual, y = norm(h) over the width of a row, by how it is computed."""
    op = f"fused_add_{norm}_norm" + ("_backward" if direction == "backward" else "")
    columns = tuple(sorted(columns))
    gpu = default_device() if default_device().type == "cuda" else None
    steps = Work(monitor, len(columns) * (1 if gpu is None else 4))
    moved: dict[str, list[float]] = {name: [] for name in (STEPS, TWO, FUSED, COPY)}
    took: dict[str, list[float]] = {name: [] for name in moved}
    counted = 0
    for n in columns:
        rows = max(1, elements // n)
        for name, size, operations in _bytes(op, norm, rows, n, DTYPES[dtype]):
            moved[name].append(size / 1e6)
            counted = operations if name == STEPS else counted
        if gpu is None:
            steps.step()
        else:
            for name, seconds in _seconds(op, norm, rows, n, DTYPES[dtype], gpu):
                took[name].append(seconds * 1e6)
                steps.step()
        monitor.curves(_curves(columns[: len(moved[STEPS])], moved, "MB moved"))
    sizes = _curves(columns, moved, "MB moved")
    measured: Measured = {"bytes": (sizes, read_bytes(sizes, counted))}
    if gpu is None:
        return measured | {view: ((), read_speed((), ())) for view in ("time", "bandwidth")}
    times = _curves(columns, took, "µs")
    speed = {name: [mb / us * 1e3 for mb, us in zip(moved[name], took[name], strict=True)] for name in moved}
    speeds = _curves(columns, speed, "GB/s")
    reading = read_speed(times, speeds)
    return measured | {"time": (times, reading), "bandwidth": (speeds, reading)}


def _curves(columns: tuple[int, ...], values: dict[str, list[float]], y_label: str) -> tuple[Curve, ...]:
    return tuple(Curve(name, columns, tuple(y), x_label="columns", y_label=y_label) for name, y in values.items())


def _bytes(op: str, norm: str, rows: int, n: int, dtype: torch.dtype) -> list[tuple[str, int, int]]:
    """(how, bytes, operations): the first counted while it runs on tensors without data, the others by formula."""
    tensors = [torch.empty(*shape, dtype=dtype, device="meta") for shape in ((rows, n), (rows, n), (n,), (n,))]
    call = _call(op, _forward(STEPS, norm, n, torch.device("meta")), tensors, [tensors[0], tensors[0]])
    with CountBytes() as count:
        call()
    size = dtype.itemsize
    addition = 3 * rows * n * size  # h = x + residual, or dx + dh in the backward pass: two read, one written
    return [
        (STEPS, count.bytes, count.operations),
        (TWO, addition + work.bytes_moved(op.replace("fused_add_", ""), rows, n, size), 2),
        (FUSED, work.bytes_moved(op, rows, n, size), 1),
        (COPY, work.bytes_moved("copy", rows, n, size), 1),
    ]


def _seconds(
    op: str, norm: str, rows: int, n: int, dtype: torch.dtype, device: torch.device
) -> list[tuple[str, float]]:
    inputs = work.Inputs(rows, n, dtype, device)
    tensors = [inputs.x, inputs.residual, inputs.weight, inputs.bias]
    found = []
    for name in (STEPS, TWO, FUSED):
        call = _call(op, _forward(name, norm, n, device), tensors, inputs.arriving(op))
        found.append((name, bench_timer.seconds(call, device, REPEATS)))
    target = inputs.x.clone()
    return [*found, (COPY, bench_timer.seconds(lambda: target.copy_(inputs.x), device, REPEATS))]


def _call(op: str, forward: Forward, tensors: list[Tensor], arriving: list[Tensor]) -> Callable[[], Any]:
    """A call that runs the forward pass once, or the backward pass of a graph that was made before."""
    if not op.endswith(work.BACKWARD):
        return torch.no_grad()(lambda: forward(*tensors))
    leaves = [tensor.detach().requires_grad_() for tensor in tensors[: 3 if "rms" in op else 4]]
    outputs = forward(*leaves)
    return lambda: torch.autograd.grad(outputs, leaves, arriving, retain_graph=True)


def _forward(name: str, norm: str, n: int, device: torch.device) -> Forward:
    """x, residual, weight, bias -> y, h in one of three ways."""

    def op_by_op(x: Tensor, residual: Tensor, weight: Tensor, bias: Tensor | None = None) -> tuple[Tensor, Tensor]:
        h = x + residual
        y = manual(h) * weight
        return (y if norm == "rms" or bias is None else y + bias), h

    def add_then_norm(x: Tensor, residual: Tensor, weight: Tensor, bias: Tensor | None = None) -> tuple[Tensor, Tensor]:
        h = x + residual
        y = F.rms_norm(h, (n,), weight) if norm == "rms" else F.layer_norm(h, (n,), weight, bias)
        return y, h

    def fused(x: Tensor, residual: Tensor, weight: Tensor, bias: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if norm == "rms":
            return functional.fused_add_rms_norm(x, residual, weight)
        return functional.fused_add_layer_norm(x, residual, weight, bias)

    manual = (ManualRMSNorm if norm == "rms" else ManualLayerNorm)(n, elementwise_affine=False).to(device)
    return {STEPS: op_by_op, TWO: add_then_norm, FUSED: fused}[name]
