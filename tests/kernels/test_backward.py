"""The hand-written backward passes against autograd, in float64, under a random upstream gradient."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from kernels.backward import batch_norm_backward, layer_norm_backward, rms_norm_backward

EPS = 1e-3  # large enough that a formula which forgets it is far off


def seeded(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def by_autograd(y: Tensor, inputs: list[Tensor], dy: Tensor) -> tuple[Tensor, ...]:
    return torch.autograd.grad(y, inputs, dy)


@pytest.mark.parametrize("shape", [(3, 7), (2, 5, 129), (4, 1), (6,), (0, 8)])
def test_layer_norm(shape: tuple[int, ...]) -> None:
    x, dy = (2 + 3 * seeded(*shape, seed=0)).requires_grad_(), seeded(*shape, seed=1)
    weight, bias = seeded(shape[-1], seed=2).requires_grad_(), seeded(shape[-1], seed=3).requires_grad_()
    expected = by_autograd(F.layer_norm(x, shape[-1:], weight, bias, EPS), [x, weight, bias], dy)
    for mine, theirs in zip(layer_norm_backward(dy, x.detach(), weight.detach(), EPS), expected, strict=True):
        torch.testing.assert_close(mine, theirs)
    (dx,) = by_autograd(F.layer_norm(x, shape[-1:], eps=EPS), [x], dy)
    torch.testing.assert_close(layer_norm_backward(dy, x.detach(), eps=EPS)[0], dx)


@pytest.mark.parametrize("shape", [(3, 7), (2, 5, 129), (4, 1), (6,), (0, 8)])
def test_rms_norm(shape: tuple[int, ...]) -> None:
    x, dy = (2 + 3 * seeded(*shape, seed=0)).requires_grad_(), seeded(*shape, seed=1)
    weight = seeded(shape[-1], seed=2).requires_grad_()
    expected = by_autograd(F.rms_norm(x, shape[-1:], weight, EPS), [x, weight], dy)
    for mine, theirs in zip(rms_norm_backward(dy, x.detach(), weight.detach(), EPS), expected, strict=True):
        torch.testing.assert_close(mine, theirs)


@pytest.mark.parametrize("shape", [(6, 3), (4, 3, 5), (2, 3, 4, 5)])
def test_batch_norm(shape: tuple[int, ...]) -> None:
    x, dy = (2 + 3 * seeded(*shape, seed=0)).requires_grad_(), seeded(*shape, seed=1)
    weight, bias = seeded(3, seed=2).requires_grad_(), seeded(3, seed=3).requires_grad_()
    y = F.batch_norm(x, None, None, weight, bias, training=True, eps=EPS)
    expected = by_autograd(y, [x, weight, bias], dy)
    for mine, theirs in zip(batch_norm_backward(dy, x.detach(), weight.detach(), EPS), expected, strict=True):
        torch.testing.assert_close(mine, theirs)


def test_what_the_norms_take_away_gets_no_gradient() -> None:
    x, dy = seeded(4, 9, seed=0), seeded(4, 9, seed=1)
    zeros = torch.zeros(4, dtype=torch.float64)
    layer, _, _ = layer_norm_backward(dy, x, eps=0)
    centred = x - x.mean(-1, keepdim=True)
    torch.testing.assert_close(layer.sum(-1), zeros)  # along 1: a shift
    torch.testing.assert_close((layer * centred).sum(-1), zeros)  # along the centred x: a scale
    rms, _ = rms_norm_backward(dy, x, eps=0)
    torch.testing.assert_close((rms * x).sum(-1), zeros)
    assert rms.sum(-1).abs().min() > 1e-3  # RMSNorm does not forget a shift
    batch, _, _ = batch_norm_backward(dy, x, eps=0)
    torch.testing.assert_close(batch.sum(0), torch.zeros(9, dtype=torch.float64))


def test_the_upstream_gradient_is_not_written_to() -> None:
    x, dy = seeded(4, 9, seed=0), seeded(4, 9, seed=1)
    before = dy.clone()
    for backward in (layer_norm_backward, rms_norm_backward, batch_norm_backward):
        backward(dy.expand(4, 9), x)
        assert torch.equal(dy, before)
