"""The learner's Python: cells run in it one after another, and it can be interrupted, restarted, and die.

Nothing heavy is imported before `start`.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from tutor.runtime.gpu_faults import advice, fault_of
from tutor.runtime.outputs import Failure, Finished, Output
from tutor.runtime.prelude import PRELUDE
from tutor.runtime.reading import Reading, evaluated
from tutor.runtime.requests import Request, Run, finish, first_of
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize

if TYPE_CHECKING:
    from tutor.runtime.kernel import Kernel

START_PATIENCE = 60.0
"""Seconds for the process to answer. Python's libraries may lie on a slow network file system."""
ASK_PATIENCE = 3.0
"""Seconds for the answer to a question about code."""
RELEASE = "__import__('tutor.runtime.child.gpu', fromlist=['release']).release()"
INTERRUPT_EVERY = 1.0
INTERRUPT_PATIENCE = 3.0
"""Seconds between two interrupts of one cell, and after which it is said that the cell does not stop."""


class State(enum.Enum):
    """Where a session stands. `BUSY` only while a cell runs; before the prelude has ended it is `STARTING`."""

    OFF = "off"
    STARTING = "starting"
    READY = "ready"
    BUSY = "busy"
    DEAD = "dead"
    FAILED = "failed"


class Session:
    """A learner's session. All methods are for one event loop; none raises for what learner's code does.

    `environment` is the process's whole environment (ours, if None), see `device.child_environment`. `on_change` is
    called with each new state, and when `detail` has changed: it says in words what is wrong, and is empty when
    nothing is. `prelude` runs before the first cell (`PRELUDE`, if empty).
    """

    def __init__(
        self,
        *,
        environment: Mapping[str, str] | None = None,
        on_change: Callable[[State], None] | None = None,
        python: str = sys.executable,
        patience: float = START_PATIENCE,
        prelude: str = "",
    ) -> None:
        self._environment = environment
        self._on_change = on_change
        self._python = python
        self._patience = patience
        self._code_before = prelude
        self._state = State.OFF
        self._detail = ""
        self._poison = ""
        self.gpu_bytes = 0
        """What torch had reserved of the GPU when the last run ended."""
        self._kernel: Kernel | None = None
        self._starting: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()
        self._runs: list[Run] = []
        self._cells: dict[int, str] = {}
        self._background: set[asyncio.Task[Any]] = set()

    @property
    def state(self) -> State:
        """Where it stands."""
        return self._state

    @property
    def detail(self) -> str:
        """What is wrong, in words; empty when nothing is."""
        return self._detail

    @property
    def pid(self) -> int | None:
        """The process that stands for the session, None while there is none."""
        return self._kernel.pid if self._kernel is not None else None

    async def start(self) -> None:
        """Starts Python and runs the prelude. Afterwards the state is READY or FAILED."""
        if self._starting is None:
            if self._kernel is not None and self._state in (State.READY, State.BUSY):
                return
            self._to(State.STARTING)
            self._starting = asyncio.create_task(self._start())
            self._starting.add_done_callback(self._started)
        await asyncio.wait({self._starting})

    async def stop(self) -> None:
        """Ends Python, whatever it does, and all that it started. Runs under way end as interrupted."""
        await self._end(State.OFF, _("Python was stopped."))

    async def restart(self) -> None:
        """Ends Python and starts it anew: all variables are lost."""
        await self._end(State.STARTING, _("Python was restarted."))
        await self.start()

    async def run(
        self,
        code: str,
        *,
        name: str = "cell",
        expressions: Mapping[str, str] | None = None,
        on_output: Callable[[Output], None],
    ) -> Finished:
        """Runs a cell after those that were asked for before it; `on_output` is called with each output as it comes.

        `expressions` are evaluated when it has succeeded. `name` is what tracebacks call the cell. When the awaiting
        task is cancelled, so is the cell.
        """
        run = Run(code, name, expressions or {}, on_output)
        self._runs.append(run)
        task = asyncio.create_task(self._perform(run))
        self._keep(task)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.done():
                run.abandoned = True
                self._keep(asyncio.create_task(self._interrupt([run])))
            raise

    async def interrupt(self) -> None:
        """Ends the cell that runs, and those that wait. Returns when it has ended, or is seen not to: see `detail`."""
        await self._interrupt(list(self._runs))

    # Life and death

    async def _start(self) -> None:
        try:
            from tutor.runtime.kernel import DiedError, Kernel, StartError

            environment = os.environ if self._environment is None else self._environment
            kernel = Kernel(environment, self._python)
            self._kernel = kernel
            self._cells.clear()
            self._poison, self.gpu_bytes = "", 0
            try:
                await kernel.start(self._patience)
            except StartError as error:
                self._kernel = None
                self._to(State.FAILED, _("Python could not be started. {why}").format(why=error))
                return
            kernel.exit.add_done_callback(lambda _exit: self._died(kernel))
            try:
                trouble = await self._prelude(kernel)
            except DiedError:
                return  # `_died` has said so
            if self._kernel is kernel and not kernel.exit.done():
                self._to(State.READY, trouble)
        except asyncio.CancelledError:
            if self._kernel is not None:
                kernel, self._kernel = self._kernel, None
                await kernel.stop()
            raise

    def _started(self, task: asyncio.Task[None]) -> None:
        self._starting = None
        if not task.cancelled() and task.exception() is not None:
            self._to(State.FAILED, sanitize(str(task.exception()), limit=500))

    async def _prelude(self, kernel: Kernel) -> str:
        """Runs the prelude; returns what went wrong, in words."""
        reading = Reading(lambda _output: None, "prelude", {})
        code = self._code_before or PRELUDE
        reply = await kernel.execute(code, silent=True, expressions={}, request=Request(reading.take))
        if reply.get("status") == "ok":
            return ""
        reading.fail(reply)
        failure = reading.failure or Failure("", "", "")
        line = code.splitlines()[failure.line - 1] if failure.line else "import torch"
        return _("“{line}” failed: {name}: {message}").format(line=line, name=failure.name, message=failure.message)

    def _died(self, kernel: Kernel) -> None:
        """The process has ended and nobody asked it to."""
        if self._kernel is not kernel:
            return
        before = self._state
        detail = self._last_words(kernel)
        self._kernel = None
        self._to(State.FAILED if before is State.STARTING else State.DEAD, detail)
        self._keep(asyncio.create_task(kernel.stop()))

    def _last_words(self, kernel: Kernel) -> str:
        where = kernel.crash_line()
        detail = _("The Python process has ended; its variables are lost.") + " " + kernel.ending()
        if where is not None:
            # The message that gives the run its number may not have come out of the process any more.
            running = next((run.name for run in self._runs if run.request is not None), "")
            cell = self._cells.get(where[0]) or running
            detail += " " + _("Last seen: {cell}, line {line}.").format(cell=cell, line=where[1])
        return detail

    async def _end(self, next_state: State, why: str) -> None:
        busy = bool(self._runs)
        for run in self._runs:
            run.ended_by_us = run.ended_by_us or why
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)
        kernel, self._kernel = self._kernel, None
        self._to(next_state)
        if kernel is not None:
            await kernel.stop(kindly=not busy)
        await asyncio.gather(*self._background, return_exceptions=True)

    async def ask(self, kind: str, content: Mapping[str, Any]) -> Mapping[str, Any]:
        """The reply to a question about code that is being typed; {} unless Python is idle and answers soon."""
        from tutor.runtime.kernel import DiedError

        kernel = self._kernel
        if kernel is None or self._state is not State.READY or self._turn.locked():
            return {}
        try:
            async with asyncio.timeout(ASK_PATIENCE):
                return await kernel.ask(kind, content)
        except (TimeoutError, DiedError):
            return {}

    async def release(self) -> None:
        """Gives back the GPU memory that no variable holds, unless a cell runs."""
        from tutor.runtime.kernel import DiedError

        if self._state is not State.READY or self._turn.locked():
            return
        async with self._turn:
            if (kernel := self._kernel) is not None:
                with contextlib.suppress(DiedError):
                    reply = await kernel.execute(
                        RELEASE, silent=True, expressions={}, request=Request(lambda _kind, _content: None)
                    )
                    self.gpu_bytes = int(reply.get("gpu_bytes") or 0)

    # Running

    async def _perform(self, run: Run) -> Finished:
        try:
            async with self._turn:
                if self._starting is not None:
                    await asyncio.wait({self._starting, run.given_up}, return_when=asyncio.FIRST_COMPLETED)
                if run.ended_by_us:
                    return Finished("interrupted", 0.0, detail=run.ended_by_us)
                if run.given_up.done():
                    return Finished("interrupted", 0.0)
                kernel = self._kernel
                if kernel is None or self._state not in (State.READY, State.BUSY):
                    return Finished("unavailable", 0.0, detail=self._detail or _("Python is not running."))
                if self._poison:
                    return Finished("unavailable", 0.0, detail=self._poison, fault="poisoned")
                return await self._run(kernel, run)
        finally:
            run.closed.set_result(None)
            self._runs.remove(run)

    async def _run(self, kernel: Kernel, run: Run) -> Finished:
        from tutor.runtime.kernel import DiedError

        started = time.monotonic()
        before = self._detail
        self._to(State.BUSY, before)
        reading = Reading(run.put, run.name, self._cells)
        run.request = Request(reading.take)
        code = run.code.encode("utf-8", "replace").decode("utf-8")
        try:
            reply = await kernel.execute(code, silent=False, expressions=run.expressions, request=run.request)
        except DiedError:
            seconds = time.monotonic() - started
            if run.ended_by_us:
                return Finished("interrupted", seconds, detail=run.ended_by_us)
            detail = self._last_words(kernel)
            if self._state is State.DEAD:
                self._to(State.DEAD, detail)
            return Finished("died", seconds, detail=detail, dropped=reading.dropped)
        else:
            finished = self._finished(run, reading, reply, time.monotonic() - started)
            return await self._with_fault(finished, reading.failure)
        finally:
            if self._kernel is kernel and self._state is State.BUSY:
                self._to(State.READY, before)

    def _finished(self, run: Run, reading: Reading, reply: Mapping[str, Any], seconds: float) -> Finished:
        held = reply.get("gpu_bytes")
        self.gpu_bytes = held if isinstance(held, int) else self.gpu_bytes
        dropped = reading.dropped + (reply["dropped"] if isinstance(reply.get("dropped"), int) else 0)
        if reply.get("status") == "ok":
            values, errors = evaluated(reply)
            return Finished("ok", seconds, values, errors, dropped=dropped)
        interrupted = run.given_up.done()
        if reply or not interrupted:
            reading.fail(reply)
        failure = reading.failure
        if failure is not None and not (interrupted and failure.name in ("KeyboardInterrupt", "CancelledError")):
            run.put(failure)
        return Finished("interrupted" if interrupted else "error", seconds, dropped=dropped)

    async def _with_fault(self, finished: Finished, failure: Failure | None) -> Finished:
        """With what to do about it, where the GPU was what failed."""
        if failure is None or finished.ending != "error":
            return finished
        fault = fault_of(failure.name, failure.message, held=self.gpu_bytes)
        if fault is None:
            return finished
        if fault.lasting:
            self._poison = _("Not run: the GPU no longer answers this Python since an earlier cell failed.")
        environment = os.environ if self._environment is None else self._environment
        words = await advice(fault, environment.get("CUDA_VISIBLE_DEVICES", ""))
        return msgspec.structs.replace(finished, detail=words, fault=fault.kind)

    async def _interrupt(self, runs: list[Run]) -> None:
        for run in runs:
            finish(run.given_up)
        kernel = self._kernel
        running = [(run, run.request) for run in runs if run.request is not None]
        if not running:
            return
        run, request = running[0]
        deadline = time.monotonic() + INTERRUPT_PATIENCE
        while kernel is not None and self._kernel is kernel and not run.closed.done():
            # Before a cell has begun the process ignores the signal; sent again, it is not lost in a narrow place.
            await first_of(request.begun, run.closed, seconds=INTERRUPT_EVERY)
            if request.begun.done() and not run.closed.done():
                await kernel.interrupt()
                await first_of(run.closed, seconds=INTERRUPT_EVERY)
            if not run.closed.done() and time.monotonic() > deadline:
                self._to(self._state, _("The cell does not stop. Restart Python, or wait for it."))
                return

    def _to(self, state: State, detail: str = "") -> None:
        changed = (state, detail) != (self._state, self._detail)
        self._state, self._detail = state, detail
        if changed and self._on_change is not None:
            self._on_change(state)

    def _keep(self, task: asyncio.Task[Any]) -> None:
        """The event loop holds tasks only weakly."""
        self._background.add(task)
        task.add_done_callback(self._background.discard)
