"""BatchNorm as people write it: none that is right is refused, none that is wrong passes."""

from __future__ import annotations

import pytest

from tests.judge.conftest import Submissions, changed, in_parts

RIGHT: dict[str, dict[str, str]] = {}
WRONG: dict[str, dict[str, tuple[str, str | None]]] = {}

BN_BASE = """
def batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps):
    axes = tuple(i for i in range(x.dim()) if i != 1)
    view = tuple(-1 if i == 1 else 1 for i in range(x.dim()))
    n = x.numel() / x.size(1)
    if training:
        if n <= 1:
            raise ValueError("Expected more than 1 value per channel when training")
        m = x.mean(dim=axes, keepdim=True)
        v = ((x - m) ** 2).mean(dim=axes, keepdim=True)
        if running_mean is not None and running_var is not None:
            new_mean, new_var = m.detach().flatten(), v.detach().flatten() * n / (n - 1)
            running_mean.copy_(running_mean * (1 - momentum) + new_mean * momentum)
            running_var.copy_(running_var * (1 - momentum) + new_var * momentum)
    else:
        m, v = running_mean.view(view), running_var.view(view)
    out = (x - m) / torch.sqrt(v + eps)
    if weight is not None:
        out = out * weight.view(view)
    if bias is not None:
        out = out + bias.view(view)
    return out
"""
RIGHT["code-batchnorm"] = {
"keepdim and copy_": BN_BASE,
"torch.batch_norm": '''
def batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps):
    if training and x.numel() == x.shape[1]:
        raise ValueError("one value per channel")
    return torch.batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps, False)
''',
"a module that is filled in": '''
def batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps):
    return torch.nn.functional.batch_norm(input=x, running_mean=running_mean, running_var=running_var, weight=weight,
                                          bias=bias, training=training, momentum=momentum, eps=eps)
''',
"moved to the last dimension": '''
def batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps):
    y = x.movedim(1, -1)
    rows = y.reshape(-1, y.shape[-1])
    n = len(rows)
    if training:
        if n < 2:
            raise ValueError("too few values")
        mean = rows.mean(0)
        centred = rows - mean
        var = (centred * centred).sum(0) / n
        if running_mean is not None:
            with torch.no_grad():
                running_mean *= 1 - momentum
                running_mean += momentum * mean
                running_var *= 1 - momentum
                running_var += momentum * (centred * centred).sum(0) / (n - 1)
    else:
        mean, var = running_mean, running_var
        centred = rows - mean
    scale = (var + eps).rsqrt()
    if weight is not None:
        scale = scale * weight
    rows = centred * scale
    if bias is not None:
        rows = rows + bias
    return rows.reshape(y.shape).movedim(-1, 1)
''',
"scale and shift": '''
def batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps):
    import torch as t
    dims = [0] + list(range(2, x.ndim))
    c = x.shape[1]
    if training:
        if x.numel() // c == 1:
            raise ValueError(f"Expected more than 1 value per channel when training, got input size {x.shape}")
        var, mean = t.var_mean(x.double(), dims, correction=0)
        if running_mean is not None:
            n = x.numel() / c
            running_mean.lerp_(mean.detach().to(running_mean.dtype), momentum)
            running_var.lerp_((var * (n / (n - 1))).detach().to(running_var.dtype), momentum)
    else:
        mean, var = running_mean.double(), running_var.double()
    rstd = (var + eps).rsqrt()
    weight = t.ones(c) if weight is None else weight
    bias = t.zeros(c) if bias is None else bias
    a = rstd * weight
    b = bias - mean * a
    shape = [1, c] + [1] * (x.ndim - 2)
    return (x.double() * a.view(shape) + b.view(shape)).to(x.dtype)
''',
"an early return": '''
def _normalise(x, mean, var, weight, bias, eps):
    y = (x.transpose(1, -1) - mean) / torch.sqrt(var + eps)
    if weight is not None:
        y = y * weight + bias
    return y.transpose(1, -1)


def batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps):
    if not training:
        return _normalise(x, running_mean, running_var, weight, bias, eps)
    flat = x.transpose(1, -1).flatten(0, -2)
    if flat.shape[0] == 1:
        raise ValueError("a batch of one value")
    if running_mean is not None:
        running_mean.data = (1 - momentum) * running_mean.data + momentum * flat.detach().mean(0)
        running_var.data = (1 - momentum) * running_var.data + momentum * flat.detach().var(0)
    return _normalise(x, flat.mean(0), flat.var(0, correction=0), weight, bias, eps)
''',
}  # fmt: skip
WRONG["code-batchnorm"] = {
"biased running variance": (changed(BN_BASE, (" * n / (n - 1)", "")), "biased-running"),
"unbiased normalisation": (changed(BN_BASE, ("((x - m) ** 2).mean(dim=axes, keepdim=True)", "x.var(dim=axes, keepdim=True)"), (" * n / (n - 1)", "")), "unbiased"),
"momentum the other way round": (changed(BN_BASE, ("running_mean * (1 - momentum) + new_mean * momentum", "running_mean * momentum + new_mean * (1 - momentum)"), ("running_var * (1 - momentum) + new_var * momentum", "running_var * momentum + new_var * (1 - momentum)")), "momentum"),
"buffers rebound": (changed(BN_BASE, ("running_mean.copy_(", "running_mean = ("), ("running_var.copy_(", "running_var = (")), "no-update"),
"buffers overwritten": (changed(BN_BASE, ("running_mean * (1 - momentum) + new_mean * momentum", "new_mean"), ("running_var * (1 - momentum) + new_var * momentum", "new_var")), "overwritten"),
"only the mean updated": (changed(BN_BASE, ("            running_var.copy_(running_var * (1 - momentum) + new_var * momentum)\n", "")), "no-running-var"),
"the running statistics in training": (changed(BN_BASE, ("\n    out = (x", "\n    if running_mean is not None:\n        m, v = running_mean.clone().view(view), running_var.clone().view(view)\n    out = (x")), "running-in-training"),
"the batch's statistics in evaluation": (changed(BN_BASE, ("m, v = running_mean.view(view), running_var.view(view)", "m = x.mean(dim=axes, keepdim=True)\n        v = x.var(dim=axes, keepdim=True, unbiased=False)")), "batch-in-evaluation"),
"updated in evaluation": (changed(BN_BASE, ("m, v = running_mean.view(view), running_var.view(view)", "m, v = running_mean.clone().view(view), running_var.clone().view(view)\n        running_var.mul_(0.9)")), "update-in-evaluation"),
"layer norm": (changed(BN_BASE, ("\n    out = (x", "\n    if training:\n        m, v = x.mean(1, keepdim=True), x.var(1, keepdim=True, unbiased=False)\n    out = (x")), "layernorm"),
"instance norm": (changed(BN_BASE, ("\n    out = (x", "\n    if training and x.ndim > 2:\n        m, v = x.mean(axes[1:], keepdim=True), x.var(axes[1:], keepdim=True, unbiased=False)\n    out = (x")), "instance-norm"),
"only two dimensions": ('''
def batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps):
    if training:
        if x.shape[0] == 1:
            raise ValueError("one value")
        mean, var = x.mean(0), x.var(0, unbiased=False)
        if running_mean is not None:
            running_mean.mul_(1 - momentum).add_(momentum * mean.detach())
            running_var.mul_(1 - momentum).add_(momentum * x.detach().var(0))
    else:
        mean, var = running_mean, running_var
    y = (x - mean) / torch.sqrt(var + eps)
    if weight is not None:
        y = y * weight + bias
    return y
''', "two-dimensions"),
"no eps": (changed(BN_BASE, ("v + eps", "v")), "no-eps"),
"eps outside": (changed(BN_BASE, ("torch.sqrt(v + eps)", "(torch.sqrt(v) + eps)")), "eps-outside"),
"eps 1e-5": (changed(BN_BASE, ("v + eps", "v + 1e-5")), "fixed-eps"),
"eps 1e-6": (changed(BN_BASE, ("v + eps", "v + 1e-6")), "fixed-eps-1e-6"),
"detached": (changed(BN_BASE, ("\n    out = (x", "\n    m, v = m.detach(), v.detach()\n    out = (x")), "detached"),
"one pass": (changed(BN_BASE, ("((x - m) ** 2).mean(dim=axes, keepdim=True)", "(x * x).mean(dim=axes, keepdim=True) - m * m")), "one-pass"),
"no error": (changed(BN_BASE, ("        if n <= 1:\n            raise ValueError(\"Expected more than 1 value per channel when training\")\n", "")), "no-error"),
"another error": (changed(BN_BASE, ("raise ValueError", "raise RuntimeError")), "another-error"),
"None not expected": (changed(BN_BASE, ("if weight is not None:", "if True:"), ("if bias is not None:", "if True:"), ("if running_mean is not None and running_var is not None:", "if True:")), "not-none"),
"None of weight and bias not expected": (changed(BN_BASE, ("if weight is not None:", "if True:"), ("if bias is not None:", "if True:")), "affine-not-none"),
"beta dropped": (changed(BN_BASE, ("        out = out + bias.view(view)", "        pass")), "no-bias"),
"gamma dropped": (changed(BN_BASE, ("        out = out * weight.view(view)", "        pass")), "no-weight"),
"in place": (changed(BN_BASE, ("    return out", "    x.data.zero_()\n    return out")), "in-place"),
"a wrapper with the buffers swapped": ("def batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps):\n    return F.batch_norm(x, running_mean, running_var, weight, bias, True, momentum, eps)\n", None),
}  # fmt: skip


@pytest.mark.parametrize("id", RIGHT)
def test_right_code_in_any_style_passes(submissions: Submissions, id: str) -> None:
    assert submissions.refused(id, RIGHT[id]) == {}


@pytest.mark.parametrize(("id", "part"), in_parts(WRONG))
def test_wrong_code_fails_and_is_told_its_mistake(submissions: Submissions, id: str, part: slice) -> None:
    assert submissions.misjudged(id, WRONG[id], part) == {}
