import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tutor.runtime import device as devices
from tutor.runtime.device import Device, child_environment, choose

GB = 1 << 30


class NVMLError(Exception):
    pass


class FakeNVML(SimpleNamespace):
    """As much of pynvml as is asked of it. A GPU is (name, free, total, uuid), or an exception."""

    NVMLError = NVMLError

    def __init__(self, *gpus: Any, driver: int = 13000, parts: Any = ()) -> None:
        super().__init__(gpus=gpus, driver=driver, parts=parts, open=0)

    def nvmlInit(self) -> None:  # noqa: N802
        self.open += 1

    def nvmlShutdown(self) -> None:  # noqa: N802
        self.open -= 1

    def nvmlSystemGetCudaDriverVersion(self) -> int:  # noqa: N802
        return int(self.driver)

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802
        return len(self.gpus)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> Any:  # noqa: N802
        if isinstance(self.gpus[index], Exception):
            raise self.gpus[index]
        return self.gpus[index]

    def nvmlDeviceGetMigMode(self, handle: Any) -> list[int]:  # noqa: N802
        if not self.parts:
            raise NVMLError("Not Supported")
        return [1, 1]

    def nvmlDeviceGetMaxMigDeviceCount(self, handle: Any) -> int:  # noqa: N802
        return 7

    def nvmlDeviceGetMigDeviceHandleByIndex(self, handle: Any, index: int) -> Any:  # noqa: N802
        if index >= len(self.parts) or isinstance(self.parts[index], Exception):
            raise NVMLError("Not Found")
        return self.parts[index]

    def nvmlDeviceGetName(self, handle: Any) -> Any:  # noqa: N802
        return handle[0]

    def nvmlDeviceGetMemoryInfo(self, handle: Any) -> SimpleNamespace:  # noqa: N802
        return SimpleNamespace(free=handle[1], total=handle[2])

    def nvmlDeviceGetUUID(self, handle: Any) -> Any:  # noqa: N802
        return handle[3]


A = ("NVIDIA H100", 10 * GB, 80 * GB, "GPU-aaaa")
B = ("NVIDIA H100", 70 * GB, 80 * GB, "GPU-bbbb")
C = ("NVIDIA A100", 30 * GB, 40 * GB, "GPU-cccc")


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Any:
    def install(nvml: Any, built_for: tuple[str | None, str | None] = ("12.8", None)) -> Any:
        monkeypatch.setitem(sys.modules, "pynvml", nvml)
        monkeypatch.setattr(devices, "_torch_built_for", lambda: built_for)
        return nvml

    return install


def test_the_gpu_with_the_most_free_memory(use: Any) -> None:
    nvml = use(FakeNVML(A, B, C))
    chosen = choose({})
    assert chosen == Device(
        kind="cuda",
        index=1,
        name="NVIDIA H100",
        free_bytes=70 * GB,
        total_bytes=80 * GB,
        triton="compiled",
        visible="GPU-bbbb",
        uuid="GPU-bbbb",
    )
    assert nvml.open == 0


@pytest.mark.parametrize(
    ("visible", "index", "named"),
    [
        ("0", 0, "0"),
        ("0,2", 2, "2"),
        (" 2 , 0 ", 2, "2"),
        ("GPU-aaaa,GPU-cccc", 2, "GPU-cccc"),
        ("GPU-a", 0, "GPU-a"),
        ("0,-1,1", 0, "0"),
        ("2,7,1", 2, "2"),
    ],
)
def test_only_what_is_visible_is_chosen_and_named_as_the_user_named_it(
    use: Any, visible: str, index: int, named: str
) -> None:
    use(FakeNVML(A, B, C))
    chosen = choose({"CUDA_VISIBLE_DEVICES": visible})
    assert (chosen.kind, chosen.index, chosen.visible) == ("cuda", index, named)
    assert child_environment(chosen, {})["CUDA_VISIBLE_DEVICES"] == named


@pytest.mark.parametrize("visible", ["", " ", "-1", "-1,0", "7", "NoDevFiles", "GPU-dddd", "\x1b]0;x\x07"])
def test_hidden_gpus_stay_hidden(use: Any, visible: str) -> None:
    use(FakeNVML(A, B))
    chosen = choose({"CUDA_VISIBLE_DEVICES": visible})
    assert (chosen.kind, chosen.triton) == ("cpu", "interpreted")
    assert "CUDA_VISIBLE_DEVICES" in chosen.note and chosen.note.isprintable()


