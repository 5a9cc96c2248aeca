"""Named experiments over the probes, as functions and as `python -m kernels.experiments NAME`.

Importing this loads no torch: only running an experiment does.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import sys
from collections.abc import Callable
from typing import Any

from kernels.depth_experiments import gradient_norms, hidden_mean, hidden_variance, singular_values, update_ratio
from kernels.experiment import Experiment
from kernels.number_experiments import cancellation, half_sums, rms_and_layer_norm
from kernels.plot import draw

EXPERIMENTS: dict[str, Callable[..., Experiment]] = {
    "hidden-variance": hidden_variance,
    "gradient-norms": gradient_norms,
    "hidden-mean": hidden_mean,
    "update-ratio": update_ratio,
    "singular-values": singular_values,
    "cancellation": cancellation,
    "half-sums": half_sums,
    "rms-and-layer-norm": rms_and_layer_norm,
}
"""By name; every parameter is a keyword with a default, whose type is the parameter's, and all take `progress`."""


def main(argv: list[str] | None = None) -> int:
    """Run one experiment; 0 done, 2 wrong use."""
    options = _parser().parse_args(argv)
    # Read when torch is loaded, which is later. Threads that wait by spinning are far slower on a busy machine.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
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
        print(draw(result.curves, 78, 20, log_x=result.log_x, log_y=result.log_y, title=result.name))
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
