"""`normtutor run LESSON`: runs the lesson's cells in order in one session, and prints code, outputs and plots."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tutor.commands.consent import add_trust_option, need_consent
from tutor.commands.support import (
    FINE,
    FOUND,
    WrongUseError,
    add_output_options,
    did_you_mean,
    kind_of,
    open_course,
    print_json,
    say,
    unknown_id,
)
from tutor.course.figures import Figures
from tutor.course.model import Lesson, PredictStep
from tutor.runtime.outputs import Failure
from tutor.text.i18n import _, language

if TYPE_CHECKING:
    from tutor.commands.cells import CellRun, LiveStep


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `run` to the command line."""
    parser = subparsers.add_parser("run", help=_("run a lesson's cells and print what they put out"))
    parser.add_argument("lesson", metavar="LESSON", help=_("the lesson's id"))
    parser.add_argument(
        "--step", metavar="ID", help=_("print only this step; what it needs of earlier cells is run too")
    )
    add_trust_option(parser)
    add_output_options(parser, json_help=_("one JSON document: how each cell ended, its outputs, its seconds"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Runs the cells; 1 when one fails, or when what a prediction is judged by could not be measured."""
    import asyncio

    from tutor.commands import cells

    course = open_course()
    lesson = course.lesson(args.lesson)
    if lesson is None:
        found = course.find(args.lesson)
        if found is not None:
            raise WrongUseError(
                _("“{id}” is a step. Run it with: normtutor run {lesson} --step {id}").format(
                    id=args.lesson, lesson=found[0].id
                )
            )
        raise unknown_id(course, args.lesson, (lesson.id for lesson in course.lessons))
    steps = cells.live(lesson)
    if args.step is not None and args.step not in [step.id for step in steps]:
        raise WrongUseError(
            _("“{lesson}” has no cell “{id}”.").format(lesson=lesson.id, id=args.step)
            + did_you_mean(args.step, [step.id for step in steps])
        )
    need_consent(course)
    runs: list[CellRun] = []
    figures = Figures(course)

    def on_run(result: CellRun) -> None:
        runs.append(result)
        figures.measured[result.step.id] = result.figures
        if not args.json:
            say(*lines_of(result, figures), "")
            sys.stdout.flush()

    if args.step is None:
        asyncio.run(_run_all(steps, on_run))
    else:
        step = next(step for step in steps if step.id == args.step)
        on_run(asyncio.run(cells.run_alone(lesson, step)))
    wanted = len(steps) if args.step is None else 1
    fine = len(runs) == wanted and all(result.ok for result in runs)
    if args.json:
        print_json(document(lesson, runs))
    else:
        say(*_summary(runs, wanted))
    return FINE if fine else FOUND


async def _run_all(steps: Sequence[LiveStep], on_run: Callable[[CellRun], None]) -> None:
    from tutor.commands import cells

    async with cells.kernel(steps) as session:
        await cells.run_in_order(session, steps, on_run)


def document(lesson: Lesson, runs: Sequence[CellRun]) -> dict[str, Any]:
    """What `--json` prints."""
    from tutor.commands import cells

    return {
        "lesson": lesson.id,
        "cells": [
            {"kind": kind_of(result.step), **cells.document(result), "outcome": outcome(result)} for result in runs
        ],
    }


def outcome(result: CellRun) -> list[str] | float | dict[str, Any] | None:
    """What the run makes of a prediction: the options that came true, or the number. None for a plain cell."""
    from tutor.grading import predict

    if not isinstance(result.step, PredictStep) or not result.ok:
        return None
    return predict.outcome(result.step, result.finished.values)


def lines_of(result: CellRun, figures: Figures) -> list[str]:
    """A cell as text: its code, what it put out, how long it took, its figures, what became of its prediction."""
    from tutor.commands import cells
    from tutor.grading.typed_number import rounded

    step = figures.fill(result.step)
    lines = [f"── {step.id} ({kind_of(step)})"]
    lines += [f"    {line}".rstrip() for line in cells.code_of(step).rstrip().split("\n")]
    for block in result.blocks:
        text = block.traceback if isinstance(block, Failure) else block.text
        lines += text.rstrip("\n").split("\n")
    seconds = f"{result.finished.seconds:.1f} s"
    if not result.ok:
        lines.append(_("[failed after {seconds}: {why}]").format(seconds=seconds, why=result.trouble))
    elif not result.in_time:
        lines.append(
            _("[{seconds}: longer than the {limit:g} s it promises]").format(
                seconds=seconds, limit=step.finishes_within
            )
        )
    else:
        lines.append(f"[{seconds}]")
    lines += _figures(result)
    measured = outcome(result)
    if isinstance(measured, list) and isinstance(step, PredictStep):
        for option in step.ask.choice:
            lines.append(f"  {'✓' if option.id in measured else '✗'} {option.id}: {option.text.get(language())}")
    elif isinstance(measured, float):
        lines.append(_("  measured: {value}").format(value=rounded(measured, language())))
    elif isinstance(measured, dict):
        from kernels.curve import Curve

        curve = Curve.from_dict(measured)
        ends = (rounded(value, language()) for value in (curve.first, curve.last))
        lines.append(_("  measured: {value}").format(value=" → ".join(ends)))
    return lines


def _figures(result: CellRun) -> list[str]:
    """What the cell measured of the figures that texts quote, each beside what the course says of it."""
    from tutor.course.figures import declared, troubles
    from tutor.course.quotes import worded, written

    if result.finished.ending != "ok":
        return []
    lines, failed = [], troubles(result.step, result.finished.errors)
    for name, figure in declared(result.step).items():
        said = worded(figure, None, language(), "prose")
        if name in result.figures:
            value = written(result.figures[name], figure.digits, language(), "prose")
            lines.append(_("  {name}: {value} (in the course: {range})").format(name=name, value=value, range=said))
        else:
            why = failed.get(name, result.finished.values.get(name, ""))
            lines.append(_("  {name} could not be measured: {why}").format(name=name, why=why))
    return lines


def _summary(runs: Sequence[CellRun], wanted: int) -> list[str]:
    failed = [result.step.id for result in runs if not result.ok]
    slow = [result.step.id for result in runs if result.ok and not result.in_time]
    lines = [_("{n} of {all} cells ran well.").format(n=len(runs) - len(failed), all=wanted)]
    if failed:
        lines.append(_("Failed: {which}").format(which=", ".join(failed)))
    if len(runs) < wanted:
        lines.append(_("Not run, because the kernel was lost: {n}").format(n=wanted - len(runs)))
    if slow:
        lines.append(_("Longer than promised: {which}").format(which=", ".join(slow)))
    return lines
