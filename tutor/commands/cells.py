"""Runs the cells of lessons without a screen, one session after another, for `run`, `grade` and `check --run`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from tutor.commands.support import status
from tutor.course import figures as figures_of
from tutor.course.model import CellStep, Lesson, PredictStep
from tutor.runtime.outputs import Curves, Failure, Finished, Output, Stream, Value
from tutor.runtime.session import Session
from tutor.runtime.transcript import Transcript
from tutor.text.i18n import _

LiveStep = CellStep | PredictStep

PATIENCE = 6.0
"""A cell is stopped after this many times the seconds that it promises (and at least a minute)."""
LEAST_PATIENCE = 60.0
STOPPING = 5.0
"""Seconds that a cell has to react to the interrupt, before its kernel is ended."""


@dataclass
class Printed:
    """What was printed to one stream, without anything else in between."""

    name: Literal["stdout", "stderr"]
    transcript: Transcript = field(default_factory=Transcript)

    @property
    def text(self) -> str:
        """The lines that a terminal would show."""
        return "\n".join(self.transcript.lines())


Block = Printed | Value | Curves | Failure


class Blocks(list[Block]):
    """The outputs of a run as they are to be shown, put together as they come."""

    def take(self, output: Output) -> None:
        """Adds an output to those before it, or puts it in the place of one."""
        if isinstance(output, Stream):
            if output.clears:
                self.clear()
            last = self[-1] if self else None
            if not (isinstance(last, Printed) and last.name == output.name):
                last = Printed(output.name)
                self.append(last)
            last.transcript.append(output.text, output.dropped)
            return
        if not isinstance(output, Failure) and output.display:
            for index, block in enumerate(self):
                if isinstance(block, Value | Curves) and block.display == output.display:
                    self[index] = output
                    return
        self.append(output)


@dataclass
class CellRun:
    """What one cell put out, and how it ended."""

    step: LiveStep
    finished: Finished
    blocks: Blocks = field(default_factory=Blocks)

    @property
    def failure(self) -> Failure | None:
        """The exception that ended it."""
        return next((block for block in reversed(self.blocks) if isinstance(block, Failure)), None)

    @property
    def ok(self) -> bool:
        """Whether the cell ran to its end, and everything that a prediction is judged by could be measured."""
        return self.finished.ending == "ok" and not self.errors

    @property
    def errors(self) -> dict[str, str]:
        """Why what a prediction is judged by could not be evaluated, by name."""
        figures = figures_of.expressions(self.step)
        return {name: error for name, error in self.finished.errors.items() if name not in figures}

    @property
    def figures(self) -> dict[str, float]:
        """What it measured of the figures that texts quote."""
        return figures_of.measured(self.step, self.finished.values)

    @property
    def in_time(self) -> bool:
        """Whether it took no longer than its author promises."""
        return self.finished.seconds <= self.step.finishes_within

    @property
    def trouble(self) -> str:
        """Why it is not ok, in one line; empty when it is."""
        failure = self.failure
        if self.finished.ending == "error" and failure is not None:
            where = "" if failure.line is None else " " + _("(line {n} of the cell)").format(n=failure.line)
            advice = f" {self.finished.detail}" if self.finished.fault else ""
            return f"{failure.name}: {failure.message}{where}{advice}"
        if self.finished.ending != "ok":
            return self.finished.detail or self.finished.ending
        return "; ".join(f"{expression}: {error}" for expression, error in self.errors.items())


def live(lesson: Lesson) -> list[LiveStep]:
    """The steps of a lesson that have a cell, in order."""
    return [step for step in lesson.steps if isinstance(step, LiveStep)]


def code_of(step: LiveStep) -> str:
    """The code of the step's cell."""
    return step.cell if isinstance(step, PredictStep) else step.code


def _code_in(step: LiveStep) -> list[str]:
    """The code of a cell, and what is evaluated after it."""
    from tutor.grading import predict

    asked = predict.expressions(step) if isinstance(step, PredictStep) else {}
    return [code_of(step), *asked.values(), *figures_of.expressions(step).values()]


@asynccontextmanager
async def kernel(steps: Sequence[LiveStep]) -> AsyncIterator[Session]:
    """A session that has started, on the device that the app would choose; gone when the block is left.

    It is for these steps: where none of them uses torch, nobody waits for it.
    """
    from tutor.runtime import device
    from tutor.runtime.prelude import prelude_for

    status(_("Starting Python …"))
    environment = device.child_environment(await asyncio.to_thread(device.choose))
    session = Session(environment=environment, prelude=prelude_for(code for step in steps for code in _code_in(step)))
    try:
        await session.start()
        status("")
        yield session
    finally:
        status("")
        await session.stop()


async def run_cell(session: Session, step: LiveStep) -> CellRun:
    """Runs one cell, and measures what its prediction is judged by. A cell that does not end is stopped."""
    from tutor.grading import predict

    expressions = predict.expressions(step) if isinstance(step, PredictStep) else {}
    expressions |= figures_of.expressions(step)
    blocks = Blocks()
    status(f"{step.id} …")
    running = asyncio.create_task(
        session.run(code_of(step), name=step.id, expressions=expressions, on_output=blocks.take)
    )
    await asyncio.wait({running}, timeout=max(LEAST_PATIENCE, PATIENCE * step.finishes_within))
    if not running.done():
        await session.interrupt()
        await asyncio.wait({running}, timeout=STOPPING)
    if not running.done():
        await session.stop()
    finished = await running
    status("")
    return CellRun(step, finished, blocks)


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
    steps = live(lesson)
    async with kernel(steps) as session:
        result = await run_cell(session, step)
        before = steps[: steps.index(step)]
        if result.ok or not before or result.finished.ending in ("died", "unavailable"):
            return result
        await session.restart()
        results: list[CellRun] = []
        await run_in_order(session, [*before, step], results.append)
        return results[-1]


def document(run: CellRun) -> dict[str, Any]:
    """A run as JSON."""
    outputs: list[dict[str, Any]] = []
    measuring = figures_of.expressions(run.step)
    for block in run.blocks:
        match block:
            case Printed():
                outputs.append({"type": block.name, "text": block.text})
            case Value(text=text):
                outputs.append({"type": "value", "text": text})
            case Curves(document=curves, text=text):
                outputs.append({"type": "curves", "curves": curves.get("curves", []), "text": text})
            case Failure(name=name, message=message, traceback=traceback, line=line):
                outputs.append({"type": "error", "name": name, "message": message, "line": line, "text": traceback})
    return {
        "step": run.step.id,
        "ending": run.finished.ending,
        "seconds": round(run.finished.seconds, 3),
        "finishes_within": run.step.finishes_within,
        "in_time": run.in_time,
        "outputs": outputs,
        "values": {name: value for name, value in run.finished.values.items() if name not in measuring},
        "figures": run.figures,
        "trouble": run.trouble,
    }
