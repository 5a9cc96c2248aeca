"""Cases about the values of y and h: hand-worked numbers, rounding, statistics, range."""

import math

import torch
from norm_checks import DTYPES, FOUR, apply, case, check, close, expect, randn, same, title


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
