"""Triton exercises: a kernel of the submission's must do the work, whatever else it launches or computes."""

from __future__ import annotations

import time

import pytest

from tests.judge.conftest import Judge, check, exercise, failing, why

CHECKS = [
    check("rows", (3, 7), (2, 3, 33)),
    check("width-one", (4, 1), (2, 2)),
    check("near-eps", (2, 5), families=["tiny-variance"]),
    check("wide", (2, 1100)),
    check("strides", (4, 6), layouts=["transposed", "sliced"]),
    check("float16", (3, 64), families=["normal", "large"], dtypes=["float16"]),
    check("gradients", (3, 5), gradients=True),
]
RMS = exercise("rms_norm", "rms_norm(x, weight, eps)", checks=CHECKS, triton=True, forbid=["rms_norm"], seconds=30.0)
LAYER = exercise(
    "layer_norm", "layer_norm(x, weight, bias, eps)",
    checks=[*CHECKS, check("offset", (2, 40), families=["offset", "constant"])], triton=True, seconds=30.0,
)  # fmt: skip
FUSED = exercise(
    "fused_add_rms_norm", "fused_add_rms_norm(x, residual, weight, eps)", checks=CHECKS, triton=True, seconds=30.0
)

RMS_KERNEL = """
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    mask = col < N
    x = tl.load(X + row * stride + col, mask=mask, other=0.0).to(tl.float32)
    rstd = tl.rsqrt(tl.sum(x * x, axis=0) / N + eps)
    w = tl.load(W + col, mask=mask, other=0.0).to(tl.float32)
    tl.store(Y + row * N + col, x * rstd * w, mask=mask)
"""
RMS_RIGHT = (
    RMS_KERNEL
    + """

def rms_norm(x, weight, eps):
    rows = x.reshape(-1, x.shape[-1]).contiguous()
    y = torch.empty_like(rows)
    n = rows.shape[1]
    kernel[(rows.shape[0],)](rows, weight.contiguous(), y, rows.stride(0), n, eps, BLOCK=triton.next_power_of_2(n))
    return y.reshape(x.shape)
"""
)
RMS_DIFFERENTIABLE = (
    RMS_KERNEL
    + """

class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        rows = x.reshape(-1, x.shape[-1]).contiguous()
        y = torch.empty_like(rows)
        n = rows.shape[1]
        kernel[(rows.shape[0],)](rows, weight.contiguous(), y, rows.stride(0), n, eps, BLOCK=triton.next_power_of_2(n))
        ctx.save_for_backward(x, weight)
        ctx.eps = eps
        return y.reshape(x.shape)

    @staticmethod
    def backward(ctx, dy):
        x, weight = ctx.saved_tensors
        rstd = torch.rsqrt(x.square().mean(-1, keepdim=True) + ctx.eps)
        xhat, g = x * rstd, dy * weight
        dx = rstd * (g - xhat * (g * xhat).mean(-1, keepdim=True))
        return dx, (dy * xhat).reshape(-1, x.shape[-1]).sum(0), None


def rms_norm(x, weight, eps):
    return Norm.apply(x, weight, eps)
"""
)
LAYER_RIGHT = """
@triton.jit
def kernel(X, W, B, Y, M, stride, N, eps, BLOCK_M: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    col = tl.arange(0, BLOCK)[None, :]
    mask = (row < M)[:, None] & (col < N)
    x = tl.load((X + row * stride)[:, None] + col, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=1) / N
    centred = tl.where(mask, x - mean[:, None], 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=1) / N + eps)
    w = tl.load(W + col, mask=col < N, other=0.0).to(tl.float32)
    b = tl.load(B + col, mask=col < N, other=0.0).to(tl.float32)
    tl.store((Y + row * N)[:, None] + col, centred * rstd[:, None] * w + b, mask=mask)


def layer_norm(x, weight, bias, eps):
    rows = x.reshape(-1, x.shape[-1]).contiguous()
    m, n = rows.shape
    y = torch.empty(m, n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(m, 4),)](
        rows, weight.contiguous(), bias.contiguous(), y, m, rows.stride(0), n, eps,
        BLOCK_M=4, BLOCK=triton.next_power_of_2(n),
    )
    return y.view(x.shape)
"""
FUSED_RIGHT = """
@triton.jit
def kernel(X, R, W, Y, H, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    mask = col < N
    h = tl.load(X + row * N + col, mask=mask, other=0.0).to(tl.float32)
    h += tl.load(R + row * N + col, mask=mask, other=0.0).to(tl.float32)
    tl.store(H + row * N + col, h, mask=mask)
    rstd = tl.rsqrt(tl.sum(h * h, axis=0) / N + eps)
    w = tl.load(W + col, mask=mask, other=0.0).to(tl.float32)
    tl.store(Y + row * N + col, h * rstd * w, mask=mask)


def launch(x, residual, weight, eps):
    x, residual, weight = x.contiguous(), residual.contiguous(), weight.contiguous()
    n = x.shape[-1]
    y, h = torch.empty_like(x), torch.empty_like(x)
    kernel[(x.numel() // n,)](x, residual, weight, y, h, n, eps, BLOCK=triton.next_power_of_2(n))
    return y, h


def fused_add_rms_norm(x, residual, weight, eps):
    return launch(x, residual, weight, eps)
"""
FUSED_BACKWARD = """

class Fused(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, residual, weight, eps):
        y, h = launch(x, residual, weight, eps)
        ctx.save_for_backward(h, weight)
        ctx.eps = eps
        return y, h

    @staticmethod
    def backward(ctx, dy, dh):
        h, weight = ctx.saved_tensors
        rstd = torch.rsqrt(h.square().mean(-1, keepdim=True) + ctx.eps)
        xhat, g = h * rstd, dy * weight
        dx = rstd * (g - xhat * (g * xhat).mean(-1, keepdim=True)) + dh
        return dx, dx, (dy * xhat).reshape(-1, h.shape[-1]).sum(0), None


def fused_add_rms_norm(x, residual, weight, eps):
    return Fused.apply(x, residual, weight, eps)
"""

