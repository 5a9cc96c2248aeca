"""Chooses how the kernel tests run: compiled on a GPU, or in Triton's interpreter, which must be asked for before the
first import of triton. The ahead-of-time compilation test runs in a process of its own without it.
"""

import os
import sys
from pathlib import Path

import pytest
import torch

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, str(Path(__file__).parent))  # norm_cases and its neighbours


@pytest.fixture(scope="session")
def device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