@pytest.mark.parametrize(
    ("wish", "visible", "named"),
    [
        ("0", None, "GPU-aaaa"),
        ("cuda:2", None, "GPU-cccc"),
        ("GPU-c", None, "GPU-cccc"),
        ("gpu-AAAA", None, "GPU-aaaa"),
        ("auto", None, "GPU-bbbb"),
        ("cuda", "0,2", "2"),
        ("0", "2,0", "0"),
        ("GPU-aaaa", "0,2", "0"),
    ],
)
def test_the_gpu_that_is_asked_for(use: Any, wish: str, visible: str | None, named: str) -> None:
    use(FakeNVML(A, B, C))
    environ = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    assert devices.refused(wish, environ) == ""
    chosen = choose({**environ, "NORMTUTOR_DEVICE": wish})
    made = child_environment(chosen, {"NORMTUTOR_DEVICE": wish})
    assert (made["CUDA_VISIBLE_DEVICES"], made["NORMTUTOR_DEVICE"]) == (named, "cuda")


@pytest.mark.parametrize("wish", ["1", "9", "GPU-", "GPU-dddd", "G", "0:1", "-1", "\x1b]0;x\x07", "cuda:x", "²"])
def test_what_names_no_gpu_is_told_with_what_there_is(use: Any, wish: str) -> None:
    use(FakeNVML(A, B, C))
    environ = {"CUDA_VISIBLE_DEVICES": "0,2"}
    chosen = choose({**environ, "NORMTUTOR_DEVICE": wish})
    assert chosen.kind == "cpu" and chosen.note == devices.refused(wish, environ)
    assert "0 NVIDIA H100 (GPU-aaaa); 2 NVIDIA A100 (GPU-cccc)" in chosen.note and chosen.note.isprintable()
    assert "GPU-bbbb" not in chosen.note


def test_the_cpu_that_is_asked_for(use: Any) -> None:
    use(FakeNVML(A))
    assert devices.refused("CPU", {}) == ""
    assert choose({"NORMTUTOR_DEVICE": "cpu"}).kind == "cpu"
    assert devices.idle({"NORMTUTOR_DEVICE": "cpu"}) == []


def test_parts_of_a_gpu_are_gpus(use: Any) -> None:
    use(
        FakeNVML(
            A,
            parts=(
                ("H100 MIG 1g.10gb", 9 * GB, 10 * GB, "MIG-1"),
                NVMLError(),
                ("H100 MIG 3g", 35 * GB, 40 * GB, "MIG-2"),
            ),
        )
    )
    assert choose({}).visible == "MIG-2"
    assert choose({"CUDA_VISIBLE_DEVICES": "MIG-1"}).name == "H100 MIG 1g.10gb"
    assert choose({"CUDA_VISIBLE_DEVICES": "0"}).visible == "MIG-2"  # CUDA would take the first part: the small one
    assert choose({"CUDA_VISIBLE_DEVICES": "GPU-aaaa"}).visible == "MIG-2"
    assert choose({"NORMTUTOR_DEVICE": "0"}).visible == "MIG-2"
    assert choose({"NORMTUTOR_DEVICE": "0:0"}).visible == "MIG-1"
    assert choose({"NORMTUTOR_DEVICE": "mig-1", "CUDA_VISIBLE_DEVICES": "0"}).visible == "MIG-1"
    assert "0:0 H100 MIG 1g.10gb (MIG-1)" in devices.refused("0:1", {})
    use(FakeNVML(A, parts=(NVMLError("Insufficient Permissions"),)))
    chosen = choose({})
    assert chosen.kind == "cpu" and "MIG" in chosen.note


class Broken(FakeNVML):
    def __init__(self, error: BaseException, *methods: str) -> None:
        super().__init__(A)
        for method in methods:
            setattr(self, method, self._fail)
        self.error = error

    def _fail(self, *_: Any) -> None:
        raise self.error


