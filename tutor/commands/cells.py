"""Runs the cells of lessons without a screen, one session after another, for `run`, `grade` and `check --run`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tutor.course.model import CellStep, Lesson, PredictStep
from tutor.runtime.outputs import Curves, Failure, Finished, Output, Stream, Value
from tutor.runtime.session import Session

LiveStep = CellStep | PredictStep

PATIENCE = 6.0
"""A cell is stopped after this many times the seconds that it promises (and at least a minute)."""
LEAST_PATIENCE = 60.0
STOPPING = 5.0
"""Seconds that a cell has to react to the interrupt, before its kernel is ended."""


@dataclass
class CellRun:
    """What one cell put out, and how it ended."""

    step: LiveStep
    finished: Finished
    outputs: list[Output] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether the cell ran to its end, and everything that a prediction is judged by could be measured."""
        return self.finished.ending == "ok" and not self.finished.errors

    @property
    def in_time(self) -> bool:
        """Whether it took no longer than its author promises."""
        return self.finished.seconds <= self.step.finishes_within

    @property
    def trouble(self) -> str:
        """Why it is not ok, in one line; empty when it is."""
        failure = next((output for output in reversed(self.outputs) if isinstance(output, Failure)), None)
        if self.finished.ending == "error" and failure is not None:
            where = "" if failure.line is None else f" (line {failure.line} of the cell)"
            return f"{failure.name}: {failure.message}{where}"
        if self.finished.ending != "ok":
            return self.finished.detail or self.finished.ending
        return "; ".join(f"{expression}: {error}" for expression, error in self.finished.errors.items())


def live(lesson: Lesson) -> list[LiveStep]:
    """The steps of a lesson that have a cell, in order."""
    return [step for step in lesson.steps if isinstance(step, LiveStep)]


def code_of(step: LiveStep) -> str:
    """The code of the step's cell."""
    return step.cell if isinstance(step, PredictStep) else step.code


@asynccontextmanager
async def kernel() -> AsyncIterator[Session]:
    """A session that has started, on the device that the app would choose; gone when the block is left."""
    from tutor.runtime import device

    session = Session(environment=device.child_environment(await asyncio.to_thread(device.choose)))
    try:
        await session.start()
        yield session
    finally:
        await session.stop()


async def run_cell(session: Session, step: LiveStep) -> CellRun:
    """Runs one cell, and measures what its prediction is judged by. A cell that does not end is stopped."""
    from tutor.grading import predict

    expressions = predict.expressions(step) if isinstance(step, PredictStep) else {}
    outputs: list[Output] = []
    running = asyncio.create_task(
        session.run(code_of(step), name=step.id, expressions=expressions, on_output=outputs.append)
    )
    await asyncio.wait({running}, timeout=max(LEAST_PATIENCE, PATIENCE * step.finishes_within))
    if not running.done():
        await session.interrupt()
        await asyncio.wait({running}, timeout=STOPPING)
    if not running.done():
        await session.stop()
    return CellRun(step, await running, outputs)


async def run_in_order(session: Session, steps: Sequence[LiveStep], on_run: Callable[[CellRun], None]) -> bool:
    """Runs cells in one session, each after the last. Whether all were ok; ends early when the kernel is lost."""
    fine = True
    for step in steps:
        result = await run_cell(session, step)
        on_run(result)
        fine = fine and result.ok
        if result.finished.ending in ("died", "unavailable"):
            return False
    return fine


async def run_alone(lesson: Lesson, step: LiveStep) -> CellRun:
    """Runs one cell of a lesson by itself; where it needs what earlier cells defined, after those."""
    async with kernel() as session:
        result = await run_cell(session, step)
        if result.ok or result.finished.ending in ("died", "unavailable"):
            return result
        await session.restart()
        steps = live(lesson)
        results: list[CellRun] = []
        await run_in_order(session, steps[: steps.index(step) + 1], results.append)
        return results[-1]


def printed(output: Output) -> str:
    """An output as lines of text, without what a terminal would act upon."""
    from tutor.runtime.transcript import Transcript

    if isinstance(output, Stream):
        transcript = Transcript()
        transcript.append(output.text)
        return "\n".join(transcript.lines())
    return output.traceback if isinstance(output, Failure) else output.text


def merged(outputs: Sequence[Output]) -> list[Output]:
    """The outputs with consecutive chunks of one stream joined: a program prints in whatever pieces it likes."""
    result: list[Output] = []
    for output in outputs:
        last = result[-1] if result else None
        if isinstance(output, Stream) and isinstance(last, Stream) and last.name == output.name:
            result[-1] = Stream(last.name, last.text + output.text)
        else:
            result.append(output)
    return result


def document(run: CellRun) -> dict[str, Any]:
    """A run as JSON."""
    outputs: list[dict[str, Any]] = []
    for output in merged(run.outputs):
        match output:
            case Stream(name=name):
                outputs.append({"type": name, "text": printed(output)})
            case Value(text=text):
                outputs.append({"type": "value", "text": text})
            case Curves(document=curves, text=text):
                outputs.append({"type": "curves", "curves": curves["curves"], "text": text})
            case Failure(name=name, message=message, traceback=traceback, line=line):
                outputs.append({"type": "error", "name": name, "message": message, "line": line, "text": traceback})
    return {
        "step": run.step.id,
        "ending": run.finished.ending,
        "seconds": round(run.finished.seconds, 3),
        "finishes_within": run.step.finishes_within,
        "in_time": run.in_time,
        "outputs": outputs,
        "values": run.finished.values,
        "trouble": run.trouble,
    }
