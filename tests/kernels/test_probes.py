"""The physics of depth: what must come out of the stacks, by Xiong et al. 2020 and by measurement."""

import statistics
from functools import cache

import pytest
import torch

from kernels.probes import gradient_norms, hidden_variance, random_batch
from kernels.reading import shape
from kernels.stack import Stack

DEPTH = 48


@cache
def stack(arch: str, init: str = "xavier", depth: int = DEPTH, seed: int = 0) -> Stack:
    return Stack(arch, depth, init=init, seed=seed, device="cpu")


def test_post_norm_keeps_the_variance_at_one() -> None:
    curve = hidden_variance(stack("post"))
    assert curve.x == tuple(range(DEPTH + 1))
    assert curve.y[1:] == pytest.approx([1.0] * DEPTH, abs=1e-3)
    assert curve.first == pytest.approx(1.0, abs=0.05)
    assert (curve.label, curve.arch, curve.x_label) == ("post", "post", "layer")


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_pre_norm_grows_linearly_within_the_bounds_of_xiong(seed: int) -> None:
    curve = hidden_variance(stack("pre", seed=seed), seed=seed)
    found = shape(curve.x, curve.y)
    assert 1 + DEPTH / 2 <= curve.last <= 1 + 3 * DEPTH / 2  # Lemma 2: 25 to 73
    assert found.law == "linear"
    assert found.r2 > 0.98


def test_pre_norm_grows_less_with_the_default_initialisation() -> None:
    assert hidden_variance(stack("pre", "default")).last == pytest.approx(6, abs=1)


@pytest.mark.parametrize(("arch", "low", "high"), [("residual", 1e19, 1e21), ("plain", 1e-26, 1e-24)])
def test_without_a_norm_the_variance_explodes_or_vanishes(arch: str, low: float, high: float) -> None:
    curve = hidden_variance(stack(arch))
    assert low < curve.last < high
    assert shape(curve.x, curve.y).law == "exponential"


@pytest.mark.parametrize(("arch", "last"), [("sandwich", 100), ("output-norm", 100)])
def test_norms_on_the_branch_alone_let_the_stream_grow_by_two_a_layer(arch: str, last: float) -> None:
    assert hidden_variance(stack(arch)).last == pytest.approx(last, rel=0.15)


def test_the_plain_stack_underflows_to_exactly_zero() -> None:
    curve = gradient_norms(stack("plain", "default"))
    assert curve.last > 0.05
    zeros = [layer for layer, value in zip(curve.x, curve.y, strict=True) if value == 0]
    assert zeros == list(range(len(zeros)))  # from the input upwards
    assert len(zeros) >= 8
    assert gradient_norms(stack("plain")).first < 1e-12


def test_residuals_alone_overflow() -> None:
    curve = gradient_norms(stack("residual"))
    assert curve.first != curve.first  # NaN
    assert curve.last == pytest.approx(0.1, rel=0.1)


def test_deepnorm_gradients_are_flat_within_five_percent() -> None:
    for of in ("activations", "weights"):
        curve = gradient_norms(stack("deepnorm"), of=of)  # type: ignore[arg-type]
        assert max(curve.y) / min(curve.y) < 1.05


def test_the_last_layers_gradient_falls_like_one_over_root_depth_under_pre_norm_only() -> None:
    def last(arch: str, depth: int) -> float:
        seeds = range(3)
        return statistics.mean(
            gradient_norms(stack(arch, "xavier", depth, s), of="weights", seed=s).last for s in seeds
        )

    for depth in (12, 24, 48):
        expected = (6 / depth) ** 0.5
        assert last("pre", depth) / last("pre", 6) == pytest.approx(expected, rel=0.25)
        assert last("post", depth) / last("post", 6) > 0.85


def test_weight_gradients_have_no_layer_zero() -> None:
    assert gradient_norms(stack("post"), of="weights").x == tuple(range(1, DEPTH + 1))
    with pytest.raises(ValueError, match="'activations' or 'weights'"):
        gradient_norms(stack("post"), of="biases")  # type: ignore[arg-type]


def test_gradients_are_those_of_a_plain_backward_pass() -> None:
    small = Stack("pre", 3, 16, seed=2, device="cpu", dtype=torch.float64)
    batch = torch.randn(2, 5, 16, dtype=torch.float64)
    by_probe = gradient_norms(small, batch, of="weights")
    from kernels.probes import random_loss

    random_loss(small, small.blocks[2](small.blocks[1](small.blocks[0](batch)))).backward()
    by_hand = [block.get_parameter("ffn.w2.weight").grad.norm().item() for block in small.blocks]  # type: ignore[union-attr]
    assert by_probe.y == pytest.approx(by_hand)


def test_a_probe_leaves_the_stack_and_the_batch_as_they_were() -> None:
    small = Stack("pre", 2, 16, device="cpu")
    batch = random_batch(small)
    before = batch.clone()
    state = torch.get_rng_state()
    gradient_norms(small, batch)
    hidden_variance(small, batch)
    assert torch.equal(batch, before)
    assert not batch.requires_grad
    assert all(parameter.grad is None for parameter in small.parameters())
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("probe", [hidden_variance, gradient_norms])
def test_progress_is_told_and_what_it_raises_stops_the_probe(probe) -> None:  # type: ignore[no-untyped-def]
    small, calls = Stack("pre", 5, 16, device="cpu"), []
    probe(small, progress=lambda done, total: calls.append((done, total)))
    total = calls[-1][1]
    assert calls == [(i, total) for i in range(1, total + 1)]

    class Stop(BaseException):
        pass

    for when in (1, total - 1):

        def stop(done: int, _total: int, when: int = when) -> None:
            if done == when:
                raise Stop

        with pytest.raises(Stop):
            probe(small, progress=stop)


def test_the_same_seed_measures_the_same() -> None:
    small = Stack("pre", 3, 16, device="cpu")
    assert gradient_norms(small, seed=4) == gradient_norms(small, seed=4)
    assert gradient_norms(small, seed=4) != gradient_norms(small, seed=5)
