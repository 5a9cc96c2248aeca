"""The cases bite: each of these implementations is wrong in one way, and a named case says so.

First the plain versions of `plain_norms`, then the text of the Triton kernels themselves with one thing changed.
"""

import functools
import inspect
import linecache
import os
import subprocess
import sys
import types

import pytest
from norm_cases import CASES, Ops
from plain_norms import BROKEN, Plain

from kernels import functional
from kernels.triton_kernels import backward, forward, launch
from kernels.triton_kernels.rounding import INTERPRETED

TRITON = Ops(*(functools.partial(getattr(functional, name), backend="triton") for name in Ops._fields))


@pytest.mark.parametrize("name", CASES)
def test_plain_version_is_right(name, device):
    assert CASES[name](Plain().ops(), device) == []


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.__name__)
def test_broken_version_is_caught(broken, device):
    assert CASES[broken.caught_by](broken().ops(), device, first=True) != []


# What in the text of which module becomes what, and the case that notices.
KERNEL_MUTANTS = {
    "the padding counts in the variance": (
        forward, "tl.where(mask, x - mean[:, None], 0.0)", "x - mean[:, None]", "one_rounding"),
    "the padding of wide rows counts in the variance": (
        forward, "x = tl.where(col < N, _load_h(X, RESIDUAL, col, col < N).to(tl.float32) - mean, 0.0)",
        "x = _load_h(X, RESIDUAL, col, col < N).to(tl.float32) - mean", "wide_rows"),
    "y from the unrounded h": (
        forward, "x = h.to(tl.float32)", "x = x", "rounding_of_h"),
    "stores rounded as the interpreter does": (
        forward, "round_to(y, Y.dtype.element_ty)", "y.to(Y.dtype.element_ty)", "rounding_of_bfloat16_stores"),
    "the row stride of x for the residual": (
        forward, "(RESIDUAL + row * residual_stride)", "(RESIDUAL + row * x_stride)", "views_equal_copies"),
    "no eps": (
        forward, " / N + eps)", " / N)", "zero_rows"),
    "dh lost": (
        backward, "if DH is not None:", "if False:", "gradients"),
    "mean(g) lost": (
        backward, "dx -= (tl.sum(g, axis=1) / N)[:, None]", "dx -= 0", "gradients"),
    "rows summed by several programs": (
        backward, "tl.num_programs(0) * BLOCK_M, num_stages", "BLOCK_M, num_stages", "more_rows_than_programs"),
    "rows left to nobody": (
        backward, "tl.num_programs(0) * BLOCK_M, num_stages", "8 * BLOCK_M, num_stages", "more_rows_than_programs"),
    "the weight gradient of the first block of a wide row everywhere": (
        backward, "col = tl.program_id(0) * BLOCK_N + tl.arange", "col = tl.arange", "wide_rows"),
    "dy read with the stride of h": (
        backward, "(DY + row * dy_stride)", "(DY + row * h_stride)", "views_equal_copies"),
}  # fmt: skip


@pytest.mark.skipif(not INTERPRETED, reason="the text of a kernel is changed in the interpreter alone")
@pytest.mark.parametrize("name", KERNEL_MUTANTS)
def test_broken_kernel_is_caught(name, device, monkeypatch):
    module, old, new, caught_by = KERNEL_MUTANTS[name]
    source = inspect.getsource(module)
    assert old in source
    monkeypatch.setattr(
        launch, f"{module.__name__.rpartition('.')[2]}_kernels", kernels_from(source.replace(old, new), name)
    )
    assert CASES[caught_by](TRITON, device, first=True) != []


def kernels_from(source: str, name: str) -> types.SimpleNamespace:
    """The kernels of a text; Triton reads the text again by way of linecache."""
    file = f"<{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names: dict[str, object] = {"__name__": "broken_kernels"}
    exec(compile(source, file, "exec"), names)
    return types.SimpleNamespace(**names)


@pytest.mark.slow
@pytest.mark.skipif(not INTERPRETED, reason="as above")
def test_row_offsets_of_32_bits_crash():
    """Which is why it has a process of its own: 2^31 wraps around to an address that is not ours."""
    code = (
        "import inspect, sys, torch\n"
        "import test_broken as t\n"
        "long, short = 'tl.program_id(0).to(tl.int64) * BLOCK_M', 'tl.program_id(0) * BLOCK_M'\n"
        "source = inspect.getsource(t.forward)\n"
        "t.launch.forward_kernels = t.kernels_from(source.replace(long, short), 'int32 rows')\n"
        "sys.exit(3 if t.CASES['rows_far_apart'](t.TRITON, torch.device('cpu'), first=True) else 0)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, timeout=100, check=False)
    assert done.returncode == 3 or done.returncode < 0, done.stderr
