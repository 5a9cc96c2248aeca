"""Whether Triton works here: a tiny kernel, run in a process with the environment that cells get."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from tutor.runtime.device import Device, child_environment
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize

PATIENCE = 180.0
"""Seconds. The first compilation loads torch, Triton and the driver, perhaps over a network file system."""

# A text, since nothing of the tutor may import torch or Triton. In a file, since Triton reads a kernel's source.
_PROBE = """
import json, os
import torch, triton
import triton.language as tl

@triton.jit
def scale(x, y, n, factor, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    doubled = tl.load(x + index, mask=inside) * factor
    tl.store(y + index, doubled, mask=inside)

device = "cuda" if os.environ["NORMTUTOR_DEVICE"] == "cuda" else "cpu"
x = torch.arange(200, dtype=torch.float32, device=device)
y = torch.empty_like(x)
scale[(4,)](x, y, 200, 2.0, BLOCK=64)
right = bool(torch.equal(y, x + x))
where = torch.cuda.get_device_name() if device == "cuda" else "CPU"
print(json.dumps({"right": right, "torch": torch.__version__, "triton": triton.__version__, "where": where}))
"""


class TritonCheck(msgspec.Struct, frozen=True):
    """What came of it. `found` says in words what ran where, or what went wrong; `seconds` is what it took."""

    state: Literal["works", "fails", "missing"]
    found: str
    seconds: float = 0.0


def check(
    device: Device, base: Mapping[str, str] | None = None, *, python: str = sys.executable, patience: float = PATIENCE
) -> TritonCheck:
    """Runs the kernel on `device` and compares the result with torch's. Takes seconds; never raises."""
    if device.triton == "missing":
        return TritonCheck("missing", _("Triton is not installed"))
    started = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="normtutor-") as directory:
            probe = Path(directory) / "probe.py"
            probe.write_text(_PROBE)
            code, out, error = _run([python, "-P", str(probe)], child_environment(device, base), patience)
    except OSError as trouble:
        return TritonCheck("fails", sanitize(str(trouble), limit=300, newlines=False))
    seconds = time.monotonic() - started
    if code is None:
        return TritonCheck("fails", _("no answer within {n} seconds").format(n=round(patience)), seconds)
    try:
        result = json.loads(out.strip().rpartition("\n")[2])
        right, words = bool(result["right"]), "torch {torch}, Triton {triton}, {where}".format_map(result)
    except (ValueError, KeyError, TypeError):
        return TritonCheck("fails", _why(code, error), seconds)
    words = sanitize(words, limit=200, newlines=False)
    if not right:
        return TritonCheck("fails", _("it computes wrong numbers ({where})").format(where=words), seconds)
    if device.triton == "compiled":
        return TritonCheck("works", _("compiled for the GPU ({where})").format(where=words), seconds)
    return TritonCheck("works", _("interpreted on the CPU ({where})").format(where=words), seconds)


def _run(command: list[str], environment: Mapping[str, str], patience: float) -> tuple[int | None, str, str]:
    """Exit code (None if it took too long), output and errors of a process that leaves nothing behind."""
    process = subprocess.Popen(
        command,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    with process:
        try:
            out, error = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, "", ""
    return process.returncode, out, error


def _why(code: int, error: str) -> str:
    """The last line of what a failed process said, which is the exception where it is Python's."""
    lines = [line.strip() for line in sanitize(error[-20_000:]).splitlines() if line.strip()]
    if lines:
        return sanitize(lines[-1], limit=300, newlines=False)
    return _("it ended with exit code {code}").format(code=code)
