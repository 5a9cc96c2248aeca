"""Seconds that a call takes, on a GPU or a CPU."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

WARM_UP = 3
BUSY_CYCLES = 2_000_000
"""About 1 ms of a GPU: longer than Python needs to queue a call, so that what is timed is the GPU alone."""


def seconds(call: Callable[[], Any], device: torch.device, repeats: int) -> float:
    """The median of `repeats` runs on a GPU, the best of them on a CPU, whose other work only makes a run longer.

    Warm-up runs before that compile whatever is compiled on first use.
    """
    for _ in range(WARM_UP if device.type == "cuda" else 1):
        call()
    if device.type == "cuda":
        return statistics.median(_gpu_times(call, device, repeats))
    return min(_cpu_times(call, repeats))


def _cpu_times(call: Callable[[], Any], repeats: int) -> list[float]:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return times


def _gpu_times(call: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """By CUDA events, with the L2 cache overwritten before each run, so that inputs come from memory as in a model."""
    cache = torch.cuda.get_device_properties(device).L2_cache_size
    overwrite = torch.empty(max(4 * cache, 2**26), dtype=torch.uint8, device=device)
    pairs = []
    for _ in range(repeats):
        torch.cuda._sleep(BUSY_CYCLES)
        overwrite.zero_()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        pairs.append((start, end))
    torch.cuda.synchronize(device)
    return [start.elapsed_time(end) / 1e3 for start, end in pairs]
