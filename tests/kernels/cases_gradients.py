"""Cases about the backward passes."""

import torch
from norm_bounds import errors_of, norm
from norm_checks import DTYPES, FOUR, apply, case, check, expect, randn, same, title


@case
def gradients(ops, device):
    """Every gradient of all four, every dtype, also for a loss on h alone."""
    for dtype in DTYPES:
        for n in (3, 100, 1000):
            w, b = randn(n, dtype=dtype, device=device), randn(n, dtype=dtype, device=device)
            for center, fused in FOUR:
                x, residual, dy, dh = (randn(7, n, dtype=dtype, device=device) for _ in range(4))
                yield check(
                    ops, center, x + 1, residual if fused else None, w, b if center else None,
                    dy=dy, dh=dh if fused else None,
                )  # fmt: skip
    for center in (True, False):
        yield check(ops, center, x, residual, w, b if center else None, dh=dh, detail="loss on h alone")
        yield check(ops, center, x, residual, w, b if center else None, dy=dy, detail="loss on y alone")
        yield check(ops, center, x, None, None, None, dy=dy, detail="no weight")


@case
def weight_gradients_of_many_rows(ops, device):
    """5,000 rows of +-1: a sum kept in bfloat16 stops at 256, in float16 at 2,048."""
    for dtype in DTYPES:
        sign = torch.tensor([1.0, -1.0, 1.0, -1.0], device=device, dtype=dtype)
        x = sign.repeat(5000, 1)
        for center in (True, False):
            w = torch.ones(4, device=device, dtype=dtype, requires_grad=True)
            b = torch.zeros(4, device=device, dtype=dtype, requires_grad=True)
            y, _ = apply(ops, center, x, None, w, b if center else None, 0.0)
            y.sum().backward()
            yield same(title(center, False, dtype, "dweight", w.grad.tolist()), w.grad, 5000 * sign)
            if center:
                yield same(title(center, False, dtype, "dbias", b.grad.tolist()), b.grad, (5000 * sign).abs())


@case
def more_rows_than_programs(ops, device):
    """Each program of the backward pass takes several tiles of rows, and the last tile is not full."""
    x, residual, dy, dh = (randn(700, 1000, device=device) for _ in range(4))
    w, b = randn(1000, device=device), randn(1000, device=device)
    yield check(ops, True, x, residual, w, b, dy=dy, dh=dh)


@case
def two_backward_passes(ops, device):
    """The second pass through a graph that was kept gives the same; neither writes to dy, dh or the inputs."""
    for center, fused in FOUR:
        x, residual, w, b, dy, dh = (
            randn(*s, device=device) for s in ((6, 50), (6, 50), (50,), (50,), (6, 50), (6, 50))
        )
        inputs = [x, residual, w, b] if fused else [x, w, b]
        if not center:
            inputs.pop()
        given = [t.clone() for t in (*inputs, dy, dh)]
        for tensor in inputs:
            tensor.requires_grad_()
        y, h = apply(ops, center, x, residual if fused else None, w, b if center else None, 1e-5)
        outputs, arriving = ([y, h], [dy, dh]) if fused else ([y], [dy])
        first, second = (torch.autograd.grad(outputs, inputs, arriving, retain_graph=True) for _ in range(2))
        for left, right in zip(first, second, strict=True):
            yield same(title(center, fused, "second backward"), left, right)
        for left, right in zip((*inputs, dy, dh), given, strict=True):
            yield same(title(center, fused, "an argument was written to"), left, right)
        y.sum().backward()
        ones = norm((x + residual) if fused else x, w, b if center else None, 1e-5, center, torch.ones_like(x))
        yield errors_of(title(center, fused, "dx of y.sum()"), x.grad, ones.dx)
        if fused:
            yield same(title(center, fused, "dresidual = dx"), first[0], first[1])
            yield expect(
                title(center, fused, "x.grad and residual.grad share memory"),
                x.grad.data_ptr() != residual.grad.data_ptr(),
            )


@case
def only_what_needs_a_gradient(ops, device):
    """Frozen weights (as in LoRA), frozen inputs, and no gradient at all."""
    for center, fused in FOUR:
        for chosen in range(3 if center else 2):
            x, residual, dy = (randn(5, 40, device=device) for _ in range(3))
            w, b = randn(40, device=device), randn(40, device=device) if center else None
            leaf = (x, w, b)[chosen].requires_grad_()
            y, h = apply(ops, center, x, residual if fused else None, w, b, 1e-5)
            y.backward(dy)
            truth = norm(h.detach(), w.detach(), None if b is None else b.detach(), 1e-5, center, dy)
            wanted = (truth.dx, truth.dweight, truth.dbias)[chosen]
            yield errors_of(title(center, fused, "the only gradient, argument", chosen), leaf.grad, wanted)
