"""Every reference accepts right code in several styles, and refuses the mistakes that it is there for."""

from __future__ import annotations

import pytest

from tests.judge.conftest import Judge, check, exercise, failing, why

BATCH_NORM = exercise(
    "batch_norm",
    "batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps)",
    checks=[
        check("training", (4, 3), (5, 2, 7), (2, 3, 4, 5)),
        check("gradients", (6, 3), (3, 2, 5), gradients=True),
        check("offset", (8, 2), families=["offset", "small-offset", "tiny-variance", "constant"]),
        check("evaluation", (4, 3), (2, 3, 5), probe="evaluation", gradients=True),
        check("no-affine", (5, 3), probe="no-affine"),
        check("no-buffers", (5, 3), probe="no-buffers"),
        check("one-value", (1, 4), probe="one-value"),
        check("strides", (6, 4), layouts=["transposed", "sliced"]),
    ],
)
LAYER_BACKWARD = exercise(
    "layer_norm_backward",
    "layer_norm_backward(dy, x, weight, mean, rstd)",
    checks=[
        check("rows", (3, 7), (2, 5, 33), (1, 4)),
        check("given", (3, 7), (4, 16), eps=[0.3, 1e-3]),
        check("hard", (3, 9), (2, 130), families=["offset", "constant", "tiny-variance", "small-offset"]),
        check("strides", (4, 6), layouts=["transposed", "sliced", "expanded"]),
        check("width-one", (4, 1), (3, 2)),
        check("float64", (3, 9), dtypes=["float64"]),
    ],
)
RMS_BACKWARD = exercise(
    "rms_norm_backward",
    "rms_norm_backward(dy, x, weight, rstd)",
    checks=[
        check("rows", (3, 7), (2, 5, 33), (1, 4)),
        check("given", (3, 7), (4, 16), eps=[0.3, 1e-3]),
        check("hard", (3, 9), (2, 130), families=["offset", "constant", "tiny-variance", "zero"]),
        check("strides", (4, 6), layouts=["transposed", "sliced", "expanded"]),
    ],
)
WELFORD = exercise(
    "welford",
    "welford(values)",
    "merge(a, b)",
    checks=[check(probe, probe=probe) for probe in ("list", "generator", "offset", "empty", "merge", "merge-empty")],
)
COMPARISON = exercise("norm_comparison", "compare(x, ratios, eps)", checks=[check("rows", (4, 16), (2, 3, 65))])


def block(reference: str, *entries: str, **probes: dict[str, object]) -> dict[str, object]:
    checks = [
        check("forward", (2, 3, 8), (1, 4, 5)),
        check("gradients", (2, 3, 8), gradients=True),
        check("near-eps", (2, 3, 8), families=["tiny-variance"]),
        check("zero", (2, 3, 8), probe="zero"),
        check("registered", (2, 3, 8), probe="registered"),
        *(check(id, **fields) for id, fields in probes.items()),
    ]
    return exercise(reference, *entries, checks=checks)


PRE = block("pre_norm_block", "class PreNormBlock(d_model, attention, feed_forward)")
POST = block("post_norm_block", "class PostNormBlock(d_model, attention, feed_forward)")
SUBLAYER = block(
    "residual_sublayer",
    "class ResidualSubLayer(d_model, sublayer, dropout)",
    dropout={"probe": "dropout", "shapes": [(4, 10, 32)]},
)
DEEP = block(
    "deep_norm_block",
    "deepnorm_constants(depth)",
    "class DeepNormBlock(d_model, attention, feed_forward, depth)",
    constants={"probe": "constants"},
    kept={"probe": "weights-kept", "shapes": [(2, 3, 8)]},
)
PRE_STACK = exercise(
    "pre_norm_gradients",
    "class PreNormBlock(d_model, attention, feed_forward)",
    "gradient_norms(x, upstream, blocks)",
    checks=[check("block", (2, 3, 8), probe="block"), check("norms", (2, 3, 8), probe="norms")],
)
POST_STACK = exercise(
    "post_norm_gradients",
    "class PostNormBlock(d_model, attention, feed_forward)",
    "gradient_norms(x, upstream, blocks)",
    "trend(norms)",
    checks=[
        check("block", (2, 3, 8), probe="block"),
        check("norms", (2, 3, 8), probe="norms"),
        check("trend", probe="trend"),
    ],
)

