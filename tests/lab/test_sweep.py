import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from kernels.lab.sweep import sweep

VALUES = {"arch": ["pre"], "depth": 2, "d_model": 16}


def answers(order: dict[str, Any]) -> tuple[list[dict[str, Any]], list[tuple[float, float]]]:
    heard: list[tuple[float, float]] = []
    found = sweep({"experiment": "hidden-variance", **order}, lambda done, total: heard.append((done, total)))
    return found, heard


@pytest.mark.slow
def test_runs_are_spread_over_processes_and_come_back_in_order_also_when_one_fails() -> None:
    runs = [{**VALUES, "depth": 3}, {**VALUES, "arch": ["nonsense"]}, {**VALUES, "depth": 1}]
    found, heard = answers({"runs": runs, "jobs": 2})
    assert [found[place]["result"]["parameters"]["depth"] for place in (0, 2)] == [3, 1]
    assert "there is no “nonsense”" in found[1]["fault"]
    assert heard[0] == (0, 3) and heard[-1] == (3, 3)
    assert [done for done, _total in heard] == sorted(done for done, _total in heard)


def test_each_process_gets_a_device_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("kernels.lab.sweep._work", _device)
    found, _heard = answers({"runs": [{"folder": str(tmp_path)}] * 2, "devices": ["GPU-a", "GPU-b"]})
    assert {answer["device"] for answer in found} == {"GPU-a", "GPU-b"}
    assert {answer["threads"] for answer in found} == {"1"}


def _device(_index: int, _experiment: str, values: dict[str, Any]) -> dict[str, Any]:
    """Runs in a process of the pool: says which device is its own, once the other process is there as well."""
    device, deadline = os.environ["CUDA_VISIBLE_DEVICES"], time.monotonic() + 60
    (Path(values["folder"]) / device).touch()
    while len(list(Path(values["folder"]).iterdir())) < 2 and time.monotonic() < deadline:
        threading.Event().wait(0.01)
    return {"device": device, "threads": os.environ["OMP_NUM_THREADS"]}


@pytest.mark.slow
def test_the_same_sweep_goes_through_submitit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("submitit")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # no Slurm here: submitit starts the jobs itself
    order = {"runs": [VALUES, {**VALUES, "arch": ["nonsense"]}], "executor": "submitit", "folder": str(tmp_path)}
    found, heard = answers(order)
    assert found[0]["result"]["parameters"]["depth"] == 2
    assert "there is no “nonsense”" in found[1]["fault"]
    assert heard[-1] == (2, 2)
