"""The norms as PyTorch sees them: operators, compilation, derivatives of derivatives, errors."""

import functools
import os
import subprocess
import sys

import pytest
import torch
from norm_cases import FOUR, apply
from test_functional import NAMES, ops_of

from kernels import functional
from kernels.functional import fused_add_layer_norm, fused_add_rms_norm, layer_norm, rms_norm
from kernels.ops import norm_backward, norm_forward


def inputs_of(center, fused, device, dtype=torch.float32, requires_grad=True):
    """(x, residual, weight, bias), None where the norm has no such argument."""
    torch.manual_seed(0)
    shapes = ((3, 5, 8), (3, 5, 8) if fused else None, (8,), (8,) if center else None)
    return [
        None if shape is None else torch.randn(shape, device=device, dtype=dtype).requires_grad_(requires_grad)
        for shape in shapes
    ]


@pytest.mark.parametrize(("center", "fused"), FOUR)
def test_opcheck(center, fused, device):
    inputs = inputs_of(center, fused, device)
    torch.library.opcheck(norm_forward, (*inputs, 1e-5, center))
    torch.library.opcheck(norm_forward, (inputs[0].detach()[..., ::2], None, None, None, 1e-5, center))
    x, _, w, _ = inputs_of(center, fused, device, requires_grad=False)
    y, _h, mean, rstd = norm_forward(x, None, w, None, 1e-5, center)
    torch.library.opcheck(norm_backward, (y, y if fused else None, x, w, mean, rstd, center, True, center))
    torch.library.opcheck(norm_backward, (y, None, x, None, mean, rstd, center, False, False))


@pytest.mark.parametrize("backend", ["torch", "triton"])
@pytest.mark.parametrize(("center", "fused"), FOUR)
def test_compile_gives_the_same_numbers(center, fused, backend, device):
    torch._dynamo.reset()
    ops = ops_of(backend)
    inputs = inputs_of(center, fused, device)
    leaves = [t for t in inputs if t is not None]

    def loss(*inputs):
        y, h = apply(ops, center, *inputs, 1e-5)
        return (y * 2).sum() + (h * h).sum(), y

    # Inductor's C++ takes half a minute here; aot_eager traces, partitions and functionalises the same graph.
    compiled = torch.compile(loss, fullgraph=True, backend="inductor" if device.type == "cuda" else "aot_eager")
    (eager_loss, eager_y), (compiled_loss, compiled_y) = loss(*inputs), compiled(*inputs)
    torch.testing.assert_close(compiled_y, eager_y)
    for left, right in zip(
        torch.autograd.grad(compiled_loss, leaves), torch.autograd.grad(eager_loss, leaves), strict=True
    ):
        torch.testing.assert_close(left, right)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["torch", "triton"])
def test_inductor_gives_the_same_numbers(backend, device):
    torch._dynamo.reset()
    x, residual, w, b = inputs_of(True, True, device)
    call = functools.partial(fused_add_layer_norm, backend=backend)
    for left, right in zip(
        torch.compile(call, fullgraph=True)(x, residual, w, b), call(x, residual, w, b), strict=True
    ):
        torch.testing.assert_close(left, right)


