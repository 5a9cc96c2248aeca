"""Pre- and Post-Norm blocks as people write them, whatever they call their parts."""

from __future__ import annotations

import pytest

from tests.judge.conftest import POST_FORWARD, PRE_FORWARD, Submissions, block_source, changed, in_parts

RIGHT: dict[str, dict[str, str]] = {}
WRONG: dict[str, dict[str, tuple[str, str | None]]] = {}

RIGHT["code-prenorm-block"]={
"a wrapper and partials": '''
class Skip(nn.Module):
    def __init__(self, d_model, fn):
        super().__init__()
        self.fn = fn
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x):
        return self.fn(self.norm(x)).add(x)


class PreNormBlock(nn.Module):
    def __init__(self, d_model, attention, feed_forward):
        super().__init__()
        self.layers = nn.Sequential(Skip(d_model, attention), Skip(d_model, feed_forward))

    def forward(self, x):
        return self.layers(x)
''',
"a module dictionary, functional norms": '''
class PreNormBlock(nn.Module):
    def __init__(self, d_model, attention, feed_forward):
        super().__init__()
        self.d = d_model
        self.register_parameter("w1", nn.Parameter(torch.ones(d_model)))
        self.register_parameter("w2", nn.Parameter(torch.ones(d_model)))
        self.register_parameter("b2", nn.Parameter(torch.zeros(d_model)))
        self.register_parameter("b1", nn.Parameter(torch.zeros(d_model)))
        self.inner = nn.ModuleDict(dict(ffn=feed_forward, attn=attention))

    def forward(self, x):
        a = self.inner["attn"](F.layer_norm(x, (self.d,), self.w1, self.b1))
        x = a + x
        f = self.inner["ffn"](torch.layer_norm(x, [self.d], self.w2, self.b2, 1e-5))
        return f + x
''',
"written out": '''
class PreNormBlock(nn.Module):
    def __init__(self, d_model, attention, feed_forward):
        super(PreNormBlock, self).__init__()
        self.pre_attention_norm = nn.LayerNorm(d_model, eps=1e-5, elementwise_affine=True)
        self.self_attention = attention
        self.pre_ffn_norm = nn.LayerNorm(d_model, eps=1e-5, elementwise_affine=True)
        self.mlp = feed_forward

    def forward(self, hidden_states, mask=None):
        residual = hidden_states
        hidden_states = self.pre_attention_norm(hidden_states)
        hidden_states = self.self_attention(hidden_states)
        hidden_states = residual + hidden_states
        residual = hidden_states
        hidden_states = self.pre_ffn_norm(hidden_states)
        hidden_states = self.mlp(hidden_states)
        hidden_states = residual + hidden_states
        return hidden_states
''',
"in float64 inside the norm, a clone added to": '''
class Norm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(size))
        self.offset = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        h = x.double()
        h = h - h.mean(-1, keepdim=True)
        h = h / torch.sqrt(h.pow(2).mean(-1, keepdim=True) + 1e-5)
        return h.to(x.dtype) * self.scale + self.offset


class PreNormBlock(nn.Module):
    def __init__(self, d_model, attention, feed_forward):
        super().__init__()
        self.n = nn.ModuleList([Norm(d_model) for _ in range(2)])
        self.f = nn.ModuleList((attention, feed_forward))

    def forward(self, x):
        out = x.clone()
        for n, f in zip(self.n, self.f):
            out = out + f(n(out))
        return out
''',
}  # fmt: skip
PRE = block_source("PreNormBlock", PRE_FORWARD)


def wrong_norms(block):
    return {
"one norm used twice": (changed(block, ("self.ln_ffn(", "self.ln_attn(")), "shared-norm"),
"one norm object": (changed(block, ("self.ln_ffn = nn.LayerNorm(d_model)", "self.ln_ffn = self.ln_attn")), "same-norm"),
"eps 1e-6": (changed(block, ("nn.LayerNorm(d_model)", "nn.LayerNorm(d_model, 1e-6)")), "eps"),
"eps 1e-12": (changed(block, ("nn.LayerNorm(d_model)", "nn.LayerNorm(d_model, 1e-12)")), "eps-1e-12"),
"RMSNorm": (changed(block, ("nn.LayerNorm(d_model)", "nn.RMSNorm(d_model, eps=1e-5)")), "rmsnorm"),
"no affine": (changed(block, ("nn.LayerNorm(d_model)", "nn.LayerNorm(d_model, elementwise_affine=False)")), "no-affine"),
"no bias": (changed(block, ("nn.LayerNorm(d_model)", "nn.LayerNorm(d_model, bias=False)")), "norm-without-bias"),
"in a list": (changed(block, ("self.attn = attention", "self.attn_ = [attention]"), ("self.attn(", "self.attn_[0](")), "not-registered"),
"in place": (changed(block, ("    def forward(self, x):\n", "    def forward(self, x):\n        x.mul_(1.0).add_(1e-3)\n")), None),
"batch norm over the tokens": (changed(block, ("nn.LayerNorm(d_model)", "nn.BatchNorm1d(d_model)"), ("self.ln_attn(", "self.tok(self.ln_attn, "), ("self.ln_ffn(", "self.tok(self.ln_ffn, "), ("    def forward", "    def tok(self, norm, x):\n        return norm(x.transpose(1, 2)).transpose(1, 2)\n\n    def forward")), None),
}  # fmt: skip


