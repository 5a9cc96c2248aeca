"""TEACHING MATERIAL: kernels to compare and to learn from, slow or wrong on purpose. Nothing else uses them.

Three ways to the mean and the variance of a row, each a kernel of its own; a mean square kept in float16; a LayerNorm
that reads its row twice. All take x (..., N) on a GPU, or on a CPU in Triton's interpreter, and give float32 per row
unless they say otherwise. Each program takes one row and reads it BLOCK_N columns at a time.
"""

from __future__ import annotations

from typing import Any, Literal

import torch
import triton
import triton.language as tl
from torch import Tensor

from kernels.triton_kernels.launch import as_rows, launching, require_triton
from kernels.triton_kernels.rounding import round_to

BLOCK = 1024


@triton.jit
def sum_of_squares_statistics(X, MEAN, VAR, stride, N, BLOCK_N: tl.constexpr):
    """WRONG ON PURPOSE. One pass: var = mean(x^2) - mean(x)^2, two large numbers that agree in most of their digits."""
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros((BLOCK_N,), tl.float32)
    squares = tl.zeros((BLOCK_N,), tl.float32)
    for start in range(0, N, BLOCK_N):
        col = start + tl.arange(0, BLOCK_N)
        x = tl.load(X + row * stride + col, mask=col < N, other=0.0).to(tl.float32)
        total += x
        squares += x * x
    mean = tl.sum(total, axis=0) / N
    tl.store(MEAN + row, mean)
    tl.store(VAR + row, tl.sum(squares, axis=0) / N - mean * mean)


@triton.jit
def two_pass_statistics(X, MEAN, VAR, stride, N, BLOCK_N: tl.constexpr):
    """Two passes: the mean, then the mean squared distance from it. The most accurate; the norms here do this."""
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros((BLOCK_N,), tl.float32)
    for start in range(0, N, BLOCK_N):
        col = start + tl.arange(0, BLOCK_N)
        total += tl.load(X + row * stride + col, mask=col < N, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros((BLOCK_N,), tl.float32)
    for start in range(0, N, BLOCK_N):
        col = start + tl.arange(0, BLOCK_N)
        x = tl.load(X + row * stride + col, mask=col < N, other=0.0).to(tl.float32)
        centred = tl.where(col < N, x - mean, 0.0)
        squares += centred * centred
    tl.store(MEAN + row, mean)
    tl.store(VAR + row, tl.sum(squares, axis=0) / N)


@triton.jit
def welford_statistics(X, MEAN, VAR, stride, N, BLOCK_N: tl.constexpr):
    """One stable pass: the mean and M2 = sum (x - mean)^2 of each block, merged into those of the blocks before it.

    Welford 1962 adds one value at a time; the merge of two groups is Chan, Golub and LeVeque 1979, equation 2.1:
    with d = mean_b - mean_a,  mean = mean_a + d n_b / n  and  M2 = M2_a + M2_b + d^2 n_a n_b / n.
    """
    row = tl.program_id(0).to(tl.int64)
    count = 0.0
    mean = 0.0
    m2 = 0.0
    for start in range(0, N, BLOCK_N):
        col = start + tl.arange(0, BLOCK_N)
        x = tl.load(X + row * stride + col, mask=col < N, other=0.0).to(tl.float32)
        count_b = tl.minimum(N - start, BLOCK_N).to(tl.float32)
        mean_b = tl.sum(x, axis=0) / count_b
        centred = tl.where(col < N, x - mean_b, 0.0)
        distance = mean_b - mean
        share = count_b / (count + count_b)
        mean += distance * share
        m2 += tl.sum(centred * centred, axis=0) + distance * distance * count * share
        count += count_b
    tl.store(MEAN + row, mean)
    tl.store(VAR + row, m2 / N)


@triton.jit
def float16_mean_square(X, OUT, stride, N, LANES: tl.constexpr):
    """WRONG ON PURPOSE. mean(x^2) with the sum kept in float16: stops growing at 2,048 ones, is inf past 65,504."""
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros((LANES,), tl.float16)
    for start in range(0, N, LANES):
        col = start + tl.arange(0, LANES)
        x = tl.load(X + row * stride + col, mask=col < N, other=0.0).to(tl.float16)
        total += x * x
    tl.store(OUT + row, tl.sum(total, axis=0).to(tl.float32) / N)


@triton.jit
def two_read_layer_norm(X, Y, stride, N, eps, BLOCK_N: tl.constexpr):
    """SLOW ON PURPOSE. Reads the row for its statistics and again to normalise it, though it would fit in registers.

    If the row has left the caches by then, memory moves 3 N values instead of 2 N. The statistics are of x - x[0], so
    that one pass is accurate enough.
    """
    row = tl.program_id(0).to(tl.int64)
    shift = tl.load(X + row * stride).to(tl.float32)
    total = tl.zeros((BLOCK_N,), tl.float32)
    squares = tl.zeros((BLOCK_N,), tl.float32)
    for start in range(0, N, BLOCK_N):
        col = start + tl.arange(0, BLOCK_N)
        x = tl.load(X + row * stride + col, mask=col < N, other=0.0).to(tl.float32)
        x = tl.where(col < N, x - shift, 0.0)
        total += x
        squares += x * x
    mean = tl.sum(total, axis=0) / N
    rstd = tl.rsqrt(tl.sum(squares, axis=0) / N - mean * mean + eps)
    for start in range(0, N, BLOCK_N):
        col = start + tl.arange(0, BLOCK_N)
        x = tl.load(X + row * stride + col, mask=col < N, other=0.0).to(tl.float32)
        tl.store(Y + row * N + col, round_to((x - shift - mean) * rstd, Y.dtype.element_ty), mask=col < N)


STATISTICS = {
    "sum-of-squares": sum_of_squares_statistics,
    "two-pass": two_pass_statistics,
    "welford": welford_statistics,
}


def row_statistics(x: Tensor, method: Literal["sum-of-squares", "two-pass", "welford"]) -> tuple[Tensor, Tensor]:
    """(mean, biased variance) of the rows of x (..., N), each (...,) float32, by the named method in float32."""
    if method not in STATISTICS:
        raise ValueError(f"method must be one of {', '.join(STATISTICS)}, not {method!r}")
    mean, var = (torch.empty(x.shape[:-1], dtype=torch.float32, device=x.device) for _ in range(2))
    _launch(STATISTICS[method], x, mean, var, BLOCK_N=BLOCK)
    return mean, var


def mean_square_in_float16(x: Tensor, lanes: int = 1) -> Tensor:
    """mean(x^2) of the rows of x (..., N), (...,) float32, from `lanes` float16 sums (a power of two) a row: wrong."""
    out = torch.empty(x.shape[:-1], dtype=torch.float32, device=x.device)
    _launch(float16_mean_square, x, out, LANES=lanes)
    return out


def layer_norm_in_two_reads(x: Tensor, eps: float = 1e-5) -> Tensor:
    """LayerNorm without weight and bias of x (..., N), right, but with each row read twice."""
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    _launch(two_read_layer_norm, x, y, eps=eps, BLOCK_N=BLOCK)
    return y


def _launch(kernel: Any, x: Tensor, *outputs: Tensor, **constants: float) -> None:
    require_triton(x.device)
    rows = as_rows(x)
    if rows.numel() == 0:
        raise ValueError("x must have at least one row and one column")
    with launching(x.device):
        kernel[(rows.shape[0],)](rows, *outputs, stride=rows.stride(0), N=rows.shape[1], **constants)
