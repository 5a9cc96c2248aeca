"""The measured facts come out of the experiments with their default parameters, unless a line says otherwise."""

import json
import math
from collections.abc import Sequence
from typing import Any

import pytest

from kernels.curve import Curve
from kernels.lab import Monitor, Result, experiment
from kernels.lab.catalogue import EXPERIMENTS

SMALL: dict[str, dict[str, Any]] = {
    "gradient-norms": {"depth": 2, "d_model": 16},
    "hidden-variance": {"depth": 2, "d_model": 16},
    "last-layer": {"depths": (1, 2), "d_model": 16, "seeds": 2},
    "update-ratio": {"depth": 2, "d_model": 16},
    "singular-values": {"layer": 2, "d_model": 16},
    "warmup": {"depth": 1, "d_model": 8, "steps": 20, "tokens": 4, "batch": 2, "warmup": (0,)},
    "degradation": {"depths": (2, 4), "steps": 10},
    "batch-size": {"batch": (2, 4), "d_model": 8, "repeats": 10, "seeds": 2},
    "mean-shift": {"d_model": 64, "rows": 2},
    "precision": {"columns": 64, "algorithm": ("two-pass",)},
    "traffic": {"columns": (512, 1024), "elements": 2**14},
    "half-sums": {"count": 128},
}


def curves_of(name: str, **given: Any) -> dict[str, Curve]:
    return {curve.label: curve for curve in experiment(name, **given).curves}


class Watch(Monitor):
    def __init__(self) -> None:
        self.done: list[tuple[float, float]] = []
        self.seen: list[int] = []

    def progress(self, done: float, total: float) -> None:
        self.done.append((done, total))

    def curves(self, curves: Sequence[Curve]) -> None:
        self.seen.append(len(curves))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_tells_how_far_it_is_and_returns_json(name: str) -> None:
    watch = Watch()
    result = experiment(name, monitor=watch, **SMALL[name])
    assert watch.done[-1][0] == pytest.approx(watch.done[-1][1])
    assert [done for done, _total in watch.done] == sorted(done for done, _total in watch.done)
    assert len({total for _done, total in watch.done}) == 1
    assert watch.seen and watch.seen[-1] >= 1
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert document["experiment"] == name
    assert [view["view"] for view in document["views"]] == [view.name for view in EXPERIMENTS[name].views]
    for view in document["views"]:
        assert view["reading"]["en"] and view["reading"]["vi"] and view["title"]["vi"]
    assert set(document["parameters"]) == {parameter.name for parameter in EXPERIMENTS[name].parameters}
    assert document["versions"]["torch"] and document["device"] == "CPU" and document["seconds"] > 0


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in ("traffic", "mean-shift")])
def test_a_monitor_that_raises_stops_it_there(name: str) -> None:
    class Stop(Watch):
        def progress(self, done: float, total: float) -> None:
            super().progress(done, total)
            if done > total / 2:
                raise KeyboardInterrupt

    watch = Stop()
    with pytest.raises(KeyboardInterrupt):
        experiment(name, monitor=watch, **SMALL[name])
    assert watch.done[-2][0] <= watch.done[-1][1] / 2


def test_the_same_line_measures_the_same_and_another_seed_something_else() -> None:
    given = {"arch": "pre", "depth": 4, "d_model": 32}
    once = experiment("hidden-variance", **given)
    assert experiment("hidden-variance", **once.parameters).curves == once.curves
    assert experiment("hidden-variance", **given, seed=1).curves != once.curves


@pytest.mark.parametrize(
    "change", [{"init": "default"}, {"norm": "rms"}, {"d_model": 16}, {"final_norm": "no"}, {"dtype": "bf16"}], ids=str
)
def test_the_parameters_make_a_difference(change: dict[str, Any]) -> None:
    given = {"depth": 3, "arch": "pre", "d_model": 32}
    assert experiment("gradient-norms", **given | change).curves != experiment("gradient-norms", **given).curves


