"""The options of `normtutor lab`, made from the parameters that an experiment declares."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from kernels.lab.catalogue import EXPERIMENTS
from kernels.lab.parameters import Parameter, Value, WrongParameterError, unknown_experiment
from kernels.lab.spec import Experiment, Values
from tutor.commands.device_option import add_device_option
from tutor.commands.support import WrongUseError, did_you_mean
from tutor.text.i18n import _, language
from tutor.text.sanitize import sanitize

SWEEP = "sweep"
LIST_SEPARATOR = "+"
"""Joins what belongs to one run of a sweep, where a comma would begin the next: pre+post,deepnorm is two runs."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong as the other commands do: in one line, with what may have been meant."""

    def error(self, message: str) -> NoReturn:
        """Instead of printing the usage."""
        raise WrongUseError(sanitize(message, newlines=False))

    def strictly(self, words: Sequence[str]) -> argparse.Namespace:
        """The options. An unknown one is named, with those that look like it."""
        args, rest = self.parse_known_args(words)
        if rest:
            option = rest[0].partition("=")[0]
            near = did_you_mean(option, self._option_string_actions)
            what = self.prog.split()[-1]
            raise WrongUseError(_("{experiment} has no option {option}.").format(experiment=what, option=option) + near)
        return args


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The words after `normtutor lab`: `experiment` (None for the list), `sweep`, `given` and the options of output.

    Raises WrongUseError; prints help and exits for --help.
    """
    words = list(words)
    sweep = words[:1] == [SWEEP]
    rest = words[1:] if sweep else words
    name, rest = _name_of(rest)
    if name is None:
        if sweep and "-h" not in rest and "--help" not in rest:
            raise WrongUseError(
                _("sweep what? Name an experiment, such as: normtutor lab sweep last-layer --seed 0,1,2")
            )
        args = _list_parser().strictly(rest)
        return argparse.Namespace(**vars(args), experiment=None, sweep=sweep)
    if name not in EXPERIMENTS:
        raise WrongUseError(unknown_experiment(name, [*EXPERIMENTS, SWEEP]).words.get(language()))
    experiment = EXPERIMENTS[name]
    args = experiment_parser(experiment, sweep=sweep).strictly(rest)
    given = {
        each.name: value for each in experiment.parameters if (value := getattr(args, f"p_{each.name}")) is not None
    }
    return argparse.Namespace(**vars(args), experiment=experiment, sweep=sweep, given=given)


def values_of(experiment: Experiment, given: Mapping[str, Any]) -> Values:
    """The values of a run. Raises WrongUseError, which names the one that is wrong."""
    try:
        return experiment.values(given)
    except WrongParameterError as error:
        raise refused(experiment, error) from None


def grid_of(experiment: Experiment, given: dict[str, str]) -> dict[str, list[Value]]:
    """For a sweep: the values that each parameter takes one after the other. Raises WrongUseError."""
    grid: dict[str, list[Value]] = {}
    for name, text in given.items():
        parameter = experiment.parameter(name)
        parts = [part for part in text.split(",") if part.strip()]
        try:
            grid[name] = [parameter.parse(part.replace(LIST_SEPARATOR, ",")) for part in parts] or [parameter.parse("")]
        except WrongParameterError as error:
            raise refused(experiment, error) from None
    return grid


def refused(experiment: Experiment, error: WrongParameterError) -> WrongUseError:
    """What an experiment refuses, in the language in use."""
    return WrongUseError(f"{experiment.name}: {error.words.get(language())}")


def _name_of(words: list[str]) -> tuple[str | None, list[str]]:
    """The first word that is no option, and the others. Before it only --json, --lang and --device may stand."""
    before: list[str] = []
    while words and words[0].startswith("-"):
        before.append(words[0])
        words = words[1:]
        if before[-1] in ("--lang", "--device") and words:
            before.append(words[0])
            words = words[1:]
    return (words[0], before + words[1:]) if words else (None, before)


def _list_parser() -> _Parser:
    parser = _Parser(
        prog="normtutor lab",
        usage="normtutor lab [NAME | sweep NAME] [--PARAMETER VALUE ...]",
        description=_("Runs an experiment and draws its curves; without a name, lists the experiments."),
        epilog=_("normtutor lab NAME --help lists the parameters of one."),
    )
    parser.add_argument(
        "--json", action="store_true", help=_("one JSON document: the experiments and their parameters")
    )
    _add_language(parser)
    return parser


def experiment_parser(experiment: Experiment, *, sweep: bool) -> _Parser:
    """Options for the parameters of an experiment and for what is done with its result."""
    lang = language()
    parser = _Parser(
        prog=f"normtutor lab {'sweep ' if sweep else ''}{experiment.name}", description=experiment.about.get(lang)
    )
    group = parser.add_argument_group(_("parameters"))
    for parameter in experiment.parameters:
        options = [parameter.option, *(f"--{alias}" for alias in parameter.aliases)]
        help = parameter_help(parameter).replace("%", "%%")
        group.add_argument(*options, dest=f"p_{parameter.name}", metavar=_metavar(parameter, sweep), help=help)
    _add_output(parser, sweep=sweep)
    return parser


def parameter_help(parameter: Parameter) -> str:
    """What a parameter is, what it may be, and what it is by default, in a line."""
    lang = language()
    if parameter.choices:
        allowed = ", ".join(parameter.choices)
    else:
        low, high = parameter.limits
        allowed = _("{low} to {high}").format(low=low, high=high)
    default = parameter.text(parameter.default)
    return _("{what} ({allowed}; default {default})").format(
        what=parameter.help.get(lang), allowed=allowed, default=default
    )


def _metavar(parameter: Parameter, sweep: bool) -> str:
    one = "NAME" if parameter.kind == "name" else "N"
    return f"{one},{one}" if parameter.several or sweep else one


def _add_output(parser: argparse.ArgumentParser, *, sweep: bool) -> None:
    group = parser.add_argument_group(_("output"))
    axis = group.add_mutually_exclusive_group()
    axis.add_argument("--log-y", dest="log_y", action="store_true", default=None, help=_("logarithmic y axis"))
    axis.add_argument("--linear", dest="log_y", action="store_false", help=_("linear y axis"))
    form = group.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=_("one JSON document: parameters, curves, reading"))
    form.add_argument("--csv", action="store_true", help=_("one line a point: label, arch, x, y"))
    group.add_argument("--svg", metavar="FILE", help=_("write the plot as a picture, too"))
    group.add_argument("--png", metavar="FILE", help=_("the same as PNG; needs the package resvg-py"))
    _add_language(group)
    if sweep:
        group = parser.add_argument_group(_("how the runs are spread"))
        group.add_argument("--jobs", type=int, metavar="N", help=_("how many at once; by default all cores or GPUs"))
        group.add_argument(
            "--executor",
            choices=("processes", "submitit"),
            default="processes",
            help=_("processes of this machine, or jobs of a Slurm cluster through submitit"),
        )
        group.add_argument("--partition", metavar="NAME", help=_("the Slurm partition, for submitit"))
        group.add_argument("--folder", metavar="DIR", help=_("where submitit keeps its files; it must be shared"))
        group.add_argument("--minutes", type=int, metavar="N", help=_("the time limit of a Slurm job"))


def _add_language(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--lang", choices=("vi", "en"), help=_("language of the output"))
    add_device_option(parser)
