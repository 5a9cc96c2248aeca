"""Depth alone makes a plain net fit its training data worse; with residuals and small branches it does not."""

import math

import pytest
import torch
from torch import nn

from kernels import FeedForward, ResidualSubLayer, Stack, reversal_loss, spiral_gradients, spiral_loss
from kernels.depth_training import spiral_net, two_spirals


def plain() -> nn.Module:
    return nn.Sequential(nn.LayerNorm(32), FeedForward(32, 32))


def residual() -> nn.Module:
    return ResidualSubLayer(32, FeedForward(32, 32), norm=nn.LayerNorm)


def test_the_deep_plain_net_learns_nothing_and_the_deep_residual_one_all() -> None:
    shallow, deep, skipping = spiral_loss(plain, 2), spiral_loss(plain, 24), spiral_loss(residual, 24)
    assert min(shallow.y[-10:]) < 0.1
    assert min(deep.y[-10:]) > 0.5
    assert min(skipping.y[-10:]) < 0.1
    assert deep.first == pytest.approx(math.log(2), abs=0.3), "an untrained net knows nothing"
    assert (deep.label, deep.x_label) == ("24 blocks", "step")


def test_what_it_does_not_learn_is_no_matter_of_vanishing() -> None:
    gradients = spiral_gradients(plain, 24)
    assert gradients.x == tuple(range(25))
    assert gradients.first / gradients.last > 1e-3


def test_the_spirals_are_two_and_no_line_parts_them() -> None:
    points, side = two_spirals()
    assert points.shape == (128, 2)
    assert side.bincount().tolist() == [64, 64]
    assert points.norm(dim=1).max() <= 1
    fit = torch.linalg.lstsq(torch.cat([points, torch.ones(128, 1)], 1), 2.0 * side - 1).solution
    wrong = ((torch.cat([points, torch.ones(128, 1)], 1) @ fit > 0) != (side == 1)).double().mean()
    assert wrong > 0.25


def test_a_transformer_without_a_norm_learns_once_its_branches_begin_at_zero() -> None:
    def stack() -> Stack:
        return Stack("residual", 6, 32, device="cpu")

    zeroed = stack()
    with torch.no_grad():
        for block in zeroed.blocks:
            block.get_parameter("attention.out.weight").zero_()
            block.get_parameter("ffn.w2.weight").zero_()
    large, small = reversal_loss(stack(), 32), reversal_loss(zeroed, 32)
    assert large.first > 5 > small.first
    assert small.last < 1 < large.last


@pytest.mark.parametrize(
    "train",
    [
        lambda **more: spiral_loss(plain, 2, **more),
        lambda **more: reversal_loss(Stack("pre", 1, 16, device="cpu"), 16, **more),
    ],
)
def test_it_is_drawn_from_the_seed_alone_and_leaves_everything_as_it_was(train) -> None:
    torch.manual_seed(5)
    threads, before = torch.get_num_threads(), torch.random.get_rng_state()
    first, again, other = (train(steps=3, seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert first.y != other.y
    assert torch.equal(torch.random.get_rng_state(), before)

    seen = []

    def report(done: int, total: int) -> None:
        seen.append((done, total))
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(steps=5, progress=report)
    assert seen == [(1, 5), (2, 5)]
    assert torch.get_num_threads() == threads
    with pytest.raises(ValueError, match="at least 1"):
        train(steps=0)


def test_a_net_has_at_least_one_block() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        spiral_net(plain, 0)
