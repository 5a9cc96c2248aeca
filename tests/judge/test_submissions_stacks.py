"""The gradient norms of stacks as people measure them."""

from __future__ import annotations

import pytest

from tests.judge.conftest import POST_FORWARD, PRE_FORWARD, UNREADABLE, Submissions, block_source, changed, in_parts

RIGHT: dict[str, dict[str, str]] = {}
WRONG: dict[str, dict[str, tuple[str, str | None]]] = {}

NORMS = """
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
TREND = """

def trend(norms):
    y = torch.tensor(norms).double().log10()
    x = torch.arange(len(y)).double()
    return float(torch.cov(torch.stack([x, y]))[0, 1] / x.var())
"""
PRE = block_source("PreNormBlock", PRE_FORWARD)
POST = block_source("PostNormBlock", POST_FORWARD)
STACKED_NORMS = """
def gradient_norms(x, upstream, blocks):
    h = x.clone()
    for block in blocks:
        h = block(h)
    torch.autograd.backward(h, grad_tensors=upstream)
    return [torch.stack([p.grad.norm() for p in b.parameters()]).norm() for b in blocks]
"""
NORMS_BY_BLOCK = """
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
NUMPY_TREND = """

def trend(norms):
    import numpy as np
    return float(np.polyfit(range(len(norms)), np.log10(norms), 1)[0])
"""
RIGHT["ex2"] = {"plain": PRE + NORMS, "stacked norms": PRE + STACKED_NORMS, "block by block": PRE + NORMS_BY_BLOCK}
RIGHT["ex3"] = {
    "cov": POST + NORMS + TREND,
    "polyfit": POST + STACKED_NORMS + NUMPY_TREND,
    "block by block": POST + NORMS_BY_BLOCK + TREND,
}


def wrong_norms(base):
    return {
"a loss of ones": (base+changed(NORMS, ("out.backward(upstream)","out.sum().backward()")), "sum-as-loss"),
"a mean for a loss": (base+changed(NORMS, ("out.backward(upstream)","out.mean().backward()")), "mean-as-loss"),
"not rooted": (base+changed(NORMS, (" ** 0.5","")), "not-rooted"),
"sum of norms": (base+changed(NORMS, ("p.grad.pow(2).sum().item()","p.grad.norm().item()"),(" ** 0.5","")), "sum-of-norms"),
"mean of norms": (base+changed(NORMS, ("p.grad.pow(2).sum().item()","p.grad.norm().item() / len(list(block.parameters()))"),(" ** 0.5","")), "mean-of-norms"),
"without the sublayers": (base+changed(NORMS, ("block.parameters()","[*block.ln_attn.parameters(), *block.ln_ffn.parameters()]")), "without-sublayers"),
"without the norms": (base+changed(NORMS, ("block.parameters()","[*block.attn.parameters(), *block.ffn.parameters()]")), "without-norms"),
"weights only": (base+changed(NORMS, ("            squares","            if p.ndim > 1: squares")), "matrices-only"),
"reversed": (base+changed(NORMS, ("return result","return result[::-1]")), "reversed"),
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
"norms of the weights": (base+changed(NORMS, ("p.grad.pow","p.detach().pow")), "weights"),
"one number": (base+changed(NORMS, ("return result","return sum(result)")), None),
"largest entry": (base+changed(NORMS, ("squares += p.grad.pow(2).sum().item()","squares = max(squares, p.grad.abs().max().item() ** 2)")), None),
}  # fmt: skip


WRONG["ex2"] = {
    "post": (block_source("PreNormBlock", POST_FORWARD) + NORMS, "post-norm"),
    "no residual": (changed(PRE, ("x + self", "self"), ("h + self", "self")) + NORMS, "no-residual"),
    "shared": (changed(PRE, ("self.ln_ffn(", "self.ln_attn(")) + NORMS, "shared-norm"),
    **wrong_norms(PRE),
}
WRONG["ex3"]={"pre":(block_source("PostNormBlock",PRE_FORWARD)+NORMS+TREND,"pre-norm"),"no residual":(changed(POST,("x + self","self"),("h + self","self"))+NORMS+TREND,"no-residual"),
"shared":(changed(POST,("self.ln_ffn(","self.ln_attn("))+NORMS+TREND,"shared-norm"),
**{k:(s+TREND,m) for k,(s,m) in wrong_norms(POST).items()},
"natural log":(POST+NORMS+changed(TREND,("log10","log")),"natural-logarithm"),
"no log":(POST+NORMS+changed(TREND,(".log10()","")),"no-logarithm"),
"ends only":(POST+NORMS+"\ndef trend(norms):\n    return (math.log10(norms[-1]) - math.log10(norms[0])) / (len(norms) - 1)\n","ends-only"),
"sign":(POST+NORMS+changed(TREND,("return float(","return -float(")),"sign"),
"total change":(POST+NORMS+changed(TREND,("return float(","return len(y) * float(")),None),
"no trend":(POST+NORMS,UNREADABLE),
}  # fmt: skip


@pytest.mark.parametrize("id", RIGHT)
def test_right_code_in_any_style_passes(submissions: Submissions, id: str) -> None:
    assert submissions.refused(id, RIGHT[id]) == {}


@pytest.mark.parametrize(("id", "part"), in_parts(WRONG))
def test_wrong_code_fails_and_is_told_its_mistake(submissions: Submissions, id: str, part: slice) -> None:
    assert submissions.misjudged(id, WRONG[id], part) == {}
