"""What `normtutor check --run` proves: every cell runs, in its time, and settles what is predicted of it."""

from __future__ import annotations

import sys

from tutor.commands import cells
from tutor.commands.support import say
from tutor.course.locate import Places
from tutor.course.model import Course, Finding, Lesson, PredictStep
from tutor.grading import predict
from tutor.runtime.outputs import Failure
from tutor.text.i18n import _


async def verify_cells(course: Course) -> list[Finding]:
    """Runs the cells of each lesson in order in a kernel of its own; the findings about them."""
    places = Places(course)
    found: list[Finding] = []
    for lesson in course.lessons:
        steps = cells.live(lesson)
        runs: list[cells.CellRun] = []
        if sys.stderr is not None and sys.stderr.isatty():
            say(_("Running the cells of {lesson} …").format(lesson=lesson.id), error=True)
        async with cells.kernel() as session:
            await cells.run_in_order(session, steps, runs.append)
        for run in runs:
            found += _issues(places, lesson, run)
        found += [places.finding(lesson, step, "not run: the kernel was lost before") for step in steps[len(runs) :]]
    return found


def _issues(places: Places, lesson: Lesson, run: cells.CellRun) -> list[Finding]:
    step = run.step
    field = "cell" if isinstance(step, PredictStep) else "code"
    if not run.ok:
        failure = next((output for output in run.outputs if isinstance(output, Failure)), None)
        row = failure.line if failure is not None else None
        return [places.finding(lesson, step, f"the cell fails: {run.trouble}", field, row=row)]
    found = []
    if not run.in_time:
        limit, seconds = step.finishes_within, run.finished.seconds
        message = f"the cell takes {seconds:.1f} s, longer than `finishes_within` ({limit:g})"
        found.append(places.finding(lesson, step, message, "finishes_within"))
    if isinstance(step, PredictStep):
        measured = predict.outcome(step, run.finished.values)
        if isinstance(measured, list) and len(measured) != 1:
            came = ", ".join(measured) or "none"
            found.append(
                places.finding(lesson, step, f"exactly one option must come true: {came} did", "ask", "choice")
            )
        if measured is None:
            told = ", ".join(run.finished.values.values())
            found.append(places.finding(lesson, step, f"what is predicted cannot be measured: {told}", "ask"))
    return found
