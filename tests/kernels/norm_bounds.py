"""What a norm must return: the float64 truth, and how far from it float32 arithmetic may be.

A result is right when |result - truth| <= 0.505 ulp(truth) + bound: one correct rounding to the output dtype (half a
unit in the last place, and a little for the truth being rounded to float64) plus what float32 can add on the way.

The bound is the first-order one of Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., sections 3.1 and
4.2. With u = 2^-24, every operation adds at most u relative error and a sum of N terms at most A u sum|terms|. Vector
lanes, blocks and trees need A = 16 + log2(N): at most 16 terms a lane one after the other, then a tree. For LayerNorm:

    mean    |dm|  <= (A + 2) u mean|x|
    c=x-m   |dc|  <= |dm| + u |c|
    var     |dv|  <= (A + 4) u var + dm^2                     (var + dm^2 is the mean square around a shifted mean)
    rstd    e_r   <= (|dv| / (var + eps) + u) / 2 + 4 u       relative; rsqrt.approx on a GPU is right to 2 ulp
    xhat    |dxh| <= rstd |dc| + |xhat| (e_r + u)
    y       |dy|  <= |w| |dxh| + 2 u (|xhat w| + |b|)

RMSNorm is the same with m = dm = 0. Backward, with g = dy w, s1 = mean(g) and s2 = mean(g xhat):

    |ds1| <= (A + 3) u mean|g|         |ds2| <= (A + 4) u mean|g xhat| + mean(|g| |dxh|)
    t = g - s1 - xhat s2               |dt|  <= 4 u (|g| + |s1| + |xhat s2|) + |ds1| + |xhat| |ds2| + |dxh| |s2|
    dx = rstd t + dh                   |ddx| <= rstd |dt| + 3 e_r rstd (|t| + |xhat s2|) + 2 u |dh|

e_r counts three times, as some implementations use rstd^3. The sums over M rows may be sequential, whose errors are
random walks: B = 4 + 2 sqrt(M) (Higham and Mary 2019, A New Approach to Probabilistic Rounding Error Analysis):

    |ddw| <= B u sum|dy xhat| + sum(|dy| |dxh|)        |ddb| <= B u sum|dy|
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

U = 2.0**-24
ROUNDING = 0.505


class Value(NamedTuple):
    truth: Tensor
    bound: Tensor


class Norm(NamedTuple):
    y: Value
    dx: Value
    dweight: Value
    dbias: Value


def norm(
    h: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float, center: bool,
    dy: Tensor | None = None, dh: Tensor | None = None,
) -> Norm:  # fmt: skip
    """The norm of h (..., N) and the gradients for dy and dh, in float64; dbias is meaningless for RMSNorm."""
    h = h.double()
    n = h.shape[-1]
    w = torch.ones(n, dtype=torch.float64, device=h.device) if weight is None else weight.double()
    b = torch.zeros_like(w) if bias is None else bias.double()
    dy = torch.zeros_like(h) if dy is None else dy.double()
    dh = torch.zeros_like(h) if dh is None else dh.double()
    a = 16 + math.log2(max(n, 1))
    rows = tuple(range(h.ndim - 1))
    many = 4 + 2 * math.sqrt(math.prod(h.shape[:-1]))

    m = mean(h) if center else torch.zeros_like(h[..., :1])
    dm = (a + 2) * U * mean(h.abs()) if center else m
    c = h - m
    dc = dm + U * c.abs()
    var = mean(c * c)
    rstd = torch.rsqrt(var + eps)
    e_r = ((a + 4) * U * var + dm * dm) * rstd * rstd / 2 + 5 * U
    xhat = c * rstd
    dxh = rstd * dc + xhat.abs() * (e_r + U)
    y = xhat * w + b
    y_bound = w.abs() * dxh + 2 * U * ((xhat * w).abs() + b.abs())

    g = dy * w
    s1 = mean(g) if center else torch.zeros_like(m)
    ds1 = (a + 3) * U * mean(g.abs()) if center else s1
    s2 = mean(g * xhat)
    ds2 = (a + 4) * U * mean((g * xhat).abs()) + mean(g.abs() * dxh)
    t = g - s1 - xhat * s2
    dt = 4 * U * (g.abs() + s1.abs() + (xhat * s2).abs()) + ds1 + xhat.abs() * ds2 + dxh * s2.abs()
    dx = rstd * t + dh
    dx_bound = rstd * dt + 3 * e_r * rstd * (t.abs() + (xhat * s2).abs()) + 2 * U * dh.abs()

    dweight = (dy * xhat).sum(rows)
    dweight_bound = many * U * (dy * xhat).abs().sum(rows) + (dy.abs() * dxh).sum(rows)
    return Norm(
        Value(y, y_bound),
        Value(dx, dx_bound),
        Value(dweight, dweight_bound),
        Value(dy.sum(rows), many * U * dy.abs().sum(rows)),
    )


def mean(x: Tensor) -> Tensor:
    return x.mean(-1, keepdim=True)


def ulp(x: Tensor, dtype: torch.dtype) -> Tensor:
    """The distance between neighbours of `dtype` at |x|, subnormals included."""
    info = torch.finfo(dtype)
    _mantissa, exponent = torch.frexp(x.abs().clamp(min=info.tiny).nan_to_num(posinf=info.max))
    return torch.ldexp(torch.full_like(x, info.eps), exponent - 1)


def errors_of(name: str, result: Tensor, value: Value) -> list[str]:
    """What is wrong with a result, as sentences; nothing when it is right. NaN must be where the truth is NaN."""
    truth, bound = value
    if result.shape != truth.shape:
        return [f"{name}: shape {tuple(result.shape)}, should be {tuple(truth.shape)}"]
    truth = torch.where(truth.abs() >= overflow(result.dtype), truth.sign() * math.inf, truth)
    off = (result.double() - truth).abs()
    allowed = ROUNDING * ulp(truth, result.dtype) + bound
    right = (off <= allowed) | (result == truth) | (result.isnan() & truth.isnan())
    if bool(right.all()):
        return []
    worst = int((off / allowed).nan_to_num(nan=math.inf).masked_fill(right, -1).argmax())
    got, wanted, times = (t.flatten()[worst].item() for t in (result, truth, off / allowed))
    return [
        f"{name}: {int((~right).sum())} of {right.numel()} values are wrong, "
        f"such as {got!r} for {wanted!r}, off by {times:.3g} times what is allowed"
    ]


def overflow(dtype: torch.dtype) -> float:
    """From here on a value rounds to infinity."""
    info = torch.finfo(dtype)
    return info.max * (1 + info.eps / 4)
