"""The grader process from the tutor's side: started when it is first needed, asked over pipes, replaced when it dies.

The process is `kernels.judge`; it holds torch, which this one never loads.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from tutor.runtime import device
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize

_MAIN = Path(__file__).with_name("child") / "judge_main.py"
START_PATIENCE = 120.0
"""Seconds. The first import of torch may come over a network file system."""
_LONGEST_LINE = 1 << 24

Progress = Callable[[int, int], None]


class GraderError(Exception):
    """The grader cannot be started, or failed; says why in words. Nothing of it is the submission's fault."""


class Grader:
    """One grader process and the orders under way. All methods are for one event loop."""

    def __init__(self, chosen: device.Device | None = None, *, python: str = sys.executable) -> None:
        self._device = chosen
        self._python = python
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._directory: str | None = None
        self._starting = asyncio.Lock()
        self._ids = count(1)
        self._orders: dict[int, tuple[asyncio.Future[dict[str, Any]], Progress | None]] = {}
        self._ready: asyncio.Future[None] | None = None
        self._log: Path | None = None
        self._stops = 0

    @property
    def pid(self) -> int | None:
        """The judge's process, None where there is none."""
        alive = self._process is not None and self._process.returncode is None
        return self._process.pid if alive and self._process is not None else None

    async def start(self) -> None:
        """Starts the process, if it does not run, and waits until torch is loaded in it. Raises GraderError."""
        async with self._starting:
            if self.pid is None:
                await self._end()
                try:
                    await self._launch()
                except BaseException:
                    await self._end()
                    raise

    async def order(self, document: Mapping[str, Any], on_progress: Progress | None = None) -> dict[str, Any]:
        """The result of an order. Cancelling the task cancels the order too. Raises GraderError.

        A judge that dies is replaced, and asked once more: it may have been killed for memory, or by a submission.
        """
        stops = self._stops
        for last in (False, True):
            await self.start()
            try:
                return await self._ask(document, on_progress)
            except GraderError:
                if last or self.pid is not None or self._stops != stops:
                    raise
        raise AssertionError("unreachable")

    async def stop(self) -> None:
        """Ends the process and everything below it; orders under way fail."""
        self._stops += 1
        async with self._starting:
            await self._end()

    async def _ask(self, document: Mapping[str, Any], on_progress: Progress | None) -> dict[str, Any]:
        id = next(self._ids)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._orders[id] = future, on_progress
        chosen = self._device
        assert chosen is not None
        try:
            await self._write({**document, "id": id, "device": chosen.kind})
            result = await future
        except asyncio.CancelledError:
            with contextlib.suppress(GraderError):
                await self._write({"op": "cancel", "id": id})
            raise
        finally:
            self._orders.pop(id, None)
        if "fault" in result:
            raise GraderError(sanitize(str(result["fault"]), limit=500, newlines=False))
        return result

    async def _launch(self) -> None:
        if self._device is None:
            self._device = await asyncio.to_thread(device.choose)
        environment = device.child_environment(self._device)
        # Submissions are small, and are forked: one thread is faster and survives that.
        environment |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        self._ready = asyncio.get_running_loop().create_future()
        try:
            self._directory = tempfile.mkdtemp(prefix="normtutor-")
            self._log = Path(self._directory) / "log"
            with self._log.open("wb") as log:
                self._process = await asyncio.create_subprocess_exec(
                    self._python, "-P", str(_MAIN), self._directory,
                    stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=log,
                    cwd=self._directory, env=environment, start_new_session=True, limit=_LONGEST_LINE,
                )  # fmt: skip
        except OSError as error:
            raise GraderError(sanitize(str(error), limit=300, newlines=False)) from error
        self._reader = asyncio.create_task(self._read(self._process))
        try:
            await asyncio.wait_for(asyncio.shield(self._ready), START_PATIENCE)
        except TimeoutError:
            raise GraderError(_("no answer within {n} seconds").format(n=round(START_PATIENCE))) from None

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None and self._ready is not None
        while line := await process.stdout.readline():
            try:
                self._take(json.loads(line))
            except ValueError:
                continue
        await process.wait()
        error = GraderError(self._last_words())
        waiting: list[asyncio.Future[Any]] = [self._ready, *(future for future, _ in self._orders.values())]
        for future in waiting:
            if not future.done():
                future.set_exception(error)
                future.exception()  # whoever waits sees it; that nobody does is no fault

    def _take(self, said: Mapping[str, Any]) -> None:
        if said.get("ready") and self._ready is not None and not self._ready.done():
            self._ready.set_result(None)
        future, on_progress = self._orders.get(said.get("id", 0), (None, None))
        if future is None or future.done():
            return
        if "progress" in said and on_progress is not None:
            on_progress(*said["progress"])
        elif "result" in said:
            future.set_result(said["result"])

    async def _write(self, document: Mapping[str, Any]) -> None:
        process = self._process
        if process is None or process.stdin is None or process.returncode is not None:
            raise GraderError(self._last_words())
        try:
            process.stdin.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")
            await process.stdin.drain()
        except (ConnectionError, BrokenPipeError):
            raise GraderError(self._last_words()) from None

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            with contextlib.suppress(ProcessLookupError):
                process.kill()  # what is below it dies with it
            await process.wait()
        if self._reader is not None:
            await asyncio.gather(self._reader, return_exceptions=True)
            self._reader = None
        if self._directory is not None:
            await asyncio.to_thread(shutil.rmtree, self._directory, ignore_errors=True)
            self._directory = None

    def _last_words(self) -> str:
        """The last line that the process wrote about itself, which is the exception where it is Python's."""
        text = ""
        if self._log is not None:
            with contextlib.suppress(OSError), self._log.open("rb") as log:
                log.seek(max(0, os.fstat(log.fileno()).st_size - 4000))
                text = log.read().decode("utf-8", "replace")
        lines = [line.strip() for line in sanitize(text).splitlines() if line.strip()]
        return sanitize(lines[-1], limit=300, newlines=False) if lines else _("the grader process has ended")
