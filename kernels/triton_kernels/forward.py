"""LayerNorm and RMSNorm, forward, with the addition of the residual fused in.

    h    = x + residual                               rounded to the dtype of x; x itself where there is no residual
    rstd = 1 / sqrt(mean((h - mean(h))^2) + eps)      RMSNorm leaves mean(h) out (CENTER is False)
    y    = (h - mean(h)) * rstd * weight + bias

All arithmetic is float32: what is loaded is widened at once, what is stored is rounded once. The variance is the mean
squared distance from a mean that is already known; the shortcut mean(h^2) - mean(h)^2 cancels where the mean is large.
Sizes: x, residual (rows, N) with any row stride; weight, bias (N,); y, h (rows, N) contiguous; MEAN, RSTD (rows,)
float32. RESIDUAL, WEIGHT, BIAS and MEAN may be None, which is known when a kernel is compiled.
"""

import triton
import triton.language as tl

from kernels.triton_kernels.rounding import round_to


@triton.jit
def norm_forward(
    X, RESIDUAL, WEIGHT, BIAS, Y, H, MEAN, RSTD, x_stride, residual_stride, rows, N, eps,
    CENTER: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """BLOCK_M rows a program, N <= BLOCK_N: each row is read once and stays in registers."""
    row = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)  # int64: row * stride can pass 2^31
    col = tl.arange(0, BLOCK_N)[None, :]
    mask = (row < rows)[:, None] & (col < N)  # (BLOCK_M, BLOCK_N)

    x = tl.load((X + row * x_stride)[:, None] + col, mask=mask, other=0.0).to(tl.float32)
    if RESIDUAL is not None:
        x += tl.load((RESIDUAL + row * residual_stride)[:, None] + col, mask=mask, other=0.0).to(tl.float32)
        h = round_to(x, H.dtype.element_ty)
        tl.store((H + row * N)[:, None] + col, h, mask=mask)
        x = h.to(tl.float32)  # y follows from the rounded h: that is what the next layer adds to
    if CENTER:
        mean = tl.sum(x, axis=1) / N
        tl.store(MEAN + row, mean, mask=row < rows)
        x = tl.where(mask, x - mean[:, None], 0.0)  # the lanes past N do not count in the variance
    rstd = tl.rsqrt(tl.sum(x * x, axis=1) / N + eps)
    tl.store(RSTD + row, rstd, mask=row < rows)
    y = x * rstd[:, None]
    if WEIGHT is not None:
        y *= tl.load(WEIGHT + col, mask=col < N, other=0.0).to(tl.float32)
    if BIAS is not None:
        y += tl.load(BIAS + col, mask=col < N, other=0.0).to(tl.float32)
    if Y.dtype.element_ty != tl.float32:  # a call costs the interpreter 1 ms a program
        y = round_to(y, Y.dtype.element_ty)
    tl.store((Y + row * N)[:, None] + col, y, mask=mask)


@triton.jit
def norm_forward_wide(
    X, RESIDUAL, WEIGHT, BIAS, Y, H, MEAN, RSTD, x_stride, residual_stride, N, eps,
    CENTER: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """One row a program, of any width: read BLOCK_N columns at a time, for the mean, for the variance, for y."""
    row = tl.program_id(0).to(tl.int64)
    X += row * x_stride
    if RESIDUAL is not None:
        RESIDUAL += row * residual_stride

    mean = 0.0
    if CENTER:
        total = tl.zeros((BLOCK_N,), tl.float32)
        for start in range(0, N, BLOCK_N):
            col = start + tl.arange(0, BLOCK_N)
            total += _load_h(X, RESIDUAL, col, col < N).to(tl.float32)
        mean = tl.sum(total, axis=0) / N
        tl.store(MEAN + row, mean)

    total = tl.zeros((BLOCK_N,), tl.float32)
    for start in range(0, N, BLOCK_N):
        col = start + tl.arange(0, BLOCK_N)
        x = tl.where(col < N, _load_h(X, RESIDUAL, col, col < N).to(tl.float32) - mean, 0.0)
        total += x * x
    rstd = tl.rsqrt(tl.sum(total, axis=0) / N + eps)
    tl.store(RSTD + row, rstd)

    for start in range(0, N, BLOCK_N):
        col = start + tl.arange(0, BLOCK_N)
        mask = col < N
        h = _load_h(X, RESIDUAL, col, mask)
        if RESIDUAL is not None:
            tl.store(H + row * N + col, h, mask=mask)
        y = (h.to(tl.float32) - mean) * rstd
        if WEIGHT is not None:
            y *= tl.load(WEIGHT + col, mask=mask, other=0.0).to(tl.float32)
        if BIAS is not None:
            y += tl.load(BIAS + col, mask=mask, other=0.0).to(tl.float32)
        tl.store(Y + row * N + col, round_to(y, Y.dtype.element_ty), mask=mask)


@triton.jit
def _load_h(X, RESIDUAL, col, mask):
    """Some columns of h in the dtype of x: added again in each pass, as nobody has waited for a store of h to land."""
    h = tl.load(X + col, mask=mask, other=0.0)
    if RESIDUAL is not None:
        r = tl.load(RESIDUAL + col, mask=mask, other=0.0)
        h = round_to(h.to(tl.float32) + r.to(tl.float32), X.dtype.element_ty)
    return h
