"""What `normtutor check --run` proves: every cell runs, in its time, and settles what is predicted of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tutor.commands import cells
from tutor.course.figures import contradicts, declared, troubles
from tutor.course.locate import Places
from tutor.course.model import Course, Finding, Lesson, PredictStep
from tutor.course.quotes import worded
from tutor.grading import predict


async def verify_cells(course: Course, lessons: Iterable[Lesson] | None = None) -> list[Finding]:
    """Runs the cells of each lesson in order in a kernel of its own; the findings about them."""
    places = Places(course)
    found: list[Finding] = []
    for lesson in course.lessons if lessons is None else lessons:
        steps = cells.live(lesson)
        if not steps:
            continue
        runs: list[cells.CellRun] = []
        async with cells.kernel() as session:
            await cells.run_in_order(session, steps, runs.append)
        for run in runs:
            found += _issues(places, lesson, run)
        found += [places.finding(lesson, step, "not run: the kernel was lost before") for step in steps[len(runs) :]]
    return found


def _issues(places: Places, lesson: Lesson, run: cells.CellRun) -> list[Finding]:
    step = run.step
    field = "cell" if isinstance(step, PredictStep) else "code"
    if run.errors and isinstance(step, PredictStep):
        return [
            places.finding(lesson, step, f"cannot be evaluated: {error}", *_asked(step, name))
            for name, error in run.errors.items()
        ]
    if not run.ok:
        row = run.failure.line if run.failure is not None else None
        return [places.finding(lesson, step, f"the cell fails: {run.trouble}", field, row=row)]
    found = list(_figures(places, lesson, run))
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


def _figures(places: Places, lesson: Lesson, run: cells.CellRun) -> Iterator[Finding]:
    """Figures that the cell does not measure, or that it measures otherwise than texts say."""
    failed = troubles(run.step, run.finished.errors)
    for name, figure in declared(run.step).items():
        if name in run.figures:
            value = run.figures[name]
            if contradicts(figure, value):
                said = worded(figure, None, "en", "code")
                message = f"measured {value:.{figure.digits + 2}g} here: the texts say {said}"
                yield places.finding(lesson, run.step, f"the figure `{name}`: {message}", "figures", name)
        else:
            why = failed.get(name, "its value is no finite number")
            message = f"the figure `{name}` cannot be measured: {why}"
            yield places.finding(lesson, run.step, message, "figures", name, "value")


def _asked(step: PredictStep, name: str) -> tuple[str | int, ...]:
    """The way to the expression that is evaluated under `name`."""
    ids = [option.id for option in step.ask.choice]
    return ("ask", "choice", ids.index(name), "true_if") if name in ids else ("ask", "number", "value")
