"""What needs processes of its own: torch, Triton, and the kernel that runs cells. Everything has a time limit."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Sequence
from importlib import metadata
from typing import Any

from tutor.commands.doctor.report import Finding, ok, problem, warning
from tutor.runtime.device import Device, child_environment
from tutor.text.i18n import _

PATIENCE = 20.0
"""Seconds for each; a first import of torch from a network file system can take as long."""

# Prints one JSON line a stage, so that a crash in a later one leaves what was learnt before it.
PROBE = """
import json, sys
sys.path.append(sys.argv[1])
def tell(**found): print(json.dumps(found), flush=True)
import torch
tell(torch=torch.__version__, cuda=torch.version.cuda or torch.version.hip or "")
device = "cuda" if sys.argv[2] == "cuda" else "cpu"
x = torch.randn(5, 129, generator=torch.Generator().manual_seed(0)).to(device)
tell(device=device, right=bool(torch.isfinite(x @ x.T).all()))
if sys.argv[3] != "missing":
    import triton
    from kernels.functional import layer_norm
    found, wanted = layer_norm(x, backend="triton"), layer_norm(x, backend="torch")
    tell(triton=triton.__version__, error=float((found - wanted).abs().max()))
"""
TOLERANCE = 1e-4
"""The largest difference between a LayerNorm by Triton and by torch that rounding explains, on N(0, 1) rows."""


async def compute_findings(device: Device, root: str) -> list[Finding]:
    """What can be said of torch, Triton and the kernel, side by side. `root` holds the package `kernels`."""
    probed, kernel = await asyncio.gather(_probe(device, root), _kernel(device))
    return [_device(device), *_torch(device, *probed), kernel]


def _device(device: Device) -> Finding:
    if device.kind == "cuda":
        free = f"{device.name}, {device.free_bytes / 2**30:.0f} of {device.total_bytes / 2**30:.0f} GiB free"
        if device.free_bytes < 2 << 30:
            return warning(
                "device", free, _("Cells may run out of memory. Choose another GPU: export CUDA_VISIBLE_DEVICES=…")
            )
        return warning("device", free, device.note) if device.note else ok("device", free)
    return ok("device", _("CPU, {n} cores").format(n=_cores()) + (f"; {device.note}" if device.note else ""))


def _cores() -> int:
    """Those that this process may use, which a scheduler or a container may have restricted."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


async def _probe(device: Device, root: str) -> tuple[dict[str, Any], str]:
    """What the probe told, and why it told no more."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-c", PROBE, root, device.kind, device.triton),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=child_environment(device),
        start_new_session=True,
    )
    trouble, output, errors = "", b"", b""
    reading = asyncio.create_task(child.communicate())
    try:
        await asyncio.wait({reading}, timeout=PATIENCE)
        if not reading.done():
            trouble = _("no answer within {seconds:.0f} s").format(seconds=PATIENCE)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    output, errors = await reading
    told: dict[str, Any] = {}
    for line in output.decode(errors="replace").splitlines():
        with contextlib.suppress(json.JSONDecodeError):
            found = json.loads(line)
            if isinstance(found, dict):
                told |= found
    if not trouble and child.returncode:
        lines = errors.decode(errors="replace").strip().splitlines()
        trouble = lines[-1] if lines else _("it ended with code {code}").format(code=child.returncode)
    return told, trouble


def _torch(device: Device, told: dict[str, Any], trouble: str) -> Sequence[Finding]:
    try:
        installed = metadata.version("torch")
    except metadata.PackageNotFoundError:
        return [
            problem(
                "torch", _("missing"), _("Install it: see https://pytorch.org for the build that fits your machine")
            )
        ]
    if "torch" not in told:
        return [problem("torch", f"{installed}: {trouble}", _("Cells cannot run. Try it: python -c 'import torch'"))]
    name = f"{told['torch']}, CUDA {told['cuda']}" if told["cuda"] else f"{told['torch']}, CPU"
    if not told.get("right"):
        why = trouble or _("it computes nonsense")
        advice = (
            _("Run on the CPU: export CUDA_VISIBLE_DEVICES=") if device.kind == "cuda" else _("Install torch again.")
        )
        return [problem("torch", f"{name}: {why}", advice)]
    return [ok("torch", name), _triton(device, told, trouble)]


def _triton(device: Device, told: dict[str, Any], trouble: str) -> Finding:
    if device.triton == "missing":
        return warning(
            "triton",
            _("missing"),
            _("The cells with Triton kernels cannot run; the others can. Install it: pip install triton"),
        )
    if "triton" not in told:
        return problem("triton", trouble, _("The cells with Triton kernels cannot run; the others can."))
    mode = _("compiled for the GPU") if device.triton == "compiled" else _("interpreted, since there is no GPU")
    found = f"{told['triton']}, {mode}"
    if not told["error"] <= TOLERANCE:  # NaN is not
        return problem(
            "triton",
            _("{found}: its LayerNorm differs from torch's by {error:.2g}").format(found=found, error=told["error"]),
            _(
                "Its results cannot be trusted here. "
                "Install the versions that normtutor asks for: pip install --upgrade normtutor"
            ),
        )
    return ok("triton", found)


async def _kernel(device: Device) -> Finding:
    """Starts the kernel as the app does, and lets it add one and one."""
    from tutor.runtime.session import Session

    session = Session(environment=child_environment(device))
    advice = _("Cells cannot run. The directory for its sockets must be yours and its path short: export TMPDIR=/tmp")
    try:
        async with asyncio.timeout(PATIENCE):
            await session.start()
            trouble = session.detail
            finished = await session.run(
                "", name="doctor", expressions={"sum": "1 + 1"}, on_output=lambda _output: None
            )
    except TimeoutError:
        return problem("kernel", _("no answer within {seconds:.0f} s").format(seconds=PATIENCE), advice)
    finally:
        await session.stop()
    if finished.values.get("sum") != "2":
        return problem("kernel", finished.detail or finished.ending, advice)
    if trouble:
        return problem("kernel", trouble, _("The cells need what failed there."))
    return ok("kernel", _("started, and 1 + 1 is 2"))
