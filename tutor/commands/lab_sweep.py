"""`normtutor lab sweep NAME`: one experiment with every combination of some lists of values, side by side."""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from dataclasses import replace
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

from kernels.curve import Curve
from kernels.lab.parameters import Value
from kernels.lab.spec import Experiment
from kernels.ticks import short
from tutor.commands import lab_options, lab_output
from tutor.commands.lab import progress_line
from tutor.commands.support import FINE, FOUND, FoundWrongError, WrongUseError, print_json, say, status
from tutor.text.i18n import _, language, ngettext

MOST_RUNS = 512
MOST_CURVES = 10
"""So many curves can still be told apart on one plot."""
GRACE = 5.0
"""Seconds that the process has to take its jobs back from a cluster."""
FOLDER = "normtutor-jobs"
_ROOT = str(Path(__file__).resolve().parents[2])
"""Where the processes below find `kernels`: ours, and not one in the working directory."""

Run = dict[str, Any]


def sweep(options: argparse.Namespace) -> int:
    """Runs all combinations and prints them; 1 when one of them failed."""
    import asyncio

    experiment: Experiment = options.experiment
    grid = lab_options.grid_of(experiment, options.given)
    swept = [name for name, values in grid.items() if len(values) > 1]
    runs = [
        lab_options.values_of(experiment, dict(zip(grid, values, strict=True))) for values in product(*grid.values())
    ]
    if len(runs) > MOST_RUNS:
        raise WrongUseError(
            _("That is {n} runs; at most {most} go into one sweep.").format(n=len(runs), most=MOST_RUNS)
        )
    lab_output.prepare(options)
    answers = asyncio.run(_measure(experiment.name, _order(experiment, runs, options), options))
    results = [{**answer, "values": values} for answer, values in zip(answers, runs, strict=True)]
    _put(experiment, grid, swept, results, options)
    return FOUND if any("fault" in result for result in results) else FINE


def _order(experiment: Experiment, runs: list[dict[str, Value]], options: argparse.Namespace) -> dict[str, Any]:
    from tutor.runtime import device

    order: dict[str, Any] = {"experiment": experiment.name, "runs": runs, "executor": options.executor}
    if options.jobs is not None:
        if options.jobs < 1:
            raise WrongUseError(_("--jobs must be at least 1, not {n}.").format(n=options.jobs))
        order["jobs"] = options.jobs
    if options.executor == "submitit":
        if find_spec("submitit") is None:
            raise WrongUseError(_("--executor submitit needs the package submitit: `pip install 'normtutor[slurm]'`."))
        order["folder"] = str(Path(options.folder or FOLDER).absolute())
        job = {"slurm_partition": options.partition, "timeout_min": options.minutes}
        order["options"] = {"name": "normtutor"} | {key: value for key, value in job.items() if value is not None}
        if options.jobs is not None:
            order["options"]["slurm_array_parallelism"] = options.jobs
    else:
        order["devices"] = [gpu.visible for gpu in device.idle()]
    return order


async def _measure(name: str, order: dict[str, Any], options: argparse.Namespace) -> list[dict[str, Any]]:
    from tutor.runtime.lab import Lab, LabError

    path = os.pathsep.join(part for part in (_ROOT, os.environ.get("PYTHONPATH", "")) if part)
    lab = Lab(
        module="sweep",
        environment={"PYTHONPATH": path, "PYTHONSAFEPATH": "1"},
        grace=GRACE if options.executor == "submitit" else 0.0,
    )
    started = time.monotonic()

    def progress(done: float, total: float) -> None:
        runs = ngettext("{done} of {total} run", "{done} of {total} runs", int(total))
        line = progress_line(name, done, total, time.monotonic() - started)
        status(f"{line} · {runs.format(done=int(done), total=int(total))}")

    try:
        answers: list[dict[str, Any]] = (await lab.order(order, progress))["runs"]
    except LabError as error:
        raise FoundWrongError(_("{experiment} failed: {why}").format(experiment=name, why=error)) from None
    finally:
        status("")
        await lab.stop()
    return answers


def _put(
    experiment: Experiment,
    grid: dict[str, list[Value]],
    swept: list[str],
    results: list[Run],
    options: argparse.Namespace,
) -> None:
    """Print the runs as asked for, and write the pictures."""
    views = [(result, lab_output.shown(result["result"])) for result in results if "result" in result]
    if options.json:
        print_json(_document(experiment, grid, swept, results))
    elif options.csv:
        _write_csv(experiment, swept, views)
    else:
        _print(experiment, swept, results, views, options)
    found = [(view, _named(experiment, swept, result, view)) for result, view in views]
    if found:
        lab_output.pictures(found, options, title=found[0][0]["title"][language()])


def _document(
    experiment: Experiment, grid: dict[str, list[Value]], swept: list[str], results: list[Run]
) -> dict[str, Any]:
    """What `--json` prints: the lists, and each run as `normtutor lab --json` prints it, or why it failed."""
    return {
        "experiment": experiment.name,
        "sweep": {name: grid[name] for name in swept},
        "runs": [
            lab_output.document(result["result"])
            if "result" in result
            else {"experiment": experiment.name, "parameters": result["values"], "fault": result["fault"]}
            for result in results
        ],
    }


def _write_csv(experiment: Experiment, swept: list[str], views: list[tuple[Run, dict[str, Any]]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow((*swept, "label", "arch", "x", "y"))
    for result, view in views:
        values = [experiment.parameter(name).text(result["values"][name]) for name in swept]
        for curve in view["curves"]:
            for x, y in zip(curve["x"], curve["y"], strict=True):
                writer.writerow((*values, curve["label"], curve["arch"], x, "nan" if y is None else y))


def _print(
    experiment: Experiment,
    swept: list[str],
    results: list[Run],
    views: list[tuple[Run, dict[str, Any]]],
    options: argparse.Namespace,
) -> None:
    """One plot of all curves if they can be told apart, and a line for each."""
    curves = [curve for result, view in views for curve in _named(experiment, swept, result, view)]
    if 0 < len(curves) <= MOST_CURVES:
        say(lab_output.draw(curves, views[0][1], options.log_y), "")
    elif curves:
        say(_("{n} curves are too many for one plot; --csv and --json have all of them.").format(n=len(curves)), "")
    width = max((len(curve.label) for curve in curves), default=0)
    first, last, factor = _("first"), _("last"), _("factor")
    say(f"{'':{width}}  {first:>9} {last:>9} {factor:>9}")
    for curve in curves:
        say(f"{curve.label:{width}}  {short(curve.first):>9} {short(curve.last):>9} {short(curve.growth):>9}")
    for result in results:
        if "fault" in result:
            say(f"{_label(experiment, swept, result)}: {result['fault']}", error=True)


def _named(experiment: Experiment, swept: list[str], result: Run, view: dict[str, Any]) -> list[Curve]:
    """The curves of a run, each named by what makes this run differ from the others too."""
    about = _label(experiment, [name for name in swept if name != "arch"], result)
    return [
        replace(curve, label=f"{curve.label}, {about}" if about else curve.label)
        for curve in lab_output.curves_of(view)
    ]


def _label(experiment: Experiment, swept: list[str], result: Run) -> str:
    return ", ".join(f"{name} {experiment.parameter(name).text(result['values'][name])}" for name in swept)
