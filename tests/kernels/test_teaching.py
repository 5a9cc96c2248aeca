"""The teaching kernels are wrong where they say so, by as much as they say, and right elsewhere."""

import pytest
import torch
from norm_bounds import errors_of, norm

from kernels.triton_kernels.teaching import layer_norm_in_two_reads, mean_square_in_float16, row_statistics

METHODS = ("sum-of-squares", "two-pass", "welford")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 5, 1024, 2500])
def test_every_method_is_right_for_small_means(method, n, device):
    torch.manual_seed(0)
    x = torch.randn(2, 3, n, device=device)[..., ::1]
    mean, var = row_statistics(x, method)
    assert mean.shape == var.shape == (2, 3)
    torch.testing.assert_close(mean.double(), x.double().mean(-1), rtol=0, atol=1e-6)
    torch.testing.assert_close(var.double(), x.double().var(-1, correction=0), rtol=1e-5, atol=1e-6)


def test_where_the_methods_part(device):
    """Spread 1 around 10,000: float32 keeps about three digits of x - mean and none of mean(x^2) - mean(x)^2."""
    torch.manual_seed(0)
    x = torch.randn(4, 4096, device=device) + 1e4
    truth = x.double().var(-1, correction=0)
    error = {method: (row_statistics(x, method)[1].double() / truth - 1).abs().max().item() for method in METHODS}
    assert error["sum-of-squares"] > 1
    assert error["welford"] < 1e-4
    assert error["two-pass"] < 1e-5


def test_welford_merges_blocks_of_different_means(device):
    """The term d^2 n_a n_b / n is all there is when the blocks are constant."""
    x = torch.cat([torch.zeros(1024, device=device), torch.full((512,), 3.0, device=device)])
    mean, var = row_statistics(x, "welford")
    assert mean.item() == pytest.approx(1.0)
    assert var.item() == pytest.approx(2.0)


def test_float16_sum_overflows(device):
    x = torch.full((1, 20), 64.0, device=device)
    assert mean_square_in_float16(x).item() == torch.inf
    assert mean_square_in_float16(x[:, :8]).item() == 4096
    assert mean_square_in_float16(x, lanes=4).item() == torch.inf  # the lanes hold 20,480; adding them up overflows


def test_float16_sum_stalls(device):
    """2,048 + 1 is 2,048 in float16: once the sum is there, ones are lost."""
    x = torch.ones(1, 100, device=device)
    x[0, 0] = 45.25  # its square rounds to 2,048
    assert mean_square_in_float16(x).item() == pytest.approx(2048 / 100)
    assert mean_square_in_float16(x.flip(1)).item() == pytest.approx(2148 / 100)  # the ones came first


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_two_reads_give_the_norm(dtype, device):
    torch.manual_seed(0)
    x = (torch.randn(3, 1500, device=device) + 5).to(dtype)
    assert errors_of("two reads", layer_norm_in_two_reads(x), norm(x, None, None, 1e-5, True).y) == []


def test_errors(device):
    with pytest.raises(ValueError, match="method must be one of sum-of-squares, two-pass, welford, not 'naive'"):
        row_statistics(torch.ones(2, 2, device=device), "naive")
    with pytest.raises(ValueError, match="at least one row"):
        row_statistics(torch.ones(0, 2, device=device), "two-pass")
