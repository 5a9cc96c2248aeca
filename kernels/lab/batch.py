"""What a sample's output owes to the samples beside it: BatchNorm against LayerNorm as the batch shrinks."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from kernels.curve import Curve
from kernels.lab.monitor import Monitor, Work
from kernels.lab.readings import read_batches
from kernels.lab.seeds import over_seeds
from kernels.lab.spec import Measured
from kernels.norms import ManualBatchNorm, ManualLayerNorm

LAYER, BATCH, GUIDE = "LayerNorm", "BatchNorm", "1/√B"


def batch_size(
    monitor: Monitor, *, batch: tuple[int, ...], d_model: int, repeats: int, seeds: int, seed: int
) -> Measured:
    """One fixed sample in `repeats` random batches of each size B: how much its output varies, and train against eval.

    "noise": the root mean square deviation of its training output from its own mean over the batches, as a share of
    that mean's size. "train-eval": the same deviation from what the norm gives in evaluation, after it has seen these
    batches. LayerNorm reads nothing of the other samples, so both are 0.
    """
    batch = tuple(sorted(batch))
    work = Work(monitor, 2 * seeds * len(batch))
    measured: dict[str, tuple[list[list[float]], list[list[float]]]] = {}
    for name in (BATCH, LAYER):
        noise, gap = measured[name] = [], []
        for each in range(seed, seed + seeds):
            pairs = []
            for size in batch:
                norm = ManualBatchNorm(d_model, momentum=None) if name == BATCH else ManualLayerNorm(d_model)
                pairs.append(_deviations(norm, size, d_model, repeats, each))
                work.step()
            noise.append([pair[0] for pair in pairs])
            gap.append([pair[1] for pair in pairs])
        monitor.curves(_curves(batch, {key: value[0] for key, value in measured.items()}))
    views = {}
    for place, view in enumerate(("noise", "train-eval")):
        curves = _curves(batch, {name: pair[place] for name, pair in measured.items()})
        views[view] = (curves, read_batches(view, curves))
    return views


def _curves(batch: tuple[int, ...], samples: dict[str, list[list[float]]]) -> tuple[Curve, ...]:
    x_label, y_label = "batch size B", "deviation / output"
    curves = [over_seeds(name, batch, rows, x_label=x_label, y_label=y_label) for name, rows in samples.items()]
    guide = Curve(GUIDE, batch, tuple(size**-0.5 for size in batch), x_label=x_label, y_label=y_label)
    return (*curves, guide)


def _deviations(norm: nn.Module, size: int, d_model: int, repeats: int, seed: int) -> tuple[float, float]:
    generator = torch.Generator().manual_seed(seed)

    def randn(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator)

    mean, std = randn(d_model), randn(d_model).exp()  # each feature has a location and a scale of its own
    sample = mean + std * randn(d_model)
    outputs = []
    norm.train()
    with torch.no_grad():
        for _ in range(repeats):
            rest = mean + std * randn(size - 1, d_model)
            outputs.append(norm(torch.cat([sample[None], rest]))[0])
        trained = torch.stack(outputs).double()  # (repeats, d_model)
        evaluated = norm.eval()(sample[None])[0].double()
    average = trained.mean(0)
    noise = (trained - average).square().mean().sqrt() / average.square().mean().sqrt()
    gap = (trained - evaluated).square().mean().sqrt() / evaluated.square().mean().sqrt()
    return noise.item(), gap.item()