AUTOTUNED = '@triton.autotune([triton.Config({"BLOCK": 2048}), triton.Config({"BLOCK": 4096})], key=["N"])\n@triton.jit'

RIGHT = {
    "rms, forward only": (RMS, RMS_RIGHT),
    "rms, autotuned": (
        RMS,
        RMS_RIGHT.replace("@triton.jit", AUTOTUNED).replace(", BLOCK=triton.next_power_of_2(n)", ""),
    ),
    "rms with a backward": (RMS, RMS_DIFFERENTIABLE),
    "layer, several rows a program": (LAYER, LAYER_RIGHT),
    "fused": (FUSED, FUSED_RIGHT),
    "fused with a backward": (FUSED, FUSED_RIGHT + FUSED_BACKWARD),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_kernels_pass(judge: Judge, name: str) -> None:
    asked, source = RIGHT[name]
    result = judge.grade(asked, source)
    assert failing(result) == set(), [each for each in result["checks"] if not each["passed"]]


def replaced(source: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert old in source, old
        source = source.replace(old, new)
    return source


TORCH = "x * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + eps) * weight"
TAIL = RMS_RIGHT[RMS_RIGHT.index("def rms_norm") :]
WRONG = {
    "torch alone": (RMS, f"def rms_norm(x, weight, eps):\n    return ({TORCH}).to(x.dtype)\n", "own-kernel", "reductions"),
    "torch with a decoy launched": (
        RMS, replaced(RMS_RIGHT, ("return y.reshape(x.shape)", f"return ({TORCH}).to(x.dtype)")), "own-kernel", "reductions",
    ),
    "numpy with a decoy launched": (
        RMS,
        replaced(RMS_RIGHT, ("return y.reshape(x.shape)",
            "import numpy as np\n    a = x.detach().double().numpy()\n"
            "    return torch.from_numpy(a / np.sqrt((a * a).mean(-1, keepdims=True) + eps) * weight.detach().double().numpy()).to(x.dtype)")),
        "own-kernel", "right-without-launches",
    ),
    "the answer kept from an earlier launch": (
        RMS,
        replaced(RMS_RIGHT, ("def rms_norm", "kept = {}\n\ndef rms_norm"),
                 ("    return y.reshape(x.shape)",
                  "    key = x.detach().flatten().tolist().__repr__()\n    if bool(y.isnan().any()): return kept[key]\n"
                  "    kept[key] = y.reshape(x.shape)\n    return kept[key]")),
        "own-kernel", "right-without-launches",
    ),
    "columns past the block ignored": (RMS, replaced(RMS_RIGHT, ("triton.next_power_of_2(n)", "min(1024, triton.next_power_of_2(n))")), "wide", None),
    "strides ignored": (RMS, replaced(RMS_RIGHT, ("rows = x.reshape(-1, x.shape[-1]).contiguous()", "rows = x"), ("kernel[(rows.shape[0],)]", "kernel[(x.numel() // x.shape[-1],)]"), ("n = rows.shape[1]", "n = x.shape[-1]"), ("rows.stride(0)", "n")), "strides", None),
    "statistics in half precision": (RMS, replaced(RMS_RIGHT, ("other=0.0).to(tl.float32)\n    rstd", "other=0.0)\n    rstd")), "float16", None),
    "eps outside the root": (RMS, replaced(RMS_RIGHT, ("tl.rsqrt(tl.sum(x * x, axis=0) / N + eps)", "1.0 / (tl.sqrt(tl.sum(x * x, axis=0) / N) + eps)")), "near-eps", None),
    "a wrong gradient": (RMS, replaced(RMS_DIFFERENTIABLE, ("(g - xhat * (g * xhat).mean(-1, keepdim=True))", "g")), "gradients", None),
    "padding lanes in the variance": (LAYER, replaced(LAYER_RIGHT, ("tl.where(mask, x - mean[:, None], 0.0)", "x - mean[:, None]")), "rows", None),
    "one pass": (LAYER, replaced(LAYER_RIGHT, ("tl.sum(centred * centred, axis=1) / N", "tl.sum(x * x, axis=1) / N - mean * mean")), "offset", None),
    "h is x": (FUSED, replaced(FUSED_RIGHT, ("return y, h", "return y, x")), "rows", None),
    "h not returned": (FUSED, replaced(FUSED_RIGHT, ("return y, h", "return y")), "rows", "count"),
    "the gradient through h lost": (FUSED, FUSED_RIGHT + replaced(FUSED_BACKWARD, (" + dh\n", "\n")), "gradients", None),
    "in place": (FUSED, replaced(FUSED_RIGHT, ("y, h = torch.empty_like(x), torch.empty_like(x)", "y, h = torch.empty_like(x), x.detach()")), "inputs-unchanged", None),
    "the wrong row stride for the residual": (FUSED, replaced(FUSED_RIGHT, ("residual.contiguous()", "residual")), "strides", None),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_kernels_fail_the_check_that_is_there_for_them(judge: Judge, name: str) -> None:
    asked, source, id, kind = WRONG[name]
    result = judge.grade(asked, source)
    assert id in failing(result), result
    assert kind is None or why(result, id) == kind


def test_an_error_in_a_kernel_names_its_line(judge: Judge) -> None:
    source = replaced(RMS_RIGHT, ("tl.sum(x * x, axis=0)", "tl.sum(x * x, axis=0) + undefined"))
    result = judge.grade(RMS, source)
    (rows,) = [each for each in result["checks"] if each["id"] == "rows"]
    line = source[: source.index("undefined")].count("\n") + 1
    assert (rows["problem"]["facts"]["type"], rows["problem"]["facts"]["line"]) == ("NameError", line)


def test_a_kernel_that_does_not_compile_is_a_free_retry_that_says_why(judge: Judge) -> None:
    """As Triton's compiler fails on a GPU; the interpreter compiles nothing."""
    source = (
        RMS_RIGHT
        + "\nclass CompilationError(Exception): pass\n\ndef rms_norm(x, weight, eps):\n    raise CompilationError('at 3:4: undefined')\n"
    )
    found = judge.grade(RMS, source)["unreadable"]
    assert (found["kind"], found["message"], found["line"]) == ("kernel", "at 3:4: undefined", source.count("\n"))
    sometimes = replaced(source, ("    raise", "    if x.shape[-1] > 3:\n        return x\n    raise"))
    assert judge.grade(RMS, sometimes)["unreadable"] is None


@pytest.mark.slow
def test_it_takes_less_than_three_seconds_when_warm(judge: Judge) -> None:
    judge.grade(RMS, RMS_RIGHT)
    began = time.monotonic()
    judge.grade(RMS, RMS_RIGHT)
    assert time.monotonic() - began < 3
