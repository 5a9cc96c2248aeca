"""One learner's process: started, spoken to over Jupyter's channels, watched, ended.

The sockets are files in a private directory: on a shared machine a TCP port on localhost is open to every user.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tutor.runtime.endings import ending, out_of_memory_kills
from tutor.runtime.private import private_directory
from tutor.runtime.reading import MOST_MESSAGE, TOO_LARGE
from tutor.runtime.requests import Request, first_of
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize

_MAIN = Path(__file__).with_name("child") / "ipykernel_main.py"
KINDNESS = 0.5
"""Seconds for the process to write its files and end. With torch that takes about as long; nobody waits longer."""
_BREATH = 0.01
"""Seconds of reading messages after which the event loop gets a turn."""


class StartError(Exception):
    """The process cannot be started, or does not answer; says why in words."""


class DiedError(Exception):
    """The process ended while something was asked of it."""


class Kernel:
    """A kernel process. `exit` is done with its exit code when it has ended, however it did."""

    def __init__(self, environment: Mapping[str, str], python: str) -> None:
        self._environment = environment
        self._python = python
        self._requests: dict[str, Request] = {}
        self._readers: list[asyncio.Task[None]] = []
        self._directory: Path | None = None
        self._manager: Any = None
        self._client: Any = None
        self._last_message = 0.0
        self._crash = ""
        self._kills = out_of_memory_kills()
        self.exit: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    @property
    def pid(self) -> int | None:
        """The process that watches over the kernel, and ends as it ends."""
        return None if self._manager is None or self._manager.provisioner is None else self._manager.provisioner.pid

    async def start(self, patience: float) -> None:
        """Starts the process and waits until it answers. Raises StartError; then nothing of it is left."""
        try:
            await self._launch()
            await self._wait_until_it_answers(patience)
        except StartError:
            await self.stop()
            raise
        except asyncio.CancelledError:
            await self.stop()
            raise
        except Exception as error:  # the many ways in which launching can fail in the libraries
            log = self.log()
            await self.stop()
            raise StartError(_words(error) + (f"\n{log}" if log else "")) from error

    async def execute(
        self, code: str, *, silent: bool, expressions: Mapping[str, str], request: Request
    ) -> Mapping[str, Any]:
        """Runs code; the reply's content, {} when there is none. Raises DiedError, and what `receive` raises."""
        content = {
            "code": code,
            "silent": silent,
            "store_history": not silent,
            "user_expressions": dict(expressions),
            "allow_stdin": False,
            "stop_on_error": False,  # runs come one by one: nothing is queued in the kernel that could be stopped
        }
        return await self._ask("execute_request", content, request)

    async def ask(self, kind: str, content: Mapping[str, Any]) -> Mapping[str, Any]:
        """The reply to a question that runs nothing of the learner's. Raises DiedError."""
        return await self._ask(kind, content, Request(lambda _kind, _content: None))

    async def _ask(self, kind: str, content: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
        message = self._client.session.msg(kind, content)
        self._requests[message["header"]["msg_id"]] = request
        try:
            self._client.shell_channel.send(message)
            await self._wait_for(request)
        finally:
            del self._requests[message["header"]["msg_id"]]
        return request.reply or {}

    async def interrupt(self) -> None:
        """Sends SIGINT."""
        await self._signal(signal.SIGINT)

    async def stop(self, *, kindly: bool = False) -> None:
        """Ends the process and removes its directory; `kindly` lets it end by itself, if it is quick about it."""
        if kindly and self._client is not None and not self.exit.done():
            with contextlib.suppress(Exception):
                self._client.control_channel.send(self._client.session.msg("shutdown_request", {"restart": False}))
                await asyncio.wait({self.exit}, timeout=KINDNESS)
        for number, patience in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 5.0)):
            if self.pid is None or self.exit.done():
                break
            await self._signal(number)
            await asyncio.wait({self.exit}, timeout=patience)
        for task in self._readers:
            task.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)
        self._readers = []
        if self._client is not None:
            self._client.stop_channels()
            self._client = None
        if self._manager is not None:
            with contextlib.suppress(OSError):
                await self._manager.cleanup_resources()
        if self._directory is not None:
            await asyncio.to_thread(shutil.rmtree, self._directory, ignore_errors=True)

    def ending(self) -> str:
        """How the process ended, in words."""
        return ending(self.exit.result(), out_of_memory=out_of_memory_kills() > self._kills)

    def log(self) -> str:
        """The last lines of what the process said outside of any cell: why it did not start."""
        lines = [line for line in sanitize(self._whole_log()).splitlines() if line.strip()]
        return "\n".join(lines[-3:])

    def crash_line(self) -> tuple[int, int] | None:
        """The run and the line of the cell in which native code crashed, if that is known."""
        found = re.search(r'File "<cell (\d{1,9})[.\d]*>", line (\d{1,9})', self._crash)
        return (int(found[1]), int(found[2])) if found else None

    def _whole_log(self) -> str:
        if self._directory is None:
            return ""
        try:
            return (self._directory / "log").read_bytes()[-20_000:].decode("utf-8", "replace")
        except OSError:
            return ""

    async def _launch(self) -> None:
        # Half a second of imports, in a thread so that the app stays alive meanwhile.
        await asyncio.to_thread(_load)
        # Not before: the watcher that removes it however we die is started next.
        directory = self._directory = private_directory(self._environment)
        connection_file = directory / "kernel.json"
        from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
        from jupyter_client.manager import AsyncKernelManager

        argv = [self._python, "-P", str(_MAIN), "{connection_file}"]

        class OnlySpec(KernelSpecManager):  # type: ignore[misc]
            def get_kernel_spec(self, kernel_name: str) -> Any:  # noqa: ARG002
                return KernelSpec(argv=argv, display_name="Python", language="python")

        self._manager = AsyncKernelManager(
            connection_file=str(connection_file),
            transport="ipc",
            ip=str(directory / "k"),
            kernel_spec_manager=OnlySpec(),
        )
        environment = {**self._environment, **{name: str(directory / name.lower()) for name in _OWN_DIRECTORIES}}
        # Closed to others like all files of ours, though the directory is too.
        with os.fdopen(os.open(directory / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as log:
            launching = asyncio.ensure_future(
                self._manager.start_kernel(
                    env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log
                )
            )
            try:
                await asyncio.shield(launching)
            finally:
                # Cancelled or not: a process that was started is one to watch, and to end.
                await asyncio.wait({launching})
                provisioner = self._manager.provisioner
                if provisioner is not None and provisioner.process is not None:
                    self._readers.append(asyncio.create_task(self._watch(provisioner.process)))

    async def _wait_until_it_answers(self, patience: float) -> None:
        self._client = self._manager.client()
        self._client.start_channels(shell=True, iopub=True, stdin=False, hb=False, control=True)
        self._readers.append(asyncio.create_task(self._read(self._client.iopub_channel.socket, self._published)))
        self._readers.append(asyncio.create_task(self._read(self._client.shell_channel.socket, self._answered)))
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            # Asked again and again: what is published before the subscription arrives there is lost.
            request = Request(lambda _kind, _content: None)
            message = self._client.session.msg("kernel_info_request", {})
            self._requests[message["header"]["msg_id"]] = request
            self._client.shell_channel.send(message)
            await first_of(request.done, self.exit, seconds=min(1.0, patience))
            del self._requests[message["header"]["msg_id"]]
            if request.done.done():
                return
            if self.exit.done():
                why = self.log() or self.ending()
                raise StartError(_("The Python process ended at once: {why}").format(why=why))
        raise StartError(_("It did not answer within {n} seconds.").format(n=round(patience)))

    async def _wait_for(self, request: Request) -> None:
        """Until the run has ended on both channels, the process has, or `receive` failed."""
        await first_of(request.done, request.idle, request.failed, self.exit)
        if request.idle.done() and not request.done.done():
            # An interrupt may hit the kernel while it prepares the reply, and then there is none.
            await first_of(request.done, request.failed, self.exit, seconds=1.0)
        if request.failed.done():
            request.failed.result()
        if self.exit.done() and not request.done.done():
            raise DiedError

    async def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            await self._manager.provisioner.send_signal(number)

    async def _watch(self, process: subprocess.Popen[bytes]) -> None:
        """Waits for the end of the process without asking again and again, where the system can tell."""
        code = process.poll()
        if code is None and hasattr(os, "pidfd_open"):
            ended = asyncio.Event()
            loop = asyncio.get_running_loop()
            handle = os.pidfd_open(process.pid)
            loop.add_reader(handle, ended.set)
            try:
                await ended.wait()
            finally:
                loop.remove_reader(handle)
                os.close(handle)
        while (code := process.poll()) is None:  # noqa: ASYNC110 - where nothing tells us, there is only asking
            await asyncio.sleep(0.2)
        await self._drain()
        self._crash = self._whole_log().rpartition("Fatal Python error")[2]
        self.exit.set_result(code)

    async def _drain(self) -> None:
        """What the process sent before it ended is still on its way; waits until nothing more comes."""
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            before = self._last_message
            await asyncio.sleep(0.05)
            if self._last_message == before:
                return

    async def _read(self, socket: Any, handle: Callable[[str, str, Mapping[str, Any]], None]) -> None:
        turn = time.monotonic()
        while True:
            parts = await socket.recv_multipart()
            self._last_message = time.monotonic()
            parent, kind, content = self._decode(parts)
            handle(parent, kind, content)
            if time.monotonic() - turn > _BREATH:
                # A receive that need not wait does not let others run.
                await asyncio.sleep(0)
                turn = time.monotonic()

    def _decode(self, parts: list[bytes]) -> tuple[str, str, Mapping[str, Any]]:
        """Parent, type and content; ("", "", {}) for what is no message of ours."""
        session = self._client.session
        try:
            parts = session.feed_identities(parts)[1]
            if sum(map(len, parts)) > MOST_MESSAGE:
                return json.loads(parts[2])["msg_id"], json.loads(parts[1])["msg_type"] + TOO_LARGE, {}
            message = session.deserialize(parts)
            return message["parent_header"].get("msg_id", ""), message["header"]["msg_type"], message["content"]
        except (ValueError, TypeError, KeyError, IndexError):
            return "", "", {}

    def _published(self, parent: str, kind: str, content: Mapping[str, Any]) -> None:
        request = self._requests.get(parent)
        if request is not None:
            request.published(kind, content)

    def _answered(self, parent: str, kind: str, content: Mapping[str, Any]) -> None:
        request = self._requests.get(parent)
        if request is not None and kind.partition(":")[0].endswith("_reply"):
            request.replied(content)


_OWN_DIRECTORIES = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")


def _load() -> None:
    for module in ("jupyter_client.manager", "jupyter_client.kernelspec", "jupyter_client.asynchronous"):
        importlib.import_module(module)


def _words(error: BaseException) -> str:
    text = sanitize(str(error), limit=500)
    return text or type(error).__name__
