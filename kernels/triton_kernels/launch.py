"""Which kernel, which tile and how many programs: from tensors of any shape and strides to a launch.

The tile depends on the mode. On a GPU a program takes one row, or a few short ones, so that the row fits in registers.
In the interpreter each program costs milliseconds of Python whatever its size, so it takes many rows.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
import triton
import triton.language as tl
from torch import Tensor
from triton.runtime import JITFunction

from kernels.triton_kernels import backward as backward_kernels
from kernels.triton_kernels import forward as forward_kernels
from kernels.triton_kernels.rounding import INTERPRETED

INTERPRETER_TILE = 262_144
"""Elements of a program in the interpreter: RMSNorm of 4,096 x 1,024 takes 0.29 s with half of it,
0.22 s with this, 0.20 s with twice as much, and 19 s with one row a program (`benchmarks/interpreter.py`)."""
GPU_TILE = 2_048
"""Elements of a program on a GPU, unless one row is longer: 16 to 32 bytes a thread and load."""
INTERPRETER_WIDEST = 65_536
GPU_WIDEST_FORWARD = 32_768
GPU_WIDEST_BACKWARD = 8_192
"""Columns past which a row is read in blocks, as it no longer fits in registers. Backward it is half of that for widths
that are no multiple of 16: those load value by value, and the addresses take registers too."""
GPU_WIDE_BLOCK = 4_096
MOST_WARPS = 16 if torch.version.hip else 32
"""1,024 threads a program: a warp has 32 threads on NVIDIA GPUs and 64 on most of AMD's."""

_ONE_AT_A_TIME = threading.Lock()
"""The interpreter keeps the current program in global state: launches from several threads corrupt each other."""


@dataclass(frozen=True)
class Tile:
    """What one program works on: `block_m` rows by `block_n` columns at a time, by `num_warps` warps (on a GPU)."""

    block_m: int
    block_n: int
    num_warps: int = 4
    wide: bool = False
    """The row is longer than `block_n`."""


