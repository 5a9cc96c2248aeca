"""Re-scaling is what keeps a deep residual network training, and re-centring is not."""

import pytest
import torch
from torch import Tensor

from kernels import layer_norm, loss_with_norm, rms_norm


def centre(x: Tensor) -> Tensor:
    return x - x.mean(-1, keepdim=True)


def end(curve) -> float:
    return sum(curve.y[-5:]) / 5


def test_with_the_scale_kept_it_learns_and_with_only_the_mean_removed_it_does_not() -> None:
    layer, rms, centred, bare = (loss_with_norm(norm) for norm in (layer_norm, rms_norm, centre, lambda x: x))
    assert max(end(layer), end(rms)) < 0.12
    assert end(layer) == pytest.approx(end(rms), rel=0.15)
    assert min(end(centred), end(bare)) > 3.47, "worse than knowing nothing"
    assert layer.first == pytest.approx(3.47, abs=0.5), "a fresh network knows nothing"
    assert min(centred.first, bare.first) > 100, "without the scale it is sure of wrong answers"


def test_few_layers_learn_without_any_norm() -> None:
    assert end(loss_with_norm(lambda x: x, depth=12)) < 0.2


def test_it_is_drawn_from_the_seed_alone_and_leaves_everything_as_it_was() -> None:
    torch.manual_seed(5)
    threads, before = torch.get_num_threads(), torch.random.get_rng_state()
    small = {"depth": 2, "steps": 3, "label": "layer"}
    first, again, other = (loss_with_norm(layer_norm, seed=seed, **small) for seed in (0, 0, 1))
    assert first == again
    assert first.y != other.y
    assert (first.label, first.x, first.x_label) == ("layer", (1.0, 2.0, 3.0), "step")
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.get_num_threads() == threads


def test_progress_can_stop_it_and_the_threads_come_back() -> None:
    threads, seen = torch.get_num_threads(), []

    def report(done: int, total: int) -> None:
        seen.append((done, total))
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        loss_with_norm(layer_norm, depth=1, steps=5, progress=report)
    assert seen == [(1, 5), (2, 5)]
    assert torch.get_num_threads() == threads


@pytest.mark.parametrize("wrong", [{"depth": 0}, {"steps": 0}])
def test_sizes_that_make_no_training_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        loss_with_norm(layer_norm, **wrong)