BN = """
def batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps):
    dims = [0, *range(2, x.ndim)]
    shape = [1, -1] + [1] * (x.ndim - 2)
    if training:
        count = x.numel() // x.shape[1]
        if count == 1:
            raise ValueError("one value")
        mean, var = x.mean(dims), x.var(dims, unbiased=False)
        if running_mean is not None:
            with torch.no_grad():
                running_mean.mul_(1 - momentum).add_(mean, alpha=momentum)
                running_var.mul_(1 - momentum).add_(var * count / (count - 1), alpha=momentum)
    else:
        mean, var = running_mean, running_var
    y = (x - mean.view(shape)) / torch.sqrt(var.view(shape) + eps)
    if weight is not None:
        y = y * weight.view(shape)
    if bias is not None:
        y = y + bias.view(shape)
    return y
"""
LN_BACK = """
def layer_norm_backward(dy, x, weight, mean, rstd):
    xhat = (x - mean) * rstd
    g = dy * weight
    dx = rstd * (g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, keepdim=True))
    return dx, (dy * xhat).reshape(-1, x.shape[-1]).sum(0), dy.reshape(-1, x.shape[-1]).sum(0)
"""
RMS_BACK = """
def rms_norm_backward(dy, x, weight, rstd):
    xhat = x * rstd
    g = dy * weight
    dx = rstd * (g - xhat * (g * xhat).mean(-1, keepdim=True))
    return dx, (dy * xhat).flatten(0, -2).sum(0)
"""
WELF = """
def welford(values):
    count, mean, m2 = 0, 0.0, 0.0
    for value in values:
        count += 1
        delta = value - mean
        mean += delta / count
        m2 += delta * (value - mean)
    return count, mean, m2

def merge(a, b):
    (na, ma, sa), (nb, mb, sb) = a, b
    n = na + nb
    if n == 0:
        return 0, 0.0, 0.0
    d = mb - ma
    return n, ma + d * nb / n, sa + sb + d * d * na * nb / n
"""
COMPARE = """
def compare(x, ratios, eps):
    z = (x - x.mean(-1, keepdim=True)) / x.std(-1, unbiased=False, keepdim=True)
    out = []
    for r in ratios:
        h = z + r
        a = F.layer_norm(h, h.shape[-1:], eps=eps)
        b = h / torch.sqrt((h * h).mean(-1, keepdim=True) + eps)
        out.append(((a - b).norm() / a.norm()).item())
    return out
"""
PRE_BLOCK = """
class PreNormBlock(nn.Module):
    def __init__(self, d_model, attention, feed_forward):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.attention, self.feed_forward = attention, feed_forward

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.feed_forward(self.norm2(x))
"""
PRE_LIST = """
class PreNormBlock(nn.Module):
    def __init__(self, d_model, attention, feed_forward):
        super().__init__()
        self.second = nn.LayerNorm(d_model)
        self.parts = nn.ModuleList([attention, feed_forward])
        self.first = nn.LayerNorm(d_model)

    def forward(self, x):
        for norm, part in zip((self.first, self.second), self.parts):
            x = part(norm(x)) + x
        return x
"""
POST_BLOCK = """
class PostNormBlock(nn.Module):
    def __init__(self, d_model, attention, feed_forward):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(2))
        self.attention, self.feed_forward = attention, feed_forward

    def forward(self, x):
        x = self.norms[0](x + self.attention(x))
        return self.norms[1](x + self.feed_forward(x))
"""
SUB = """
class ResidualSubLayer(nn.Module):
    def __init__(self, d_model, sublayer, dropout):
        super().__init__()
        self.norm, self.sublayer, self.dropout = nn.LayerNorm(d_model), sublayer, nn.Dropout(dropout)

    def forward(self, x):
        return x + self.dropout(self.sublayer(self.norm(x)))
"""
DEEP_BLOCK = """
def deepnorm_constants(depth):
    return (2 * depth) ** 0.25, (8 * depth) ** -0.25

class DeepNormBlock(nn.Module):
    def __init__(self, d_model, attention, feed_forward, depth):
        super().__init__()
        self.alpha, _ = deepnorm_constants(depth)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.attention, self.feed_forward = attention, feed_forward

    def forward(self, x):
        x = self.norm1(self.alpha * x + self.attention(x))
        return self.norm2(self.alpha * x + self.feed_forward(x))
"""
NORMS = """
def gradient_norms(x, upstream, blocks):
    h = x
    for block in blocks:
        h = block(h)
    h.backward(upstream)
    return [sum(p.grad.square().sum() for p in block.parameters()).sqrt().item() for block in blocks]
"""
TREND = """
def trend(norms):
    y = [math.log10(n) for n in norms]
    n = len(y)
    mx, my = (n - 1) / 2, sum(y) / n
    return sum((i - mx) * (v - my) for i, v in enumerate(y)) / sum((i - mx) ** 2 for i in range(n))
"""

