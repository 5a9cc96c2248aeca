"""The tiles: they cover every width, and those for a GPU give right results in the interpreter too."""

import pytest
import torch
from norm_bounds import errors_of, norm

from kernels.triton_kernels import launch

WIDTHS = (1, 3, 64, 1000, 1024, 4095, 4097, 8191, 8192, 8193, 16384, 32768, 32769, 65536, 65537, 1_000_000)


@pytest.mark.parametrize("n", WIDTHS)
@pytest.mark.parametrize("rows", [1, 5, 100_000])
def test_tiles_cover_the_row(n, rows):
    for choose in (launch.forward_tile, launch.backward_tile):
        for interpreted in (False, True):
            tile = choose(rows, n, interpreted=interpreted)
            assert tile.wide == (tile.block_n < n)
            assert tile.block_m * tile.block_n <= launch.INTERPRETER_TILE  # Triton allows four times that
            for size in (tile.block_m, tile.block_n, tile.num_warps):
                assert size > 0 and size & (size - 1) == 0, "Triton wants powers of two"
            if not interpreted:
                assert tile.block_m == 1 or tile.block_m * tile.block_n <= launch.GPU_TILE
                assert tile.num_warps <= launch.MOST_WARPS


def test_one_row_a_program_on_a_gpu_and_many_in_the_interpreter():
    assert launch.forward_tile(4096, 4096, interpreted=False).block_m == 1
    assert launch.forward_tile(4096, 1024, interpreted=True).block_m * 1024 == launch.INTERPRETER_TILE
    assert launch.forward_tile(3, 1024, interpreted=True).block_m == 4  # no more than there are


@pytest.mark.parametrize("n", [3, 1000, 4097, 8208, 32769])
@pytest.mark.parametrize("center", [True, False])
def test_tiles_of_a_gpu_are_right(n, center, device):
    """One row or a few a program, wide rows in blocks of 4,096, forward and backward."""
    torch.manual_seed(0)
    rows = 40 if n < 100 else 3
    x, residual, dy, dh = (torch.randn(rows, n, device=device) for _ in range(4))
    w, b = torch.randn(n, device=device), torch.randn(n, device=device) if center else None
    tile = launch.forward_tile(rows, n, interpreted=False)
    y, h, mean, rstd = launch.forward(x, residual, w, b, 1e-5, center, tile)
    truth = norm(h, w, b, 1e-5, center, dy, dh)
    assert errors_of("y", y, truth.y) == []
    tile = launch.backward_tile(rows, n, interpreted=False)
    dx, dweight, dbias = launch.backward(dy, dh, h, w, mean, rstd, True, center, tile)
    assert errors_of("dx", dx, truth.dx) == []
    assert errors_of("dweight", dweight, truth.dweight) == []
    assert dbias is None or errors_of("dbias", dbias, truth.dbias) == []


def test_statistics_are_float32(device):
    x = torch.randn(4, 10, device=device, dtype=torch.bfloat16)
    _y, _h, mean, rstd = launch.forward(x, None, None, None, 1e-5, True)
    assert mean.dtype == rstd.dtype == torch.float32
    torch.testing.assert_close(mean, x.float().mean(-1))
