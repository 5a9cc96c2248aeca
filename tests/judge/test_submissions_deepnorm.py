"""DeepNorm as people write it: its constants, its block, and what beta is not for."""

from __future__ import annotations

import pytest

from tests.judge.conftest import UNREADABLE, Submissions, changed, in_parts

RIGHT: dict[str, dict[str, str]] = {}
WRONG: dict[str, dict[str, tuple[str, str | None]]] = {}

DEEP = """
def deepnorm_constants(depth):
    return math.pow(2 * depth, 1 / 4), math.pow(8 * depth, -1 / 4)


class DeepNormBlock(nn.Module):
    def __init__(self, d_model, attention, feed_forward, depth):
        super().__init__()
        self.a = deepnorm_constants(depth)[0]
        self.attn, self.ffn = attention, feed_forward
        self.ln_attn = nn.LayerNorm(d_model)
        self.ln_ffn = nn.LayerNorm(d_model)

    def forward(self, x):
        x = self.ln_attn(x * self.a + self.attn(x))
        return self.ln_ffn(x * self.a + self.ffn(x))
"""
RIGHT["code-deepnorm"]={
"pow": DEEP,
"torch for the constants": changed(DEEP, ("return math.pow(2 * depth, 1 / 4), math.pow(8 * depth, -1 / 4)", "n = torch.tensor(float(depth))\n    return (2 * n).pow(0.25).item(), (8 * n).pow(-0.25).item()")),
"numpy for the constants": changed(DEEP, ("return math.pow(2 * depth, 1 / 4), math.pow(8 * depth, -1 / 4)", "import numpy as np\n    return np.power(2.0 * depth, 0.25), np.power(8.0 * depth, -0.25)")),
"alpha in the norm's place": '''
def deepnorm_constants(depth):
    alpha = (2 * depth) ** (1 / 4)
    return [alpha, 2 ** -0.5 / alpha]


class DeepNorm(nn.Module):
    def __init__(self, d_model, alpha, fn):
        super().__init__()
        self.alpha = alpha
        self.layernorm = nn.LayerNorm(d_model)
        self.fn = fn

    def forward(self, x):
        return self.layernorm(self.fn(x).add(x, alpha=self.alpha))


class DeepNormBlock(nn.Sequential):
    def __init__(self, d_model, attention, feed_forward, depth):
        alpha, _beta = deepnorm_constants(depth)
        super().__init__(DeepNorm(d_model, alpha, attention), DeepNorm(d_model, alpha, feed_forward))
''',
"a buffer": changed(DEEP, ("self.a = deepnorm_constants(depth)[0]", "self.register_buffer('a', torch.tensor(deepnorm_constants(depth)[0]), persistent=False)")),
}  # fmt: skip
WRONG["code-deepnorm"]={
"alpha on the branch": (changed(DEEP, ("x * self.a + self.attn(x)", "x + self.a * self.attn(x)"), ("x * self.a + self.ffn(x)", "x + self.a * self.ffn(x)")), "alpha-on-branch"),
"alpha on the sum": (changed(DEEP, ("x * self.a + self.attn(x)", "self.a * (x + self.attn(x))"), ("x * self.a + self.ffn(x)", "self.a * (x + self.ffn(x))")), "alpha-on-sum"),
"no alpha": (changed(DEEP, ("x * self.a", "x")), "no-alpha"),
"alpha once": (changed(DEEP, ("x * self.a + self.ffn", "x + self.ffn")), "alpha-once"),
"alpha only on the second": (changed(DEEP, ("x * self.a + self.attn", "x + self.attn")), "alpha-second-only"),
"beta on the branch": (changed(DEEP, ("+ self.attn(x)", "+ self.attn(x) / (2 ** 0.5 * self.a)"), ("+ self.ffn(x)", "+ self.ffn(x) / (2 ** 0.5 * self.a)")), "beta-on-branch"),
"beta on the weights": (changed(DEEP, ("        self.ln_attn =", "        with torch.no_grad():\n            for p in [*attention.parameters(), *feed_forward.parameters()]:\n                p *= deepnorm_constants(depth)[1]\n        self.ln_attn =")), "beta-on-weights"),
"beta on the weights alone": (changed(DEEP, ("        self.ln_attn =", "        with torch.no_grad():\n            attention.weight *= deepnorm_constants(depth)[1]\n        self.ln_attn =")), "beta-on-weights"),
"weights initialised anew": (changed(DEEP, ("        self.ln_attn =", "        for p in feed_forward.parameters():\n            if p.ndim > 1:\n                nn.init.xavier_normal_(p, gain=deepnorm_constants(depth)[1])\n        self.ln_attn =")), "beta-on-weights"),
"pre-norm": (changed(DEEP, ("self.ln_attn(x * self.a + self.attn(x))", "x * self.a + self.attn(self.ln_attn(x))"), ("self.ln_ffn(x * self.a + self.ffn(x))", "x * self.a + self.ffn(self.ln_ffn(x))")), "pre-norm"),
"no residual": (changed(DEEP, ("x * self.a + ", "")), "no-residual"),
"decoder's constants": (changed(DEEP, ("2 * depth", "3 * depth"), ("8 * depth", "12 * depth")), "decoder"),
"encoder's constants": (changed(DEEP, ("math.pow(2 * depth, 1 / 4), math.pow(8 * depth, -1 / 4)", "0.81 * (depth ** 4 * depth) ** (1 / 16), 0.87 * (depth ** 4 * depth) ** (-1 / 16)")), "encoder"),
"square roots": (changed(DEEP, ("1 / 4", "1 / 2")), "square-root"),
"beta inverted": (changed(DEEP, ("-1 / 4", "1 / 4")), "beta-inverse"),
"alpha inverted": (changed(DEEP, ("2 * depth, 1 / 4", "2 * depth, -1 / 4")), "alpha-inverse"),
"swapped": (changed(DEEP, ("return math.pow(2 * depth, 1 / 4), math.pow(8 * depth, -1 / 4)", "return math.pow(8 * depth, -1 / 4), math.pow(2 * depth, 1 / 4)"), ("(depth)[0]", "(depth)[1]")), "swapped"),
"swapped, and beta used": (changed(DEEP, ("return math.pow(2 * depth, 1 / 4), math.pow(8 * depth, -1 / 4)", "return math.pow(8 * depth, -1 / 4), math.pow(2 * depth, 1 / 4)")), "swapped-both"),
"sublayers counted": (changed(DEEP, ("* depth,", "* 2 * depth,")), "sublayers-counted"),
"constants as tensors": (changed(DEEP, ("return math.pow(2 * depth, 1 / 4), math.pow(8 * depth, -1 / 4)", "n = torch.tensor(float(depth))\n    return (2 * n) ** 0.25, (8 * n) ** -0.25")), "tensors"),
"a learned alpha": (changed(DEEP, ("self.a = deepnorm_constants(depth)[0]", "self.a = nn.Parameter(torch.tensor(deepnorm_constants(depth)[0]))")), "learned-alpha"),
"depth ignored": (changed(DEEP, ("deepnorm_constants(depth)[0]", "deepnorm_constants(12)[0]")), None),
"one norm used twice": (changed(DEEP, ("self.ln_ffn(", "self.ln_attn(")), "shared-norm"),
"eps 1e-6": (changed(DEEP, ("nn.LayerNorm(d_model)", "nn.LayerNorm(d_model, 1e-6)")), "eps"),
"only the class": (DEEP[DEEP.index("class"):].replace("deepnorm_constants(depth)[0]", "(2 * depth) ** 0.25"), UNREADABLE),
"another signature": (changed(DEEP, ("feed_forward, depth)", "feed_forward)"), ("(depth)[0]", "(12)[0]")), UNREADABLE),
}  # fmt: skip


@pytest.mark.parametrize("id", RIGHT)
def test_right_code_in_any_style_passes(submissions: Submissions, id: str) -> None:
    assert submissions.refused(id, RIGHT[id]) == {}


@pytest.mark.parametrize(("id", "part"), in_parts(WRONG))
def test_wrong_code_fails_and_is_told_its_mistake(submissions: Submissions, id: str, part: slice) -> None:
    assert submissions.misjudged(id, WRONG[id], part) == {}
