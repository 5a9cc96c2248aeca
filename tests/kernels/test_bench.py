"""The benchmark's arithmetic and what it prints; what it measures is looked at on a CPU, as no GPU is at hand."""

import json
import os
import subprocess
import sys

import pytest
import torch

from kernels import bench, bench_timer, bench_work
from kernels.bench_work import Inputs, bytes_moved, implementations, prepare, wrong

CPU = torch.device("cpu")


def test_bytes_are_every_tensor_once():
    """4 rows of 8 columns of 2 bytes: a matrix is 64 bytes, a vector 16."""
    counted = {op: bytes_moved(op, 4, 8, 2) for op in ("copy", *bench_work.ops())}
    assert counted == {
        "copy": 64 * 2,
        "layer_norm": 64 * 2 + 16 * 2,  # x, y; weight, bias
        "rms_norm": 64 * 2 + 16,
        "fused_add_layer_norm": 64 * 4 + 16 * 2,  # x, residual, y, h
        "fused_add_rms_norm": 64 * 4 + 16,
        "layer_norm_backward": 64 * 3 + 16 * 3,  # dy, x, dx; weight, dweight, dbias
        "rms_norm_backward": 64 * 3 + 16 * 2,
        "fused_add_layer_norm_backward": 64 * 4 + 16 * 3,  # dy, dh, h, dx
        "fused_add_rms_norm_backward": 64 * 4 + 16 * 2,
    }


@pytest.mark.parametrize("op", bench_work.ops())
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_right_results_pass_and_wrong_ones_do_not(op, dtype):
    inputs = Inputs(20, 48, dtype, CPU)
    for backend, functions in implementations(CPU).items():
        if backend == "eager" and dtype == torch.bfloat16:
            continue  # on a CPU torch sums weight gradients in bfloat16
        results = prepare(backend, functions[op.removesuffix(bench_work.BACKWARD)], op, inputs)()
        assert wrong(op, results, inputs) == ""
    for place in range(len(results)):
        broken = list(results)
        broken[place] = broken[place] * 1.1
        assert f"result {place} of {op} is off by" in wrong(op, broken, inputs)


def test_reference_is_added_up_over_blocks():
    """The weight gradient of all rows, though the reference looks at few at a time."""
    inputs = Inputs(50, 16, torch.float32, CPU)
    for op in ("layer_norm_backward", "fused_add_rms_norm_backward"):
        forward = op.removesuffix("_backward")
        blocks, whole = (bench_work._truth(op, forward, inputs, size) for size in (16 * 7, 16 * 50))
        for part, full in zip(blocks, whole, strict=True):
            torch.testing.assert_close(part, full[: len(part)])


@pytest.mark.slow
def test_compiled_functions_can_be_differentiated_again_and_again():
    inputs = Inputs(8, 32, torch.float32, CPU)
    call = prepare("compile", implementations(CPU)["eager"]["layer_norm"], "layer_norm_backward", inputs)
    assert wrong("layer_norm_backward", call(), inputs) == wrong("layer_norm_backward", call(), inputs) == ""


def test_cpu_time_is_the_best_of_the_runs(monkeypatch):
    clock = iter([0, 5, 10, 12, 20, 29])
    monkeypatch.setattr(bench_timer.time, "perf_counter", lambda: next(clock))
    calls = []
    assert bench_timer.seconds(lambda: calls.append(1), CPU, 3) == 2
    assert len(calls) == 4  # one of them to warm up


def gpu_document() -> dict:
    rows = []
    for n in (1024, 4096):
        common = {"dtype": "bf16", "rows": 2**20 // n, "columns": n}
        rows.append(common | {"op": "copy", "backend": "torch", "seconds": 1e-3, "gb_per_s": 3000.0, "of_copy": 1.0})
        for op, backend, speed in (
            ("rms_norm", "triton", 2850.0),
            ("rms_norm", "eager", 300.0),
            ("layer_norm", "triton", 9.0),
        ):
            rows.append(
                common | {"op": op, "backend": backend, "seconds": 2e-3, "gb_per_s": speed, "of_copy": speed / 3000}
            )
    return {
        "device": "Some GPU", "mode": "compiled", "note": bench.NOTES["compiled"], "torch": "2", "rows": rows,
        "errors": [], "skipped": [{"op": "rms_norm", "why": "not enough memory"}],
    }  # fmt: skip


def test_tables_and_plot_of_a_gpu():
    text = bench.text(gpu_document(), 78)
    lines = text.splitlines()
    assert lines[0] == "Some GPU · torch 2"
    start = lines.index("rms_norm, bf16, GB/s and share of the copy")
    assert lines[start + 1].split() == ["N", "rows", "copy", "triton", "eager"]
    assert lines[start + 2].split() == ["1024", "1024", "3000", "100%", "2850", "95%", "300", "10%"]
    assert lines[start + 3].split()[:2] == ["4096", "256"]
    assert "skipped: rms_norm not enough memory" in lines
    assert "triton 2.85e3" in text or "triton 2850" in text
    assert max(map(len, lines)) <= 78


@pytest.mark.slow
def test_command_prints_json_and_refuses_what_there_is_not():
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"} | {"CUDA_VISIBLE_DEVICES": ""}
        command = [sys.executable, "-m", "kernels.bench", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)

    done = run("--json", "--op=fused_add_rms_norm_backward", "--columns=32,64", "--elements=640", "--dtype=fp16")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert [(row["op"], row["rows"], row["columns"]) for row in rows[:2]] == [
        ("copy", 20, 32),
        ("fused_add_rms_norm_backward", 20, 32),
    ]
    for row in rows:
        assert row["gb_per_s"] == pytest.approx(row["bytes"] / row["seconds"] / 1e9)
        copy = next(each for each in rows if each["op"] == "copy" and each["columns"] == row["columns"])
        assert row["of_copy"] == pytest.approx(row["gb_per_s"] / copy["gb_per_s"])
    refused = run("--backend=tritn")
    assert refused.returncode == 2
    assert "there is no implementation tritn here" in refused.stderr


@pytest.mark.parametrize("option", ["--columns=0", "--columns=64,-1", "--elements=0"])
def test_a_matrix_has_at_least_one_element(option, capsys):
    with pytest.raises(SystemExit) as stopped:
        bench.main([option])
    assert stopped.value.code == 2
    assert "must be at least 1" in capsys.readouterr().err
