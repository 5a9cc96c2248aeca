"""RMSNorm kernels as people write them, and results that come from no kernel."""

from __future__ import annotations

import pytest

from tests.judge.conftest import Submissions, changed, in_parts

RIGHT: dict[str, dict[str, str]] = {}
WRONG: dict[str, dict[str, tuple[str, str | None]]] = {}

RMS = """
@triton.jit
def norm(x_ptr, w_ptr, out_ptr, sx, sw, n_cols, eps, B: tl.constexpr):
    pid = tl.program_id(axis=0)
    offs = tl.arange(0, B)
    keep = offs < n_cols
    v = tl.load(x_ptr + pid * sx + offs, mask=keep, other=0).to(tl.float32)
    ms = tl.sum(v * v, 0) / n_cols
    w = tl.load(w_ptr + offs * sw, mask=keep, other=0).to(tl.float32)
    tl.store(out_ptr + pid * n_cols + offs, (v / tl.sqrt(ms + eps)) * w, mask=keep)


def rms_norm(x, weight, eps):
    flat = x.contiguous().view(-1, x.size(-1))
    out = torch.zeros_like(flat)
    n = flat.size(1)
    norm[(flat.size(0),)](flat, weight, out, flat.stride(0), weight.stride(0), n, eps, B=triton.next_power_of_2(n))
    return out.view_as(x)
"""
RIGHT["code-triton-rmsnorm"]={
"zeros and views": RMS,
"two kernels": '''
@triton.jit
def statistics(x_ptr, rstd_ptr, d, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, d, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * d + at, mask=at < d, other=0.0).to(tl.float32)
        total += tl.sum(x * x, axis=0)
    tl.store(rstd_ptr + row, 1.0 / tl.sqrt(total / d + eps))


@triton.jit
def scale(x_ptr, rstd_ptr, w_ptr, y_ptr, d, total, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < total
    x = tl.load(x_ptr + at, mask=mask, other=0.0).to(tl.float32)
    r = tl.load(rstd_ptr + at // d, mask=mask, other=0.0)
    w = tl.load(w_ptr + at % d, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + at, (x * r * w).to(y_ptr.dtype.element_ty), mask=mask)


def rms_norm(x, weight, eps):
    d = x.shape[-1]
    x, w = x.contiguous(), weight.contiguous()
    rows = x.numel() // d
    rstd = torch.empty(rows, dtype=torch.float32, device=x.device)
    y = x.new_empty(x.shape)
    statistics[(rows,)](x, rstd, d, eps, BLOCK=1024)
    scale[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, rstd, w, y, d, x.numel(), BLOCK=256)
    return y
''',
"a program for many rows, in a loop": '''
@triton.jit
def kernel(X, W, Y, M, N, eps, PROGRAMS: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    w = tl.load(W + cols, mask=cols < N, other=0.0).to(tl.float32)
    for row in range(tl.program_id(0), M, PROGRAMS):
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        y = x * tl.math.rsqrt(tl.sum(x * x) / N + eps) * w
        tl.store(Y + row * N + cols, y, mask=cols < N)


def rms_norm(x, weight, eps):
    shape = x.shape
    x = x.reshape(-1, shape[-1]).contiguous()
    y = torch.empty_like(x)
    M, N = x.shape
    kernel[(2,)](x, weight.contiguous(), y, M, N, float(eps), PROGRAMS=2, BLOCK=max(16, triton.next_power_of_2(N)), num_warps=4)
    return y.reshape(shape)
''',
"a row of two dimensions": '''
@triton.jit
def kernel(X, W, Y, M, N: tl.constexpr, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + (row * N + cols)[None, :], mask=(cols < N)[None, :], other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=cols < N, other=0.0).to(tl.float32)
    y = x * tl.rsqrt(tl.sum(x * x, axis=1, keep_dims=True) / N + eps) * w[None, :]
    tl.store(Y + (row * N + cols)[None, :], y.to(Y.dtype.element_ty), mask=(cols < N)[None, :])


def rms_norm(x, weight, eps):
    flat = x.reshape(-1, x.shape[-1]).contiguous()
    y = torch.empty_like(flat)
    m, n = flat.shape
    kernel[(m,)](flat, weight.contiguous(), y, m, n, eps, BLOCK=triton.next_power_of_2(n))
    return y.view(x.shape)
''',
"a helper and full strides": '''
@triton.jit
def inverse_rms(total, n, eps):
    return 1.0 / tl.sqrt(total / n + eps)


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def kernel(X, W, Y, s0, s1, ws, t0, t1, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * s0 + cols * s1, mask=mask, other=0.0).to(tl.float32)
    r = inverse_rms(tl.reduce(x * x, 0, add), N, eps)
    tl.store(Y + row * t0 + cols * t1, x * r * tl.load(W + cols * ws, mask=mask, other=1.0).to(tl.float32), mask=mask)


class Rms(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, eps):
        rows = x.reshape(-1, x.shape[-1])
        y = torch.empty(rows.shape, dtype=x.dtype, device=x.device)
        kernel[(rows.shape[0],)](rows, w, y, *rows.stride(), w.stride(0), *y.stride(), x.shape[-1], eps, BLOCK=triton.next_power_of_2(x.shape[-1]))
        ctx.save_for_backward(x, w)
        ctx.eps = eps
        return y.reshape(x.shape)

    @staticmethod
    def backward(ctx, grad):
        x, w = ctx.saved_tensors
        with torch.enable_grad():
            a, b = x.detach().requires_grad_(), w.detach().requires_grad_()
            y = a * torch.rsqrt(a.pow(2).mean(-1, keepdim=True) + ctx.eps) * b
            return (*torch.autograd.grad(y, (a, b), grad), None)


def rms_norm(x, weight, eps):
    return Rms.apply(x, weight, eps)
''',
"one row in pieces, weight rounded late": '''
@triton.jit
def kernel(x_ptr, w_ptr, y_ptr, d, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(0, tl.cdiv(d, BLOCK)):
        cols = i * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * d + cols, mask=cols < d, other=0.0)
        acc += x.to(tl.float32) * x.to(tl.float32)
    r = tl.rsqrt(tl.sum(acc, axis=0) / d + eps)
    for i in range(0, tl.cdiv(d, BLOCK)):
        cols = i * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * d + cols, mask=cols < d, other=0.0)
        h = (x.to(tl.float32) * r).to(x.dtype)
        tl.store(y_ptr + row * d + cols, h * tl.load(w_ptr + cols, mask=cols < d), mask=cols < d)


def rms_norm(x, weight, eps):
    x_, w_ = x.contiguous(), weight.contiguous()
    y = torch.empty_like(x_)
    kernel[(x_.numel() // x_.shape[-1], 1, 1)](x_, w_, y, x_.shape[-1], eps, 128)
    return y
''',
}  # fmt: skip
TORCH = "return (x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + eps) * weight.float()).to(x.dtype)"
WRONG["code-triton-rmsnorm"]={
"eps outside": (changed(RMS, ("tl.sqrt(ms + eps)", "(tl.sqrt(ms) + eps)")), "eps-outside"),
"no eps": (changed(RMS, ("ms + eps", "ms")), "no-eps"),
"eps 1e-6": (changed(RMS, ("ms + eps", "ms + 1e-6")), "fixed-eps"),
"eps 1e-5": (changed(RMS, ("ms + eps", "ms + 1e-5")), "fixed-eps-1e-5"),
"the sum": (changed(RMS, (", 0) / n_cols", ", 0)")), "sum"),
"divided by the block": (changed(RMS, ("/ n_cols", "/ B")), "over-block"),
"tl.max for tl.sum": (changed(RMS, ("tl.sum(v * v, 0) / n_cols", "tl.max(v * v, 0)")), None),
"layer norm": (changed(RMS, ("    ms =", "    v = tl.where(keep, v - tl.sum(v, 0) / n_cols, 0.0)\n    ms =")), "layernorm"),
"no weight": (changed(RMS, (") * w, mask", "), mask")), "no-weight"),
"one plus weight": (changed(RMS, (") * w, mask", ") * (1 + w), mask")), "gemma"),
"columns past the block": (changed(RMS, ("B=triton.next_power_of_2(n)", "B=min(triton.next_power_of_2(n), 1024)")), "past-the-block"),
"a fixed block": (changed(RMS, ("B=triton.next_power_of_2(n)", "B=1024")), "past-the-block"),
"a small fixed block": (changed(RMS, ("B=triton.next_power_of_2(n)", "B=64")), "past-the-block"),
"strides ignored": (changed(RMS, ("x.contiguous().view(-1, x.size(-1))", "x"), ("flat.size(0),", "x.numel() // x.size(-1),"), ("flat.size(1)", "x.size(-1)"), ("flat.stride(0)", "n"), ("torch.zeros_like(flat)", "torch.zeros(x.shape, dtype=x.dtype)")), "strides"),
"the weight's stride ignored": (changed(RMS, ("offs * sw", "offs")), "stride-of-weight"),
"the columns' stride ignored": (changed(RMS, ("x.contiguous().view(-1, x.size(-1))", "x.reshape(-1, x.size(-1))"), ("torch.zeros_like(flat)", "torch.zeros(flat.shape, dtype=x.dtype)")), "stride-of-columns"),
"rows of the first dimension only": (changed(RMS, ("(flat.size(0),)", "(x.size(0),)")), "first-dimension"),
"half precision": (changed(RMS, ("other=0).to(tl.float32)\n    ms", "other=0)\n    ms"), ("(v / tl.sqrt(ms + eps))", "(v / tl.sqrt(ms.to(tl.float32) + eps))")), "half-statistics"),
"float32 comes back": (changed(RMS, ("torch.zeros_like(flat)", "torch.zeros_like(flat, dtype=torch.float32)")), "not-converted-back"),
"in place": (changed(RMS, ("out = torch.zeros_like(flat)", "out = flat.detach()")), "in-place"),
"torch alone": (f"def rms_norm(x, weight, eps):\n    {TORCH}\n", "torch-does-it"),
"torch with a decoy": (changed(RMS, ("return out.view_as(x)", TORCH)), "torch-does-it"),
"a decoy on another tensor, numpy for the rest": (changed(RMS, ("return out.view_as(x)", "a = x.detach().double().numpy()\n    a = a / (((a * a).mean(-1, keepdims=True)) + eps) ** 0.5 * weight.detach().double().numpy()\n    return torch.from_numpy(a).to(x.dtype)")), "torch-does-it"),
"plain Python with a decoy": (changed(RMS, ("return out.view_as(x)", "rows = []\n    for row in x.detach().reshape(-1, n).tolist():\n        r = (sum(v * v for v in row) / n + eps) ** -0.5\n        rows.append([v * r * w for v, w in zip(row, weight.tolist())])\n    return torch.tensor(rows).to(x.dtype).view(x.shape)")), "torch-does-it"),
"the kernel only copies": (changed(RMS, ("(v / tl.sqrt(ms + eps)) * w", "v"), ("return out.view_as(x)", "return (out.view_as(x).float() / (out.view_as(x).float().norm(dim=-1, keepdim=True) ** 2 / n + eps).sqrt() * weight).to(x.dtype)")), "torch-does-it"),
"sums of squares by matmul": (changed(RMS, ("return out.view_as(x)", "h = x.float()\n    return (h * torch.rsqrt((h * h) @ torch.ones(n, 1) / n + eps) * weight).to(x.dtype)")), "torch-does-it"),
"the forbidden function": ("def rms_norm(x, weight, eps):\n    return F.rms_norm(x, x.shape[-1:], weight, eps)\n", None),
"a gradient of the wrong kind": (changed(RMS, ("def rms_norm", "def launch"), ("return out.view_as(x)\n", "return out.view_as(x)\n\n\nclass N(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, w, eps):\n        ctx.save_for_backward(x, w); ctx.eps = eps\n        return launch(x, w, eps)\n\n    @staticmethod\n    def backward(ctx, dy):\n        x, w = ctx.saved_tensors\n        r = 1 / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + ctx.eps)\n        return dy * w * r, (dy * x * r).flatten(0, -2).sum(0), None\n\n\nrms_norm = N.apply\n")), "constant-rstd"),
"a gradient of the input only": (changed(RMS, ("def rms_norm", "def launch"), ("return out.view_as(x)\n", "return out.view_as(x)\n\n\nclass N(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, w, eps):\n        ctx.save_for_backward(x, w); ctx.eps = eps\n        return launch(x, w, eps)\n\n    @staticmethod\n    def backward(ctx, dy):\n        x, w = ctx.saved_tensors\n        r = 1 / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + ctx.eps)\n        h, g = x * r, dy * w\n        return r * (g - h * (g * h).mean(-1, keepdim=True)), None, None\n\n\nrms_norm = N.apply\n")), None),
"last column missed": (changed(RMS, ("keep = offs < n_cols", "keep = offs < n_cols - 1")), None),
"an error in the kernel": (changed(RMS, ("ms + eps", "ms + epsilon")), None),
}  # fmt: skip


@pytest.mark.parametrize("id", RIGHT)
def test_right_code_in_any_style_passes(submissions: Submissions, id: str) -> None:
    assert submissions.refused(id, RIGHT[id]) == {}


@pytest.mark.parametrize(("id", "part"), in_parts(WRONG))
def test_wrong_code_fails_and_is_told_its_mistake(submissions: Submissions, id: str, part: slice) -> None:
    assert submissions.misjudged(id, WRONG[id], part) == {}
