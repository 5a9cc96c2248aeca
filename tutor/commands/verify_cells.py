"""What `normtutor check` proves of cells: each runs, in its time, and settles what is predicted and said of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

from tutor.commands import cells
from tutor.course.figures import contradicts, declared, troubles
from tutor.course.issues import Issue, Path
from tutor.course.locate import Places
from tutor.course.model import Course, Finding, Lesson, PredictStep
from tutor.course.quotes import worded
from tutor.course.vary import variations
from tutor.course.yaml_lines import quoted
from tutor.grading import predict


async def verify_cells(
    course: Course, lessons: Iterable[Lesson] | None = None, *, beside: asyncio.Task[object] | None = None
) -> list[Finding]:
    """Runs the cells of each lesson in order in a kernel of its own; the findings about them.

    What takes too long is run once more, when the work `beside` it has ended: the machine may have been busy, and
    whether a cell is slow is for a run to say that has the machine for itself.
    """
    places = Places(course)
    lessons = [lesson for lesson in (course.lessons if lessons is None else lessons) if cells.live(lesson)]
    first = [await _run(lesson) for lesson in lessons]
    late = [index for index, runs in enumerate(first) if any(run.ok and not run.in_time for run in runs)]
    if late and beside is not None:
        await asyncio.wait({beside})
    again = {index: await _run(lessons[index]) for index in late}
    found: list[Finding] = []
    for index, (lesson, runs) in enumerate(zip(lessons, first, strict=True)):
        quick = {run.step.id for run in again.get(index, ()) if run.ok and run.in_time}
        for run in runs:
            found += [
                _placed(places, lesson, run.step, message, path, row)
                for path, message, row in _issues(run, late=run.step.id not in quick)
            ]
        if runs and runs[-1].ok:
            found += [_placed(places, lesson, *issue) for issue in await _variations(lesson)]
        lost = cells.live(lesson)[len(runs) :]
        found += [_placed(places, lesson, step, "not run: the kernel was lost before", (), None) for step in lost]
    return found


async def _run(lesson: Lesson) -> list[cells.CellRun]:
    runs: list[cells.CellRun] = []
    async with cells.kernel(cells.live(lesson)) as session:
        await cells.run_in_order(session, cells.live(lesson), runs.append)
    return runs


async def _variations(lesson: Lesson) -> list[tuple[cells.LiveStep, str, Path, int | None]]:
    """What is wrong with predictions as reviews vary them: each value is tried, after the cells before it."""
    found: list[tuple[cells.LiveStep, str, Path, int | None]] = []
    for step in lesson.own_steps:
        if not isinstance(step, PredictStep) or not step.vary:
            continue
        live = cells.live(lesson)
        async with cells.kernel(live) as session:
            before: list[cells.CellRun] = []
            await cells.run_in_order(session, live[: live.index(step)], before.append)
            for chosen, varied in variations(step):
                run = await cells.run_cell(session, varied)
                said = ", ".join(f"{name} = {value!r}" for name, value in chosen.items())
                found += [
                    (step, f"with {said}, as a review may ask: {message}", path, row)
                    for path, message, row in _issues(run, late=False)
                ]
    return found


def _placed(places: Places, lesson: Lesson, step: cells.LiveStep, message: str, path: Path, row: int | None) -> Finding:
    """A finding about a cell: in its own lesson where it stands there, else at what borrows it."""
    if step in lesson.own_steps:
        return places.finding(lesson, step, message, *path, row=row)
    at = [index for index, entry in enumerate(lesson.borrows) if entry.step == step.id]
    return places.finding(lesson, None, f"the borrowed step {quoted(step.id)}: {message}", "borrows", *at)


def _issues(run: cells.CellRun, *, late: bool) -> Iterator[Issue]:
    step = run.step
    if run.errors and isinstance(step, PredictStep):
        for name, error in run.errors.items():
            yield Issue(_asked(step, name), f"cannot be evaluated: {error}")
        return
    if not run.ok:
        field = "cell" if isinstance(step, PredictStep) else "code"
        row = run.failure.line if run.failure is not None else None
        yield Issue((field,), f"the cell fails: {run.trouble}", row)
        return
    yield from _figures(run)
    if late and not run.in_time:
        limit, seconds = step.finishes_within, run.finished.seconds
        message = f"the cell takes {seconds:.1f} s, longer than `finishes_within` ({limit:g})"
        yield Issue(("finishes_within",), message)
    if isinstance(step, PredictStep):
        measured = predict.outcome(step, run.finished.values)
        if isinstance(measured, list) and len(measured) != 1:
            came = ", ".join(measured) or "none"
            yield Issue(("ask", "choice"), f"exactly one option must come true: {came} did")
        if measured is None:
            told = ", ".join(run.finished.values.get(name, "nothing") for name in predict.expressions(step))
            yield Issue(("ask",), f"what is predicted cannot be measured: {told}")


def _figures(run: cells.CellRun) -> Iterator[Issue]:
    """Figures that the cell does not measure, or that it measures otherwise than texts say."""
    failed = troubles(run.step, run.finished.errors)
    for name, figure in declared(run.step).items():
        if name in run.figures:
            value = run.figures[name]
            if contradicts(figure, value):
                said = worded(figure, None, "en", "code")
                message = f"measured {value:.{figure.digits + 2}g} here: the texts say {said}"
                yield Issue(("figures", name), f"the figure `{name}`: {message}")
        else:
            why = failed.get(name, "its value is no finite number")
            yield Issue(("figures", name, "value"), f"the figure `{name}` cannot be measured: {why}")


def _asked(step: PredictStep, name: str) -> Path:
    """The way to the expression that is evaluated under `name`."""
    ids = [option.id for option in step.ask.choice]
    if name in ids:
        return ("ask", "choice", ids.index(name), "true_if")
    return ("ask", "number" if step.ask.number is not None else "curve", "value")
