"""The lab's process from the tutor's side: `kernels.lab`, which holds torch, so that this process never loads it.

One experiment runs at a time. To cancel one is to end the process with all that is below it, which takes no longer than
the system needs for that; the next experiment starts another.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tutor.runtime import device
from tutor.runtime.endings import ending, out_of_memory_kills
from tutor.runtime.gpu_faults import advice, fault_of
from tutor.text.i18n import _, language
from tutor.text.sanitize import sanitize

_MAIN = Path(__file__).with_name("child") / "lab_main.py"
_LONGEST_LINE = 1 << 26
"""Bytes. A sweep may answer with hundreds of curves at once."""

Progress = Callable[[float, float], None]
Curves = Callable[[list[dict[str, Any]]], None]


class LabError(Exception):
    """The experiment failed, or its process did; says why in words."""


class RefusedError(LabError):
    """The experiment does not take a parameter or a value; says which, and what it does take."""


class Lab:
    """One process of experiments. All methods are for one event loop."""

    def __init__(
        self,
        chosen: device.Device | None = None,
        *,
        module: str = "__main__",
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        grace: float = 0.0,
    ) -> None:
        """`module` of `kernels.lab` is run with these arguments; `environment` is added to what the device asks for.

        `grace` is the time in seconds that the process has to put something right before it is killed.
        """
        self._device = chosen
        self._command = [sys.executable, "-P", str(_MAIN), module, *arguments]
        self._environment = dict(environment or {})
        self._grace = grace
        self._process: asyncio.subprocess.Process | None = None
        self._log: asyncio.Task[None] | None = None
        self._said: deque[str] = deque(maxlen=20)
        self._kills = 0

    @property
    def pid(self) -> int | None:
        """The process, None where there is none."""
        alive = self._process is not None and self._process.returncode is None
        return self._process.pid if alive and self._process is not None else None

    async def load(self) -> None:
        """Start the process, if it does not run, and have it load torch, so that the first experiment need not wait.

        Raises LabError.
        """
        await self._ask({"load": True}, lambda answer: "ready" in answer)

    async def measure(
        self,
        experiment: str,
        values: Mapping[str, Any],
        on_progress: Progress = lambda _done, _total: None,
        on_curves: Curves = lambda _curves: None,
    ) -> dict[str, Any]:
        """The document of an experiment. Cancelling the task ends the process. Raises LabError and RefusedError."""
        return await self.order({"experiment": experiment, "values": dict(values)}, on_progress, on_curves)

    async def order(
        self,
        document: Mapping[str, Any],
        on_progress: Progress = lambda _done, _total: None,
        on_curves: Curves = lambda _curves: None,
    ) -> dict[str, Any]:
        """The result of whatever the process's module takes as an order. Otherwise as `measure`."""
        found: dict[str, Any] = {}

        def take(answer: dict[str, Any]) -> bool:
            if "progress" in answer:
                on_progress(*answer["progress"])
            elif "curves" in answer:
                on_curves(answer["curves"])
            found.update(answer)
            return not answer.keys().isdisjoint(("result", "refused", "fault"))

        await self._ask(document, take)
        if "refused" in found:
            raise RefusedError(found["refused"][language()])
        if "fault" in found:
            raise LabError(await self._fault(sanitize(str(found["fault"]), limit=2000, newlines=False)))
        result: dict[str, Any] = found["result"]
        return result

    async def _fault(self, text: str) -> str:
        """In words; where the GPU has failed the process ends, with all that it holds, and the next run has another."""
        name, _colon, message = text.partition(": ")
        fault = fault_of(name, message)
        if fault is None:
            return text[:500]
        await self.stop()
        taken = device.child_environment(self._device)["CUDA_VISIBLE_DEVICES"] if self._device is not None else ""
        return f"{text[:200]} {await advice(fault, taken)}"

    async def stop(self) -> None:
        """End the process and everything below it."""
        process, self._process = self._process, None
        if process is not None:
            if self._grace and process.returncode is None:
                process.terminate()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), self._grace)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        if self._log is not None:
            await asyncio.gather(self._log, return_exceptions=True)
            self._log = None

    async def _ask(self, order: Mapping[str, Any], take: Callable[[dict[str, Any]], bool]) -> None:
        """Send an order, and hand answers to `take` until it says that this was the last."""
        try:
            if self.pid is None:
                await self._start()
            process = self._process
            assert process is not None and process.stdin is not None and process.stdout is not None
            with contextlib.suppress(ConnectionError):  # that it has ended is seen where it is read from
                process.stdin.write(json.dumps(dict(order)).encode() + b"\n")
                await process.stdin.drain()
            while line := await process.stdout.readline():
                if take(json.loads(line)):
                    return
            raise LabError(await self._last_words(process))
        except asyncio.CancelledError:
            await asyncio.shield(self.stop())
            raise
        except (OSError, ValueError) as error:
            await self.stop()
            raise LabError(sanitize(str(error), limit=300, newlines=False)) from error

    async def _start(self) -> None:
        await self.stop()
        if self._device is None:
            self._device = await asyncio.to_thread(device.choose)
        self._said.clear()
        self._kills = out_of_memory_kills()
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=device.child_environment(self._device) | self._environment,
            start_new_session=True,
            limit=_LONGEST_LINE,
        )
        assert self._process.stderr is not None
        self._log = asyncio.create_task(self._listen(self._process.stderr))

    async def _listen(self, stream: asyncio.StreamReader) -> None:
        """Keeps the last lines of what the process says of itself."""
        while chunk := await stream.read(1 << 16):
            self._said.extend(line for line in chunk.decode(errors="replace").splitlines() if line.strip())

    async def _last_words(self, process: asyncio.subprocess.Process) -> str:
        code = await process.wait()
        if self._log is not None:
            await self._log
        why = ending(code, out_of_memory=out_of_memory_kills() > self._kills)
        last = sanitize(self._said[-1], limit=300, newlines=False) if self._said and code > 0 else ""
        return " ".join(part for part in (_("The experiment's process has ended."), why, last) if part)
