"""Experiments on stacks of layers at initialisation: one stack of each kind from the same seed, one curve each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, cast

from kernels.curve import Curve
from kernels.experiment import Experiment, Progress
from kernels.reading import read, read_spectra

if TYPE_CHECKING:
    from kernels.stack import Stack

Probe = Callable[["Stack", Progress], Curve]


def hidden_variance(
    *,
    depth: int = 48,
    archs: tuple[str, ...] = ("post", "pre"),
    d_model: int = 128,
    init: str = "xavier",
    norm: str = "layer",
    seed: int = 0,
    progress: Progress | None = None,
) -> Experiment:
    """The variance of the hidden state after each layer."""
    given = {"depth": depth, "archs": archs, "d_model": d_model, "init": init, "norm": norm}
    curves = _measure("hidden_variance", given, seed, progress)
    return Experiment("hidden-variance", given, seed, curves, read(curves), log_y=True)


def hidden_mean(
    *,
    depth: int = 48,
    archs: tuple[str, ...] = ("post", "pre"),
    d_model: int = 128,
    init: str = "xavier",
    norm: str = "rms",
    seed: int = 0,
    progress: Progress | None = None,
) -> Experiment:
    """How far tokens' means are from 0, against the RMS, after each layer."""
    given = {"depth": depth, "archs": archs, "d_model": d_model, "init": init, "norm": norm}
    curves = _measure("hidden_mean", given, seed, progress)
    return Experiment("hidden-mean", given, seed, curves, read(curves))


def gradient_norms(
    *,
    depth: int = 48,
    archs: tuple[str, ...] = ("plain", "post", "pre"),
    d_model: int = 128,
    init: str = "xavier",
    norm: str = "layer",
    of: str = "activations",
    seed: int = 0,
    progress: Progress | None = None,
) -> Experiment:
    """The norm of the loss gradient at each layer; `of` is "activations" or "weights"."""
    given = {"depth": depth, "archs": archs, "d_model": d_model, "init": init, "norm": norm, "of": of}
    curves = _measure("gradient_norms", given, seed, progress, of=of)
    return Experiment("gradient-norms", given, seed, curves, read(curves, backwards=True), log_y=True)


def update_ratio(
    *,
    depth: int = 24,
    archs: tuple[str, ...] = ("post", "pre"),
    d_model: int = 128,
    init: str = "xavier",
    norm: str = "layer",
    optimizer: str = "sgd",
    lr: float = 1e-2,
    seed: int = 0,
    progress: Progress | None = None,
) -> Experiment:
    """The first update against the weight at each layer, by SGD or, with `optimizer="adam"`, by Adam."""
    given = {"depth": depth, "archs": archs, "d_model": d_model, "init": init, "norm": norm}
    given |= {"optimizer": optimizer, "lr": lr}
    curves = _measure("update_ratio", given, seed, progress, optimizer=optimizer, lr=lr)
    return Experiment("update-ratio", given, seed, curves, read(curves, backwards=True), log_y=True)


def singular_values(
    *,
    layer: int = 1,
    depth: int = 12,
    archs: tuple[str, ...] = ("plain", "residual", "post", "pre"),
    d_model: int = 128,
    init: str = "xavier",
    norm: str = "layer",
    seed: int = 0,
    progress: Progress | None = None,
) -> Experiment:
    """The singular values of one block's Jacobian at one token."""
    given = {"layer": layer, "depth": depth, "archs": archs, "d_model": d_model, "init": init, "norm": norm}
    curves = _measure("jacobian_singular_values", given, seed, progress, first=layer)
    return Experiment("singular-values", given, seed, curves, read_spectra(curves), log_y=True)


def _measure(
    probe: Literal["hidden_variance", "hidden_mean", "gradient_norms", "update_ratio", "jacobian_singular_values"],
    given: dict[str, Any],
    seed: int,
    progress: Progress | None,
    **options: Any,
) -> tuple[Curve, ...]:
    """One curve a kind of stack; the progress counts all of them."""
    from kernels import probes
    from kernels.stack import Stack

    measure = cast(Callable[..., Curve], getattr(probes, probe))
    archs: tuple[str, ...] = given["archs"]
    if not archs:
        raise ValueError("archs is empty: name at least one kind of stack")
    curves = []
    for i, arch in enumerate(archs):

        def report(done: int, total: int, before: int = i) -> None:
            if progress is not None:
                progress(before * total + done, len(archs) * total)

        stack = Stack(arch, given["depth"], given["d_model"], init=given["init"], norm=given["norm"], seed=seed)
        curves.append(measure(stack, seed=seed, progress=report, **options))
    return tuple(curves)