WRONG["code-prenorm-block"]={
"post for pre": (block_source("PreNormBlock",POST_FORWARD), "post-norm"),
"no residual": (changed(PRE, ("x + self", "self"), ("h + self", "self")), "no-residual"),
"no first residual": (changed(PRE, ("x + self", "self")), "first-residual-missing"),
"no second residual": (changed(PRE, ("h + self", "self")), "second-residual-missing"),
"the second residual from x": (changed(PRE, ("h + self", "x + self")), "residual-from-x"),
"parallel": (changed(PRE, ("self.ln_ffn(h)", "self.ln_ffn(x)")), "parallel"),
"the stream is normalised": (block_source("PreNormBlock","        x = self.ln_attn(x)\n        x = x + self.attn(x)\n        x = self.ln_ffn(x)\n        return x + self.ffn(x)"), "normed-stream"),
"norm on the output": (block_source("PreNormBlock","        x = x + self.ln_attn(self.attn(x))\n        return x + self.ln_ffn(self.ffn(x))"), "output-norm"),
"no norms": (block_source("PreNormBlock","        x = x + self.attn(x)\n        return x + self.ffn(x)"), "no-norm"),
"no second norm": (block_source("PreNormBlock","        x = x + self.attn(self.ln_attn(x))\n        return x + self.ffn(x)"), "second-norm-missing"),
"no first norm": (block_source("PreNormBlock","        x = x + self.attn(x)\n        return x + self.ffn(self.ln_ffn(x))"), "first-norm-missing"),
"the other order": (block_source("PreNormBlock","        x = x + self.ffn(self.ln_ffn(x))\n        return x + self.attn(self.ln_attn(x))"), "wrong-order"),
"a final norm": (block_source("PreNormBlock",PRE_FORWARD.replace("return h + self.ffn(self.ln_ffn(h))","return F.layer_norm(h + self.ffn(self.ln_ffn(h)), x.shape[-1:])")), None),
"detached": (changed(PRE, ("self.ln_attn(x)", "self.ln_attn(x.detach())"), ("self.ln_ffn(h)", "self.ln_ffn(h.detach())")), "detached"),
"dropout": (changed(PRE, ("h + self.ffn(self.ln_ffn(h))", "h + F.dropout(self.ffn(self.ln_ffn(h)), 0.1)")), None),
"sublayers called twice": (changed(PRE, ("h = x + self.attn(self.ln_attn(x))", "h = x + 0.5 * (self.attn(self.ln_attn(x)) + self.attn(self.ln_attn(x)))")), None),
"half the branch": (changed(PRE, ("h = x + self.attn", "h = x + 0.5 * self.attn")), None),
"an MLP of its own": (changed(PRE, ("self.ffn = feed_forward", "self.ffn = nn.Linear(d_model, d_model)")), None),
"x added in place": (block_source("PreNormBlock","        x += self.attn(self.ln_attn(x))\n        x += self.ffn(self.ln_ffn(x))\n        return x"), "in-place"),
**wrong_norms(PRE),
}  # fmt: skip
RIGHT["code-prenorm-block"]["every matrix initialised anew"] = changed(
    block_source("PreNormBlock", PRE_FORWARD),
    (
        "    def forward",
        "        for p in self.parameters():\n            if p.dim() > 1:\n                nn.init.xavier_uniform_(p)\n\n    def forward",
    ),
)
RIGHT["code-postnorm-block"]={
"written out": '''
class PostNormBlock(nn.Module):
    def __init__(self, d_model, attention, feed_forward):
        super().__init__()
        self.attention, self.output = attention, feed_forward
        self.final_norm = nn.LayerNorm(d_model)
        self.middle_norm = nn.LayerNorm(d_model)

    def forward(self, src):
        src2 = self.attention(src)
        src = src + src2
        src = self.middle_norm(src)
        src2 = self.output(src)
        src = src + src2
        src = self.final_norm(src)
        return src
''',
"add and norm": '''
class AddNorm(nn.LayerNorm):
    def forward(self, x, y):
        return super().forward(x + y)


class PostNormBlock(nn.Module):
    def __init__(self, d_model, attention, feed_forward):
        super().__init__()
        self.add_module("a", attention)
        self.add_module("f", feed_forward)
        self.na, self.nf = AddNorm(d_model), AddNorm(d_model)

    def forward(self, x):
        x = self.na(x, self.a(x))
        return self.nf(self.f(x), x)
''',
"by hand": '''
class PostNormBlock(nn.Module):
    def __init__(self, d_model, attention, feed_forward):
        super().__init__()
        self.sub = nn.ModuleList([attention, feed_forward])
        self.gain = nn.ParameterList([torch.ones(d_model), torch.ones(d_model)])
        self.bias = nn.ParameterList([torch.zeros(d_model), torch.zeros(d_model)])

    def forward(self, x):
        for sub, g, b in zip(self.sub, self.gain, self.bias):
            x = x + sub(x)
            std, mean = torch.std_mean(x, -1, correction=0, keepdim=True)
            x = (x - mean) / torch.sqrt(std * std + 1e-5) * g + b
        return x
''',
}  # fmt: skip
POST = block_source("PostNormBlock", POST_FORWARD)
WRONG["code-postnorm-block"]={
"pre for post": (block_source("PostNormBlock",PRE_FORWARD), "pre-norm"),
"no residual": (changed(POST, ("x + self", "self"), ("h + self", "self")), "no-residual"),
"no first residual": (changed(POST, ("x + self", "self")), "first-residual-missing"),
"no second residual": (changed(POST, ("h + self", "self")), "second-residual-missing"),
"the second residual from x": (changed(POST, ("h + self", "x + self")), "residual-from-x"),
"norm on the branch": (block_source("PostNormBlock","        x = x + self.ln_attn(self.attn(x))\n        return x + self.ln_ffn(self.ffn(x))"), "norm-on-branch"),
"before and after": (block_source("PostNormBlock","        x = self.ln_attn(x + self.attn(self.ln_attn(x)))\n        return self.ln_ffn(x + self.ffn(self.ln_ffn(x)))"), "both"),
"no norms": (block_source("PostNormBlock","        x = x + self.attn(x)\n        return x + self.ffn(x)"), "no-norm"),
"no first norm": (block_source("PostNormBlock","        x = x + self.attn(x)\n        return self.ln_ffn(x + self.ffn(x))"), "first-norm-missing"),
"no second norm": (block_source("PostNormBlock","        x = self.ln_attn(x + self.attn(x))\n        return x + self.ffn(x)"), "second-norm-missing"),
"the other order": (block_source("PostNormBlock","        x = self.ln_ffn(x + self.ffn(x))\n        return self.ln_attn(x + self.attn(x))"), "wrong-order"),
"parallel": (block_source("PostNormBlock","        h = self.ln_attn(x + self.attn(x))\n        return self.ln_ffn(h + self.ffn(x))"), "parallel"),
"residual around the norm": (block_source("PostNormBlock","        x = x + self.ln_attn(x + self.attn(x))\n        return x + self.ln_ffn(x + self.ffn(x))"), "residual-around-norm"),
"detached": (changed(POST, ("self.attn(x)", "self.attn(x.detach())"), ("self.ffn(h)", "self.ffn(h.detach())")), "detached"),
"x added in place": (block_source("PostNormBlock","        x += self.attn(x)\n        x = self.ln_attn(x)\n        return self.ln_ffn(x + self.ffn(x))"), "in-place"),
**wrong_norms(POST),
}  # fmt: skip


@pytest.mark.parametrize("id", RIGHT)
def test_right_code_in_any_style_passes(submissions: Submissions, id: str) -> None:
    assert submissions.refused(id, RIGHT[id]) == {}


@pytest.mark.parametrize(("id", "part"), in_parts(WRONG))
def test_wrong_code_fails_and_is_told_its_mistake(submissions: Submissions, id: str, part: slice) -> None:
    assert submissions.misjudged(id, WRONG[id], part) == {}