@pytest.mark.parametrize(("center", "fused"), FOUR)
def test_torch_backend_is_right_twice_over(center, fused, device):
    """First and second derivatives against differences, in float64; forward mode too."""
    inputs = inputs_of(center, fused, device, torch.float64)
    leaves = [t for t in inputs if t is not None]

    def call(*leaves):
        rest = iter(leaves)
        return apply(ops_of("torch"), center, *(None if t is None else next(rest) for t in inputs), 1e-5)[: 1 + fused]

    assert torch.autograd.gradcheck(call, leaves, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(call, leaves)


def test_torch_backend_under_vmap(device):
    x, residual, w, b = inputs_of(True, True, device, torch.bfloat16, requires_grad=False)
    mapped = torch.func.vmap(lambda x, r: fused_add_layer_norm(x, r, w, b, backend="torch"))(x, residual)
    for left, right in zip(mapped, fused_add_layer_norm(x, residual, w, b, backend="torch"), strict=True):
        torch.testing.assert_close(left, right)


@pytest.mark.parametrize(("center", "fused"), FOUR)
def test_second_derivative_through_triton_is_refused(center, fused, device):
    inputs = inputs_of(center, fused, device)
    y, _ = apply(ops_of("triton"), center, *inputs, 1e-5)
    (dx,) = torch.autograd.grad(y.square().sum(), inputs[0], create_graph=True)
    with pytest.raises(RuntimeError, match="backend='torch' for a second derivative"):
        dx.sum().backward()


def test_auto_takes_the_backend_of_the_device(device, monkeypatch):
    called = []
    monkeypatch.setattr(functional, "norm_forward", lambda x, *_: called.append(x.dtype) or (x, x))
    x = torch.ones(2, 4, device=device)
    for name in NAMES:
        getattr(functional, name)(*((x, x) if "fused" in name else (x,)))
        getattr(functional, name)(*((x.double(), x.double()) if "fused" in name else (x.double(),)))
    assert called == ([torch.float32] * 4 if device.type == "cuda" else [])


def test_errors_name_the_argument(device):
    x = torch.ones(3, 8, device=device)
    ones = functools.partial(torch.ones, device=device)
    for error, words, call in (
        (ValueError, r"weight must have shape \(8,\).*not \(9,\)", lambda: layer_norm(x, ones(9))),
        (ValueError, r"bias must have shape \(8,\)", lambda: fused_add_layer_norm(x, x, ones(8), ones(1))),
        (
            ValueError,
            r"residual must have the shape of x, \(3, 8\), not \(8,\)",
            lambda: fused_add_rms_norm(x, ones(8)),
        ),
        (TypeError, "residual must have the dtype of x", lambda: fused_add_rms_norm(x, x.half())),
        (TypeError, "x must be float32.*not torch.int64", lambda: rms_norm(x.long())),
        (TypeError, "weight must be float32.*not torch.int32", lambda: rms_norm(x, ones(8, dtype=torch.int32))),
        (TypeError, "weight is float64 and x is torch.float32", lambda: rms_norm(x, ones(8).double())),
        (ValueError, "x must have at least one dimension", lambda: rms_norm(ones(()))),
        (ValueError, "weight is on meta", lambda: rms_norm(x, torch.ones(8, device="meta"))),
        (ValueError, "residual is on meta", lambda: fused_add_rms_norm(x, torch.ones(3, 8, device="meta"))),
        (ValueError, "backend must be .*not 'cuda'", lambda: rms_norm(x, backend="cuda")),
        (TypeError, "x is float64, which backend='triton'", lambda: layer_norm(x.double(), backend="triton")),
    ):
        with pytest.raises(error, match=words):
            call()


def run_python(code: str, **environment: str) -> str:
    """What a new Python process prints, errors included; without TRITON_INTERPRET unless it is given."""
    kept = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    result = subprocess.run(
        [sys.executable, "-c", code], env=kept | environment, capture_output=True, text=True, timeout=100, check=False
    )
    return result.stdout + result.stderr


@pytest.mark.slow
def test_triton_on_a_cpu_without_the_interpreter_says_what_to_do():
    said = run_python(
        "import torch, kernels.functional as f\n"
        "assert 'triton' not in __import__('sys').modules\n"
        "f.rms_norm(torch.ones(2, 4))\n"
        "f.rms_norm(torch.ones(2, 4), backend='triton')"
    )
    assert "RuntimeError: backend='triton' needs a GPU and the tensors are on cpu" in said
    assert "start Python with TRITON_INTERPRET=1" in said


@pytest.mark.slow
def test_interpreter_switched_on_too_late_is_named():
    said = run_python(
        "import os, torch, triton.language\n"
        "os.environ['TRITON_INTERPRET'] = '1'\n"
        "import kernels.functional as f\n"
        "f.rms_norm(torch.ones(2, 4), backend='triton')"
    )
    assert "TRITON_INTERPRET changed after triton was imported" in said


def test_missing_triton_is_named(device, monkeypatch):
    monkeypatch.setattr(functional, "_HAS_TRITON", False)
    assert layer_norm(torch.ones(2, 4, device=device)).shape == (2, 4)
    with pytest.raises(RuntimeError, match="needs the package triton, which is not installed"):
        layer_norm(torch.ones(2, 4, device=device), backend="triton")
