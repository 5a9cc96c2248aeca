"""Where stacks live unless told otherwise."""

from __future__ import annotations

import os

import torch

VARIABLE = "NORMTUTOR_DEVICE"


def default_device() -> torch.device:
    """The device named by NORMTUTOR_DEVICE, else a CUDA (or ROCm) device if one can be used, else the CPU.

    The tutor takes more names there, such as a UUID, and shows its processes one GPU only: that is "cuda" then.
    """
    name = os.environ.get(VARIABLE, "")
    if name.isdecimal():
        return torch.device(f"cuda:{name}")
    if name and name != "auto" and not name.startswith(("GPU-", "MIG-")):
        return torch.device(name)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
