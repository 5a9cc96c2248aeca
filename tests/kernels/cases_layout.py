"""Cases about shapes, strides and memory: empty, wide, far apart, views, and what must be refused."""

import torch
from norm_bounds import norm
from norm_checks import FOUR, apply, case, check, expect, gradient_errors, randn, same, title
from torch import Tensor


@case
def empty(ops, device):
    """No rows and no columns are inputs like any other; the gradient of the weight is then 0."""
    for shape in ((0, 8), (3, 0, 8), (5, 0)):
        x = torch.zeros(shape, device=device)
        w, b = (torch.ones(shape[-1], device=device, requires_grad=True) for _ in range(2))
        for center, fused in FOUR:
            leaf = x.clone().requires_grad_()
            y, h = apply(ops, center, leaf, x if fused else None, w, b if center else None, 1e-5)
            yield expect(
                f"{title(center, fused, shape)}: shapes {tuple(y.shape)}, {tuple(h.shape)}", y.shape == h.shape == shape
            )
            w.grad = None
            y.sum().backward()
            yield expect(f"{title(center, fused, shape)}: dweight {w.grad}", w.grad is not None and not w.grad.any())


@case
def wide_rows(ops, device):
    """Wider than a block: right to the last column, forward and backward."""
    for n, dtype, center in (
        (65_536, torch.float32, True),
        (65_537, torch.bfloat16, True),
        (65_537, torch.float32, False),
        (70_000, torch.float32, True),
    ):
        x = randn(2, n, dtype=dtype, device=device) + 2
        x[:, 65_536:] *= 50
        w, dy = randn(n, dtype=dtype, device=device), randn(2, n, dtype=dtype, device=device)
        yield check(ops, center, x, None, w, w.flip(0) if center else None, dy=dy)
    x, residual, dy, dh = (randn(3, 70_001, dtype=torch.float16, device=device) for _ in range(4))
    yield check(ops, False, x, residual, dy=dy, dh=dh)


@case
def rows_far_apart(ops, device):
    """2^30 elements from row to row: the third begins past 2^31, where an int32 offset has wrapped."""
    stride, n = 2**30, 40
    x = torch.empty(2 * stride + n, dtype=torch.float16, device=device).as_strided((3, n), (stride, 1))
    x.copy_(randn(3, n, dtype=torch.float16, device=device))
    for center, fused in FOUR:
        yield check(ops, center, x, x if fused else None, detail="2^30 apart")
        y, _ = apply(ops, center, (leaf := x.contiguous().requires_grad_()), None, None, None, 1e-5)
        dy = x
        y.backward(dy)
        yield gradient_errors(
            "dy 2^30 apart", [leaf, None, None, None], norm(leaf.detach(), None, None, 1e-5, center, dy)
        )


def views(device: torch.device, dtype: torch.dtype) -> dict[str, Tensor]:
    base = randn(64, 64, dtype=dtype, device=device)
    return {
        "every other column": base[:, ::2],
        "a slice of rows and columns": base[3:40:3, 5:37],
        "transposed": base[:32].t(),
        "one row expanded": base[:1, :32].expand(9, 32),
        "one column expanded": base[:, :1].expand(64, 32),
        "flipped": base[:, :32].flip(1),
        "permuted, 4-D": base.view(4, 4, 8, 32).permute(2, 0, 1, 3),
        "permuted, last dimension too": base.view(4, 16, 2, 32).permute(1, 2, 3, 0),
        "an offset of one element": base.flatten()[1 : 1 + 31 * 32].view(31, 32),
    }


@case
def views_equal_copies(ops, device):
    """x, residual, weight, bias and the arriving gradients in every layout: the bits of y and h of their contiguous
    copies, and right gradients.
    """
    layouts = [(torch.float32, name, x) for name, x in views(device, torch.float32).items()]
    halves = views(device, torch.bfloat16)
    layouts += [(torch.bfloat16, name, halves[name]) for name in ("every other column", "transposed")]
    for dtype, name, x in layouts:
        n = x.shape[-1]
        w, b = randn(2 * n, 2, dtype=dtype, device=device)[::2, 1], randn(n, dtype=dtype, device=device).flip(0)
        other = randn(n, *x.shape[:-1], dtype=dtype, device=device).movedim(0, -1)  # a layout of its own
        for center, fused in FOUR:
            inputs = [x, other if fused else None, w, b if center else None]
            copies = [None if t is None else t.clone(memory_format=torch.contiguous_format) for t in inputs]
            for what, left, right in zip(
                "yh", apply(ops, center, *inputs, 1e-5), apply(ops, center, *copies, 1e-5), strict=True
            ):
                yield same(f"{title(center, fused, dtype)}, {name}: {what}", left, right)
            yield check(ops, center, *inputs, dy=other, dh=x if fused else None, detail=name)


@case
def leading_shapes(ops, device):
    x = randn(2, 3, 4, 10, device=device)
    for center in (True, False):
        y, _ = apply(ops, center, x, None, None, None, 1e-5)
        yield same(
            title(center, False, "4-D"), y.view(24, 10), apply(ops, center, x.view(24, 10), None, None, None, 1e-5)[0]
        )
        yield same(title(center, False, "1-D"), y[0, 0, 0], apply(ops, center, x[0, 0, 0], None, None, None, 1e-5)[0])


@case
def h_can_be_changed_afterwards(ops, device):
    """Returning h must not mean sharing memory with an input: a layer adds to it in place."""
    x, residual = randn(4, 30, device=device), randn(4, 30, device=device)
    for center in (True, False):
        given = x.clone(), residual.clone()
        with torch.no_grad():
            y, h = apply(ops, center, x, residual, None, None, 1e-5)
            y += 1
            h += 1
        yield same("x", x, given[0])
        yield same("residual", residual, given[1])


@case
def wrong_arguments_raise(ops, device):
    x = torch.ones(3, 8, device=device)
    wrong = {
        "weight too long": lambda: ops.layer_norm(x, torch.ones(9, device=device)),
        "weight of one element": lambda: ops.rms_norm(x, torch.ones(1, device=device)),
        "weight 2-D": lambda: ops.rms_norm(x, torch.ones(3, 8, device=device)),
        "bias too short": lambda: ops.layer_norm(x, torch.ones(8, device=device), torch.ones(7, device=device)),
        "residual of another shape": lambda: ops.fused_add_rms_norm(x, torch.ones(1, 8, device=device)),
        "residual flat": lambda: ops.fused_add_layer_norm(x, torch.ones(24, device=device)),
        "x without dimensions": lambda: ops.rms_norm(torch.tensor(1.0, device=device)),
        "x of integers": lambda: ops.layer_norm(torch.ones(3, 8, dtype=torch.int64, device=device)),
    }
    for name, call in wrong.items():
        try:
            call()
        except (ValueError, TypeError, RuntimeError, IndexError):
            continue
        yield [f"{name}: accepted"]
