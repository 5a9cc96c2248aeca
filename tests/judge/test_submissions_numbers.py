"""Welford's statistics and the comparison of the norms as people write them."""

from __future__ import annotations

import pytest

from tests.judge.conftest import UNREADABLE, Submissions, changed, in_parts

RIGHT: dict[str, dict[str, str]] = {}
WRONG: dict[str, dict[str, tuple[str, str | None]]] = {}

RIGHT["code-welford"]={
"accumulate": '''
from itertools import accumulate


def step(state, value):
    n, mean, m2 = state
    n, delta = n + 1, value - mean
    mean = mean + delta / n
    return n, mean, m2 + delta * (value - mean)


def welford(values):
    state = (0, 0.0, 0.0)
    for state in accumulate(values, step, initial=state):
        pass
    return state


def merge(a, b):
    n = a[0] + b[0]
    if not n:
        return (0, 0.0, 0.0)
    d = b[1] - a[1]
    return (n, (a[0] * a[1] + b[0] * b[1]) / n, a[2] + b[2] + d * d * a[0] * b[0] / n)
''',
"Knuth's with the weighted square": '''
def welford(values):
    k = 0
    m = s = 0.0
    for x in values:
        k += 1
        d = x - m
        s += d * d * (k - 1) / k
        m += d / k
    return [k, m, s]


def merge(a, b):
    if b[0] == 0:
        return a
    if a[0] == 0:
        return b
    (m, mean_m, s), (n, mean_n, t) = a, b
    total = m + n
    return total, mean_m * (m / total) + mean_n * (n / total), s + t + (mean_m - mean_n) ** 2 / (1 / m + 1 / n)
''',
"halves merged": '''
def welford(values):
    values = list(values)
    if not values:
        return 0, 0.0, 0.0
    if len(values) == 1:
        return 1, float(values[0]), 0.0
    half = len(values) // 2
    return merge(welford(values[:half]), welford(values[half:]))


def merge(a, b):
    n = a[0] + b[0]
    if n == 0:
        return 0, 0.0, 0.0
    delta = b[1] - a[1]
    return n, a[1] + delta * (b[0] / n), a[2] + b[2] + delta ** 2 * (a[0] * b[0] / n)
''',
"a named tuple and next": '''
from collections import namedtuple

Stats = namedtuple("Stats", "count mean m2")


def welford(values):
    values = iter(values)
    try:
        mean = next(values)
    except StopIteration:
        return Stats(0, 0.0, 0.0)
    count, m2 = 1, 0.0
    for value in values:
        old = value - mean
        count += 1
        mean += old / count
        m2 += old * (value - mean)
    return Stats(count, mean, m2)


def merge(a, b):
    a, b = Stats(*a), Stats(*b)
    count = a.count + b.count
    if count == 0:
        return Stats(0, 0.0, 0.0)
    delta = a.mean - b.mean
    return Stats(count, b.mean + delta * a.count / count, a.m2 + b.m2 + delta * delta * a.count * b.count / count)
''',
"exact fractions": '''
from fractions import Fraction


def welford(values):
    n, total, squares = 0, Fraction(0), Fraction(0)
    for value in map(Fraction, values):
        n += 1
        total += value
        squares += value * value
    return (n, float(total / n), float(squares - total * total / n)) if n else (0, 0.0, 0.0)


def merge(a, b):
    n = a[0] + b[0]
    if n == 0:
        return 0, 0.0, 0.0
    d = b[1] - a[1]
    return n, a[1] + d * b[0] / n, a[2] + b[2] + d * d * a[0] * b[0] / n
''',
"shifted by the first value": '''
def welford(values):
    n, first, s, q = 0, 0.0, 0.0, 0.0
    for value in values:
        if n == 0:
            first = value
        n += 1
        s += value - first
        q += (value - first) ** 2
    return (n, first + s / n, q - s * s / n) if n else (0, 0.0, 0.0)


def merge(a, b):
    n = max(1, a[0] + b[0])
    d = b[1] - a[1] if a[0] and b[0] else 0.0
    mean = (a[0] * a[1] + b[0] * b[1]) / n
    return a[0] + b[0], mean, a[2] + b[2] + d * d * a[0] * b[0] / n
''',
"numpy numbers": '''
import numpy as np


def welford(values):
    n, mean, m2 = 0, np.float64(0), np.float64(0)
    for value in values:
        n += 1
        d = np.float64(value) - mean
        mean += d / n
        m2 += d * (value - mean)
    return n, mean, m2


def merge(a, b):
    n = a[0] + b[0]
    if n == 0:
        return 0, 0.0, 0.0
    d = np.float64(b[1]) - a[1]
    return n, a[1] + d * b[0] / n, a[2] + b[2] + d * d * a[0] * b[0] / n
''',
}  # fmt: skip
WELFORD = """
def welford(values):
    n, mu, s = 0, 0.0, 0.0
    for v in values:
        n = n + 1
        old = mu
        mu = mu + (v - mu) / n
        s = s + (v - old) * (v - mu)
    return n, mu, s


def merge(a, b):
    na, ma, sa = a
    nb, mb, sb = b
    n = na + nb
    if n == 0:
        return 0, 0.0, 0.0
    d = mb - ma
    return n, (na * ma + nb * mb) / n, sa + sb + d * d * na * nb / n
"""
WRONG["code-welford"]={
"the variance": (changed(WELFORD, ("return n, mu, s", "return n, mu, s / n if n else 0.0")), "variance"),
"the sample variance": (changed(WELFORD, ("return n, mu, s", "return n, mu, s / (n - 1) if n > 1 else 0.0")), "sample-variance"),
"the standard deviation": (changed(WELFORD, ("return n, mu, s", "return n, mu, (s / n) ** 0.5 if n else 0.0")), "deviation"),
"the old mean twice": (changed(WELFORD, ("(v - old) * (v - mu)", "(v - old) * (v - old)")), "old-mean-twice"),
"the new mean twice": (changed(WELFORD, ("(v - old) * (v - mu)", "(v - mu) ** 2")), "new-mean-twice"),
"sum of squares": ("def welford(values):\n    n, t, q = 0, 0.0, 0.0\n    for v in values:\n        n += 1; t += v; q += v * v\n    return (n, t / n, q - t * t / n) if n else (0, 0.0, 0.0)\n" + WELFORD[WELFORD.index("\n\ndef merge"):], "sum-of-squares"),
"sum of squares with fsum": ("def welford(values):\n    values = list(values)\n    n = len(values)\n    t, q = math.fsum(values), math.fsum(v * v for v in values)\n    return (n, t / n, q - t * t / n) if n else (0, 0.0, 0.0)\n" + WELFORD[WELFORD.index("\n\ndef merge"):], "sum-of-squares"),
"two passes": ("def welford(values):\n    n, t = 0, 0.0\n    for v in values:\n        n += 1; t += v\n    mean = t / n if n else 0.0\n    return n, mean, sum((v - mean) ** 2 for v in values)\n" + WELFORD[WELFORD.index("\n\ndef merge"):], "two-passes"),
"len": ("def welford(values):\n    n = len(values)\n    mean = sum(values) / n if n else 0.0\n    return n, mean, sum((v - mean) ** 2 for v in values)\n" + WELFORD[WELFORD.index("\n\ndef merge"):], "length"),
"no empty merge": (changed(WELFORD, ("    if n == 0:\n        return 0, 0.0, 0.0\n", "")), "empty"),
"an empty sequence fails": (changed(WELFORD, ("    return n, mu, s", "    return n, mu + 0 / n, s")), "empty-values"),
"None for nothing": (changed(WELFORD, ("    return n, mu, s", "    if n == 0:\n        return None\n    return n, mu, s")), "empty-values"),
"nan for nothing": (changed(WELFORD, ("    return n, mu, s", "    if n == 0:\n        return 0, math.nan, math.nan\n    return n, mu, s")), "empty-values"),
"means averaged": (changed(WELFORD, ("(na * ma + nb * mb) / n", "(ma + mb) / 2")), "average-of-means"),
"weights swapped": (changed(WELFORD, ("(na * ma + nb * mb) / n", "(nb * ma + na * mb) / n")), "weights-swapped"),
"the distance missing": (changed(WELFORD, (" + d * d * na * nb / n", "")), "no-distance"),
"the distance not divided": (changed(WELFORD, ("d * d * na * nb / n", "d * d * na * nb")), "not-divided"),
"the distance not squared": (changed(WELFORD, ("d * d * na", "d * na")), "not-squared"),
"tensors": (changed(WELFORD, ("n, mu, s = 0, 0.0, 0.0", "n, mu, s = 0, torch.zeros((), dtype=torch.float64), torch.zeros((), dtype=torch.float64)")), "tensors"),
"only two numbers": (changed(WELFORD, ("return n, mu, s", "return mu, s")), None),
"merge missing": (WELFORD[:WELFORD.index("\n\ndef merge")] + "\n", UNREADABLE),
"merge of three": (changed(WELFORD, ("def merge(a, b)", "def merge(a, b, c)")), UNREADABLE),
}  # fmt: skip

