"""LayerNorm and RMSNorm, backward.

With xhat = (h - mean) * rstd and g = dy * weight:

    dx      = rstd * (g - mean(g) - xhat * mean(g * xhat)) + dh      RMSNorm leaves mean(g) out
    dweight = sum over rows of dy * xhat
    dbias   = sum over rows of dy

`dh` is the gradient that reaches h on its way past the norm, and dx is the gradient of the residual too. The sums over
rows are split: each program writes its own float32 row of DWEIGHT and DBIAS, (programs, N), and the host adds those up.
So no locks, no atomics, and the same bits on every run. DH, WEIGHT, MEAN, DWEIGHT and DBIAS may be None.
"""

import triton
import triton.language as tl

from kernels.triton_kernels.rounding import round_to


@triton.jit
def norm_backward(
    DY, DH, H, WEIGHT, MEAN, RSTD, DX, DWEIGHT, DBIAS, dy_stride, dh_stride, h_stride, rows, N,
    CENTER: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """Each program takes every num_programs-th tile of BLOCK_M rows, N <= BLOCK_N, and keeps its sums in registers."""
    col = tl.arange(0, BLOCK_N)
    dweight = tl.zeros((BLOCK_N,), tl.float32)
    dbias = tl.zeros((BLOCK_N,), tl.float32)
    if WEIGHT is not None:
        weight = tl.load(WEIGHT + col, mask=col < N, other=0.0).to(tl.float32)[None, :]
    # Two stages: the next tile is on its way while this one is reduced.
    for start in tl.range(tl.program_id(0) * BLOCK_M, rows, tl.num_programs(0) * BLOCK_M, num_stages=2):
        row = start + tl.arange(0, BLOCK_M).to(tl.int64)
        mask = (row < rows)[:, None] & (col < N)[None, :]  # (BLOCK_M, BLOCK_N)
        xhat = tl.load((H + row * h_stride)[:, None] + col[None, :], mask=mask, other=0.0).to(tl.float32)
        dy = tl.load((DY + row * dy_stride)[:, None] + col[None, :], mask=mask, other=0.0).to(tl.float32)
        rstd = tl.load(RSTD + row, mask=row < rows, other=0.0)[:, None]
        if CENTER:
            xhat -= tl.load(MEAN + row, mask=row < rows, other=0.0)[:, None]
        xhat *= rstd
        g = dy
        if WEIGHT is not None:
            g = dy * weight
        dx = g - xhat * (tl.sum(g * xhat, axis=1) / N)[:, None]  # g is 0 in the lanes past N
        if CENTER:
            dx -= (tl.sum(g, axis=1) / N)[:, None]
        dx *= rstd
        if DH is not None:
            dx += tl.load((DH + row * dh_stride)[:, None] + col[None, :], mask=mask, other=0.0).to(tl.float32)
        tl.store((DX + row * N)[:, None] + col[None, :], round_to(dx, DX.dtype.element_ty), mask=mask)
        if DWEIGHT is not None:
            dweight += tl.sum(dy * xhat, axis=0)
        if DBIAS is not None:
            dbias += tl.sum(dy, axis=0)
    partial = tl.program_id(0).to(tl.int64) * N + col
    if DWEIGHT is not None:
        tl.store(DWEIGHT + partial, dweight, mask=col < N)
    if DBIAS is not None:
        tl.store(DBIAS + partial, dbias, mask=col < N)


@triton.jit
def norm_backward_wide(
    DY, DH, H, WEIGHT, MEAN, RSTD, DX, dy_stride, dh_stride, h_stride, N,
    CENTER: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """One row of dx a program, of any width: read BLOCK_N columns at a time, once for the means and once for dx."""
    row = tl.program_id(0).to(tl.int64)
    DY += row * dy_stride
    H += row * h_stride
    rstd = tl.load(RSTD + row)
    mean = 0.0
    if CENTER:
        mean = tl.load(MEAN + row)

    sum_g = tl.zeros((BLOCK_N,), tl.float32)
    sum_g_xhat = tl.zeros((BLOCK_N,), tl.float32)
    for start in range(0, N, BLOCK_N):
        col = start + tl.arange(0, BLOCK_N)
        g = _load_g(DY, WEIGHT, col, col < N)
        sum_g += g
        sum_g_xhat += g * (tl.load(H + col, mask=col < N, other=0.0).to(tl.float32) - mean) * rstd
    mean_g = 0.0
    if CENTER:
        mean_g = tl.sum(sum_g, axis=0) / N
    mean_g_xhat = tl.sum(sum_g_xhat, axis=0) / N

    for start in range(0, N, BLOCK_N):
        col = start + tl.arange(0, BLOCK_N)
        mask = col < N
        xhat = (tl.load(H + col, mask=mask, other=0.0).to(tl.float32) - mean) * rstd
        dx = (_load_g(DY, WEIGHT, col, mask) - mean_g - xhat * mean_g_xhat) * rstd
        if DH is not None:
            dx += tl.load(DH + row * dh_stride + col, mask=mask, other=0.0).to(tl.float32)
        tl.store(DX + row * N + col, round_to(dx, DX.dtype.element_ty), mask=mask)


@triton.jit
def norm_backward_columns(
    DY, H, MEAN, RSTD, DWEIGHT, DBIAS, dy_stride, h_stride, rows, N,
    CENTER: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """Wide dweight and dbias: program (i, j) sums block i of BLOCK_N columns over its share of the rows."""
    col = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    dweight = tl.zeros((BLOCK_N,), tl.float32)
    dbias = tl.zeros((BLOCK_N,), tl.float32)
    for start in range(tl.program_id(1) * BLOCK_M, rows, tl.num_programs(1) * BLOCK_M):
        row = start + tl.arange(0, BLOCK_M).to(tl.int64)
        mask = (row < rows)[:, None] & (col < N)[None, :]
        dy = tl.load((DY + row * dy_stride)[:, None] + col[None, :], mask=mask, other=0.0).to(tl.float32)
        dbias += tl.sum(dy, axis=0)
        if DWEIGHT is not None:
            xhat = tl.load((H + row * h_stride)[:, None] + col[None, :], mask=mask, other=0.0).to(tl.float32)
            if CENTER:
                xhat -= tl.load(MEAN + row, mask=row < rows, other=0.0)[:, None]
            xhat *= tl.load(RSTD + row, mask=row < rows, other=0.0)[:, None]
            dweight += tl.sum(dy * xhat, axis=0)
    partial = tl.program_id(1).to(tl.int64) * N + col
    if DWEIGHT is not None:
        tl.store(DWEIGHT + partial, dweight, mask=col < N)
    if DBIAS is not None:
        tl.store(DBIAS + partial, dbias, mask=col < N)


@triton.jit
def _load_g(DY, WEIGHT, col, mask):
    g = tl.load(DY + col, mask=mask, other=0.0).to(tl.float32)
    if WEIGHT is not None:
        g *= tl.load(WEIGHT + col, mask=mask, other=0.0).to(tl.float32)
    return g