def test_several_seeds_give_a_band_about_their_mean() -> None:
    (curve,) = experiment("hidden-variance", arch="pre", depth=4, d_model=32, seeds=3).curves
    each = [experiment("hidden-variance", arch="pre", depth=4, d_model=32, seed=seed).curves[0].y for seed in range(3)]
    assert curve.low == tuple(map(min, zip(*each, strict=True)))
    assert curve.high == tuple(map(max, zip(*each, strict=True)))
    assert curve.last == pytest.approx(sum(y[-1] for y in each) / 3)


def test_gradients_vanish_without_a_residual_and_overflow_without_a_norm() -> None:
    result = experiment("gradient-norms", arch=("plain", "residual", "post", "pre", "deepnorm"))
    plain, residual, post, pre, deepnorm = result.curves
    assert plain.first < 1e-11 < 1e-3 < plain.last
    assert math.isnan(residual.first) and residual.last < 1
    assert min(post.y) > 1e-3 and max(post.y) < 1
    assert 3 < pre.first / pre.last < 20
    assert max(deepnorm.y) / min(deepnorm.y) < 1.1
    assert "plain shrinks" in result.reading.en and "exponentially" in result.reading.en
    assert "residual is infinite or NaN at layers 0–" in result.reading.en
    assert "deepnorm stays level" in result.reading.en


def test_in_half_precision_the_vanishing_gradient_is_exactly_zero() -> None:
    result = experiment("gradient-norms", arch="plain", dtype="fp16")
    assert result.curves[0].first == 0 and "underflow" in result.reading.en


def test_the_hidden_variance_grows_under_pre_norm_and_stays_under_post_norm() -> None:
    result = experiment("hidden-variance")
    post, pre = result.curve("post"), result.curve("pre")
    assert all(value == pytest.approx(1, abs=0.02) for value in post.y)
    bounds = [(1 + layer / 2, 1 + 3 * layer / 2) for layer in pre.x]  # Lemma 2 of Xiong et al. 2020
    assert all(low * 0.7 < value < high * 1.3 for (low, high), value in zip(bounds, pre.y, strict=True))
    assert "pre grows" in result.reading.en and "linearly" in result.reading.en
    assert "post stays level" in result.reading.en
    means = next(view for view in result.views if view.name == "mean").curves[1]
    assert 0.5 / 128**0.5 < means.last < 2 / 128**0.5


@pytest.mark.slow
def test_the_last_layers_gradient_falls_like_one_over_root_depth_under_pre_norm_alone() -> None:
    result = experiment("last-layer", arch="post,pre,deepnorm", seeds=2)
    shares = {curve.label: curve.last for curve in result.curves}
    assert shares["1/√L"] == pytest.approx(0.354, abs=1e-3)
    assert 0.24 < shares["pre"] < 0.46 and 0.24 < shares["deepnorm"] < 0.46
    assert 0.75 < shares["post"] < 1.4
    assert "post: " in result.reading.en and "it does not follow the depth" in result.reading.en
    norms = {curve.label: curve for curve in next(view for view in result.views if view.name == "norm").curves}
    assert 4 < norms["post"].last / norms["pre"].last < 11


@pytest.mark.slow
def test_deep_plain_nets_train_worse_and_residual_ones_do_not() -> None:
    result = experiment("degradation", depths="4,32")
    plain, residual = result.curves
    assert plain.first < 0.05 and plain.last > 0.2
    assert max(residual.y) < 0.05
    assert "plain: degradation." in result.reading.en and "residual: no degradation" in result.reading.en


def test_batch_norm_is_noisier_in_a_smaller_batch_and_layer_norm_not_at_all() -> None:
    result = experiment("batch-size")
    batch, layer = result.curve("BatchNorm"), result.curve("LayerNorm")
    assert list(batch.y) == sorted(batch.y, reverse=True) and batch.first > 1 and batch.last < 0.12
    assert set(layer.y) == {0.0}
    train_eval = next(view for view in result.views if view.name == "train-eval").curves
    assert train_eval[0].first > 10 * train_eval[0].last and set(train_eval[1].y) == {0.0}


