"""What `kernels.bench` measures: the operations, the implementations of each, and the bytes that each must move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from kernels import functional, reference

OPS = ("layer_norm", "rms_norm", "fused_add_layer_norm", "fused_add_rms_norm")
BACKWARD = "_backward"
EPS = 1e-5

Function = Callable[..., Any]


def ops() -> tuple[str, ...]:
    """Every operation by name: the four norms, and the backward pass of each."""
    return (*OPS, *(op + BACKWARD for op in OPS))


def bytes_moved(op: str, rows: int, columns: int, itemsize: int) -> int:
    """The bytes that `op` has to read and write, each tensor once; the statistics, 4 or 8 bytes a row, are left out.

    Forward x -> y, with the residual x, r -> y, h. Backward dy, x -> dx, with the residual dy, dh, h -> dx. Beside them
    the weight (and bias) are read, and backward the weight is read and its gradient (and that of the bias) written.
    """
    if op == "copy":
        return 2 * rows * columns * itemsize
    fused, center, backward = "fused" in op, "layer" in op, op.endswith(BACKWARD)
    matrices = 3 + fused if backward else 2 + 2 * fused
    vectors = (2 if backward else 1) + center
    return (matrices * rows + vectors) * columns * itemsize


class Inputs:
    """The tensors of one measurement: x, residual, dy, dh (rows, columns), weight and bias (columns,)."""

    def __init__(self, rows: int, columns: int, dtype: torch.dtype, device: torch.device) -> None:
        generator = torch.Generator(device).manual_seed(0)

        def randn(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, device=device, dtype=torch.float32).to(dtype)

        self.x, self.residual, self.dy, self.dh = (randn(rows, columns) for _ in range(4))
        self.weight, self.bias = randn(columns), randn(columns)

    def of(self, op: str) -> list[Tensor]:
        """The arguments of the forward pass of `op`."""
        x = [self.x, self.residual] if "fused" in op else [self.x]
        return [*x, self.weight, *([self.bias] if "layer" in op else [])]

    def arriving(self, op: str) -> list[Tensor]:
        """The gradients that reach its outputs."""
        return [self.dy, self.dh] if "fused" in op else [self.dy]


def implementations(device: torch.device) -> dict[str, dict[str, Function]]:
    """By backend and forward operation: functions of the tensors of `Inputs.of`."""
    eager = {op: _eager(op) for op in OPS}
    triton = {op: _ours(op, "triton") for op in OPS} if find_spec("triton") else {}
    if device.type != "cuda":
        return {"interpreter": triton, "eager": eager, "torch": {op: _ours(op, "torch") for op in OPS}}
    liger = _liger() if find_spec("liger_kernel") else {}
    return {"triton": triton, "eager": eager, "compile": eager, "liger": liger}  # `prepare` compiles for each shape


def prepare(backend: str, function: Function, op: str, inputs: Inputs) -> Callable[[], Sequence[Tensor]]:
    """A call without arguments that runs `op` once and returns (y,), (y, h) or the gradients of the inputs."""
    if backend == "compile":
        torch._dynamo.reset()  # or the limit of recompilations would turn later shapes into eager code
        torch._functorch.config.donated_buffer = False  # a backward pass is run again and again on one graph
        function = torch.compile(function, fullgraph=True, dynamic=False)
    forward = op.removesuffix(BACKWARD)
    if forward == op:
        return lambda: _tuple(function(*inputs.of(op)))
    leaves = [tensor.detach().requires_grad_() for tensor in inputs.of(forward)]
    outputs = _tuple(function(*leaves))
    arriving = inputs.arriving(forward)
    return lambda: torch.autograd.grad(outputs, leaves, arriving, retain_graph=True)


def wrong(op: str, results: Sequence[Tensor], inputs: Inputs) -> str:
    """Says how the results differ from the float64 reference by more than a few roundings; "" when they do not."""
    forward = op.removesuffix(BACKWARD)
    rounding = 8 * torch.finfo(inputs.x.dtype).eps
    for place, (result, truth) in enumerate(zip(results, _truth(op, forward, inputs), strict=True)):
        allowed = rounding * float(truth.abs().max())
        off = float((result[: len(truth)].double() - truth).abs().max())
        if not off <= allowed:
            return f"result {place} of {op} is off by {off:.3g}, more than {allowed:.3g}"
    return ""


def _truth(op: str, forward: str, inputs: Inputs, block: int = 2**21) -> list[Tensor]:
    """The results in float64, block by block: of the matrices the first block, of the weights' gradients the sum."""
    step = max(1, block // inputs.x.shape[1])
    function = getattr(reference, forward + "_ref")
    total: list[Tensor] = []
    for start in range(0, inputs.x.shape[0], step):
        part = slice(start, start + step)
        leaves = [(t[part] if t.ndim == 2 else t).double().requires_grad_(op != forward) for t in inputs.of(forward)]
        if "fused" in op:  # y follows from the h that was rounded, which is h + 0 here
            h = (inputs.x[part] + inputs.residual[part]).double()
            with torch.no_grad():
                leaves[0].copy_(h)
                leaves[1].zero_()
        outputs = _tuple(function(*leaves, eps=EPS))
        if op == forward:
            return list(outputs)
        gradients = torch.autograd.grad(outputs, leaves, [g[part].double() for g in inputs.arriving(forward)])
        total = total or list(gradients)
        if start > 0:
            total = [t if t.ndim == 2 else t + g for t, g in zip(total, gradients, strict=True)]
    return total


def _tuple(results: Any) -> tuple[Tensor, ...]:
    return (results,) if isinstance(results, Tensor) else tuple(results)


def _ours(op: str, backend: str) -> Function:
    function: Function = getattr(functional, op)
    return lambda *tensors: function(*tensors, eps=EPS, backend=backend)


def _eager(op: str) -> Function:
    def norm(h: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        if "layer" in op:
            return F.layer_norm(h, h.shape[-1:], weight, bias, EPS)
        return F.rms_norm(h, h.shape[-1:], weight, EPS)

    def fused(x: Tensor, residual: Tensor, *vectors: Tensor) -> tuple[Tensor, Tensor]:
        h = x + residual
        return norm(h, *vectors), h

    return fused if "fused" in op else norm


def _liger() -> dict[str, Function]:
    """Liger's, which has no fused LayerNorm; "gemma" computes in float32 up to the last cast, as ours do."""
    from liger_kernel.ops.fused_add_rms_norm import LigerFusedAddRMSNormFunction
    from liger_kernel.ops.layer_norm import LigerLayerNormFunction
    from liger_kernel.ops.rms_norm import LigerRMSNormFunction

    return {
        "layer_norm": lambda x, w, b: LigerLayerNormFunction.apply(x, w, b, EPS),
        "rms_norm": lambda x, w: LigerRMSNormFunction.apply(x, w, EPS, 0.0, "gemma", False),
        "fused_add_rms_norm": lambda x, r, w: LigerFusedAddRMSNormFunction.apply(x, r, w, EPS, 0.0, "gemma", False),
    }
