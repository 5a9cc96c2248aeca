import pytest
import torch

from kernels.lab import experiment
from kernels.lab.traffic import CountBytes


def test_bytes_are_counted_by_operation_and_views_are_free() -> None:
    x = torch.empty(8, 4, device="meta")  # 128 bytes
    with CountBytes() as count:
        y = x.t().contiguous().unsqueeze(0)
        assert (count.bytes, count.operations) == (256, 1)  # a copy: one read, one written
        y + 1
    assert (count.bytes, count.operations) == (512, 2)


@pytest.mark.parametrize(
    ("norm", "direction", "steps"), [("layer", "forward", 15), ("rms", "forward", 10), ("layer", "backward", 34)]
)
def test_fusing_saves_what_it_must(norm: str, direction: str, steps: int) -> None:
    result = experiment("traffic", norm=norm, direction=direction, dtype="fp32", columns=(1024, 4096), elements=2**20)
    matrix = 2**20 * 4 / 1e6  # MB
    moved = {curve.label: curve.last / matrix for curve in result.curves}
    assert moved["op by op"] == pytest.approx(steps, rel=0.01)
    assert moved["add, norm"] == pytest.approx(5 if direction == "forward" else 6, rel=0.01)
    assert moved["fused"] == pytest.approx(4, rel=0.01) and moved["copy"] == 2
    assert "times the bytes of the fused kernel" in result.reading.en


def test_without_a_gpu_no_times_are_made_up() -> None:
    result = experiment("traffic", of="time", columns=(512, 1024), elements=2**14)
    assert result.curves == ()
    assert "no GPU here" in result.reading.en and "không có GPU" in result.reading.vi


@pytest.mark.skipif(not torch.cuda.is_available(), reason="times kernels on a GPU")
def test_on_a_gpu_the_fused_kernel_is_the_fastest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NORMTUTOR_DEVICE")
    times = {curve.label: curve for curve in experiment("traffic", of="time", columns=(4096,), elements=2**26).curves}
    assert times["fused"].last < times["add, norm"].last < times["op by op"].last
