"""Experiments on stacks of layers at initialisation: one stack of each kind from the same seeds, one curve each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import torch

from kernels import probes
from kernels.curve import Curve
from kernels.lab.monitor import Monitor, Reporter, Work
from kernels.lab.reading import ROUNDING, read, read_depths, read_spectra
from kernels.lab.seeds import over_seeds
from kernels.lab.spec import Measured
from kernels.stack import Stack

DTYPES = {"fp64": torch.float64, "fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
FINAL_NORM = {"auto": None, "yes": True, "no": False}
Progress = Callable[[float, float], None]


def gradient_norms(
    monitor: Monitor,
    *,
    arch: tuple[str, ...],
    depth: int,
    d_model: int,
    init: str,
    norm: str,
    final_norm: str,
    dtype: str,
    seeds: int,
    seed: int,
) -> Measured:
    """The norm of the loss gradient at each layer: of the hidden states, and of the FFN's second matrix."""

    def measure(stack: Stack, seed: int, progress: Progress) -> tuple[Curve, ...]:
        return probes.both_gradient_norms(stack, seed=seed, progress=progress)

    make = _maker(d_model, init, norm, final_norm, dtype)
    activations, weights = _by_arch(monitor, arch, depth, make, range(seed, seed + seeds), measure)
    return {
        "activations": (activations, read(activations, backwards=True, seeds=seeds)),
        "weights": (weights, read(weights, backwards=True, seeds=seeds)),
    }


def hidden_variance(
    monitor: Monitor,
    *,
    arch: tuple[str, ...],
    depth: int,
    d_model: int,
    init: str,
    norm: str,
    dtype: str,
    seeds: int,
    seed: int,
) -> Measured:
    """The variance, the RMS and the relative mean of the hidden state after each layer."""

    def measure(stack: Stack, seed: int, progress: Progress) -> tuple[Curve, ...]:
        wanted = (probes.hidden_variance, probes.hidden_rms, probes.hidden_mean)
        work = Work(Reporter(progress), 3)
        return tuple(probe(stack, seed=seed, progress=work.part(1)) for probe in wanted)

    make = _maker(d_model, init, norm, "auto", dtype)
    variance, rms, mean = _by_arch(monitor, arch, depth, make, range(seed, seed + seeds), measure)
    return {
        "variance": (variance, read(variance, seeds=seeds, both_fits=True)),
        "rms": (rms, read(rms, seeds=seeds, both_fits=True)),
        "mean": (mean, read(mean, seeds=seeds, floor=ROUNDING)),
    }


def last_layer(
    monitor: Monitor,
    *,
    arch: tuple[str, ...],
    depths: tuple[int, ...],
    d_model: int,
    init: str,
    norm: str,
    final_norm: str,
    seeds: int,
    seed: int,
) -> Measured:
    """The gradient of the last block's second FFN matrix against the number of blocks.

    Xiong et al. 2020 (arXiv 2002.04745), Theorem 1: bounded by O(1/sqrt(L)) under Pre-Norm, by no function of the depth
    L under Post-Norm.
    """
    depths = tuple(sorted(depths))
    make = _maker(d_model, init, norm, final_norm, "fp32")
    work = Work(monitor, len(arch) * seeds * sum(depths))
    guide = Curve("1/√L", depths, tuple((depths[0] / depth) ** 0.5 for depth in depths), x_label="blocks")
    norms: list[Curve] = []
    relative: list[Curve] = []
    for kind in arch:
        samples: list[list[float]] = []
        for each in range(seed, seed + seeds):
            samples.append([])
            for depth in depths:
                progress = work.part(depth)
                samples[-1].append(probes.last_layer_gradient(make(kind, depth, each), seed=each, progress=progress))
        shares = [[value / row[0] for value in row] for row in samples]
        norms.append(over_seeds(kind, depths, samples, arch=kind, x_label="blocks", y_label="gradient norm of W2"))
        relative.append(over_seeds(kind, depths, shares, arch=kind, x_label="blocks", y_label="relative to the first"))
        monitor.curves([*relative, guide])
    return {
        "relative": ((*relative, guide), read_depths(norms, relative)),
        "norm": (tuple(norms), read_depths(norms, relative)),
    }


def update_ratio(
    monitor: Monitor,
    *,
    arch: tuple[str, ...],
    depth: int,
    d_model: int,
    init: str,
    norm: str,
    optimizer: Literal["sgd", "adam"],
    lr: float,
    seeds: int,
    seed: int,
) -> Measured:
    """The first update against the weight at each layer, by SGD or by Adam."""

    def measure(stack: Stack, seed: int, progress: Progress) -> tuple[Curve, ...]:
        return (probes.update_ratio(stack, optimizer=optimizer, lr=lr, seed=seed, progress=progress),)

    make = _maker(d_model, init, norm, "auto", "fp32")
    (ratio,) = _by_arch(monitor, arch, depth, make, range(seed, seed + seeds), measure)
    return {"ratio": (ratio, read(ratio, backwards=True, seeds=seeds))}


def singular_values(
    monitor: Monitor,
    *,
    arch: tuple[str, ...],
    layer: int,
    d_model: int,
    init: str,
    norm: str,
    seeds: int,
    seed: int,
) -> Measured:
    """The singular values of one block's Jacobian at one token, with as many blocks before it as there are layers."""

    def measure(stack: Stack, seed: int, progress: Progress) -> tuple[Curve, ...]:
        return (probes.jacobian_singular_values(stack, first=layer, seed=seed, progress=progress),)

    make = _maker(d_model, init, norm, "auto", "fp32")
    (spectra,) = _by_arch(monitor, arch, layer, make, range(seed, seed + seeds), measure)
    return {"values": (spectra, read_spectra(spectra))}


def _maker(d_model: int, init: str, norm: str, final_norm: str, dtype: str) -> Callable[[str, int, int], Stack]:
    """A function (arch, depth, seed) that makes a stack."""

    def make(arch: str, depth: int, seed: int) -> Stack:
        return Stack(
            arch,
            depth,
            d_model,
            init=init,
            norm=norm,
            final_norm=FINAL_NORM[final_norm],
            seed=seed,
            dtype=DTYPES[dtype],
        )

    return make


def _by_arch(
    monitor: Monitor,
    archs: Sequence[str],
    depth: int,
    make: Callable[[str, int, int], Stack],
    seeds: Iterable[int],
    measure: Callable[[Stack, int, Progress], tuple[Curve, ...]],
) -> list[tuple[Curve, ...]]:
    """For each quantity that `measure` returns: a curve a kind of stack, over the seeds. One stack lives at a time."""
    seeds = list(seeds)
    work = Work(monitor, 2 * len(archs) * len(seeds))
    measured: list[tuple[Curve, ...]] = []
    for arch in archs:
        runs = []
        for seed in seeds:
            stack = make(arch, depth, seed)
            work.step()  # drawing the weights takes about as long as what is measured on them
            runs.append(measure(stack, seed, work.part(1)))
            del stack
        measured.append(tuple(_together(arch, each) for each in zip(*runs, strict=True)))
        monitor.curves([curves[0] for curves in measured])
    return [tuple(curves) for curves in zip(*measured, strict=True)]


def _together(arch: str, curves: tuple[Curve, ...]) -> Curve:
    first = curves[0]
    samples = [curve.y for curve in curves]
    return over_seeds(arch, first.x, samples, arch=arch, x_label=first.x_label, y_label=first.y_label)
