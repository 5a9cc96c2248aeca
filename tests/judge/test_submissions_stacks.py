"""The gradient norms of stacks as people measure them."""

from __future__ import annotations

import pytest

from tests.judge.conftest import UNREADABLE, Submissions, changed, in_parts

RIGHT: dict[str, dict[str, str]] = {}
WRONG: dict[str, dict[str, tuple[str, str | None]]] = {}


def two(name, forward, init="", tail=""):
    return f"""
class {name}(nn.Module):
    def __init__(self, d_model, attention, feed_forward):
        super().__init__()
        self.attn = attention
        self.ffn = feed_forward
        self.ln_attn = nn.LayerNorm(d_model)
        self.ln_ffn = nn.LayerNorm(d_model)
{init}
    def forward(self, x):
{forward}
{tail}"""


PREF = """        h = x + self.attn(self.ln_attn(x))
        return h + self.ffn(self.ln_ffn(h))"""
POSTF = """        h = self.ln_attn(x + self.attn(x))
        return self.ln_ffn(h + self.ffn(h))"""

G = """
def gradient_norms(x, upstream, blocks):
    out = nn.Sequential(*blocks)(x)
    out.backward(upstream)
    result = []
    for block in blocks:
        squares = 0.0
        for p in block.parameters():
            squares += p.grad.pow(2).sum().item()
        result.append(squares ** 0.5)
    return result
"""
T = """

def trend(norms):
    y = torch.tensor(norms).double().log10()
    x = torch.arange(len(y)).double()
    return float(torch.cov(torch.stack([x, y]))[0, 1] / x.var())
"""
PRE = two("PreNormBlock", PREF)
POST = two("PostNormBlock", POSTF)
G2 = """
def gradient_norms(x, upstream, blocks):
    h = x.clone()
    for block in blocks:
        h = block(h)
    torch.autograd.backward(h, grad_tensors=upstream)
    return [torch.stack([p.grad.norm() for p in b.parameters()]).norm() for b in blocks]
"""
G3 = """
def gradient_norms(x, upstream, blocks):
    activations = [x.detach().requires_grad_()]
    for block in blocks:
        activations.append(block(activations[-1]))
    norms, g = [], upstream
    for block, before, after in reversed(list(zip(blocks, activations, activations[1:]))):
        ps = list(block.parameters())
        *grads, g = torch.autograd.grad(after, [*ps, before], g, retain_graph=True)
        norms.insert(0, math.sqrt(sum(float(each.double().square().sum()) for each in grads)))
    return norms
"""
NP = """

def trend(norms):
    import numpy as np
    return float(np.polyfit(range(len(norms)), np.log10(norms), 1)[0])
"""
RIGHT["ex2"] = {"plain": PRE + G, "stacked norms": PRE + G2, "block by block": PRE + G3}
RIGHT["ex3"] = {"cov": POST + G + T, "polyfit": POST + G2 + NP, "block by block": POST + G3 + T}


def gw(base):
    return {
"a loss of ones": (base+changed(G, ("out.backward(upstream)","out.sum().backward()")), "sum-as-loss"),
"a mean for a loss": (base+changed(G, ("out.backward(upstream)","out.mean().backward()")), "mean-as-loss"),
"not rooted": (base+changed(G, (" ** 0.5","")), "not-rooted"),
"sum of norms": (base+changed(G, ("p.grad.pow(2).sum().item()","p.grad.norm().item()"),(" ** 0.5","")), "sum-of-norms"),
"mean of norms": (base+changed(G, ("p.grad.pow(2).sum().item()","p.grad.norm().item() / len(list(block.parameters()))"),(" ** 0.5","")), "mean-of-norms"),
"without the sublayers": (base+changed(G, ("block.parameters()","[*block.ln_attn.parameters(), *block.ln_ffn.parameters()]")), "without-sublayers"),
"without the norms": (base+changed(G, ("block.parameters()","[*block.attn.parameters(), *block.ffn.parameters()]")), "without-norms"),
"weights only": (base+changed(G, ("            squares","            if p.ndim > 1: squares")), "matrices-only"),
"reversed": (base+changed(G, ("return result","return result[::-1]")), "reversed"),
"gradients of activations": (base+'''
def gradient_norms(x, upstream, blocks):
    outs = []
    for block in blocks:
        x = block(x)
        x.retain_grad()
        outs.append(x)
    x.backward(upstream)
    return [o.grad.norm().item() for o in outs]
''', "activations"),
"norms of the weights": (base+changed(G, ("p.grad.pow","p.detach().pow")), "weights"),
"one number": (base+changed(G, ("return result","return sum(result)")), None),
"largest entry": (base+changed(G, ("squares += p.grad.pow(2).sum().item()","squares = max(squares, p.grad.abs().max().item() ** 2)")), None),
}  # fmt: skip


WRONG["ex2"] = {
    "post": (two("PreNormBlock", POSTF) + G, "post-norm"),
    "no residual": (changed(PRE, ("x + self", "self"), ("h + self", "self")) + G, "no-residual"),
    "shared": (changed(PRE, ("self.ln_ffn(", "self.ln_attn(")) + G, "shared-norm"),
    **gw(PRE),
}
WRONG["ex3"]={"pre":(two("PostNormBlock",PREF)+G+T,"pre-norm"),"no residual":(changed(POST,("x + self","self"),("h + self","self"))+G+T,"no-residual"),
"shared":(changed(POST,("self.ln_ffn(","self.ln_attn("))+G+T,"shared-norm"),
**{k:(s+T,m) for k,(s,m) in gw(POST).items()},
"natural log":(POST+G+changed(T,("log10","log")),"natural-logarithm"),
"no log":(POST+G+changed(T,(".log10()","")),"no-logarithm"),
"ends only":(POST+G+"\ndef trend(norms):\n    return (math.log10(norms[-1]) - math.log10(norms[0])) / (len(norms) - 1)\n","ends-only"),
"sign":(POST+G+changed(T,("return float(","return -float(")),"sign"),
"total change":(POST+G+changed(T,("return float(","return len(y) * float(")),None),
"no trend":(POST+G,UNREADABLE),
}  # fmt: skip


@pytest.mark.parametrize("id", RIGHT)
def test_right_code_in_any_style_passes(submissions: Submissions, id: str) -> None:
    assert submissions.refused(id, RIGHT[id]) == {}


@pytest.mark.parametrize(("id", "part"), in_parts(WRONG))
def test_wrong_code_fails_and_is_told_its_mistake(submissions: Submissions, id: str, part: slice) -> None:
    assert submissions.misjudged(id, WRONG[id], part) == {}
