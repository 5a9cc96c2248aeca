"""Residual sublayers as people write them, whatever they call their parts."""

from __future__ import annotations

import pytest

from tests.judge.conftest import Submissions, changed, in_parts

RIGHT: dict[str, dict[str, str]] = {}
WRONG: dict[str, dict[str, tuple[str, str | None]]] = {}

RIGHT["code-residual-sublayer"]={
"a custom norm and a mask": '''
class LN(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.a_2 = nn.Parameter(torch.ones(d))
        self.b_2 = nn.Parameter(torch.zeros(d))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        var = ((x - mean) ** 2).mean(-1, keepdim=True)
        return self.a_2 * (x - mean) / (var + 1e-5).sqrt() + self.b_2


class ResidualSubLayer(nn.Module):
    def __init__(self, d_model, sublayer, dropout):
        super().__init__()
        self.ln = LN(d_model)
        self.fn = sublayer
        self.keep = 1 - dropout

    def forward(self, x):
        branch = self.fn(self.ln(x))
        if self.training:
            branch = branch * (torch.rand_like(branch) < self.keep) / self.keep
        return branch + x
''',
"inherits from nn.LayerNorm": '''
class ResidualSubLayer(nn.LayerNorm):
    def __init__(self, d_model, sublayer, dropout):
        super().__init__(d_model)
        self.sublayer = sublayer
        self.drop = nn.Dropout(p=dropout)

    def forward(self, x):
        return torch.add(x, self.drop(self.sublayer(super().forward(x))))
''',
"a module list and a fold": '''
from functools import reduce


class ResidualSubLayer(nn.Module):
    def __init__(self, d_model, sublayer, dropout):
        super().__init__()
        self.steps = nn.ModuleList([nn.LayerNorm([d_model], eps=1e-05), sublayer, nn.Dropout(dropout)])

    def forward(self, x, *args, **kwargs):
        return x + reduce(lambda h, step: step(h), self.steps, x)
''',
"bernoulli": '''
class ResidualSubLayer(nn.Module):
    def __init__(self, d_model: int, sublayer: nn.Module, dropout: float):
        nn.Module.__init__(self)
        self.norm = nn.LayerNorm(normalized_shape=d_model)
        self.add_module("inner", sublayer)
        self.rate = dropout

    def forward(self, x):
        out = self.inner(self.norm(x))
        if self.training and self.rate > 0:
            mask = torch.bernoulli(torch.full_like(out, 1 - self.rate))
            out = out * mask / (1 - self.rate)
        return x + out
''',
}  # fmt: skip
SUBLAYER = """
class ResidualSubLayer(nn.Module):
    def __init__(self, d_model, sublayer, dropout):
        super().__init__()
        self.ln = nn.LayerNorm(d_model)
        self.fn = sublayer
        self.p = dropout

    def forward(self, x):
        h = self.ln(x)
        h = self.fn(h)
        h = F.dropout(h, p=self.p, training=self.training)
        return x + h
"""
WRONG["code-residual-sublayer"]={
"post for pre": (changed(SUBLAYER, ("h = self.ln(x)", "h = x"), ("return x + h", "return self.ln(x + h)")), "post-norm"),
"no residual": (changed(SUBLAYER, ("return x + h", "return h")), "no-residual"),
"no norm": (changed(SUBLAYER, ("h = self.ln(x)", "h = x")), "no-norm"),
"the stream is normalised": (changed(SUBLAYER, ("h = self.ln(x)", "x = h = self.ln(x)")), "normed-stream"),
"norm on the output": (changed(SUBLAYER, ("h = self.ln(x)", "h = x"), ("h = F.drop", "h = self.ln(h)\n        h = F.drop")), "output-norm"),
"eps 1e-6": (changed(SUBLAYER, ("nn.LayerNorm(d_model)", "nn.LayerNorm(d_model, 1e-6)")), "eps"),
"RMSNorm": (changed(SUBLAYER, ("nn.LayerNorm(d_model)", "nn.RMSNorm(d_model, 1e-5)")), "rmsnorm"),
"no bias": (changed(SUBLAYER, ("nn.LayerNorm(d_model)", "nn.LayerNorm(d_model, bias=False)")), "norm-without-bias"),
"no affine": (changed(SUBLAYER, ("nn.LayerNorm(d_model)", "nn.LayerNorm(d_model, elementwise_affine=False)")), "no-affine"),
"functional without parameters": (changed(SUBLAYER, ("self.ln(x)", "F.layer_norm(x, x.shape[-1:])"), ("        self.ln = nn.LayerNorm(d_model)\n", "")), "no-affine"),
"norm input detached": (changed(SUBLAYER, ("self.ln(x)", "self.ln(x.detach())")), "detached"),
"the branch under no_grad": (changed(SUBLAYER, ("h = self.ln(x)\n        h = self.fn(h)", "with torch.no_grad():\n            h = self.fn(self.ln(x))")), "no-grad"),
"dropout first": (changed(SUBLAYER, ("h = self.ln(x)", "h = F.dropout(self.ln(x), p=self.p, training=self.training)"), ("        h = F.dropout(h, p=self.p, training=self.training)\n", "")), "dropout-before"),
"dropout on the sum": (changed(SUBLAYER, ("        h = F.dropout(h, p=self.p, training=self.training)\n", ""), ("return x + h", "return F.dropout(x + h, p=self.p, training=self.training)")), "dropout-on-sum"),
"dropout always": (changed(SUBLAYER, (", training=self.training", "")), "dropout-always"),
"dropout never": (changed(SUBLAYER, ("        h = F.dropout(h, p=self.p, training=self.training)\n", "")), "no-dropout"),
"dropout not rescaled": (changed(SUBLAYER, ("h = F.dropout(h, p=self.p, training=self.training)", "h = h * (torch.rand_like(h) >= self.p) if self.training else h")), "dropout-differs"),
"keep probability taken for p": (changed(SUBLAYER, ("p=self.p,", "p=1 - self.p,")), "dropout-differs"),
"a fixed p": (changed(SUBLAYER, ("p=self.p,", "p=0.1,")), "dropout-differs"),
"the sublayer in a list": (changed(SUBLAYER, ("self.fn = sublayer", "self.fn = [sublayer]"), ("self.fn(h)", "self.fn[0](h)")), "not-registered"),
"the sublayer in a lambda": (changed(SUBLAYER, ("self.fn = sublayer", "self.fn = lambda h: sublayer(h)")), "not-registered"),
"the sublayer called twice": (changed(SUBLAYER, ("h = self.fn(h)", "h = self.fn(h) + 0 * self.fn(h)")), None),
"in place": (changed(SUBLAYER, ("return x + h", "x += h\n        return x")), "in-place"),
"one-pass norm by hand": (changed(SUBLAYER, ("self.ln(x)", "(x - x.mean(-1, keepdim=True)) / (x.square().mean(-1, keepdim=True) - x.mean(-1, keepdim=True) ** 2 + 1e-5).sqrt() * self.ln.weight + self.ln.bias")), None),
"unbiased norm by hand": (changed(SUBLAYER, ("self.ln(x)", "(x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + 1e-5).sqrt() * self.ln.weight + self.ln.bias")), "unbiased"),
"the Annotated Transformer's norm": (changed(SUBLAYER, ("self.ln(x)", "self.ln.weight * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6) + self.ln.bias")), "annotated"),
"twice the branch": (changed(SUBLAYER, ("return x + h", "return x + h + h")), None),
"no super().__init__": (changed(SUBLAYER, ("        super().__init__()\n", "")), None),
"x is dropped": (changed(SUBLAYER, ("return x + h", "return F.dropout(x, self.p, self.training) + h")), None),
}  # fmt: skip


@pytest.mark.parametrize("id", RIGHT)
def test_right_code_in_any_style_passes(submissions: Submissions, id: str) -> None:
    assert submissions.refused(id, RIGHT[id]) == {}


@pytest.mark.parametrize(("id", "part"), in_parts(WRONG))
def test_wrong_code_fails_and_is_told_its_mistake(submissions: Submissions, id: str, part: slice) -> None:
    assert submissions.misjudged(id, WRONG[id], part) == {}
