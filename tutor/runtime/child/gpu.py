"""What torch holds of the GPU in the learner's process, and how what it does not need is given back."""

from __future__ import annotations

import gc
import sys
from typing import Any


def reserved() -> int:
    """Bytes that torch has taken from the driver, for tensors and for reuse; 0 before a cell has used the GPU.

    At least 1 from then on: CUDA's own half a gigabyte is held until the process ends.
    """
    cuda = _cuda()
    try:
        return max(1, int(cuda.memory_reserved())) if cuda is not None else 0
    except Exception:  # a context that a kernel has broken answers nothing; that is told where it broke
        return 1


def release() -> int:
    """Gives back what torch keeps for reuse; returns what the learner's own variables hold, in bytes."""
    cuda = _cuda()
    if cuda is None:
        return 0
    gc.collect()
    try:
        cuda.empty_cache()
        return int(cuda.memory_allocated())
    except Exception:  # as above
        return 0


def _cuda() -> Any:
    """`torch.cuda` once something has used it: asking sooner would start it, which takes half a gigabyte."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    return cuda if cuda is not None and cuda.is_initialized() else None
