"""Failures of a GPU in words, by the very messages of torch, CUDA and HIP; and a Python that a kernel has poisoned."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from tests.runtime.conftest import run
from tests.runtime.test_device import GB, A, B, FakeNVML, NVMLError
from tutor.runtime import device as devices
from tutor.runtime import holding
from tutor.runtime.device import choose
from tutor.runtime.gpu_faults import Fault, fault_of
from tutor.runtime.holding import Holding, look, room_elsewhere
from tutor.runtime.session import Session
from tutor.text import i18n

REST = (
    "\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be "
    "incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
)


def out_of_memory(asked: str, free: str, ours: str) -> str:
    return (
        f"CUDA out of memory. Tried to allocate {asked}. GPU 0 has a total capacity of 79.10 GiB of which {free} is "
        f"free. Process 4321 has 2.00 GiB memory in use. Including non-PyTorch memory, this process has {ours} memory "
        "in use. Of the allocated memory 13.10 GiB is allocated by PyTorch, and 200.00 MiB is reserved by PyTorch but "
        "unallocated."
    )


def told(name: str, message: str, **options: Any) -> Fault:
    fault = fault_of(name, message, **options)
    assert fault is not None
    return fault


def test_whose_fault_it_is_that_the_memory_is_out() -> None:
    ours = told("OutOfMemoryError", out_of_memory("20.00 GiB", "5.10 GiB", "60.00 GiB"))
    assert ours.asked == 20 * GB and not ours.lasting
    assert ours.words.startswith("This Python has filled the GPU. Of the GPU's 79.1 GiB, this Python holds 60.0 GiB,")
    assert "others 14.0 GiB; 5.1 GiB are free" in ours.words and "F4" in ours.words
    others = told("OutOfMemoryError", out_of_memory("512.00 MiB", "100.00 MiB", "900.00 MiB"))
    assert others.words.startswith("Others have filled the GPU") and "others 78.1 GiB; 100 MiB are free" in others.words
    assert "F4" not in others.words
    much = told("OutOfMemoryError", out_of_memory("400.00 GiB", "79.00 GiB", "100.00 MiB"))
    assert much.words.startswith("The cell asks for 400.0 GiB at once, more than the GPU has")
    i18n.set_language("vi")
    words = told("OutOfMemoryError", out_of_memory("400.00 GiB", "79.00 GiB", "100.00 MiB")).words
    assert words.startswith("Cell xin 400.0 GiB một lúc")


def test_a_message_without_figures_is_told_with_what_torch_says() -> None:
    fault = told("AcceleratorError", "CUDA error: out of memory" + REST, held=3 * GB)
    assert fault.kind == "memory" and "This Python holds 3.0 GiB." in fault.words and "F4" in fault.words
    assert told("RuntimeError", "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`").asked == 0
    assert told("OutOfMemoryError", "HIP out of memory. Tried to allocate 2.00 GiB.").asked == 2 * GB


@pytest.mark.parametrize(
    ("name", "message", "kind"),
    [
        ("AcceleratorError", "CUDA error: an illegal memory access was encountered" + REST, "poisoned"),
        ("RuntimeError", "CUDA error: device-side assert triggered" + REST, "poisoned"),
        ("RuntimeError", "Triton Error [CUDA]: an illegal memory access was encountered", "poisoned"),
        ("RuntimeError", "Triton Error [CUDA]: misaligned address", "poisoned"),
        ("RuntimeError", "HIP error: unspecified launch failure", "poisoned"),
        ("RuntimeError", "CUDA error: uncorrectable ECC error encountered", "poisoned"),
        ("AcceleratorError", "CUDA error: CUDA-capable device(s) is/are busy or unavailable" + REST, "taken"),
        ("RuntimeError", "CUDA error: all CUDA-capable devices are busy or unavailable" + REST, "taken"),
        ("RuntimeError", "No CUDA GPUs are available", "driver"),
        ("RuntimeError", "CUDA error: no CUDA-capable device is detected", "driver"),
        ("RuntimeError", "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU", "driver"),
        ("RuntimeError", "CUDA unknown error - this may be due to an incorrectly set up environment", "driver"),
    ],
)
def test_what_lasts_until_python_starts_again_says_what_to_press(name: str, message: str, kind: str) -> None:
    fault = told(name, message)
    assert fault.kind == kind and fault.lasting and "F4" in fault.words
    i18n.set_language("vi")
    assert told(name, message).words != fault.words and "F4" in told(name, message).words


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("RuntimeError", "the library is busy or unavailable"),
        ("RuntimeError", "[enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can't allocate memory"),
        ("RuntimeError", "Expected all tensors to be on the same device, but found cuda:0 and cpu! (CUDA)"),
        ("ValueError", "CUDA error: device-side assert triggered"),
        ("MemoryError", "out of memory"),
    ],
)
def test_what_is_no_fault_of_a_gpu_is_left_alone(name: str, message: str) -> None:
    assert fault_of(name, message) is None


class Watched(FakeNVML):
    """With processes: (pid, bytes)."""

    running: Any = ()

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> Any:  # noqa: N802
        return next(gpu for gpu in [*self.gpus, *self.parts] if gpu[3] == uuid)

    def nvmlDeviceGetComputeRunningProcesses(self, handle: Any) -> Any:  # noqa: N802
        if isinstance(self.running, Exception):
            raise self.running
        return [SimpleNamespace(pid=pid, usedGpuMemory=used) for pid, used in self.running]


@pytest.fixture
def nvml(monkeypatch: pytest.MonkeyPatch) -> Watched:
    fake = Watched(A, B)
    monkeypatch.setitem(sys.modules, "pynvml", fake)
    monkeypatch.setattr(devices, "_torch_built_for", lambda: ("12.8", None))
    monkeypatch.setattr(holding, "descendants", lambda _pid: {7, 8})
    return fake


def test_ours_and_that_of_others(nvml: Watched) -> None:
    chosen = choose({"NORMTUTOR_DEVICE": "0"})
    nvml.running = [(7, 2 * GB), (8, GB), (9, 60 * GB), (10, None)]
    assert look(chosen) == Holding(3 * GB, 67 * GB, 10 * GB, 80 * GB)
    nvml.running = [(1, 5 * GB)]  # in a container the numbers are others
    assert look(chosen, torch_holds=4 * GB) == Holding(4 * GB, 66 * GB, 10 * GB, 80 * GB, told=False)
    nvml.running = NVMLError("Insufficient Permissions")
    assert look(chosen, torch_holds=4 * GB) == Holding(4 * GB, 66 * GB, 10 * GB, 80 * GB, told=False)
    assert nvml.open == 0
    nvml.gpus = ()
    assert look(chosen) is None and nvml.open == 0


def test_where_there_is_room(nvml: Watched) -> None:
    assert "GPU 1 has 70.0 GiB free" in room_elsewhere("GPU-aaaa", 20 * GB, {})
    assert "--device 1" in room_elsewhere("0", 20 * GB, {"CUDA_VISIBLE_DEVICES": "0,1"})
    assert room_elsewhere("GPU-aaaa", 75 * GB, {}) == ""
    assert room_elsewhere("GPU-aaaa", 20 * GB, {"CUDA_VISIBLE_DEVICES": "0"}) == ""


def test_the_processes_below() -> None:
    import os

    assert os.getpid() in holding.descendants(os.getpid())
    assert os.getpid() in holding.descendants(os.getppid())


@pytest.mark.asyncio(loop_scope="session")
async def test_later_cells_of_a_poisoned_python_are_not_run(quick: Session) -> None:
    message = out_of_memory("20.00 GiB", "5.10 GiB", "60.00 GiB")
    code = f"class OutOfMemoryError(RuntimeError): pass\nraise OutOfMemoryError({message!r})"
    finished, _told = await run(quick, code)
    assert (finished.ending, finished.fault) == ("error", "memory") and "this Python holds 60.0 GiB" in finished.detail
    assert (await run(quick, "1"))[0].ending == "ok"
    await quick.release()

    finished, outputs = await run(quick, "raise RuntimeError('CUDA error: device-side assert triggered')")
    assert (finished.ending, finished.fault) == ("error", "poisoned") and "F4" in finished.detail
    assert outputs  # the exception itself is shown, too
    finished, outputs = await run(quick, "1")
    assert (finished.ending, finished.fault) == ("unavailable", "poisoned") and "GPU" in finished.detail
    assert not outputs
    await quick.restart()
    assert (await run(quick, "1"))[0].ending == "ok"
