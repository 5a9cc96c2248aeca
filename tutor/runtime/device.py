"""Which device the learner's code uses, decided before its process starts and without loading torch.

Triton reads `TRITON_INTERPRET` when a kernel is decorated, and CUDA reads `CUDA_VISIBLE_DEVICES` when it starts, so
neither can be decided inside the process that they are for.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import os
from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, Literal

import msgspec

from tutor.runtime.wish import CPU, VARIABLE, named, none_named, wish_of
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize

Triton = Literal["compiled", "interpreted", "missing"]


IDLE = 0.8
"""The share of a GPU's memory that is free when nobody else uses it."""


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """The chosen device. Memory in bytes, 0 where unknown; `note` says in words why there is no GPU, or what is odd.

    `index` is NVML's number of the GPU, as nvidia-smi shows it; `visible` is what names it in `CUDA_VISIBLE_DEVICES`.
    `part` is the number of a part of a GPU that MIG divides, -1 for a whole one, and `parent` the whole GPU's UUID.
    """

    kind: Literal["cuda", "cpu"] = "cpu"
    index: int = 0
    name: str = ""
    free_bytes: int = 0
    total_bytes: int = 0
    triton: Triton = "missing"
    note: str = ""
    visible: str = ""
    uuid: str = ""
    part: int = -1
    parent: str = ""


def choose(environ: Mapping[str, str] = os.environ) -> Device:
    """The device that is asked for (`wish`), else the GPU with the most free memory, else the CPU.

    Only what `CUDA_VISIBLE_DEVICES` leaves visible counts; a number is nvidia-smi's there and in a wish.
    A part of a GPU (MIG) counts as a GPU. Never raises: whatever is in the way becomes the `note` of a CPU device.
    """
    try:
        return _choose(environ.get("CUDA_VISIBLE_DEVICES"), wish_of(environ))
    except Exception as error:  # a library that is broken in its own way; a tutor without a GPU is still a tutor
        return _cpu(_("looking for a GPU failed: {error}").format(error=_words(error)))


def refused(wish: str, environ: Mapping[str, str] = os.environ) -> str:
    """Why this device cannot be had, in words, with those that there are; empty when it can."""
    asked = {**environ, VARIABLE: wish}
    if wish_of(asked) in ("", CPU):
        return ""
    found = choose(asked)
    return found.note if found.kind == "cpu" else ""


def _choose(wanted: str | None, wish: str) -> Device:
    if wish == CPU:
        return _cpu(_("the CPU is asked for"))
    if wanted is not None and not _entries(wanted):
        return _cpu(_("CUDA_VISIBLE_DEVICES hides every GPU"))
    try:
        import pynvml
    except (ImportError, OSError, AttributeError, SyntaxError) as error:
        return _cpu(_("nvidia-ml-py cannot be loaded: {error}").format(error=_words(error)))
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return _cpu(_("no NVIDIA GPU: {error}").format(error=_words(error)))
    try:
        return _best(pynvml, wanted, wish)
    except pynvml.NVMLError as error:
        return _cpu(_("the NVIDIA driver does not answer: {error}").format(error=_words(error)))
    finally:
        with contextlib.suppress(pynvml.NVMLError):
            pynvml.nvmlShutdown()


def visible(environ: Mapping[str, str] = os.environ) -> list[Device]:
    """The GPUs that `CUDA_VISIBLE_DEVICES` leaves visible and torch can use; none where something is in the way."""
    try:
        if _choose(environ.get("CUDA_VISIBLE_DEVICES"), "").kind != "cuda":
            return []
        import pynvml

        pynvml.nvmlInit()
        try:
            return _fit(pynvml, environ.get("CUDA_VISIBLE_DEVICES"))[0]
        finally:
            pynvml.nvmlShutdown()
    except Exception:  # as in `choose`: whatever is in the way, there are no GPUs to share out
        return []


