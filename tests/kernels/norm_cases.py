"""The cases that an implementation of the four norms must pass, each against the float64 truth of `norm_bounds`.

A case takes the implementation and a device and returns what is wrong, as sentences. `test_functional.py` runs them on
both backends, `test_broken.py` on implementations that are wrong on purpose, which is what shows that the cases bite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from norm_bounds import Norm, errors_of, norm
from torch import Tensor

DTYPES = (torch.float32, torch.float16, torch.bfloat16)


class Ops(NamedTuple):
    layer_norm: Callable[..., Tensor]
    rms_norm: Callable[..., Tensor]
    fused_add_layer_norm: Callable[..., tuple[Tensor, Tensor]]
    fused_add_rms_norm: Callable[..., tuple[Tensor, Tensor]]


Case = Callable[..., list[str]]
CASES: dict[str, Case] = {}


def case(function: Callable[[Ops, torch.device], Iterator[list[str]]]) -> Case:
    def run(ops: Ops, device: torch.device, *, first: bool = False) -> list[str]:
        """Everything that is wrong, or with `first` what the first check that fails says."""
        torch.manual_seed(0)
        found: list[str] = []
        for errors in function(ops, device):
            found += errors
            if first and found:
                break
        return found

    CASES[function.__name__] = run
    return run


def expect(name: str, holds: bool) -> list[str]:
    return [] if holds else [name]


def same(name: str, left: Tensor, right: Tensor) -> list[str]:
    return expect(f"{name}: not the same bits", left.shape == right.shape and torch.equal(left, right))


def close(name: str, result: Tensor, expected: list[float], rtol: float) -> list[str]:
    wanted = torch.tensor(expected, dtype=torch.float64, device=result.device).expand(result.shape)
    return expect(
        f"{name}: {result.tolist()}, should be {expected}",
        torch.allclose(result.double(), wanted, rtol=rtol, atol=1e-30),
    )


def apply(ops: Ops, center: bool, x: Tensor, residual: Tensor | None, w: Tensor | None, b: Tensor | None, eps: float):
    """(y, h) of one of the four; h is x where there is no residual."""
    if residual is None:
        return (ops.layer_norm(x, w, b, eps) if center else ops.rms_norm(x, w, eps)), x
    if center:
        return ops.fused_add_layer_norm(x, residual, w, b, eps)
    return ops.fused_add_rms_norm(x, residual, w, eps)


def title(center: bool, fused: bool, *details: object) -> str:
    return " ".join(map(str, ("fused add" if fused else "", "LayerNorm" if center else "RMSNorm", *details))).strip()


FOUR = tuple((center, fused) for center in (True, False) for fused in (False, True))


def check(
    ops: Ops, center: bool, x: Tensor, residual: Tensor | None = None, w: Tensor | None = None,
    b: Tensor | None = None, eps: float = 1e-5, dy: Tensor | None = None, dh: Tensor | None = None, detail: str = "",
) -> list[str]:  # fmt: skip
    """One norm, and its gradients where `dy` (or `dh`, the gradient of h) is given, against the truth."""
    name = title(center, residual is not None, x.dtype, tuple(x.shape), detail)
    differentiate = dy is not None or dh is not None
    inputs = [t if t is None else t.detach().requires_grad_(differentiate) for t in (x, residual, w, b)]
    y, h = apply(ops, center, *inputs, eps)
    errors = expect(f"{name}: y is {y.dtype}", y.dtype == x.dtype)
    if residual is None:
        h_truth = x
    else:
        h_truth = (x.double() + residual.double()).to(x.dtype)
        errors += same(f"{name}: h", h, h_truth)
    truth = norm(h_truth, w, b, eps, center, dy, dh)
    errors += errors_of(f"{name}: y", y, truth.y)
    if differentiate:
        outputs, gradients = zip(*((o, g) for o, g in ((y, dy), (h, dh)) if g is not None), strict=True)
        torch.autograd.backward(outputs, gradients)
        errors += gradient_errors(name, inputs, truth)
    return errors


def gradient_errors(name: str, inputs: list[Tensor | None], truth: Norm) -> list[str]:
    names = ("dx", "dresidual", "dweight", "dbias")
    return [
        error
        for what, tensor, value in zip(names, inputs, (truth.dx, truth.dx, truth.dweight, truth.dbias), strict=True)
        if tensor is not None
        for error in errors_of(
            f"{name}: {what}", torch.zeros_like(tensor) if tensor.grad is None else tensor.grad, value
        )
    ]


def randn(*shape: int, dtype: torch.dtype = torch.float32, device: torch.device) -> Tensor:
    return torch.randn(shape, device=device).to(dtype)


@case
def concrete_values(ops, device):
    """Values worked out by hand. The unbiased variance gives 0.7071 in the first; eps outside the root 0.9901."""

    def t(*values):
        return torch.tensor(values, device=device)

    yield close("LN [0, 1]", ops.layer_norm(t(0.0, 1.0), eps=0.0), [-1, 1], 1e-6)
    yield close("LN [1e-3, -1e-3]", ops.layer_norm(t(1e-3, -1e-3), eps=1e-5), [0.30151134, -0.30151134], 1e-6)
    yield close("RMS [3, 4]", ops.rms_norm(t(3.0, 4.0), eps=0.0), [0.84852814, 1.13137085], 1e-6)
    yield close("RMS [1e-3, 1e-3]", ops.rms_norm(t(1e-3, 1e-3), eps=1e-5), [0.30151134], 1e-6)
    for base in (4096.0, 1e4, 4e4, 1e6):
        x = base + t(0.0, 1.0, 2.0, 3.0)
        yield close(f"LN {base:g} + 0..3", ops.layer_norm(x), [-1.3416354, -0.4472118, 0.4472118, 1.3416354], 1e-5)


@case
def one_rounding(ops, device):
    """All four, every dtype, widths around powers of two, weights of their own dtype."""
    for dtype in DTYPES:
        for n in (3, 64, 1000, 4097):
            w, b = randn(n, dtype=dtype, device=device), randn(n, dtype=dtype, device=device)
            for center, fused in FOUR:
                x = randn(5, n, dtype=dtype, device=device)
                residual = randn(5, n, dtype=dtype, device=device) if fused else None
                yield check(ops, center, x, residual, w, b if center else None)
        x = randn(4, 96, dtype=dtype, device=device) + 0.5
        w, b = randn(96, device=device), randn(96, device=device)
        for center in (True, False):
            yield check(ops, center, x, detail="no weight")
            yield check(ops, center, x, None, w, b if center else None, detail="float32 weight")
        yield check(ops, True, x, None, None, b, detail="bias alone")


@case
def large_means(ops, device):
    """Mean 1,000 times the spread: mean(x^2) - mean(x)^2 has no digit left in float32."""
    for mean in (1e3, -1e4):
        yield check(ops, True, randn(4, 1000, device=device) + mean, detail=f"mean {mean:g}")
    x = (randn(4, 1000, device=device) + 50).to(torch.bfloat16)
    yield check(ops, True, x, x.flip(0).contiguous(), detail="mean 100")


@case
def constant_rows(ops, device):
    """Variance 0: the bias, and never NaN. A variance that cancels to below zero gives NaN."""
    for value in (0.0, 3.3, -100.1, 1000.1):
        for n in (7, 1000):
            x = torch.full((2, n), value, device=device)
            w, b = randn(n, device=device), randn(n, device=device)
            yield check(ops, True, x, None, w, b, detail=f"all {value}")
            yield expect(f"LayerNorm of {value}: not finite", bool(ops.layer_norm(x, w, b).isfinite().all()))


@case
def one_column(ops, device):
    """N = 1: LayerNorm is the bias exactly and has no gradient; RMSNorm is x / sqrt(x^2 + eps)."""
    for dtype in DTYPES:
        x = torch.tensor([[3.0], [-0.125], [100.0]], device=device, dtype=dtype)
        for scale in (2.0, 1e4):
            w, b = (
                torch.full((1,), scale, device=device, dtype=dtype),
                torch.full((1,), -1.0, device=device, dtype=dtype),
            )
            y = ops.layer_norm(x, w, b)
            yield expect(f"LayerNorm N = 1 {dtype}: {y.flatten().tolist()}, should be -1", bool((y == -1).all()))
            yield check(ops, False, x, None, w)
        leaf = x.clone().requires_grad_()
        ops.layer_norm(leaf).backward(x)
        yield expect(f"LayerNorm N = 1 {dtype}: dx is not 0", bool((leaf.grad == 0).all()))
        yield check(ops, False, x, None, w, dy=x)


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
def zero_rows(ops, device):
    for dtype in DTYPES:
        x = torch.zeros(3, 20, device=device, dtype=dtype)
        w, b = randn(20, dtype=dtype, device=device), randn(20, dtype=dtype, device=device)
        yield same("LayerNorm of 0", ops.layer_norm(x, w, b), b.expand(3, 20))
        yield same("RMSNorm of 0", ops.rms_norm(x, w), x)
        for center, fused in FOUR:
            yield check(
                ops,
                center,
                x,
                x if fused else None,
                w,
                b if center else None,
                dy=randn(3, 20, dtype=dtype, device=device),
            )


@case
def bad_values_stay_in_their_row(ops, device):
    for n in (33, 1000):
        w, b = randn(n, device=device), randn(n, device=device)
        for value in (math.nan, math.inf, -math.inf):
            for center, fused in FOUR:
                x, residual = randn(6, n, device=device), randn(6, n, device=device) if fused else None
                name = title(center, fused, f"with {value} in row 2")
                clean, _ = apply(ops, center, x, residual, w, b if center else None, 1e-5)
                x[2, n // 2] = value
                y, _ = apply(ops, center, x, residual, w, b if center else None, 1e-5)
                others = [0, 1, 3, 4, 5]
                yield same(f"{name}: another row", y[others], clean[others])
                yield expect(f"{name}: not NaN there", bool(y[2, n // 2].isnan()))


@case
def rows_do_not_depend_on_their_place(ops, device):
    order = torch.randperm(37, device=device)
    for dtype in (torch.float32, torch.bfloat16):
        x, residual = randn(37, 129, dtype=dtype, device=device), randn(37, 129, dtype=dtype, device=device)
        for center, fused in FOUR:
            y, _ = apply(ops, center, x, residual if fused else None, None, None, 1e-5)
            moved, _ = apply(ops, center, x[order], residual[order] if fused else None, None, None, 1e-5)
            yield same(title(center, fused, dtype, "permuted"), moved, y[order])


@case
def float16_range(ops, device):
    """Squares and sums beyond 65,504, an eps below the smallest float16, and values that differ by two units."""
    half = torch.float16
    sign = torch.where(torch.arange(4096, device=device) % 2 == 0, 1.0, -1.0)
    rows = {
        "4,096 values of 4": 4 * sign,
        "300": 300 * sign,
        "60,000 and 32 around": 60_000 + 32 * sign,
        "8,192 values near 20": 20 + torch.randn(8192, device=device) / 10,
    }
    for name, row in rows.items():
        for center in (True, False):
            yield check(ops, center, row.to(half)[None], eps=1e-8, detail=name)
    big = torch.full((1, 8), 60_000.0, device=device, dtype=half)
    big[0, 0] = 1
    _, h = ops.fused_add_rms_norm(big, big)
    yield same("h past 65,504", h, big + big)


@case
def rounding_of_h(ops, device):
    """Ties go to even: bfloat16 256 + 3 = 260, where truncation gives 258, and 256 + 1 = 256; y follows from that h."""
    triples = {
        torch.bfloat16: ((256.0, 3.0, 260.0), (256.0, 1.0, 256.0), (128.0, 0.75, 129.0), (-256.0, -3.0, -260.0)),
        torch.float16: ((2048.0, 3.0, 2052.0), (2048.0, 1.0, 2048.0), (1024.0, 0.75, 1025.0), (-2048.0, -3.0, -2052.0)),
    }
    for dtype, sums in triples.items():
        x, residual, wanted = (
            torch.tensor(values, device=device, dtype=dtype)[None] for values in zip(*sums, strict=True)
        )
        for center in (True, False):
            _, h = apply(ops, center, x, residual, None, None, 1e-5)
            yield same(title(center, True, dtype, h.tolist(), "should be", wanted.tolist()), h, wanted)
            scale = 2.0 ** torch.randint(-8, 8, (8, 257), device=device)
            x2, r2 = randn(8, 257, dtype=dtype, device=device), (torch.randn(8, 257, device=device) * scale).to(dtype)
            yield check(ops, center, x2, r2)


@case
def rounding_of_bfloat16_stores(ops, device):
    """Values just below, on and above a tie in y: x = +-1 makes xhat = +-1 and y the float32 weight, rounded once."""
    steps = torch.tensor([0.0, 0.499, 0.5, 0.501, 1.0, 1.499, 1.5, 1.501], device=device)
    w = torch.cat([s * (1 + steps * 2.0**-7) for s in (1.0, -1.0, 3.0, 2.0**-130)])
    x = torch.where(torch.arange(w.numel(), device=device) % 2 == 0, 1.0, -1.0).to(torch.bfloat16)
    for center in (True, False):
        yield check(ops, center, x[None], None, w, eps=0.0)
        yield same(
            title(center, False, "times the weight"), apply(ops, center, x, None, w, None, 0.0)[0], (x * w).to(x.dtype)
        )


@case
def residual_cancels(ops, device):
    for dtype in DTYPES:
        x, b = randn(3, 50, dtype=dtype, device=device), randn(50, dtype=dtype, device=device)
        y, h = ops.fused_add_layer_norm(x, -x, None, b)
        yield same(f"{dtype} h = x - x", h.abs(), torch.zeros_like(x))
        yield same(f"{dtype} LayerNorm(0)", y, b.expand_as(y))
        yield same(f"{dtype} RMSNorm(0)", ops.fused_add_rms_norm(x, -x)[0].abs(), torch.zeros_like(x))


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


@case
def scale_invariance(ops, device):
    x, w = randn(4, 100, device=device), randn(100, device=device)
    for scale in (1e15, 1e-15):
        for center in (True, False):
            yield check(ops, center, x * scale, None, w, eps=0.0, detail=f"times {scale:g}")
    tiny = torch.tensor([[1e-20, -1e-20]], device=device)
    for center in (True, False):
        yield close(
            "1e-20, eps 1e-5",
            apply(ops, center, tiny, None, None, None, 1e-5)[0],
            [3.1622777e-18, -3.1622777e-18],
            1e-5,
        )


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
