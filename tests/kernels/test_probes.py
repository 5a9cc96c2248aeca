"""The physics of depth: what must come out of the stacks, by Xiong et al. 2020 and by measurement."""

import statistics
from functools import cache

import pytest
import torch

from kernels.lab.shape import shape
from kernels.probes import (
    gradient_norms,
    hidden_mean,
    hidden_rms,
    hidden_variance,
    jacobian_singular_values,
    random_batch,
    random_loss,
    update_ratio,
)
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

    for depth in (12, 48):
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


@pytest.mark.parametrize(
    "probe", [hidden_variance, hidden_mean, hidden_rms, gradient_norms, update_ratio, jacobian_singular_values]
)
def test_progress_is_told_and_what_it_raises_stops_the_probe(probe) -> None:  # type: ignore[no-untyped-def]
    small, calls = Stack("pre", 5, 16, device="cpu"), []  # type: ignore[var-annotated]
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


def test_rms_is_made_of_variance_and_mean() -> None:
    batch = 3 + torch.randn(4, 5, 16)
    small = Stack("pre", 2, 16, device="cpu")
    rms, variance = hidden_rms(small, batch), hidden_variance(small, batch)
    assert rms.first**2 == pytest.approx(variance.first + batch.mean().item() ** 2, rel=1e-4)
    assert rms.first == pytest.approx(10**0.5, rel=0.1)


def test_the_mean_of_a_token_is_about_one_over_root_width_at_every_depth() -> None:
    curve = hidden_mean(stack("pre"))
    assert all(0.03 < value < 0.25 for value in curve.y)  # 1/sqrt(128) = 0.088
    assert hidden_mean(stack("pre"), torch.ones(1, 2, 128)).first == pytest.approx(1)


def test_singular_values_are_those_of_the_jacobian() -> None:
    small = Stack("pre", 3, 8, heads=2, device="cpu", dtype=torch.float64)
    state = torch.randn(1, 4, 8, dtype=torch.float64)
    for first, last in ((1, None), (2, 3)):
        inner = state
        for block in small.blocks[: first - 1]:
            inner = block(inner)

        def through(x: torch.Tensor, first: int = first, last: int | None = last) -> torch.Tensor:
            for block in small.blocks[first - 1 : last or first]:
                x = block(x)
            return x

        jacobian = torch.autograd.functional.jacobian(through, inner.detach())[0, 1, :, 0, 1, :]
        curve = jacobian_singular_values(small, state, first=first, last=last, token=1)
        assert curve.y == pytest.approx(torch.linalg.svdvals(jacobian).tolist())
        assert curve.label == ("pre 1" if first == 1 else "pre 2-3")
    with pytest.raises(ValueError, match="blocks 4 to 4 are not within 1 to 3"):
        jacobian_singular_values(small, first=4)


def test_post_norm_has_a_singular_value_of_zero_and_pre_norm_keeps_the_identity() -> None:
    post = jacobian_singular_values(stack("post", depth=12))
    pre = jacobian_singular_values(stack("pre", depth=12))
    assert post.last < 1e-5 * post.first  # LayerNorm removes the mean and the scale: two directions are lost
    assert pre.last > 0.01


@pytest.mark.parametrize(("optimizer", "kind"), [("sgd", torch.optim.SGD), ("adam", torch.optim.Adam)])
def test_the_update_is_that_of_the_first_step(optimizer: str, kind: type[torch.optim.Optimizer]) -> None:
    small = Stack("post", 2, 16, device="cpu", dtype=torch.float64)
    before = [parameter.detach().clone() for parameter in small.parameters()]
    batch = random_batch(small, seed=3)
    curve = update_ratio(small, batch, lr=0.1, optimizer=optimizer, seed=3)  # type: ignore[arg-type]
    assert all(torch.equal(a, b) for a, b in zip(before, small.parameters(), strict=True))
    w2 = small.get_parameter("blocks.0.ffn.w2.weight")
    old = w2.detach().clone()
    random_loss(small, small.blocks[1](small.blocks[0](batch)), seed=3).backward()
    kind([w2], lr=0.1).step()  # type: ignore[call-arg]
    assert curve.x == (1, 2)
    assert curve.first == pytest.approx(((w2 - old).norm() / old.norm()).item())
    with pytest.raises(ValueError, match="'sgd' or 'adam'"):
        update_ratio(small, optimizer="lion")  # type: ignore[arg-type]