COMPARE = """
def compare(x, ratios, eps):
    mu = x.mean(-1, keepdim=True)
    sd = ((x - mu) ** 2).mean(-1, keepdim=True).sqrt()
    out = []
    for ratio in ratios:
        h = (x - mu) / sd + ratio
        m = h.mean(-1, keepdim=True)
        ln = (h - m) / torch.sqrt(((h - m) ** 2).mean(-1, keepdim=True) + eps)
        rms = h / torch.sqrt((h ** 2).mean(-1, keepdim=True) + eps)
        out.append((torch.linalg.norm(ln - rms) / torch.linalg.norm(ln)).item())
    return out
"""
RIGHT["ex1"]={
"plain": COMPARE,
"modules": '''
class ManualLayerNorm(nn.Module):
    def __init__(self, d, eps):
        super().__init__()
        self.gamma, self.beta, self.eps = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d)), eps

    def forward(self, x):
        var, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        return self.gamma * (x - mean) / torch.sqrt(var + self.eps) + self.beta


class ManualRMSNorm(nn.Module):
    def __init__(self, d, eps):
        super().__init__()
        self.gamma, self.eps = nn.Parameter(torch.ones(d)), eps

    def forward(self, x):
        return self.gamma * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


def compare(x, ratios, eps):
    ln, rms = ManualLayerNorm(x.shape[-1], eps), ManualRMSNorm(x.shape[-1], eps)
    z = F.layer_norm(x.double(), x.shape[-1:], eps=0.0).float()
    with torch.no_grad():
        return tuple((ln(z + r) - rms(z + r)).norm() / ln(z + r).norm() for r in ratios)
''',
}  # fmt: skip
WRONG["ex1"]={
"not standardised": (changed(COMPARE, ("h = (x - mu) / sd + ratio", "h = x + ratio")), "not-standardised"),
"only centred": (changed(COMPARE, ("(x - mu) / sd + ratio", "x - mu + ratio")), "only-centred"),
"unbiased": (changed(COMPARE, ("((x - mu) ** 2).mean(-1, keepdim=True).sqrt()", "x.std(-1, keepdim=True)")), "unbiased"),
"absolute": (changed(COMPARE, (" / torch.linalg.norm(ln)", "")), "absolute"),
"over rms": (changed(COMPARE, ("/ torch.linalg.norm(ln)", "/ torch.linalg.norm(rms)")), "over-rms"),
"squared": (changed(COMPARE, ("torch.linalg.norm(ln - rms) / torch.linalg.norm(ln)", "(ln - rms).pow(2).sum() / ln.pow(2).sum()")), "squared"),
"largest": (changed(COMPARE, ("torch.linalg.norm(ln - rms) / torch.linalg.norm(ln)", "(ln - rms).abs().max()")), None),
"same": (changed(COMPARE, ("rms = h /", "rms = (h - m) /"), ("(h ** 2).mean(-1, keepdim=True)", "((h - m) ** 2).mean(-1, keepdim=True)")), "same-norm"),
"no eps": (changed(COMPARE, (" + eps)", ")")), "no-eps"),
"eps in the standardising": (changed(COMPARE, (".sqrt()\n", ".sqrt() + eps\n")), None),
}  # fmt: skip


@pytest.mark.parametrize("id", RIGHT)
def test_right_code_in_any_style_passes(submissions: Submissions, id: str) -> None:
    assert submissions.refused(id, RIGHT[id]) == {}


@pytest.mark.parametrize(("id", "part"), in_parts(WRONG))
def test_wrong_code_fails_and_is_told_its_mistake(submissions: Submissions, id: str, part: slice) -> None:
    assert submissions.misjudged(id, WRONG[id], part) == {}
