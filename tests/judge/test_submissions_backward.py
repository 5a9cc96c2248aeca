"""Backward passes as people write them, and ways round writing them."""

from __future__ import annotations

import pytest

from tests.judge.conftest import Submissions, changed, in_parts

RIGHT: dict[str, dict[str, str]] = {}
WRONG: dict[str, dict[str, tuple[str, str | None]]] = {}

RIGHT["code-layernorm-backward"]={
"the kernel's three sums": '''
def layer_norm_backward(dy, x, weight, mean, rstd):
    N = x.size(-1)
    dot = (dy * weight * x).sum(-1, keepdim=True)
    total = (dy * weight).sum(-1, keepdim=True)
    b = (total * mean - dot) * rstd ** 3 / N
    c = -b * mean - total * rstd / N
    dx = rstd * dy * weight + b * x + c
    lead = list(range(dy.dim() - 1))
    return dx, (dy * (x - mean) * rstd).sum(lead), dy.sum(lead)
''',
"a list, matrices": '''
def layer_norm_backward(dy, x, weight, mean, rstd):
    n = x.shape[-1]
    X = ((x - mean) * rstd).reshape(-1, n)
    D = dy.reshape(-1, n)
    ones = torch.ones(len(D), dtype=x.dtype)
    dweight, dbias = ones @ (D * X), ones @ D
    G = D * weight
    P = torch.eye(n, dtype=x.dtype) - 1.0 / n
    dx = (G @ P - X * ((G * X).sum(1) / n)[:, None]) * rstd.reshape(-1, 1)
    return [dx.reshape(x.shape), dweight, dbias]
''',
"in float64 throughout": '''
def layer_norm_backward(dy, x, weight, mean, rstd):
    kind = x.dtype
    dy, x, weight, mean, rstd = (t.to(torch.float64) for t in (dy, x, weight, mean, rstd))
    centred = x.sub(mean)
    dxhat = dy.mul(weight)
    a = dxhat.mean(dim=-1, keepdim=True)
    b = (dxhat * centred).mean(dim=-1, keepdim=True) * rstd.square()
    dx = dxhat.sub(a).sub(centred * b).mul(rstd)
    out = dx, torch.einsum("...d,...d->d", dy, centred * rstd), torch.einsum("...d->d", dy)
    return tuple(t.to(kind) for t in out)
''',
"row by row with the Jacobian": '''
def layer_norm_backward(dy, x, weight, mean, rstd):
    d = x.shape[-1]
    if d > 200:
        h = (x - mean) * rstd
        g = dy * weight
        dx = (g - (g.sum(-1, keepdim=True) + h * (g * h).sum(-1, keepdim=True)) / d) * rstd
    else:
        h = (x - mean) * rstd
        J = (torch.eye(d, dtype=x.dtype) - 1 / d - h[..., :, None] * h[..., None, :] / d) * rstd[..., None]
        dx = ((dy * weight)[..., None, :] @ J)[..., 0, :]
    return dx, (dy * h).reshape(-1, d).sum(axis=0), dy.reshape(-1, d).sum(axis=0)
''',
}  # fmt: skip
LAYER = """
def layer_norm_backward(dy, x, weight, mean, rstd):
    n = x.shape[-1]
    z = (x - mean) * rstd
    u = dy * weight
    mu = u.sum(dim=-1, keepdim=True) / n
    muz = (u * z).sum(dim=-1, keepdim=True) / n
    dx = (u - mu - z * muz) * rstd
    lead = tuple(range(dy.ndim - 1))
    dw = (dy * z).sum(dim=lead)
    db = dy.sum(dim=lead)
    return dx, dw, db
"""
WRONG["code-layernorm-backward"]={
"statistics as constants": (changed(LAYER, ("(u - mu - z * muz)", "u")), "constants"),
"no mean term": (changed(LAYER, ("u - mu -", "u -")), "no-mean"),
"no variance term": (changed(LAYER, (" - z * muz", "")), "no-variance"),
"without weight": (changed(LAYER, ("u = dy * weight", "u = dy")), "no-weight"),
"weight at the end": (changed(LAYER, ("u = dy * weight", "u = dy"), ("* rstd\n    lead", "* rstd * weight\n    lead")), "weight-late"),
"without rstd": (changed(LAYER, ("(u - mu - z * muz) * rstd", "(u - mu - z * muz)")), "no-rstd"),
"sums": (changed(LAYER, (" / n", "")), "sums"),
"wrong sign": (changed(LAYER, ("- z * muz", "+ z * muz")), "plus"),
"statistics computed anew, eps 1e-5": (changed(LAYER, ("    z =", "    mean = x.mean(-1, keepdim=True)\n    rstd = 1 / torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + 1e-5)\n    z =")), "own-rstd"),
"dweight of x": (changed(LAYER, ("(dy * z).sum", "(dy * x).sum")), "not-normalised"),
"not centred": (changed(LAYER, ("(x - mean) * rstd", "x * rstd")), "not-centred"),
"means over rows": (changed(LAYER, ("sum(dim=lead)", "mean(dim=lead)")), "mean-over-rows"),
"only over the first dimension": (changed(LAYER, ("lead = tuple(range(dy.ndim - 1))", "lead = 0")), "first-dimension"),
"swapped": (changed(LAYER, ("return dx, dw, db", "return dx, db, dw")), "swapped"),
"in place": (changed(LAYER, ("u = dy * weight", "u = dy.mul_(weight)")), None),
"dy scaled, otherwise right": (changed(LAYER, ("    return", "    dy *= 2\n    return")), "in-place"),
"x overwritten": (changed(LAYER, ("    return", "    x.copy_(z)\n    return")), "in-place"),
"only dx": (changed(LAYER, ("return dx, dw, db", "return dx")), None),
"the variance's divisor": (changed(LAYER, ("muz = (u * z).sum(dim=-1, keepdim=True) / n", "muz = (u * z).sum(dim=-1, keepdim=True) / (n - 1)")), "unbiased"),
"dx of the wrong shape": (changed(LAYER, ("return dx, dw, db", "return dx.reshape(-1, n), dw, db")), None),
"float64 comes back": (changed(LAYER, ("    n =", "    dy, x = dy.double(), x.double()\n    n =")), None),
"autograd with eps found again": ('''
def layer_norm_backward(dy, x, weight, mean, rstd):
    with torch.enable_grad():
        x = x.detach().clone().requires_grad_()
        weight = weight.detach().clone().requires_grad_()
        bias = torch.zeros_like(weight).requires_grad_()
        centred = x - x.mean(-1, keepdim=True)
        var = centred.square().mean(-1, keepdim=True)
        eps = (1 / rstd.square() - var).detach()
        y = centred * torch.rsqrt(var + eps) * weight + bias
        return torch.autograd.grad(y, [x, weight, bias], dy)
''', None),
"autograd by backward": ('''
def layer_norm_backward(dy, x, weight, mean, rstd):
    with torch.enable_grad():
        x = x.detach().clone().requires_grad_()
        weight = weight.detach().clone().requires_grad_()
        bias = torch.zeros_like(weight).requires_grad_()
        centred = x - x.mean(-1, keepdim=True)
        var = centred.square().mean(-1, keepdim=True)
        eps = (1 / rstd.square() - var).detach()
        (centred * torch.rsqrt(var + eps) * weight + bias).backward(dy)
        return x.grad, weight.grad, bias.grad
''', None),
"autograd by vjp": ('''
def layer_norm_backward(dy, x, weight, mean, rstd):
    eps = 1 / rstd.square() - (x - mean).square().mean(-1, keepdim=True)
    def norm(x, w, b):
        centred = x - x.mean(-1, keepdim=True)
        return centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + eps) * w + b
    return torch.func.vjp(norm, x, weight, torch.zeros_like(weight))[1](dy)
''', None),
"the kernel of torch": ('''
def layer_norm_backward(dy, x, weight, mean, rstd):
    return torch.ops.aten.native_layer_norm_backward(dy, x, x.shape[-1:], mean, rstd, weight, torch.zeros_like(weight), [True] * 3)
''', None),
}  # fmt: skip
RIGHT["code-rmsnorm-backward"]={
"PyTorch's own form": '''
def rms_norm_backward(dy, x, weight, rstd):
    N = x.shape[-1]
    c = (dy * weight * x).sum(dim=-1, keepdim=True)
    dx = rstd * (weight * dy) - rstd.pow(3) / N * c * x
    return dx, torch.einsum("...n,...n->n", dy, x * rstd)
''',
"an outer product": '''
def rms_norm_backward(dy, x, weight, rstd):
    d = x.size(-1)
    n = (x * rstd).reshape(-1, d)
    g = dy.reshape(-1, d) * weight
    proj = torch.sum(g * n, 1, True).div(d).mul(n)
    dx = g.sub(proj).mul(rstd.reshape(-1, 1)).reshape_as(x)
    return (dx, (dy.reshape(-1, d) * n).sum(dim=0))
''',
"float64": '''
def rms_norm_backward(dy, x, weight, rstd):
    a, b, w, r = dy.double(), x.double(), weight.double(), rstd.double()
    along = torch.linalg.vecdot(a * w, b).unsqueeze(-1) * r * r / b.shape[-1]
    dx = (a * w - b * along) * r
    lead = [*range(x.dim() - 1)]
    return dx.to(x.dtype), torch.sum(a * b * r, lead).to(x.dtype)
''',
"a loop over rows": '''
def rms_norm_backward(dy, x, weight, rstd):
    d = x.shape[-1]
    dw = torch.zeros(d, dtype=x.dtype)
    rows = []
    for u, v, r in zip(dy.reshape(-1, d), x.reshape(-1, d), rstd.reshape(-1)):
        h = v * r
        g = u * weight
        rows.append(r * (g - h * torch.dot(g, h) / d))
        dw = dw + u * h
    return torch.stack(rows).reshape(x.shape), dw
''',
}  # fmt: skip
RMS = """
def rms_norm_backward(dy, x, weight, rstd):
    n = x.shape[-1]
    z = x * rstd
    u = dy * weight
    muz = (u * z).sum(dim=-1, keepdim=True) / n
    dx = (u - z * muz) * rstd
    dw = (dy * z).sum(dim=tuple(range(dy.ndim - 1)))
    return dx, dw
"""
WRONG["code-rmsnorm-backward"]={
"rstd as a constant": (changed(RMS, ("(u - z * muz)", "u")), "constants"),
"LayerNorm's": (changed(RMS, ("(u - z * muz)", "(u - u.mean(-1, keepdim=True) - z * muz)")), "layernorm"),
"without weight": (changed(RMS, ("u = dy * weight", "u = dy")), "no-weight"),
"weight at the end": (changed(RMS, ("u = dy * weight", "u = dy"), ("* muz) * rstd", "* muz) * rstd * weight")), "weight-late"),
"without rstd": (changed(RMS, ("(u - z * muz) * rstd", "(u - z * muz)")), "no-rstd"),
"rstd to the first power": (changed(RMS, ("(u - z * muz) * rstd", "u * rstd - x * (u * x).mean(-1, keepdim=True) * rstd")), "cube"),
"rstd squared": (changed(RMS, ("(u - z * muz) * rstd", "u * rstd - x * (u * x).mean(-1, keepdim=True) * rstd ** 2")), "square"),
"sums": (changed(RMS, (" / n", "")), "sums"),
"wrong sign": (changed(RMS, ("u - z * muz", "u + z * muz")), "plus"),
"eps 1e-6 of its own": (changed(RMS, ("    z =", "    rstd = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)\n    z =")), "own-rstd"),
"eps 1e-5 of its own": (changed(RMS, ("    z =", "    rstd = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)\n    z =")), "own-rstd-1e-5"),
"no eps of its own": (changed(RMS, ("    z =", "    rstd = torch.rsqrt(x.pow(2).mean(-1, keepdim=True))\n    z =")), "own-rstd-no-eps"),
"dweight of x": (changed(RMS, ("(dy * z).sum", "(dy * x).sum")), "not-normalised"),
"dweight is a mean": (changed(RMS, (".sum(dim=tuple", ".mean(dim=tuple")), "mean-over-rows"),
"only over the first dimension": (changed(RMS, ("dim=tuple(range(dy.ndim - 1))", "dim=0")), "first-dimension"),
"swapped": (changed(RMS, ("return dx, dw", "return dw, dx")), None),
"in place": (changed(RMS, ("    return", "    dy.mul_(weight)\n    return")), "in-place"),
"autograd": ('''
def rms_norm_backward(dy, x, weight, rstd):
    eps = (1 / rstd.square() - x.square().mean(-1, keepdim=True)).detach()
    with torch.enable_grad():
        x, weight = (t.detach().clone().requires_grad_() for t in (x, weight))
        y = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight
        return torch.autograd.grad(y, (x, weight), dy)
''', None),
}  # fmt: skip


@pytest.mark.parametrize("id", RIGHT)
def test_right_code_in_any_style_passes(submissions: Submissions, id: str) -> None:
    assert submissions.refused(id, RIGHT[id]) == {}


@pytest.mark.parametrize(("id", "part"), in_parts(WRONG))
def test_wrong_code_fails_and_is_told_its_mistake(submissions: Submissions, id: str, part: slice) -> None:
    assert submissions.misjudged(id, WRONG[id], part) == {}
