"""Named experiments over the probes, as functions and as `python -m kernels.experiments NAME`.

Importing this loads no torch: only running an experiment does.
"""

from __future__ import annotations

import argparse
import inspect
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kernels.curve import Curve
from kernels.plot import draw
from kernels.reading import read

if TYPE_CHECKING:
    from kernels.stack import Stack

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Experiment:
    """What was measured, with what, and what it shows: `reading` has "vi" and "en"."""

    name: str
    parameters: dict[str, Any]
    seed: int
    curves: tuple[Curve, ...]
    reading: dict[str, str]
    log_y: bool = field(default=False, kw_only=True)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document that `normtutor lab --json` prints."""
        return {
            "experiment": self.name,
            "parameters": self.parameters,
            "seed": self.seed,
            "curves": [curve.to_dict() for curve in self.curves],
            "reading": self.reading,
            "log_y": self.log_y,
        }


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
    """The variance of the hidden state after each layer at initialisation, for several placements of the norm."""

    def probe(stack: Stack, report: Progress) -> Curve:
        from kernels import probes

        return probes.hidden_variance(stack, seed=seed, progress=report)

    parameters = {"depth": depth, "archs": list(archs), "d_model": d_model, "init": init, "norm": norm}
    curves = _by_arch(probe, archs, depth, d_model, init, norm, seed, progress)
    return Experiment("hidden-variance", parameters, seed, curves, read(curves), log_y=True)


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
    """The norm of the loss gradient at each layer at initialisation; `of` is "activations" or "weights"."""

    def probe(stack: Stack, report: Progress) -> Curve:
        from kernels import probes

        return probes.gradient_norms(stack, of=of, seed=seed, progress=report)  # type: ignore[arg-type]

    parameters = {"depth": depth, "archs": list(archs), "d_model": d_model, "init": init, "norm": norm, "of": of}
    curves = _by_arch(probe, archs, depth, d_model, init, norm, seed, progress)
    return Experiment("gradient-norms", parameters, seed, curves, read(curves, backwards=True), log_y=True)


EXPERIMENTS: dict[str, Callable[..., Experiment]] = {
    "hidden-variance": hidden_variance,
    "gradient-norms": gradient_norms,
}


def _by_arch(
    probe: Callable[[Stack, Progress], Curve],
    archs: tuple[str, ...],
    depth: int,
    d_model: int,
    init: str,
    norm: str,
    seed: int,
    progress: Progress | None,
) -> tuple[Curve, ...]:
    """One stack of each kind from the same seed, measured one after the other; progress counts all of them."""
    from kernels.stack import Stack

    if not archs:
        raise ValueError("archs is empty: name at least one kind of stack")
    curves = []
    for i, arch in enumerate(archs):

        def report(done: int, total: int, before: int = i) -> None:
            if progress is not None:
                progress(before * total + done, len(archs) * total)

        curves.append(probe(Stack(arch, depth, d_model, init=init, norm=norm, seed=seed), report))
    return tuple(curves)


def main(argv: list[str] | None = None) -> int:
    """Run one experiment; 0 done, 2 wrong use."""
    options = _parser().parse_args(argv)
    experiment = EXPERIMENTS[options.experiment]
    values = {name: getattr(options, name) for name in _parameters(experiment)}
    try:
        result = experiment(**values, progress=_report)
    except ValueError as error:
        print(f"{options.experiment}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    if options.json:
        print(json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False))
    else:
        print(draw(result.curves, 78, 20, log_y=result.log_y, title=result.name))
        print(result.reading[options.lang])
    return 0


def _report(done: int, total: int) -> None:
    print(f"progress {done}/{total}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kernels.experiments", description="Run one experiment.")
    commands = parser.add_subparsers(dest="experiment", metavar="NAME", required=True)
    for name, experiment in EXPERIMENTS.items():
        command = commands.add_parser(name, help=inspect.getdoc(experiment), description=inspect.getdoc(experiment))
        for parameter, default in _parameters(experiment).items():
            several = isinstance(default, tuple)
            option = "--" + (parameter.removesuffix("s") if several else parameter).replace("_", "-")
            kind = _names if several else type(default)
            command.add_argument(option, dest=parameter, type=kind, default=default, help=f"default {default}")
        command.add_argument("--json", action="store_true", help="print the data as one JSON document")
        command.add_argument("--lang", choices=("vi", "en"), default="en", help="language of the reading")
    return parser


def _parameters(experiment: Callable[..., Experiment]) -> dict[str, Any]:
    signature = inspect.signature(experiment)
    return {name: each.default for name, each in signature.parameters.items() if name != "progress"}


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


if __name__ == "__main__":
    sys.exit(main())
