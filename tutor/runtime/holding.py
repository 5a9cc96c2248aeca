"""Who holds how much of a GPU, by NVML: we, by the processes below this one, and everybody else.

Each of these may wait for the driver: they are called in a thread.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from tutor.runtime.device import Device, visible
from tutor.runtime.gpu_faults import gib
from tutor.runtime.wish import name
from tutor.text.i18n import _


class Holding(msgspec.Struct, frozen=True):
    """Memory of a GPU in bytes. `told` is whether the driver says which process holds what."""

    ours: int
    others: int
    free: int
    total: int
    told: bool = True


def look(device: Device, *, torch_holds: int = 0) -> Holding | None:
    """How it stands with the GPU; None when NVML does not say.

    `torch_holds` is what torch has reserved in our process, in bytes. It stands in where the driver does not tell who
    holds what: in a container, where process ids are others, and on a GPU that is not ours alone to look at.
    """
    try:
        import pynvml

        pynvml.nvmlInit()
        try:
            return _look(pynvml, device, torch_holds)
        finally:
            pynvml.nvmlShutdown()
    except Exception:  # as in `device.choose`: whatever is broken about the library, it tells nothing
        return None


def _look(nvml: Any, device: Device, torch_holds: int) -> Holding:
    handle = nvml.nvmlDeviceGetHandleByUUID(device.uuid)
    memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    mine = descendants(os.getpid())
    try:
        processes = nvml.nvmlDeviceGetComputeRunningProcesses(handle)
    except nvml.NVMLError:
        processes = []
    ours = [int(process.usedGpuMemory) for process in processes if process.pid in mine and process.usedGpuMemory]
    held = sum(ours) or torch_holds
    total, free = int(memory.total), int(memory.free)
    used = max(0, total - free - _reserved(nvml, handle))
    return Holding(min(held, used), max(0, used - held), free, total, told=bool(ours) or not torch_holds)


def _reserved(nvml: Any, handle: Any) -> int:
    """What the driver keeps for itself: nobody's fault."""
    try:
        return int(nvml.nvmlDeviceGetMemoryInfo(handle, version=nvml.nvmlMemory_v2).reserved)
    except (AttributeError, TypeError, ValueError, nvml.NVMLError):
        return 0


def descendants(pid: int) -> set[int]:
    """A process and all below it."""
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        each = waiting.pop()
        found.add(each)
        for file in Path(f"/proc/{each}/task").glob("*/children"):
            try:
                waiting += [int(child) for child in file.read_text().split()]
            except OSError:  # it has ended meanwhile
                continue
    return found


def room_elsewhere(taken: str, asked: int, environ: Mapping[str, str] = os.environ) -> str:
    """Which other GPU has room for that many bytes, and how to take it; empty when none has.

    `taken` is the entry of CUDA_VISIBLE_DEVICES of the process that found none.
    """
    others = [each for each in visible(environ) if taken not in (each.visible, each.uuid)]
    best = max(others, key=lambda each: each.free_bytes, default=None)
    if best is None or best.free_bytes < max(asked, 1 << 30):
        return ""
    return _("GPU {name} has {free} free: leave with ctrl+q, and `normtutor --device {name}`.").format(
        name=name(best), free=gib(best.free_bytes)
    )
