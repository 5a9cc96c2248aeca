"""`normtutor lab NAME`: runs an experiment of `kernels.lab` in a child, and prints its curves and what they show."""

from __future__ import annotations

import argparse
import time
from typing import Any

from tutor.commands.device_option import use_device
from tutor.commands.support import FINE, FoundWrongError, WrongUseError, print_json, say, status
from tutor.text.i18n import _, language


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `lab` to the command line. What follows it is taken apart only when it is run: `lab_options`."""
    parser = subparsers.add_parser(
        "lab",
        help=_("run an experiment and print its curves; without a name, list them"),
        prefix_chars="\0",  # nothing is an option here
        add_help=False,
    )
    parser.add_argument("words", nargs="*")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Runs what is asked for and prints what it found; 1 when the experiment itself failed."""
    from tutor.commands import lab_options

    options = lab_options.parse(args.words)
    use_device(options)
    if options.experiment is None:
        return _list(options)
    if options.sweep:
        from tutor.commands.lab_sweep import sweep

        return sweep(options)
    import asyncio

    from tutor.commands import lab_output

    lab_output.prepare(options)
    values = lab_options.values_of(options.experiment, options.given)
    result = asyncio.run(_measure(options.experiment.name, values))
    lab_output.put(result, options)
    return FINE


async def _measure(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """The document of one experiment, run in a child that does not outlive this call."""
    from tutor.runtime.lab import Lab, LabError, RefusedError

    lab = Lab()
    started: list[float] = []

    def progress(done: float, total: float) -> None:
        started.append(time.monotonic())
        status(progress_line(name, done, total, started[-1] - started[0]))

    status(_("{name}: loading torch …").format(name=name))
    try:
        return await lab.measure(name, values, progress)
    except RefusedError as error:
        raise WrongUseError(f"{name}: {error}") from None
    except LabError as error:
        raise FoundWrongError(_("{experiment} failed: {why}").format(experiment=name, why=error)) from None
    finally:
        status("")
        await lab.stop()


def progress_line(name: str, done: float, total: float, seconds: float) -> str:
    """How far it is and, once that can be told, how long it will take."""
    from tutor.runtime.remaining import left

    line = f"{name} {done / total:.0%}"
    remaining = left(done, total, seconds)
    return line if remaining is None else f"{line} · " + _("about {seconds:.0f} s left").format(seconds=remaining)


def _list(options: argparse.Namespace) -> int:
    """The experiments with their parameters and defaults."""
    from kernels.lab.catalogue import EXPERIMENTS

    lang = language()
    if options.json:
        print_json(
            {
                "experiments": [
                    {
                        "experiment": experiment.name,
                        "about": experiment.about.get(lang),
                        "parameters": {each.name: each.default for each in experiment.parameters},
                    }
                    for experiment in EXPERIMENTS.values()
                ]
            }
        )
        return FINE
    for experiment in EXPERIMENTS.values():
        given = " ".join(f"{each.option} {each.text(each.default)}" for each in experiment.parameters)
        say(experiment.name, f"  {experiment.about.get(lang)}", f"  {given}", "")
    say(
        _("For example: normtutor lab hidden-variance --arch pre,post --depth 24"),
        _("normtutor lab NAME --help explains its parameters; normtutor lab sweep NAME runs lists of them."),
    )
    return FINE
