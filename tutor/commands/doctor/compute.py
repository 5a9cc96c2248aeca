"""What needs processes of its own: the kernel that runs cells, torch in it, and Triton. Everything has a time limit."""

from __future__ import annotations

import asyncio
import os
from importlib import metadata

from tutor.commands.doctor.report import Finding, ok, problem, warning
from tutor.runtime import holding, triton_check, wish
from tutor.runtime.device import Device, child_environment
from tutor.runtime.gpu_faults import gib
from tutor.runtime.holding import Holding
from tutor.runtime.outputs import Finished
from tutor.runtime.session import Session
from tutor.runtime.triton_check import TritonCheck
from tutor.text.i18n import _

PATIENCE = 20.0
"""Seconds for each; a first import of torch from a network file system can take as long."""

ENOUGH_MEMORY = 2 << 30
"""Bytes of a GPU that the cells of the course fit into with room."""

ASKED = {
    "sum": "1 + 1",
    "version": "torch.__version__",
    "cuda": "torch.version.cuda",
    "rocm": "torch.version.hip",
    "finite": "bool((torch.ones(8, 8, device=__import__('os').environ['NORMTUTOR_DEVICE']) @ torch.ones(8, 8, "
    "device=__import__('os').environ['NORMTUTOR_DEVICE']) == 8).all())",
}
"""What the kernel is asked: whether it answers, which torch it has, and whether that computes on the chosen device."""


async def compute_findings(device: Device) -> list[Finding]:
    """What can be said of device, torch, kernel and Triton, looked at side by side."""
    kernel, triton = await asyncio.gather(
        ask_kernel(device), asyncio.to_thread(triton_check.check, device, patience=PATIENCE)
    )
    held = await asyncio.to_thread(holding.look, device) if device.kind == "cuda" else None
    return [device_finding(device, held), *kernel_findings(device, *kernel), triton_finding(triton)]


def device_finding(device: Device, held: Holding | None = None) -> Finding:
    """The GPU, its free memory and what others hold, or why there is none."""
    if device.kind == "cpu":
        return ok("device", _("CPU, {n} cores").format(n=_cores()) + (f"; {device.note}" if device.note else ""))
    found = _("{name}, {free:.0f} of {total:.0f} GiB free").format(
        name=device.name, free=device.free_bytes / 2**30, total=device.total_bytes / 2**30
    )
    found = f"{wish.name(device)} · {found}"
    if held is not None:
        found += "; " + _("others hold {others}").format(others=gib(held.others))
    if device.free_bytes < ENOUGH_MEMORY:
        advice = _("Cells may run out of memory. Choose another GPU: normtutor --device NUMBER")
        return warning("device", found, advice)
    return warning("device", found, device.note) if device.note else ok("device", found)


def _cores() -> int:
    """Those that this process may use, which a scheduler or a container may have restricted."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


async def ask_kernel(device: Device) -> tuple[Finished | None, str]:
    """Starts the kernel as the app does and asks `ASKED`: its answer, None if there is none in time; its complaint."""
    session = Session(environment=child_environment(device))
    try:
        async with asyncio.timeout(PATIENCE):
            await session.start()
            complaint = session.detail
            return await session.run("", name="doctor", expressions=ASKED, on_output=lambda _output: None), complaint
    except TimeoutError:
        return None, _("no answer within {seconds:.0f} s").format(seconds=PATIENCE)
    finally:
        await session.stop()


def kernel_findings(device: Device, answer: Finished | None, complaint: str) -> list[Finding]:
    """The kernel and torch, from what `ask_kernel` was told."""
    if answer is None or answer.values.get("sum") != "2":
        why = complaint or (answer.detail if answer is not None else "") or _("it does not answer")
        advice = _(
            "Cells cannot run. The directory for its sockets must be yours and its path short: export TMPDIR=/tmp"
        )
        return [problem("kernel", why, advice)]
    kernel = ok("kernel", _("started, and 1 + 1 is 2"))
    try:
        installed = metadata.version("torch")
    except metadata.PackageNotFoundError:
        advice = _("Install it: see https://pytorch.org for the build that fits your machine")
        return [kernel, problem("torch", _("missing"), advice)]
    if "version" not in answer.values:
        why = complaint or answer.errors.get("version", "")
        return [kernel, problem("torch", f"{installed}: {why}", _("Cells cannot run. Install torch again."))]
    cuda = answer.values.get("cuda", "None").strip("'")
    rocm = answer.values.get("rocm", "None").strip("'")
    built = f"ROCm {rocm}" if rocm != "None" else f"CUDA {cuda}" if cuda != "None" else "CPU"
    found = f"{installed}, {built}"
    if answer.values.get("finite") != "True":
        why = answer.errors.get("finite") or _("it computes nonsense")
        advice = _("Run on the CPU: normtutor --device cpu") if device.kind == "cuda" else _("Install torch again.")
        return [kernel, problem("torch", f"{found}: {why}", advice)]
    if complaint:
        return [problem("kernel", complaint, _("The cells need what failed there.")), ok("torch", found)]
    return [kernel, ok("torch", found)]


def triton_finding(check: TritonCheck) -> Finding:
    """Whether Triton's kernels can be run, and how."""
    rest = _("The cells with Triton kernels cannot run; the others can.")
    if check.state == "missing":
        return warning("triton", check.found, rest + " " + _("Install it: pip install triton"))
    if check.state == "fails":
        return problem("triton", check.found, rest)
    return ok("triton", check.found)