def forward_tile(rows: int, n: int, *, interpreted: bool = INTERPRETED, most_warps: int = MOST_WARPS) -> Tile:
    """The tile of the forward pass over `rows` rows of `n` columns."""
    if interpreted:
        return _interpreter_tile(rows, n)
    if n > GPU_WIDEST_FORWARD:
        return Tile(1, GPU_WIDE_BLOCK, 8, wide=True)
    block_n = triton.next_power_of_2(n)
    return Tile(max(1, GPU_TILE // block_n), block_n, min(most_warps, max(4, block_n // 512)))


def backward_tile(rows: int, n: int, *, interpreted: bool = INTERPRETED) -> Tile:
    """The tile of the backward pass, which keeps two rows of sums in registers beside the two that it reads."""
    if interpreted:
        return _interpreter_tile(rows, n)
    if n > (GPU_WIDEST_BACKWARD if n % 16 == 0 else GPU_WIDEST_BACKWARD // 2):
        return Tile(1, GPU_WIDE_BLOCK, 8, wide=True)
    block_n = triton.next_power_of_2(n)
    return Tile(max(1, GPU_TILE // block_n), block_n, max(4, block_n // 512))


def columns_tile(rows: int, *, interpreted: bool = INTERPRETED) -> Tile:
    """The tile of `norm_backward_columns`, which adds up the weight gradients of wide rows."""
    return _interpreter_tile(rows, INTERPRETER_WIDEST) if interpreted else Tile(16, 256)


def _interpreter_tile(rows: int, n: int) -> Tile:
    block_n = min(triton.next_power_of_2(n), INTERPRETER_WIDEST)
    return Tile(min(INTERPRETER_TILE // block_n, triton.next_power_of_2(rows)), block_n, wide=n > block_n)


def forward(
    x: Tensor,
    residual: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    center: bool,
    tile: Tile | None = None,
) -> tuple[Tensor, Tensor | None, Tensor | None, Tensor]:
    """(y, h, mean, rstd) of x (..., N): y and h in the shape and dtype of x, mean and rstd (rows,) float32.

    h is None without a residual, mean is None for RMSNorm (`center` False). Raises RuntimeError where Triton
    cannot run.
    """
    require_triton(x.device)
    n = x.shape[-1]
    x2, residual2 = as_rows(x), None if residual is None else as_rows(residual)
    rows = x2.shape[0]
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    h = None if residual is None else torch.empty_like(y)
    mean = torch.empty(rows, dtype=torch.float32, device=x.device) if center else None
    rstd = torch.empty(rows, dtype=torch.float32, device=x.device)
    if y.numel() == 0:
        return y, h, mean, rstd
    tensors = (x2, residual2, _contiguous(weight), _contiguous(bias), y, h, mean, rstd)
    strides = (x2.stride(0), 0 if residual2 is None else residual2.stride(0))
    tile = tile or forward_tile(rows, n)
    with launching(x.device):
        if tile.wide:
            forward_kernels.norm_forward_wide[(rows,)](
                *tensors, *strides, n, eps, CENTER=center, BLOCK_N=tile.block_n, num_warps=tile.num_warps
            )
        else:
            forward_kernels.norm_forward[(triton.cdiv(rows, tile.block_m),)](
                *tensors, *strides, rows, n, eps,
                CENTER=center, BLOCK_M=tile.block_m, BLOCK_N=tile.block_n, num_warps=tile.num_warps,
            )  # fmt: skip
    return y, h, mean, rstd


def backward(
    dy: Tensor,
    dh: Tensor | None,
    h: Tensor,
    weight: Tensor | None,
    mean: Tensor | None,
    rstd: Tensor,
    need_dweight: bool,
    need_dbias: bool,
    tile: Tile | None = None,
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """(dx, dweight, dbias): dx in the shape and dtype of h, the others (N,) float32, or None where not needed.

    `mean` is None for RMSNorm; `dh` is the gradient that reached h directly. Neither dy nor dh is written to.
    """
    require_triton(h.device)
    n = h.shape[-1]
    dy2, h2, dh2 = as_rows(dy), as_rows(h), None if dh is None else as_rows(dh)
    rows = h2.shape[0]
    dx = torch.empty(h.shape, dtype=h.dtype, device=h.device)
    if dx.numel() == 0:
        zero = torch.zeros(n, dtype=torch.float32, device=h.device)
        return dx, zero if need_dweight else None, zero.clone() if need_dbias else None
    tile = tile or backward_tile(rows, n)
    programs = _programs(rows, tile, h.device)
    dweight, dbias = (
        torch.empty(programs, n, dtype=torch.float32, device=h.device) if needed else None
        for needed in (need_dweight, need_dbias)
    )
    weight, center = _contiguous(weight), mean is not None
    strides = (dy2.stride(0), 0 if dh2 is None else dh2.stride(0), h2.stride(0))
    with launching(h.device):
        if tile.wide:
            backward_kernels.norm_backward_wide[(rows,)](
                dy2, dh2, h2, weight, mean, rstd, dx, *strides, n,
                CENTER=center, BLOCK_N=tile.block_n, num_warps=tile.num_warps,
            )  # fmt: skip
            if need_dweight or need_dbias:
                columns = columns_tile(rows)
                backward_kernels.norm_backward_columns[(triton.cdiv(n, columns.block_n), programs)](
                    dy2, h2, mean, rstd, dweight, dbias, strides[0], strides[2], rows, n,
                    CENTER=center, BLOCK_M=columns.block_m, BLOCK_N=columns.block_n, num_warps=columns.num_warps,
                )  # fmt: skip
        else:
            backward_kernels.norm_backward[(programs,)](
                dy2, dh2, h2, weight, mean, rstd, dx, dweight, dbias, *strides, rows, n,
                CENTER=center, BLOCK_M=tile.block_m, BLOCK_N=tile.block_n, num_warps=tile.num_warps,
            )  # fmt: skip
    return dx, None if dweight is None else dweight.sum(0), None if dbias is None else dbias.sum(0)


def _programs(rows: int, tile: Tile, device: torch.device) -> int:
    """Programs of the backward pass: enough to fill the GPU and no more, as each adds a row to the partial sums."""
    if tile.wide:
        return max(1, min(32, rows // 64))
    tiles = triton.cdiv(rows, tile.block_m)
    if device.type != "cuda" or INTERPRETED:
        return min(tiles, 2)  # two, so that there is something to add up here as well
    resident = max(1, 8_192 // (tile.block_m * tile.block_n))  # a program takes about 8 registers for each element
    return max(1, min(tiles, resident * torch.cuda.get_device_properties(device).multi_processor_count))


def as_rows(x: Tensor) -> Tensor:
    """(rows, N) of x (..., N) with neighbouring columns: a view where the strides allow, however far apart its rows."""
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    return rows if rows.stride(-1) == 1 else rows.contiguous()


def _contiguous(vector: Tensor | None) -> Tensor | None:
    return None if vector is None else vector.contiguous()


@contextmanager
def launching(device: torch.device) -> Iterator[None]:
    """Around a launch: on the GPU that holds the tensors, or alone in the interpreter."""
    if INTERPRETED:
        with _ONE_AT_A_TIME, np.errstate(all="ignore"):  # numpy would warn of 1 / 0 in lanes that are masked out
            yield
    else:
        with torch.cuda.device(device):
            yield


def require_triton(device: torch.device) -> None:
    """Raises RuntimeError, saying what to do, where Triton cannot run on tensors of `device`."""
    library_interpreted = not isinstance(tl.sum, JITFunction)
    if library_interpreted != INTERPRETED:
        raise RuntimeError(
            "backend='triton': TRITON_INTERPRET changed after triton was imported, so half of Triton is interpreted. "
            "Set it before Python starts."
        )
    if device.type != "cuda" and not (INTERPRETED and device.type == "cpu"):
        raise RuntimeError(
            f"backend='triton' needs a GPU and the tensors are on {device}. Move them, use backend='torch', "
            "or, on a CPU, start Python with TRITON_INTERPRET=1 to run the kernels in Triton's interpreter."
        )