def test_rms_norm_leaves_layer_norm_as_the_formula_says() -> None:
    measured, theory = experiment("mean-shift").curves
    assert measured.y == pytest.approx(theory.y, rel=1e-3)
    by_ratio = dict(zip([round(x, 4) for x in measured.x], measured.y, strict=True))
    assert (by_ratio[0.01], by_ratio[0.1], by_ratio[1.0]) == pytest.approx((0.0100, 0.0996, 0.765), rel=5e-3)


def test_cancellation_ruins_the_sum_of_squares_and_not_the_two_passes() -> None:
    result = experiment("precision", algorithm="squares,pairwise,shifted,two-pass,welford,chan")
    errors = {curve.label: dict(zip(curve.x, curve.y, strict=True)) for curve in result.curves}
    assert errors["squares"][1000.0] > 0.02 and errors["squares"][1e4] > 3 and errors["pairwise"][1e4] > 3
    assert max(errors["two-pass"].values()) < 1e-4
    assert errors["two-pass"][1e5] < errors["welford"][1e5] < 0.02
    assert "squares: wrong by more than 10% from mean / std" in result.reading.en
    size = {curve.label: curve for curve in next(view for view in result.views if view.name == "size").curves}
    assert min(size["squares"].y) > 1 and max(size["shifted"].y) < 1e-3


def test_in_half_precision_the_square_overflows_first() -> None:
    result = experiment("precision", algorithm="squares", dtype="fp16", columns=64)
    assert math.isinf(result.curves[0].last) and "overflows" in result.reading.en


def test_half_sums_stall_where_the_spacing_reaches_the_addend() -> None:
    result = experiment("half-sums")
    assert {curve.label: curve.last for curve in result.curves} == {"fp32": 8192, "fp16": 2048, "bf16": 256}
    assert "bf16 stalls at 256 after 256 values." in result.reading.en
    assert "fp32 đạt 8192." in result.reading.vi


def test_a_block_without_a_residual_shrinks_every_gradient() -> None:
    result = experiment("singular-values", arch="plain,pre", d_model=32)
    assert result.curve("plain").first < 1 < result.curve("pre").first
    assert "plain: " in result.reading.en and "a gradient can grow here" in result.reading.en


def test_a_result_can_be_shown_and_asked_for_its_curves(capsys: pytest.CaptureFixture[str]) -> None:
    from kernels import show

    result = experiment("hidden-variance", arch="pre", depth=4, d_model=16)
    assert isinstance(result, Result)
    show(result)
    shown = capsys.readouterr().out
    assert "variance of the hidden state" in shown and "layer" in shown
    assert result.curve("pre") == result.curves[0]
    with pytest.raises(KeyError, match="there are pre"):
        result.curve("post")
    assert result.view.reading.en in str(result)


def test_an_experiment_that_there_is_not_is_named() -> None:
    with pytest.raises(ValueError, match="there is no experiment “gradient-norm”; did you mean gradient-norms"):
        experiment("gradient-norm")


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_post_norm_stalls_without_warm_up_and_learns_with_it_and_pre_norm_needs_none() -> None:
    post, pre = experiment("warmup", arch="post"), experiment("warmup", arch="pre", warmup="0", steps=120)
    cold, warm, free = (sum(curve.y[-10:]) / 10 for curve in (*post.curves, *pre.curves))
    assert cold > 3.5 and warm < 3.2 and free < 3.2
    assert "post, warm-up 0: stalls" in post.reading.en and "post, warm-up 120: learns" in post.reading.en
    assert "So post needs the warm-up here" in post.reading.en
    assert "So pre trains here without warm-up." in pre.reading.en