def idle(environ: Mapping[str, str] = os.environ) -> list[Device]:
    """The visible GPUs with at least `IDLE` of their memory free, which nobody else can be computing much on.

    Where one is asked for, no other.
    """
    wish = wish_of(environ)
    found = [] if wish == CPU else visible(environ)
    found = named(found, wish) if wish else found
    return [device for device in found if device.free_bytes >= IDLE * device.total_bytes]


def child_environment(device: Device, base: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for a process that runs the learner's code on `device`: `base` (ours), adjusted.

    The number of threads is left alone: torch takes the cores that the user, Slurm or the container allow.
    """
    environment = dict(os.environ if base is None else base)
    for name in _UNWANTED:
        environment.pop(name, None)
    environment.update(_PLAIN_TEXT)
    # Threads that spin while they wait take seconds from each other on a busy machine: a 0.3 s probe took up to 14 s.
    environment.setdefault("OMP_WAIT_POLICY", "passive")
    environment["NORMTUTOR_DEVICE"] = device.kind
    environment["CUDA_VISIBLE_DEVICES"] = device.visible if device.kind == "cuda" else ""
    if device.kind == "cuda":
        # Numbers are those of nvidia-smi then; CUDA's own order puts the fastest GPU first.
        environment.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    if device.triton == "interpreted":
        environment["TRITON_INTERPRET"] = "1"
    return environment


_UNWANTED = (
    "TRITON_INTERPRET",
    "MPLBACKEND",  # a backend with windows would wait for a screen
    "PYTHONSTARTUP",
    "PYTHONINSPECT",
    "PYTHONBREAKPOINT",
    "FORCE_COLOR",
    "CLICOLOR_FORCE",
)
# At the other end there is text and no terminal. Unbuffered, or a crash in native code takes the last output with it.
_PLAIN_TEXT = {"PYTHONUNBUFFERED": "1", "NO_COLOR": "1", "TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat"}


def _cpu(note: str) -> Device:
    return Device(kind="cpu", name="CPU", triton="interpreted" if _spec("triton") else "missing", note=note)


def _best(nvml: Any, wanted: str | None, wish: str) -> Device:
    """The visible GPU that is asked for, else the one with the most free memory.

    Raises what NVML raises where it answers nothing at all.
    """
    found, trouble = _fit(nvml, wanted)
    if not found:
        return _cpu(trouble)
    there = found
    if wish and not (found := named(there, wish)):
        return _cpu(none_named(there, wish))
    best = max(found, key=lambda device: (device.free_bytes, -device.index))
    return msgspec.structs.replace(best, note=trouble)


def _fit(nvml: Any, wanted: str | None) -> tuple[list[Device], str]:
    """The visible GPUs that torch can use, and in words what is odd about them, or why there is none."""
    found: list[Device] = []
    trouble = ""
    for index in range(int(nvml.nvmlDeviceGetCount())):
        try:
            found.extend(_look(nvml, index))
        except Exception as error:  # one GPU that is lost, or closed to us, must not hide the others
            trouble = _("GPU {index}: {error}").format(index=index, error=_words(error))
    if not found:
        return [], trouble or _("the NVIDIA driver shows no GPU that can be used")
    if wanted is not None:
        found = _visible(found, _entries(wanted))
        if not found:
            shown = sanitize(wanted, limit=80, newlines=False)
            return [], _("CUDA_VISIBLE_DEVICES={value} names no GPU of this machine").format(value=shown)
    unfit = _torch_cannot(int(nvml.nvmlSystemGetCudaDriverVersion()))
    return ([], unfit) if unfit else (found, trouble)


def _look(nvml: Any, index: int) -> list[Device]:
    """The GPU `index`, or its parts when it is divided."""
    handle = nvml.nvmlDeviceGetHandleByIndex(index)
    if not _is_divided(nvml, handle):
        return [_describe(nvml, handle, index)]
    parts: list[Device] = []
    for part in range(int(nvml.nvmlDeviceGetMaxMigDeviceCount(handle))):
        with contextlib.suppress(nvml.NVMLError):  # most places are empty
            found = _describe(nvml, nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, part), index)
            parts.append(msgspec.structs.replace(found, part=part, parent=_text(nvml.nvmlDeviceGetUUID(handle))))
    if not parts:
        raise LookupError(_("it is divided by MIG, and no part of it is open to you"))
    return parts


def _is_divided(nvml: Any, handle: Any) -> bool:
    try:
        return bool(nvml.nvmlDeviceGetMigMode(handle)[0])
    except nvml.NVMLError:  # GPUs that cannot be divided do not answer
        return False


def _describe(nvml: Any, handle: Any, index: int) -> Device:
    memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    uuid = _text(nvml.nvmlDeviceGetUUID(handle))
    return Device(
        kind="cuda",
        index=index,
        name=sanitize(_text(nvml.nvmlDeviceGetName(handle)), limit=60, newlines=False),
        free_bytes=int(memory.free),
        total_bytes=int(memory.total),
        triton="compiled" if _spec("triton") else "missing",
        visible=uuid,
        uuid=uuid,
    )


def _entries(value: str) -> list[str]:
    """What `CUDA_VISIBLE_DEVICES` lists. CUDA stops reading at the first entry that is no device, such as -1."""
    entries: list[str] = []
    for entry in (part.strip() for part in value.split(",")):
        if not entry or entry.startswith("-"):
            break
        entries.append(entry)
    return entries


def _visible(found: list[Device], entries: list[str]) -> list[Device]:
    """The devices that the entries name, each by its entry: CUDA may number GPUs in another order than NVML does."""
    chosen: list[Device] = []
    for entry in entries:
        if entry.isdecimal():
            meant = [device for device in found if device.index == int(entry)]
        else:
            meant = [device for device in found if device.uuid.startswith(entry) or device.parent == entry]
        if not meant:
            break
        # Of a GPU that is divided, CUDA would show the first part that is open to us, whatever it holds.
        chosen += [device if device.part >= 0 else msgspec.structs.replace(device, visible=entry) for device in meant]
    return chosen


def _torch_cannot(driver: int) -> str:
    """Why the installed torch cannot use a GPU with this driver (12040 is CUDA 12.4); empty when it can."""
    cuda, hip = _torch_built_for()
    if hip:
        return _("torch is built for ROCm {version}, and this looks for NVIDIA GPUs only").format(version=hip)
    if cuda is None:
        return _("torch is installed without CUDA")
    major, minor = driver // 1000, driver % 1000 // 10
    if cuda and cuda.split(".")[0].isdecimal() and int(cuda.split(".")[0]) > major:
        return _("torch needs CUDA {needed}, the NVIDIA driver has {have}").format(needed=cuda, have=f"{major}.{minor}")
    return ""


def _torch_built_for() -> tuple[str | None, str | None]:
    """The CUDA and ROCm versions that the installed torch is built for, as its version.py says; ("", None): unknown."""
    spec = _spec("torch")
    if spec is None or not spec.submodule_search_locations:
        return None, None
    try:
        source = (Path(spec.submodule_search_locations[0]) / "version.py").read_text()
        tree = ast.parse(source)
    except (OSError, SyntaxError, ValueError):
        return "", None
    values: dict[str, Any] = {"cuda": "", "hip": None}
    for node in tree.body:
        target = (
            node.target
            if isinstance(node, ast.AnnAssign)
            else node.targets[0]
            if isinstance(node, ast.Assign)
            else None
        )
        if (
            isinstance(target, ast.Name)
            and target.id in values
            and isinstance(getattr(node, "value", None), ast.Constant)
        ):
            values[target.id] = node.value.value  # type: ignore[attr-defined]
    return values["cuda"], values["hip"]


def _spec(module: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _words(error: BaseException) -> str:
    return sanitize(str(error) or type(error).__name__, limit=200, newlines=False)
