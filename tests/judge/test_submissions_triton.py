"""LayerNorm and fused kernels as people write them, and results that come from no kernel."""

from __future__ import annotations

import pytest

from tests.judge.conftest import Submissions, changed, in_parts

RIGHT: dict[str, dict[str, str]] = {}
WRONG: dict[str, dict[str, tuple[str, str | None]]] = {}

LAYER = """
@triton.jit
def ln(x_ptr, g_ptr, b_ptr, o_ptr, stride, gs, bs, n, eps, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    ok = c < n
    v = tl.load(x_ptr + r * stride + c, mask=ok, other=0).to(tl.float32)
    m = tl.sum(v, axis=0) / n
    d = tl.where(ok, v - m, 0)
    var = tl.sum(d * d, axis=0) / n
    g = tl.load(g_ptr + c * gs, mask=ok, other=0).to(tl.float32)
    b = tl.load(b_ptr + c * bs, mask=ok, other=0).to(tl.float32)
    tl.store(o_ptr + r * n + c, d / tl.sqrt(var + eps) * g + b, mask=ok)


def layer_norm(x, weight, bias, eps):
    flat = x.contiguous().view(-1, x.size(-1))
    out = flat.new_empty(flat.shape)
    n = flat.size(1)
    ln[(flat.size(0),)](flat, weight, bias, out, flat.stride(0), weight.stride(0), bias.stride(0), n, eps, B=triton.next_power_of_2(n))
    return out.view(x.shape)
"""
RIGHT["code-triton-layernorm"]={
"strides of the vectors": LAYER,
"Welford over blocks": '''
@triton.jit
def kernel(X, W, B, Y, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    mean = 0.0
    m2 = 0.0
    count = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        k = tl.sum(mask.to(tl.float32), axis=0)
        block_mean = tl.sum(x, axis=0) / k
        dev = tl.where(mask, x - block_mean, 0.0)
        delta = block_mean - mean
        m2 += tl.sum(dev * dev, axis=0) + delta * delta * count * k / (count + k)
        mean += delta * k / (count + k)
        count += k
    rstd = 1 / tl.sqrt(m2 / N + eps)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
        b = tl.load(B + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(Y + row * N + cols, (x - mean) * rstd * w + b, mask=mask)


def layer_norm(x, weight, bias, eps):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.shape[-1]
    kernel[(x.numel() // n,)](x, weight.contiguous(), bias.contiguous(), y, n, eps, BLOCK=256)
    return y
''',
"three kernels": '''
@triton.jit
def mean_kernel(X, M, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * n + cols, mask=cols < n, other=0.0).to(tl.float32)
    tl.store(M + row, tl.sum(x, 0) / n)


@triton.jit
def rstd_kernel(X, M, R, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * n + cols, mask=cols < n, other=0.0).to(tl.float32) - tl.load(M + row)
    x = tl.where(cols < n, x, 0.0)
    tl.store(R + row, 1 / tl.sqrt(tl.sum(x * x, 0) / n + eps))


@triton.jit
def apply_kernel(X, M, R, W, B, Y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = (tl.load(X + row * n + cols, mask=mask).to(tl.float32) - tl.load(M + row)) * tl.load(R + row)
    tl.store(Y + row * n + cols, x * tl.load(W + cols, mask=mask).to(tl.float32) + tl.load(B + cols, mask=mask).to(tl.float32), mask=mask)


def layer_norm(x, weight, bias, eps):
    flat = x.reshape(-1, x.shape[-1]).contiguous()
    m, n = flat.shape
    block = triton.next_power_of_2(n)
    mean, rstd = torch.empty(m, dtype=torch.float32), torch.empty(m, dtype=torch.float32)
    y = torch.empty_like(flat)
    mean_kernel[(m,)](flat, mean, n, BLOCK=block)
    rstd_kernel[(m,)](flat, mean, rstd, n, eps, BLOCK=block)
    apply_kernel[(m,)](flat, mean, rstd, weight.contiguous(), bias.contiguous(), y, n, BLOCK=block)
    return y.reshape(x.shape)
''',
"shifted by the first value": '''
@triton.jit
def kernel(X, W, B, Y, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(X + row * n + cols, mask=mask, other=0.0).to(tl.float32)
    first = tl.load(X + row * n).to(tl.float32)
    x = tl.where(mask, x - first, 0.0)
    mean = tl.sum(x, axis=0) / n
    x = tl.where(mask, x - mean, 0.0)
    rstd = tl.rsqrt(tl.sum(x * x, axis=0) / n + eps)
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(B + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(Y + row * n + cols, tl.fma(x * rstd, w, b), mask=mask)


def layer_norm(x, weight, bias, eps):
    x = x.contiguous()
    n = x.shape[-1]
    y = torch.full_like(x, 0)
    kernel[(x.numel() // n,)](x, weight.contiguous(), bias.contiguous(), y, n, eps, BLOCK=triton.next_power_of_2(n))
    return y
''',
}  # fmt: skip
LAYER_BY_TORCH = "h = x.float()\n    h = h - h.mean(-1, keepdim=True)\n    return (h * torch.rsqrt(h.square().mean(-1, keepdim=True) + eps) * weight + bias).to(x.dtype)"
WRONG["code-triton-layernorm"]={
"padding lanes": (changed(LAYER, ("tl.where(ok, v - m, 0)", "v - m")), "padding"),
"one pass": (changed(LAYER, ("tl.sum(d * d, axis=0) / n", "tl.sum(v * v, axis=0) / n - m * m")), "one-pass"),
"one pass, clamped": (changed(LAYER, ("tl.sum(d * d, axis=0) / n", "tl.maximum(tl.sum(v * v, axis=0) / n - m * m, 0.0)")), "one-pass"),
"unbiased": (changed(LAYER, ("tl.sum(d * d, axis=0) / n", "tl.sum(d * d, axis=0) / (n - 1)")), "unbiased"),
"over the block": (changed(LAYER, ("axis=0) / n", "axis=0) / B")), "over-block"),
"rms": (changed(LAYER, ("m = tl.sum(v, axis=0) / n", "m = 0.0")), "rmsnorm"),
"eps outside": (changed(LAYER, ("tl.sqrt(var + eps)", "(tl.sqrt(var) + eps)")), "eps-outside"),
"no eps": (changed(LAYER, ("var + eps", "var")), "no-eps"),
"eps 1e-5": (changed(LAYER, ("var + eps", "var + 1e-5")), "fixed-eps"),
"eps 1e-6": (changed(LAYER, ("var + eps", "var + 1e-6")), "fixed-eps-1e-6"),
"beta dropped": (changed(LAYER, (" * g + b", " * g")), "no-bias"),
"gamma dropped": (changed(LAYER, (" * g + b", " + b")), "no-weight"),
"columns past the block": (changed(LAYER, ("B=triton.next_power_of_2(n)", "B=1024")), "past-the-block"),
"strides ignored": (changed(LAYER, ("x.contiguous().view(-1, x.size(-1))", "x"), ("flat.size(0),", "x.numel() // x.size(-1),"), ("flat.size(1)", "x.size(-1)"), ("flat.stride(0)", "n")), "strides"),
"the vectors' strides ignored": (changed(LAYER, ("c * gs", "c"), ("c * bs", "c")), "stride-of-vectors"),
"rows of the first dimension": (changed(LAYER, ("(flat.size(0),)", "(x.size(0),)")), "first-dimension"),
"half statistics": (changed(LAYER, ("other=0).to(tl.float32)\n    m = tl.sum(v, axis=0) / n", "other=0)\n    m = (tl.sum(v, axis=0) / n).to(v.dtype)"), ("v - m, 0)", "v - m, 0).to(v.dtype)"), ("(var + eps)", "(var.to(tl.float32) + eps)")), "half-statistics"),
"in place": (changed(LAYER, ("flat.new_empty(flat.shape)", "flat.detach()")), "in-place"),
"torch": (f"def layer_norm(x, weight, bias, eps):\n    {LAYER_BY_TORCH}\n", "torch-does-it"),
"torch with a decoy": (changed(LAYER, ("return out.view(x.shape)", LAYER_BY_TORCH)), "torch-does-it"),
"mean by torch, the rest by the kernel": (changed(LAYER, ("    flat = x", "    x = x - x.mean(-1, keepdim=True)\n    flat = x")), "torch-does-it"),
}  # fmt: skip
FUSED = """
@triton.jit
def fused(x_ptr, r_ptr, w_ptr, y_ptr, h_ptr, xs, rs, ws, n, eps, B: tl.constexpr):
    i = tl.program_id(0)
    c = tl.arange(0, B)
    ok = c < n
    a = tl.load(x_ptr + i * xs + c, mask=ok, other=0).to(tl.float32)
    b = tl.load(r_ptr + i * rs + c, mask=ok, other=0).to(tl.float32)
    s = a + b
    tl.store(h_ptr + i * n + c, s, mask=ok)
    ms = tl.sum(s * s, axis=0) / n
    w = tl.load(w_ptr + c * ws, mask=ok, other=0).to(tl.float32)
    tl.store(y_ptr + i * n + c, s / tl.sqrt(ms + eps) * w, mask=ok)


def fused_add_rms_norm(x, residual, weight, eps):
    n = x.size(-1)
    a, b = x.contiguous().view(-1, n), residual.contiguous().view(-1, n)
    y, h = a.new_empty(a.shape), a.new_empty(a.shape)
    fused[(a.size(0),)](a, b, weight, y, h, a.stride(0), b.stride(0), weight.stride(0), n, eps, B=triton.next_power_of_2(n))
    return y.view(x.shape), h.view(x.shape)
"""
BACKWARD = """

class Fused(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, residual, weight, eps):
        y, h = launch(x, residual, weight, eps)
        ctx.save_for_backward(h, weight)
        ctx.eps = eps
        return y, h

    @staticmethod
    def backward(ctx, dy, dh):
        h, w = ctx.saved_tensors
        r = 1 / torch.sqrt(h.pow(2).mean(-1, keepdim=True) + ctx.eps)
        n, g = h * r, dy * w
        dsum = r * (g - n * (g * n).mean(-1, keepdim=True)) + dh
        return dsum, dsum.clone(), (dy * n).flatten(0, -2).sum(0), None


fused_add_rms_norm = Fused.apply
"""
DIFFERENTIABLE = changed(FUSED, ("def fused_add_rms_norm", "def launch")) + BACKWARD
RIGHT["code-triton-fused-add-rmsnorm"]={
"strides of rows": FUSED,
"with a backward": DIFFERENTIABLE,
"a list": changed(FUSED,("return y.view(x.shape), h.view(x.shape)","return [y.view(x.shape), h.view(x.shape)]")),
"two kernels": '''
@triton.jit
def add(X, R, H, total, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < total).to(tl.float32) + tl.load(R + at, mask=at < total).to(tl.float32)
    tl.store(H + at, x, mask=at < total)


@triton.jit
def norm(H, W, Y, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    h = tl.load(H + row * n + cols, mask=cols < n, other=0.0).to(tl.float32)
    r = tl.rsqrt(tl.sum(h * h, axis=0) / n + eps)
    tl.store(Y + row * n + cols, h * r * tl.load(W + cols, mask=cols < n, other=0.0).to(tl.float32), mask=cols < n)


def fused_add_rms_norm(x, residual, weight, eps):
    x, residual = x.contiguous(), residual.contiguous()
    n = x.shape[-1]
    h, y = torch.empty_like(x), torch.empty_like(x)
    add[(triton.cdiv(x.numel(), 512),)](x, residual, h, x.numel(), BLOCK=512)
    norm[(x.numel() // n,)](h, weight.contiguous(), y, n, eps, BLOCK=triton.next_power_of_2(n))
    return y, h
''',
"stacked outputs": '''
@triton.jit
def kernel(X, R, W, OUT, total, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    h = tl.load(X + row * n + cols, mask=mask, other=0.0).to(tl.float32)
    h = h + tl.load(R + row * n + cols, mask=mask, other=0.0)
    r = 1.0 / tl.sqrt(tl.sum(h * h, axis=0) / n + eps)
    tl.store(OUT + total + row * n + cols, h, mask=mask)
    tl.store(OUT + row * n + cols, h * r * tl.load(W + cols, mask=mask, other=0.0), mask=mask)


def fused_add_rms_norm(x, residual, weight, eps):
    n = x.shape[-1]
    out = torch.empty((2, *x.shape), dtype=x.dtype, device=x.device)
    kernel[(x.numel() // n,)](x.contiguous(), residual.contiguous(), weight.contiguous(), out, x.numel(), n, eps, BLOCK=triton.next_power_of_2(n))
    y, h = out.unbind(0)
    return y, h
''',
}  # fmt: skip
WRONG["code-triton-fused-add-rmsnorm"]={
"h not returned": (changed(FUSED,("return y.view(x.shape), h.view(x.shape)","return y.view(x.shape)")), "only-y"),
"x for h": (changed(FUSED,("h.view(x.shape)","x.clone()")), "h-is-x"),
"the residual for h": (changed(FUSED,("h.view(x.shape)","residual.clone()")), "h-is-residual"),
"y twice": (changed(FUSED,("h.view(x.shape)","y.view(x.shape)")), "h-is-y"),
"swapped": (changed(FUSED,("return y.view(x.shape), h.view(x.shape)","return h.view(x.shape), y.view(x.shape)")), "swapped"),
"h not written": (changed(FUSED,("    tl.store(h_ptr + i * n + c, s, mask=ok)\n","")), "h-not-written"),
"h added by torch": (changed(FUSED,("    tl.store(h_ptr + i * n + c, s, mask=ok)\n",""),("h.view(x.shape)","(x + residual).detach()")), "torch-does-it"),
"norm of x": (changed(FUSED,("    ms =","    s = a\n    ms =")), "norm-of-x"),
"rms of x": (changed(FUSED,("tl.sum(s * s","tl.sum(a * a")), "rms-of-x"),
"layer norm": (changed(FUSED,("    ms =","    s = tl.where(ok, s - tl.sum(s, axis=0) / n, 0.0)\n    ms =")), "layernorm"),
"residual subtracted": (changed(FUSED,("a + b","a - b")), None),
"eps outside": (changed(FUSED,("tl.sqrt(ms + eps)","(tl.sqrt(ms) + eps)")), "eps-outside"),
"no eps": (changed(FUSED,("ms + eps","ms")), "no-eps"),
"eps 1e-6": (changed(FUSED,("ms + eps","ms + 1e-6")), "fixed-eps"),
"eps 1e-5": (changed(FUSED,("ms + eps","ms + 1e-5")), "fixed-eps-1e-5"),
"over the block": (changed(FUSED,("axis=0) / n","axis=0) / B")), "over-block"),
"no weight": (changed(FUSED,(" * w, mask",", mask")), "no-weight"),
"past the block": (changed(FUSED,("B=triton.next_power_of_2(n)","B=1024")), "past-the-block"),
"strides ignored": (changed(FUSED,("x.contiguous().view(-1, n), residual.contiguous().view(-1, n)","x, residual"),("a.size(0),","x.numel() // n,"),("a.stride(0), b.stride(0)","n, n")), "strides"),
"the residual's stride ignored": (changed(FUSED,("residual.contiguous().view(-1, n)","residual"),("b.stride(0)","n")), "stride-of-residual"),
"half statistics": (changed(FUSED,("mask=ok, other=0).to(tl.float32)\n    b","mask=ok, other=0)\n    b"),("mask=ok, other=0).to(tl.float32)\n    s","mask=ok, other=0)\n    s"),("tl.sqrt(ms + eps)","tl.sqrt(ms.to(tl.float32) + eps)")), "half-statistics"),
"into x": (changed(FUSED,("y, h = a.new_empty(a.shape), a.new_empty(a.shape)","y, h = a.new_empty(a.shape), a.detach()")), "in-place-x"),
"into the residual": (changed(FUSED,("y, h = a.new_empty(a.shape), a.new_empty(a.shape)","y, h = a.new_empty(a.shape), b.detach()")), "in-place"),
"the gradient through h lost": (DIFFERENTIABLE.replace(" + dh\n","\n"), "gradient-of-h"),
"only the gradient through h": (DIFFERENTIABLE.replace("r * (g - n * (g * n).mean(-1, keepdim=True)) + dh","dh"), None),
"h detached": (DIFFERENTIABLE.replace("        return y, h\n","        ctx.mark_non_differentiable(h)\n        return y, h\n"), "gradient-of-h"),
"no gradient of the residual": (DIFFERENTIABLE.replace("return dsum, dsum.clone(),","return dsum, None,"), None),
"torch": ("def fused_add_rms_norm(x, residual, weight, eps):\n    h = x + residual\n    f = h.float()\n    return (f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + eps) * weight).to(x.dtype), h\n", "torch-does-it"),
}  # fmt: skip


@pytest.mark.parametrize("id", RIGHT)
def test_right_code_in_any_style_passes(submissions: Submissions, id: str) -> None:
    assert submissions.refused(id, RIGHT[id]) == {}


@pytest.mark.parametrize(("id", "part"), in_parts(WRONG))
def test_wrong_code_fails_and_is_told_its_mistake(submissions: Submissions, id: str, part: slice) -> None:
    assert submissions.misjudged(id, WRONG[id], part) == {}
