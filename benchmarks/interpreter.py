"""The interpreter's speed as ratios: RMSNorm forward, 4,096 x 1,024 float32, in tiles, row by row, and in torch.

    python benchmarks/interpreter.py

Exit 1 when a tile is not at least 20 times faster than one row a program, or not within 100 times of torch. All three
are measured in turn in one run, and the best of each counts: what else the machine does only makes a time longer.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

os.environ["TRITON_INTERPRET"] = "1"  # before the first import of triton

import torch

from kernels.triton_kernels import launch

ROWS, N, EPS = 4096, 1024, 1e-6
FASTER_THAN_ROWS = 20
WITHIN_OF_TORCH = 100


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> int:
    torch.manual_seed(0)
    x, weight = torch.randn(ROWS, N), torch.randn(N)
    tile = launch.forward_tile(ROWS, N)

    def tiled() -> torch.Tensor:
        return launch.forward(x, None, weight, None, EPS, False)[0]

    def by_row() -> torch.Tensor:
        return launch.forward(x, None, weight, None, EPS, False, launch.Tile(1, N))[0]

    def torch_() -> torch.Tensor:
        return torch.nn.functional.rms_norm(x, (N,), weight, EPS)

    torch.testing.assert_close(tiled(), torch_())
    times = [(seconds(tiled), min(seconds(torch_) for _ in range(10))) for _ in range(8)]
    tiled_s, torch_s = (min(column) for column in zip(*times, strict=True))
    row_s = seconds(by_row)
    by_row_ratio, torch_ratio = row_s / tiled_s, tiled_s / torch_s
    print(f"RMSNorm forward, {ROWS} x {N} float32, in Triton's interpreter")
    print(f"  one row a program     {row_s * 1e3:9.1f} ms")
    print(f"  {tile.block_m} rows a program   {tiled_s * 1e3:9.1f} ms   {by_row_ratio:6.1f} times faster than by row")
    print(f"  torch                 {torch_s * 1e3:9.1f} ms   {torch_ratio:6.1f} times faster than the tiles")
    return int(by_row_ratio < FASTER_THAN_ROWS or torch_ratio > WITHIN_OF_TORCH)


if __name__ == "__main__":
    sys.exit(main())
