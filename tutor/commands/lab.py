"""`normtutor lab NAME`: runs an experiment of `kernels.experiments` in a child, and prints its curves and reading."""

from __future__ import annotations

import argparse
import csv
import inspect
import os
import shutil
import sys
import textwrap
from typing import Any

from tutor.commands.lab_texts import ABOUT, refusal
from tutor.commands.support import (
    FINE,
    WrongUseError,
    add_output_options,
    did_you_mean,
    print_json,
    say,
)
from tutor.text.i18n import _, language

WIDTH, HEIGHT = 78, 20
LARGEST_WIDTH = 120
OPTIONS = {
    "depth": "--depth",
    "archs": "--arch",
    "d_model": "--width",
    "init": "--init",
    "norm": "--norm",
    "of": "--of",
    "seed": "--seed",
}
"""The parameters of the experiments and the options that set them."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `lab` to the command line. The experiment has the defaults: an option that is not given is not passed."""
    parser = subparsers.add_parser("lab", help=_("run an experiment and print its curves; without a name, list them"))
    parser.add_argument("name", metavar="NAME", nargs="?", help=_("the experiment, such as hidden-variance"))
    parser.add_argument("--depth", type=int, metavar="N", help=_("number of blocks"))
    parser.add_argument("--arch", dest="archs", metavar="A,B", help=_("kinds of stacks, such as pre,post"))
    parser.add_argument(
        "--width", dest="d_model", type=int, metavar="N", help=_("d_model, the width of the hidden state")
    )
    parser.add_argument("--init", help=_("initialisation, such as xavier"))
    parser.add_argument("--norm", help=_("the norm, such as layer or rms"))
    parser.add_argument("--of", metavar="WHAT", help=_("whose gradients: activations or weights"))
    parser.add_argument("--seed", type=int, metavar="N", help=_("the seed of everything random"))
    axis = parser.add_mutually_exclusive_group()
    axis.add_argument("--log-y", dest="log_y", action="store_true", default=None, help=_("logarithmic y axis"))
    axis.add_argument("--linear", dest="log_y", action="store_false", help=_("linear y axis"))
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=_("one JSON document: parameters, curves, reading"))
    form.add_argument("--csv", action="store_true", help=_("one line a point: label, arch, x, y"))
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Runs `args.name` and prints what it found; 1 when the experiment itself failed."""
    if args.name is None:
        return _list(args)
    import asyncio

    from kernels.experiments import EXPERIMENTS
    from tutor.commands.experiment import measure

    if args.name not in EXPERIMENTS:
        raise WrongUseError(
            _("There is no experiment “{name}”.").format(name=args.name) + did_you_mean(args.name, EXPERIMENTS)
        )
    try:
        result = asyncio.run(measure(args.name, _options(args)))
    except WrongUseError as error:
        raise WrongUseError(refusal(str(error))) from None
    if args.json:
        print_json(document(result))
    elif args.csv:
        write_csv(result)
    else:
        say(draw(result, args.log_y), "", *textwrap.wrap(result["reading"][language()], _width()))
    return FINE


def _list(args: argparse.Namespace) -> int:
    """The experiments with their parameters and defaults."""
    from kernels.experiments import EXPERIMENTS

    entries: list[dict[str, Any]] = []
    for name, experiment in EXPERIMENTS.items():
        signature = inspect.signature(experiment).parameters
        defaults = {parameter: signature[parameter].default for parameter in OPTIONS if parameter in signature}
        entries.append(
            {
                "experiment": name,
                "about": _(ABOUT[name]) if name in ABOUT else inspect.getdoc(experiment) or "",
                "parameters": defaults,
            }
        )
    if args.json:
        print_json({"experiments": entries})
        return FINE
    for entry in entries:
        options = " ".join(
            f"{OPTIONS[name]} {','.join(value) if isinstance(value, tuple) else value}"
            for name, value in entry["parameters"].items()
        )
        say(f"{entry['experiment']}", f"  {entry['about']}", f"  {options}", "")
    say(_("For example: normtutor lab hidden-variance --arch pre,post --depth 24"))
    return FINE


def _options(args: argparse.Namespace) -> list[str]:
    """The options of this command as those of `kernels.experiments`; refuses one that the experiment does not have."""
    from kernels.experiments import EXPERIMENTS

    known = inspect.signature(EXPERIMENTS[args.name]).parameters
    words = []
    for parameter, option in OPTIONS.items():
        value = getattr(args, parameter)
        if value is None:
            continue
        if parameter not in known:
            raise WrongUseError(_("{experiment} has no option {option}.").format(experiment=args.name, option=option))
        name = parameter.removesuffix("s") if parameter == "archs" else parameter.replace("_", "-")
        words.append(f"--{name}={value}")
    return words


def document(result: dict[str, Any]) -> dict[str, Any]:
    """What `--json` prints: the experiment's document, with the reading in the chosen language."""
    return {**result, "reading": result["reading"][language()], "readings": result["reading"]}


def write_csv(result: dict[str, Any]) -> None:
    """One line a point; what has no number in JSON is spelt nan, inf and -inf, as spreadsheets and pandas read it."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("label", "arch", "x", "y"))
    for curve in result["curves"]:
        for x, y in zip(curve["x"], curve["y"], strict=True):
            writer.writerow((curve["label"], curve["arch"], x, "nan" if y is None else y))


def _width() -> int:
    return min(shutil.get_terminal_size((WIDTH, HEIGHT)).columns, LARGEST_WIDTH)


def draw(result: dict[str, Any], log_y: bool | None) -> str:
    """The curves as text, as wide as the terminal allows. `log_y` None: the axis that the experiment chose."""
    from kernels import plot
    from kernels.curve import Curve

    return plot.draw(
        [Curve.from_dict(curve) for curve in result["curves"]],
        _width(),
        HEIGHT,
        log_y=result.get("log_y", False) if log_y is None else log_y,
        title=result["experiment"],
        marker="hd" if os.environ.get("TERM") == "linux" else "braille",
    )