RIGHT = {
    "batch norm": (BATCH_NORM, BN),
    "F.batch_norm": (
        BATCH_NORM,
        "def batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps):\n"
        "    return F.batch_norm(x, running_mean, running_var, weight, bias, training, momentum, eps)\n",
    ),
    "layer norm backward": (LAYER_BACKWARD, LN_BACK),
    "rms norm backward": (RMS_BACKWARD, RMS_BACK),
    "welford": (WELFORD, WELF),
    "compare": (COMPARISON, COMPARE),
    "pre-norm": (PRE, PRE_BLOCK),
    "pre-norm, second norm registered first": (PRE, PRE_LIST),
    "post-norm": (POST, POST_BLOCK),
    "residual sublayer": (SUBLAYER, SUB),
    "deepnorm": (DEEP, DEEP_BLOCK),
    "pre-norm gradients": (PRE_STACK, PRE_BLOCK + NORMS),
    "post-norm gradients": (POST_STACK, POST_BLOCK + NORMS + TREND),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_code_passes_everything(judge: Judge, name: str) -> None:
    asked, source = RIGHT[name]
    result = judge.grade(asked, source)
    assert failing(result) == set(), result


def replaced(source: str, old: str, new: str) -> str:
    assert old in source
    return source.replace(old, new)


WRONG = {
    "biased running variance": (BATCH_NORM, replaced(BN, " * count / (count - 1)", ""), "training"),
    "running buffers not updated in place": (BATCH_NORM, replaced(BN, ".mul_(1 - momentum).add_(mean", ".mul(1 - momentum).add(mean"), "training"),
    "momentum the other way round": (BATCH_NORM, replaced(replaced(BN, "1 - momentum", "momentum"), "alpha=momentum", "alpha=1 - momentum"), "training"),
    "batch statistics in evaluation": (BATCH_NORM, replaced(BN, "    if training:", "    if True:"), "evaluation"),
    "unbiased variance": (BATCH_NORM, replaced(BN, "x.var(dims, unbiased=False)", "x.var(dims)"), "training"),
    "no error for one value": (BATCH_NORM, replaced(BN, "if count == 1:", "if False:"), "one-value"),
    "detached batch statistics": (BATCH_NORM, replaced(BN, "mean, var = x.mean(dims), x.var(dims, unbiased=False)", "mean, var = x.detach().mean(dims), x.detach().var(dims, unbiased=False)"), "gradients"),
    "last term lost": (LAYER_BACKWARD, replaced(LN_BACK, " - xhat * (g * xhat).mean(-1, keepdim=True)", ""), "rows"),
    "mean term lost": (LAYER_BACKWARD, replaced(LN_BACK, "g - g.mean(-1, keepdim=True) -", "g -"), "rows"),
    "statistics computed anew": (LAYER_BACKWARD, replaced(LN_BACK, "    xhat =", "    rstd = torch.rsqrt(x.var(-1, unbiased=False, keepdim=True) + 1e-5)\n    xhat ="), "given"),
    "dweight summed over one axis": (LAYER_BACKWARD, replaced(LN_BACK, "(dy * xhat).reshape(-1, x.shape[-1]).sum(0)", "(dy * xhat).sum(0)"), "rows"),
    "rms backward as layer norm": (RMS_BACKWARD, replaced(RMS_BACK, "(g - xhat", "(g - g.mean(-1, keepdim=True) - xhat"), "rows"),
    "rms weight forgotten": (RMS_BACKWARD, replaced(RMS_BACK, "g = dy * weight", "g = dy"), "rows"),
    "sum of squares": (WELFORD, WELF + "\ndef welford(values):\n    n, s, q = 0, 0.0, 0.0\n    for v in values:\n        n, s, q = n + 1, s + v, q + v * v\n    return (n, s / n, q - s * s / n) if n else (0, 0.0, 0.0)\n", "offset"),
    "two passes over a generator": (WELFORD, WELF + "\ndef welford(values):\n    n = sum(1 for _ in values)\n    m = sum(values) / n if n else 0.0\n    return n, m, sum((v - m) ** 2 for v in values)\n", "generator"),
    "tensors for numbers": (WELFORD, replaced(WELF, "return count, mean, m2", "return count, torch.tensor(mean), torch.tensor(m2)"), "list"),
    "merge without the distance": (WELFORD, replaced(WELF, "sa + sb + d * d * na * nb / n", "sa + sb"), "merge"),
    "merge divides by nothing": (WELFORD, replaced(WELF, "    if n == 0:\n        return 0, 0.0, 0.0\n", ""), "merge-empty"),
    "variance for m2": (WELFORD, replaced(WELF, "return count, mean, m2", "return count, mean, m2 / max(count, 1)"), "list"),
    "compare without standardising": (COMPARISON, replaced(COMPARE, "h = z + r", "h = x + r"), "rows"),
    "post for pre": (PRE, replaced(PRE_BLOCK, "x = x + self.attention(self.norm1(x))\n        return x + self.feed_forward(self.norm2(x))", "x = self.norm1(x + self.attention(x))\n        return self.norm2(x + self.feed_forward(x))"), "zero"),
    "no residual": (PRE, replaced(PRE_BLOCK, "return x + self", "return self"), "zero"),
    "one shared norm": (PRE, replaced(PRE_BLOCK, "self.norm2(x)", "self.norm1(x)"), "forward"),
    "one norm object": (PRE, replaced(PRE_BLOCK, "self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)", "self.norm1 = self.norm2 = nn.LayerNorm(d_model)"), "registered"),
    "eps 1e-6": (PRE, replaced(PRE_BLOCK, "nn.LayerNorm(d_model), nn.LayerNorm(d_model)", "nn.LayerNorm(d_model, eps=1e-6), nn.LayerNorm(d_model, eps=1e-6)"), "near-eps"),
    "no affine": (PRE, replaced(PRE_BLOCK, "nn.LayerNorm(d_model), nn.LayerNorm(d_model)", "nn.LayerNorm(d_model, elementwise_affine=False), nn.LayerNorm(d_model, elementwise_affine=False)"), "registered"),
    "sublayers in a plain list": (PRE, replaced(PRE_LIST, "nn.ModuleList([attention, feed_forward])", "[attention, feed_forward]"), "registered"),
    "residual from the normed input": (PRE, replaced(PRE_BLOCK, "x = x + self.attention(self.norm1(x))", "x = self.norm1(x)\n        x = x + self.attention(x)"), "forward"),
    "pre for post": (POST, replaced(POST_BLOCK, "self.norms[0](x + self.attention(x))", "x + self.attention(self.norms[0](x))"), "forward"),
    "dropout before the sublayer": (SUBLAYER, replaced(SUB, "self.dropout(self.sublayer(self.norm(x)))", "self.sublayer(self.dropout(self.norm(x)))"), "dropout"),
    "dropout on the sum": (SUBLAYER, replaced(SUB, "x + self.dropout(self.sublayer(self.norm(x)))", "self.dropout(x + self.sublayer(self.norm(x)))"), "dropout"),
    "dropout forgotten": (SUBLAYER, replaced(SUB, "self.dropout(self.sublayer(self.norm(x)))", "self.sublayer(self.norm(x))"), "dropout"),
    "dropout in evaluation": (SUBLAYER, replaced(SUB, "self.dropout(self.sublayer(self.norm(x)))", "F.dropout(self.sublayer(self.norm(x)), 0.3)"), "forward"),
    "alpha on the branch": (DEEP, replaced(DEEP_BLOCK, "self.alpha * x + self.attention(x)", "x + self.alpha * self.attention(x)"), "forward"),
    "constants of an encoder-decoder": (DEEP, replaced(DEEP_BLOCK, "(2 * depth) ** 0.25", "(3 * depth) ** 0.25"), "constants"),
    "beta on the weights": (DEEP, replaced(DEEP_BLOCK, "        self.norm1,", "        with torch.no_grad():\n            attention.weight.mul_(0.5)\n        self.norm1,"), "kept"),
    "squares not rooted": (PRE_STACK, PRE_BLOCK + replaced(NORMS, ".sqrt()", ""), "norms"),
    "gradients add up over calls": (PRE_STACK, PRE_BLOCK + replaced(NORMS, "h.backward(upstream)", "h.sum().backward()"), "norms"),
    "natural logarithm": (POST_STACK, POST_BLOCK + NORMS + replaced(TREND, "log10", "log"), "trend"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_each_mistake_fails_the_check_that_is_there_for_it(judge: Judge, name: str) -> None:
    asked, source, id = WRONG[name]
    assert id in failing(judge.grade(asked, source))


def test_a_mistake_says_what_is_wrong(judge: Judge) -> None:
    asked, source, id = WRONG["dropout before the sublayer"]
    assert why(judge.grade(asked, source), id) == "dropout"
    asked, source, id = WRONG["one norm object"]
    assert why(judge.grade(asked, source), id) == "parameters"
    asked, source, id = WRONG["sublayers in a plain list"]
    assert why(judge.grade(asked, source), id) == "not-registered"
    asked, source, id = WRONG["no error for one value"]
    assert why(judge.grade(asked, source), id) == "not-raised"
    asked, source, id = WRONG["beta on the weights"]
    assert why(judge.grade(asked, source), id) == "weights-changed"
