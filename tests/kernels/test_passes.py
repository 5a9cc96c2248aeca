"""Passes over memory are counted as an operator or a kernel asks for them: no more, no less."""

import pytest
import torch
import torch.nn.functional as F

import kernels
from kernels import ManualLayerNorm, ManualRMSNorm, fused_add_rms_norm, layer_norm, memory_passes, rms_norm, traffic
from kernels.triton_kernels import launch
from kernels.triton_kernels.teaching import layer_norm_in_two_reads

on_a_cpu = pytest.mark.skipif(torch.cuda.is_available(), reason="loads are counted in the interpreter alone")


def test_an_operator_reads_its_inputs_and_writes_its_result():
    x, weight = torch.randn(64, 256), torch.randn(256)
    found = traffic(lambda: x * weight)
    assert (found.read, found.written, found.operators) == (x.nbytes + weight.nbytes, x.nbytes, ("mul",))
    assert found.total == found.read + found.written
    assert memory_passes(lambda: x * 2, x) == 2
    assert memory_passes(lambda: x + x, x) == 3


def test_views_and_fresh_memory_move_nothing():
    x = torch.randn(8, 6)
    found = traffic(lambda: (x.t()[::2].unsqueeze(0).expand(4, 3, 8), torch.empty(5), torch.empty_like(x), x.detach()))
    assert found.total == 0
    assert found.operators == ()


def test_an_expanded_dimension_is_read_once():
    row = torch.randn(1, 256)
    assert traffic(lambda: row.expand(64, 256) + 0).read == row.nbytes


def test_what_is_written_in_place_is_read_only_where_it_counts():
    x, y = torch.randn(8, 6), torch.randn(8, 6)
    assert (traffic(lambda: x.add_(y)).read, traffic(lambda: x.add_(y)).written) == (2 * x.nbytes, x.nbytes)
    assert (traffic(lambda: x.copy_(y)).read, traffic(lambda: x.copy_(y)).written) == (x.nbytes, x.nbytes)
    assert (traffic(lambda: x.zero_()).read, traffic(lambda: x.zero_()).written) == (0, x.nbytes)


def test_norms_operator_by_operator():
    x = torch.randn(256, 512)
    layer, rms = ManualLayerNorm(512, elementwise_affine=False), ManualRMSNorm(512, elementwise_affine=False)
    assert traffic(lambda: layer(x)).operators == ("mean", "sub", "pow", "mean", "add", "rsqrt", "mul")
    assert traffic(lambda: rms(x)).operators == ("pow", "mean", "add", "rsqrt", "mul")
    assert memory_passes(lambda: layer(x), x) == pytest.approx(8, abs=0.05)
    assert memory_passes(lambda: rms(x), x) == pytest.approx(5, abs=0.05)
    assert memory_passes(lambda: F.layer_norm(x, (512,)), x) == pytest.approx(2, abs=0.05)


@on_a_cpu
def test_a_kernel_is_counted_by_its_loads_and_stores():
    x, r = torch.randn(4, 3000), torch.randn(4, 3000)  # no power of two: masked lanes must not count

    def wide(center: bool) -> object:
        return launch.forward(x, None, None, None, 1e-5, center, tile=launch.Tile(1, 1024, wide=True))

    passes = {
        "layer, one read": lambda: layer_norm(x, backend="triton"),
        "rms, one read": lambda: rms_norm(x, backend="triton"),
        "layer, two reads": lambda: layer_norm_in_two_reads(x),
        "layer, in blocks": lambda: wide(True),
        "rms, in blocks": lambda: wide(False),
        "add, then rms": lambda: rms_norm(x + r, backend="triton"),
        "add and rms fused": lambda: fused_add_rms_norm(x, r, backend="triton"),
    }
    counted = {name: memory_passes(call, x) for name, call in passes.items()}
    expected = dict(zip(passes, (2, 2, 3, 4, 3, 5, 4), strict=True))
    assert counted == pytest.approx(expected, abs=0.01)  # the statistics are 4 bytes a row
    assert traffic(passes["add, then rms"]).operators == ("add", "kernel")


@on_a_cpu
def test_half_precision_moves_half_the_bytes():
    x = torch.randn(4, 1024)
    assert traffic(lambda: rms_norm(x.half(), backend="triton")).written == x.nbytes // 2 + x.nbytes // 2 + 4 * 4


@on_a_cpu
def test_nothing_stays_patched_when_the_call_fails():
    from triton.runtime import interpreter

    before = interpreter.GridExecutor.__call__, interpreter.InterpreterBuilder.create_masked_load

    def fails() -> None:
        raise KeyError

    with pytest.raises(KeyError):
        traffic(fails)
    assert before == (interpreter.GridExecutor.__call__, interpreter.InterpreterBuilder.create_masked_load)


def test_they_are_exported():
    assert {"memory_passes", "traffic"} <= set(kernels.__all__)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_on_a_gpu_passes_are_timed_and_bytes_refused():
    x = torch.randn(2**14, 4096, device="cuda")
    assert memory_passes(lambda: x.clone(), x) == pytest.approx(2, rel=0.3)
    assert memory_passes(lambda: x + x, x) < 3.5
    with pytest.raises(RuntimeError, match="CPU"):
        traffic(lambda: x + x)
