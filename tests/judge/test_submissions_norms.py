"""LayerNorm and RMSNorm as people write them: none that is right is refused, none that is wrong passes."""

from __future__ import annotations

import pytest

from tests.judge.conftest import Submissions, changed, in_parts

RIGHT: dict[str, dict[str, str]] = {}
WRONG: dict[str, dict[str, tuple[str, str | None]]] = {}

RIGHT["code-layernorm"] = {
"a lambda": '''
layer_norm = lambda x, w, b, e: (lambda h: ((h - h.mean(-1, True)) / (h.var(-1, unbiased=False, keepdim=True) + e) ** 0.5 * w + b).to(x.dtype))(x if x.dtype == torch.float64 else x.float())
''',
"std_mean squared": '''
def layer_norm(inputs, gamma, beta, epsilon=1e-5, *rest):
    wide = inputs.to(torch.float64)
    std, mean = torch.std_mean(wide, dim=-1, correction=0, keepdim=True)
    out = (wide - mean) / (std.pow(2) + epsilon).sqrt()
    return torch.addcmul(beta.double(), out, gamma.double()).type_as(inputs)
''',
"a product with ones": '''
def layer_norm(x, weight, bias, eps):
    kind = torch.promote_types(x.dtype, torch.float32)
    h, d = x.to(kind), x.size(-1)
    average = torch.full((d, 1), 1 / d, dtype=kind)
    h = h - h @ average
    return (h / torch.sqrt(h.pow(2) @ average + eps) * weight.to(kind) + bias.to(kind)).to(x.dtype)
''',
"an autograd function with a backward of its own": '''
class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        mean = h.mean(-1, keepdim=True)
        rstd = ((h - mean).square().mean(-1, keepdim=True) + eps).rsqrt()
        ctx.save_for_backward(h, weight, mean, rstd)
        return ((h - mean) * rstd * weight + bias).to(x.dtype)

    @staticmethod
    def backward(ctx, dy):
        x, weight, mean, rstd = ctx.saved_tensors
        xhat = (x - mean) * rstd
        g = dy * weight
        dx = (g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, keepdim=True)) * rstd
        d = x.shape[-1]
        return dx, (dy * xhat).reshape(-1, d).sum(0), dy.reshape(-1, d).sum(0), None


def layer_norm(x, weight, bias, eps):
    return Norm.apply(x, weight, bias, eps)
''',
"a module": '''
class LayerNorm(nn.Module):
    def forward(self, x, weight, bias, eps):
        half = x.dtype == torch.float16
        h = x.float() if half else x
        mu = torch.mean(h, dim=-1).unsqueeze(-1)
        h = h - mu
        sigma2 = torch.mean(h * h, dim=-1).unsqueeze(-1)
        h = h * (sigma2 + eps).pow(-0.5)
        return (h.to(x.dtype) if half else h) * weight + bias


layer_norm = LayerNorm()
''',
"row by row": '''
def one_row(row, weight, bias, eps):
    wide = row.double()
    mean = sum(wide.unbind()) / len(wide)
    var = sum((v - mean) ** 2 for v in wide.unbind()) / len(wide)
    return ((wide - mean) / torch.sqrt(var + eps) * weight + bias).to(row.dtype)


def layer_norm(x, weight, bias, eps):
    if x.shape[-1] > 300:
        wide = x.double()
        centred = wide - wide.mean(-1, keepdim=True)
        return (centred / (centred.square().mean(-1, keepdim=True) + eps).sqrt() * weight + bias).to(x.dtype)
    rows = x.reshape(-1, x.shape[-1])
    return torch.stack([one_row(row, weight, bias, eps) for row in rows]).reshape(x.shape)
''',
"vmap": '''
def layer_norm(x, weight, bias, eps):
    def row(h):
        centred = h - h.mean()
        return centred * torch.rsqrt((centred * centred).mean() + eps)

    wide = x.to(torch.promote_types(x.dtype, torch.float32)).reshape(-1, x.shape[-1])
    return (torch.vmap(row)(wide).reshape(x.shape) * weight + bias).to(x.dtype)
''',
"shifted by the first value": '''
def layer_norm(x, weight, bias, eps):
    h = x.double()
    h = h - h[..., :1].detach()
    m1, m2 = h.mean(-1, keepdim=True), (h * h).mean(-1, keepdim=True)
    return ((h - m1) / torch.sqrt(m2 - m1 * m1 + eps) * weight + bias).to(x.dtype)
''',
"einops-like reductions and F.normalize": '''
def layer_norm(x, weight, bias, eps):
    d = x.shape[-1]
    h = x.to(torch.promote_types(x.dtype, torch.float32))
    h = torch.sub(h, torch.einsum("...d->...", h).unsqueeze(-1), alpha=1 / d)
    length = torch.sqrt(torch.linalg.vector_norm(h, dim=-1, keepdim=True) ** 2 + d * eps)
    return (math.sqrt(d) * h / length * weight + bias).to(x.dtype)
''',
"a script function": '''
@torch.jit.script
def layer_norm(x, weight, bias, eps: float):
    h = x.to(torch.float64)
    mean = h.mean(-1, keepdim=True)
    var = (h - mean).pow(2).mean(-1, keepdim=True)
    return ((h - mean) / torch.sqrt(var + eps) * weight + bias).to(x.dtype)
''',
}  # fmt: skip
LN_BASE = """
def layer_norm(x, weight, bias, eps):
    kind = torch.promote_types(x.dtype, torch.float32)
    wide = x.to(kind)
    mu = wide.mean(dim=-1, keepdim=True)
    sigma2 = ((wide - mu) ** 2).mean(dim=-1, keepdim=True)
    out = (wide - mu) / torch.sqrt(sigma2 + eps)
    return (out * weight + bias).to(x.dtype)
"""
WRONG["code-layernorm"] = {
"statistics under no_grad": (changed(LN_BASE, ("    mu =", "    torch.set_grad_enabled(False)\n    mu ="), ("    out", "    torch.set_grad_enabled(True)\n    out")), "detached"),
"only the variance detached": (changed(LN_BASE, ("sigma2 + eps)", "sigma2.detach() + eps)")), "detached-variance"),
"only the mean detached": (changed(LN_BASE, ("mu = wide.mean(dim=-1, keepdim=True)", "mu = wide.mean(dim=-1, keepdim=True).detach()")), "detached-mean"),
"no eps": (changed(LN_BASE, ("sigma2 + eps", "sigma2")), "no-eps"),
"eps outside": (changed(LN_BASE, ("torch.sqrt(sigma2 + eps)", "(torch.sqrt(sigma2) + eps)")), "eps-outside"),
"unbiased std": (changed(LN_BASE, ("torch.sqrt(sigma2 + eps)", "torch.sqrt(wide.var(-1, keepdim=True) + eps)")), "unbiased"),
"unbiased std plus eps outside": (changed(LN_BASE, ("torch.sqrt(sigma2 + eps)", "(wide.std(-1, keepdim=True) + eps)")), "unbiased-outside"),
"one pass": (changed(LN_BASE, ("((wide - mu) ** 2).mean(dim=-1, keepdim=True)", "(wide ** 2).mean(dim=-1, keepdim=True) - mu ** 2")), "one-pass"),
"one pass, clamped": (changed(LN_BASE, ("((wide - mu) ** 2).mean(dim=-1, keepdim=True)", "((wide ** 2).mean(dim=-1, keepdim=True) - mu ** 2).clamp_min(0)")), "one-pass"),
"axis 0": (changed(LN_BASE, ("dim=-1", "dim=0")), "wrong-axis"),
"axis 1": (changed(LN_BASE, ("dim=-1", "dim=1")), "second-dimension"),
"axis -2": (changed(LN_BASE, ("dim=-1", "dim=-2")), "wrong-axis"),
"all but the first dimension": (changed(LN_BASE, ("dim=-1", "dim=tuple(range(1, x.ndim))")), "whole-sample"),
"all but the last dimension": (changed(LN_BASE, ("dim=-1", "dim=tuple(range(x.ndim - 1))")), "wrong-axis"),
"the whole tensor": (changed(LN_BASE, ("dim=-1, keepdim=True", "")), "whole-tensor"),
"beta dropped": (changed(LN_BASE, (" + bias", "")), "no-bias"),
"gamma dropped": (changed(LN_BASE, ("out * weight", "out")), "no-weight"),
"eps 1e-6": (changed(LN_BASE, ("sigma2 + eps", "sigma2 + 1e-6")), "fixed-eps-1e-6"),
"eps 1e-5": (changed(LN_BASE, ("sigma2 + eps", "sigma2 + 1e-5")), "fixed-eps"),
"the textbook one-liner": ('''
def layer_norm(x, weight, bias, eps):
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + eps) * weight + bias
''', "half-statistics"),
"in place": (changed(LN_BASE, ("wide = x.to(kind)", "wide = x.data.to(kind)"), ("return (out * weight + bias).to(x.dtype)", "x.data.copy_(out)\n    return (out * weight + bias).to(x.dtype)")), None),
"writes into x": (changed(LN_BASE, ("    return", "    with torch.no_grad():\n        x.mul_(2)\n    return")), "in-place"),
"writes into the bias": (changed(LN_BASE, ("    return (out * weight + bias)", "    out = out * weight\n    with torch.no_grad():\n        bias += 1\n    return (out + bias - 1)")), None),
"RMSNorm": (changed(LN_BASE, ("mu = wide.mean(dim=-1, keepdim=True)", "mu = 0 * wide")), "rmsnorm"),
"not centred above the line": (changed(LN_BASE, ("out = (wide - mu)", "out = wide")), "not-centred"),
"no root": (changed(LN_BASE, ("torch.sqrt(sigma2 + eps)", "(sigma2 + eps)")), "no-root"),
"bias times weight": (changed(LN_BASE, ("out * weight + bias", "(out + bias) * weight")), "bias-first"),
"always float32": (changed(LN_BASE, ("kind = torch.promote_types(x.dtype, torch.float32)", "kind = torch.float32"), ("out * weight + bias", "out * weight.float() + bias.float()")), "wrong-dtype"),
"float32 comes back for float16": (changed(LN_BASE, (".to(x.dtype)\n", "\n") if False else ("(out * weight + bias).to(x.dtype)", "out * weight + bias")), "not-converted-back"),
"F.layer_norm": ("def layer_norm(x, weight, bias, eps):\n    return F.layer_norm(x, x.shape[-1:], weight, bias, eps)\n", None),
"F.layer_norm in float32": ("def layer_norm(x, weight, bias, eps):\n    return F.layer_norm(x.double(), x.shape[-1:], weight.double(), bias.double(), eps).to(x.dtype)\n", None),
"group norm": ("def layer_norm(x, weight, bias, eps):\n    rows = x.double().reshape(-1, 1, x.shape[-1])\n    return (F.group_norm(rows, 1, eps=eps).reshape(x.shape) * weight + bias).to(x.dtype)\n", None),
}  # fmt: skip
RIGHT["code-rmsnorm"] = {
"a lambda": "rms_norm = lambda x, w, e: (x.double() / (x.double().pow(2).mean(-1, keepdim=True) + e).sqrt() * w).to(x.dtype)\n",
"reciprocal, weight last": '''
def rms_norm(hidden_states, weight, eps):
    dtype = hidden_states.dtype
    if dtype == torch.half:
        hidden_states = hidden_states.to(torch.float32)
    variance = hidden_states.pow(2).mean(-1, keepdim=True)
    hidden_states = hidden_states * torch.rsqrt(variance + eps)
    return weight * hidden_states.to(dtype)
''',
"dot products": '''
def rms_norm(x, weight, eps):
    h = x.to(torch.promote_types(x.dtype, torch.float32))
    square = torch.einsum("...i,...i->...", h, h)[..., None]
    return (h * weight * (square / h.shape[-1] + eps) ** -0.5).to(x.dtype)
''',
"a class with __call__": '''
class RMS:
    def __call__(self, x, weight, eps):
        h = x if x.dtype == torch.float64 else x.float()
        ms = torch.mean(torch.square(h), axis=-1, keepdims=True)
        return torch.div(h, torch.sqrt(torch.add(ms, eps))).mul(weight).type(x.dtype)


rms_norm = RMS()
''',
"an autograd function": '''
class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        r = torch.rsqrt(h.square().mean(-1, keepdim=True) + eps)
        ctx.save_for_backward(h, weight, r)
        return (h * r * weight).to(x.dtype)

    @staticmethod
    def backward(ctx, dy):
        x, weight, r = ctx.saved_tensors
        g = dy * weight
        dx = g * r - x * r ** 3 * (g * x).mean(-1, keepdim=True)
        return dx, (dy * x * r).flatten(0, -2).sum(0), None


rms_norm = Norm.apply
''',
"scaled first": '''
def rms_norm(x, weight, eps):
    h = x.double()
    size = h.abs().amax(-1, keepdim=True).clamp_min(1e-30).detach()
    scaled = h / size
    rms = size * torch.sqrt(scaled.square().mean(-1, keepdim=True) + eps / size**2)
    return (h / rms * weight).to(x.dtype)
''',
"vmap": '''
def rms_norm(x, weight, eps):
    flat = x.to(torch.promote_types(x.dtype, torch.float32)).flatten(0, -2)
    rows = torch.func.vmap(lambda row: row / torch.sqrt(row.dot(row) / row.numel() + eps))(flat)
    return (rows.view(x.shape) * weight).to(x.dtype)
''',
}  # fmt: skip
RMS_BASE = """
def rms_norm(x, weight, eps):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    ms = (wide ** 2).mean(dim=-1, keepdim=True)
    out = wide / torch.sqrt(ms + eps)
    return (out * weight).to(x.dtype)
"""
WRONG["code-rmsnorm"] = {
"detached": (changed(RMS_BASE, ("ms + eps", "ms.detach() + eps")), "detached"),
"no eps": (changed(RMS_BASE, ("ms + eps", "ms")), "no-eps"),
"eps outside": (changed(RMS_BASE, ("torch.sqrt(ms + eps)", "(torch.sqrt(ms) + eps)")), "eps-outside"),
"eps 1e-6": (changed(RMS_BASE, ("ms + eps", "ms + 1e-6")), "fixed-eps"),
"eps 1e-5": (changed(RMS_BASE, ("ms + eps", "ms + 1e-5")), "fixed-eps-1e-5"),
"LayerNorm": (changed(RMS_BASE, ("    ms", "    wide = wide - wide.mean(-1, keepdim=True)\n    ms")), "layernorm"),
"the standard deviation": (changed(RMS_BASE, ("(wide ** 2).mean(dim=-1, keepdim=True)", "wide.var(-1, unbiased=False, keepdim=True)")), "std"),
"the unbiased standard deviation": (changed(RMS_BASE, ("(wide ** 2).mean(dim=-1, keepdim=True)", "wide.var(-1, keepdim=True)")), "unbiased-std"),
"the L2 norm": (changed(RMS_BASE, (".mean(dim", ".sum(dim")), "sum"),
"F.normalize": ("def rms_norm(x, weight, eps):\n    wide = x.to(torch.promote_types(x.dtype, torch.float32))\n    return (F.normalize(wide, dim=-1) * weight).to(x.dtype)\n", None),
"axis 0": (changed(RMS_BASE, ("dim=-1", "dim=0")), "wrong-axis"),
"axis 1": (changed(RMS_BASE, ("dim=-1", "dim=1")), "second-dimension"),
"axis -2": (changed(RMS_BASE, ("dim=-1", "dim=-2")), "wrong-axis"),
"all but the first dimension": (changed(RMS_BASE, ("dim=-1", "dim=tuple(range(1, x.ndim))")), "whole-sample"),
"the whole tensor": (changed(RMS_BASE, ("dim=-1, keepdim=True", "")), "whole-tensor"),
"weight dropped": (changed(RMS_BASE, ("out * weight", "out")), "no-weight"),
"one plus the weight": (changed(RMS_BASE, ("out * weight", "out * (weight + 1)")), "gemma"),
"statistics in half precision": ("def rms_norm(x, weight, eps):\n    return x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight\n", "half-statistics"),
"in place": (changed(RMS_BASE, ("    return", "    x.data.copy_(out.to(x.dtype))\n    return")), "in-place"),
"no root": (changed(RMS_BASE, ("torch.sqrt(ms + eps)", "(ms + eps)")), "no-root"),
"always float32": (changed(RMS_BASE, ("torch.promote_types(x.dtype, torch.float32)", "torch.float32"), ("* weight", "* weight.float()")), "wrong-dtype"),
"float32 comes back for float16": (changed(RMS_BASE, ("(out * weight).to(x.dtype)", "out * weight")), "not-converted-back"),
"mean of absolute values": (changed(RMS_BASE, ("out = wide / torch.sqrt(ms + eps)", "out = wide / (wide.abs().mean(-1, keepdim=True) + eps)")), "mean-absolute"),
"F.rms_norm": ("def rms_norm(x, weight, eps):\n    return F.rms_norm(x, x.shape[-1:], weight, eps)\n", None),
"nn.RMSNorm": ("def rms_norm(x, weight, eps):\n    norm = nn.RMSNorm(x.shape[-1], eps=eps, dtype=x.dtype)\n    norm.weight = nn.Parameter(weight)\n    return norm(x)\n", None),
}  # fmt: skip


@pytest.mark.parametrize("id", RIGHT)
def test_right_code_in_any_style_passes(submissions: Submissions, id: str) -> None:
    assert submissions.refused(id, RIGHT[id]) == {}


@pytest.mark.parametrize(("id", "part"), in_parts(WRONG))
def test_wrong_code_fails_and_is_told_its_mistake(submissions: Submissions, id: str, part: slice) -> None:
    assert submissions.misjudged(id, WRONG[id], part) == {}
