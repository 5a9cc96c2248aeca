"""What went wrong with a GPU, in plain words: whose fault it is, whether Python can go on, and what to press.

It is told by the messages of torch, CUDA and HIP, which change little: torch has no classes for most of it.
"""

from __future__ import annotations

import asyncio
import re
from typing import Literal, NamedTuple

from tutor.text.i18n import _

Kind = Literal["memory", "poisoned", "taken", "driver"]

_NAMES = {"OutOfMemoryError", "RuntimeError", "AcceleratorError", "DeferredCudaCallError", "OSError"}
_OURS = re.compile(r"\b(?:CUDA|HIP|ROCm|NVIDIA|Triton Error|cuDNN|CUBLAS|HIPBLAS|NVML)", re.IGNORECASE)
"""Without one of these in it, a message that sounds alike is about something else."""
# Other than too little memory, each of them lasts as long as the process: CUDA answers every later call with it.
_SIGNS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    ("memory", ("out of memory", "cublas_status_alloc_failed", "hipblas_status_alloc_failed")),
    (
        "poisoned",
        (
            "illegal memory access",
            "device-side assert",
            "unspecified launch failure",
            "misaligned address",
            "illegal instruction",
            "illegal address",
            "invalid program counter",
            "invalid address space",
            "hardware stack error",
            "launch timed out",
            "uncorrectable ecc",
            "uncorrectable nvlink",
            "memory access fault",
        ),
    ),
    (
        "taken",
        ("busy or unavailable", "exclusive-thread device already in use", "exclusive process", "device already in use"),
    ),
    (
        "driver",
        (
            "no cuda-capable device",
            "no hip-capable device",
            "no cuda gpus are available",
            "no hip gpus are available",
            "found no nvidia driver",
            "driver initialization failed",
            "driver on your system is too old",
            "driver version is insufficient",
            "driver/library version mismatch",
            "gpu is lost",
            "fallen off the bus",
            "system not yet initialized",
            "cuda unknown error",
            "cuda error: unknown error",
            "invalid device ordinal",
            "initialization error",
        ),
    ),
)


class Fault(NamedTuple):
    """What happened; `asked` is how many bytes an allocation wanted, 0 where it is not known."""

    kind: Kind
    words: str
    asked: int = 0

    @property
    def lasting(self) -> bool:
        """Whether nothing on the GPU works any more until Python has started again."""
        return self.kind != "memory"


def fault_of(name: str, message: str, *, held: int = 0) -> Fault | None:
    """The fault that an exception tells of; None when it is none of a GPU.

    `held` is what torch has reserved in the process that failed, in bytes, for messages that do not say it.
    """
    if name not in _NAMES or not _OURS.search(message):
        return None
    lower = message.lower()
    kind = next((kind for kind, signs in _SIGNS if any(sign in lower for sign in signs)), None)
    if kind is None:
        return None
    if kind == "memory":
        return _memory(message, held)
    if kind == "poisoned":
        words = _(
            "A kernel on the GPU did something forbidden, such as an index out of range, and the GPU answers this "
            "Python with errors from now on. F4 starts Python again: variables are lost, what you typed stays. "
            "The error may have been found later than it happened: look at the lines before, too."
        )
    elif kind == "taken":
        words = _(
            "Somebody else has this GPU to themselves. F4 starts Python again when it is free; another GPU: leave "
            "with ctrl+q, and `normtutor --device NUMBER`, or `--device cpu`."
        )
    else:
        words = _(
            "The GPU's driver does not answer any more. F4 starts Python again; if that does not help, "
            "`normtutor doctor` says more, and `normtutor --device cpu` needs no GPU."
        )
    return Fault(kind, words)


_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_SIZE = r"(\d+(?:\.\d+)?) (bytes|KiB|MiB|GiB|TiB)"


def _memory(message: str, held: int) -> Fault:
    """Whose fault it is, from the figures in torch's message."""

    def size(pattern: str) -> int | None:
        found = re.search(pattern.replace("SIZE", _SIZE), message)
        return int(float(found[1]) * _UNITS[found[2]]) if found else None

    asked = size("Tried to allocate SIZE") or 0
    total, free = size("total capacity of SIZE"), size("of which SIZE is free")
    ours = size("this process has SIZE memory in use")
    ours = held if ours is None else ours
    release = _("Free what you no longer need (del name), or press F4: Python starts again, variables are lost.")
    if total is None or free is None:
        held_words = " " + _("This Python holds {ours}.").format(ours=gib(ours)) if ours else ""
        return Fault("memory", _("The GPU has no memory left for this.") + held_words + " " + release, asked)
    others = max(0, total - free - ours)
    state = _("Of the GPU's {total}, this Python holds {ours}, others {others}; {free} are free.").format(
        total=gib(total), ours=gib(ours), others=gib(others), free=gib(free)
    )
    if asked > total:
        why = _("The cell asks for {asked} at once, more than the GPU has: make it smaller.").format(asked=gib(asked))
        return Fault("memory", f"{why} {state}", asked)
    if others > ours:
        why = _("Others have filled the GPU; nothing is wrong with the cell.")
        return Fault("memory", f"{why} {state} " + _("Wait for them, or take another GPU."), asked)
    why = _("This Python has filled the GPU.")
    return Fault("memory", f"{why} {state} {release}", asked)


async def advice(fault: Fault, taken: str) -> str:
    """The words of a fault and, where memory is what lacks, which other GPU has it. `taken` is the one in use."""
    if fault.lasting or not taken:
        return fault.words
    from tutor.runtime.holding import room_elsewhere

    return f"{fault.words} {await asyncio.to_thread(room_elsewhere, taken, fault.asked)}".strip()


def gib(count: float) -> str:
    """An amount of memory in words, such as "3.2 GiB"."""
    return f"{count / 2**20:.0f} MiB" if 0 < count < 1 << 29 else f"{count / 2**30:.1f} GiB"