@pytest.mark.parametrize(
    "method",
    [
        "nvmlInit",
        "nvmlDeviceGetCount",
        "nvmlDeviceGetHandleByIndex",
        "nvmlDeviceGetMemoryInfo",
        "nvmlDeviceGetName",
        "nvmlSystemGetCudaDriverVersion",
        "nvmlShutdown",
    ],
)
@pytest.mark.parametrize(
    "error", [NVMLError("Driver/library version mismatch"), RuntimeError("odd\x1b[2J"), OSError("gone")]
)
def test_every_failure_ends_on_the_cpu_with_a_note(use: Any, method: str, error: Exception) -> None:
    use(Broken(error, method))
    chosen = choose({})
    if method == "nvmlShutdown" and isinstance(error, NVMLError):
        assert chosen.kind == "cuda"
        return
    assert (chosen.kind, chosen.free_bytes) == ("cpu", 0)
    assert chosen.note and "\x1b" not in chosen.note


def test_a_missing_or_broken_library(use: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    use(None)
    assert choose({}).kind == "cpu" and "nvidia-ml-py" in choose({}).note
    use(object())
    assert choose({}).kind == "cpu"
    use(FakeNVML())
    assert "no GPU" in choose({}).note


def test_one_lost_gpu_does_not_hide_the_others(use: Any) -> None:
    use(FakeNVML(NVMLError("GPU is lost"), C))
    chosen = choose({})
    assert (chosen.index, chosen.note) == (1, "GPU 0: GPU is lost")


@pytest.mark.parametrize(
    ("built_for", "driver", "words"),
    [
        ((None, None), 13000, "without CUDA"),
        (("12.8", None), 11080, "needs CUDA 12.8, the NVIDIA driver has 11.8"),
        ((None, "6.4"), 13000, "ROCm 6.4"),
    ],
)
def test_a_torch_that_cannot_use_the_gpu(
    use: Any, built_for: tuple[str | None, str | None], driver: int, words: str
) -> None:
    use(FakeNVML(A, driver=driver), built_for)
    chosen = choose({})
    assert chosen.kind == "cpu" and words in chosen.note


@pytest.mark.parametrize(
    ("source", "built_for"),
    [
        ("cuda: Optional[str] = '12.8'\nhip: Optional[str] = None\n", ("12.8", None)),
        ("cuda = None\nhip = '6.4'\n", (None, "6.4")),
        ("cuda: Optional[str] = None\n", (None, None)),
        ("import os\n", ("", None)),
        ("cuda = (", ("", None)),
    ],
)
def test_torch_is_asked_without_loading_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, built_for: tuple[str | None, str | None]
) -> None:
    (tmp_path / "version.py").write_text(source)
    monkeypatch.setattr(devices, "_spec", lambda _: SimpleNamespace(submodule_search_locations=[str(tmp_path)]))
    assert devices._torch_built_for() == built_for


def test_foreign_names_are_sanitised(use: Any) -> None:
    use(FakeNVML((b"NVIDIA \x1b]52;c;eA==\x07H100\xff" + b"x" * 200, 1, 2, b"GPU-1")))
    chosen = choose({})
    assert chosen.name.startswith("NVIDIA H100") and len(chosen.name) <= 60 and chosen.name.isprintable()
    assert chosen.visible == "GPU-1"


def test_the_environment_for_the_cpu() -> None:
    base = {
        "PATH": "/bin",
        "CUDA_VISIBLE_DEVICES": "3",
        "MPLBACKEND": "tkagg",
        "FORCE_COLOR": "1",
        "OMP_NUM_THREADS": "2",
    }
    made = child_environment(Device(kind="cpu", triton="interpreted"), base)
    assert base["CUDA_VISIBLE_DEVICES"] == "3"
    assert made["TRITON_INTERPRET"] == "1"
    assert (made["CUDA_VISIBLE_DEVICES"], made["NORMTUTOR_DEVICE"]) == ("", "cpu")
    assert (made["PATH"], made["OMP_NUM_THREADS"], made["PYTHONUNBUFFERED"]) == ("/bin", "2", "1")
    assert not {"MPLBACKEND", "FORCE_COLOR"} & set(made)


def test_the_environment_for_a_gpu_compiles() -> None:
    made = child_environment(Device(kind="cuda", triton="compiled", visible="GPU-1"), {"TRITON_INTERPRET": "1"})
    assert "TRITON_INTERPRET" not in made
    assert (made["CUDA_VISIBLE_DEVICES"], made["NORMTUTOR_DEVICE"]) == ("GPU-1", "cuda")


def test_this_machine_has_some_device() -> None:
    assert choose().kind in ("cpu", "cuda")
