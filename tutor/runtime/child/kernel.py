"""The Jupyter kernel of the learner's process: ipykernel, set up to be quiet, private and bounded."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ipykernel import kernelapp
from ipykernel.compiler import XCachingCompiler
from ipykernel.displayhook import ZMQShellDisplayHook
from ipykernel.iostream import IOPubThread
from ipykernel.ipkernel import IPythonKernel
from ipykernel.zmqshell import ZMQDisplayPublisher, ZMQInteractiveShell
from IPython.core.formatters import PlainTextFormatter
from traitlets import Type
from traitlets.config import Config

from tutor.runtime.child import gpu
from tutor.runtime.child.failures import clip, describe, is_cell
from tutor.runtime.child.streams import Budget, begin_streams, encodable, end_streams, flush_streams
from tutor.runtime.child.surroundings import Surroundings

MOST_TEXT = 100_000
"""Characters of one value or displayed text."""
DISPLAYS, DISPLAYS_PER_SECOND = 200, 20
"""Outputs displayed at once, and then each second."""


class Compiler(XCachingCompiler):
    """Compiles each cell under a name of its own: `<cell 3>`, whose lines tracebacks and Triton find in linecache."""

    current = ""

    def get_code_name(self, raw_code: str, code: str, number: int) -> str:  # noqa: ARG002
        """The file name for the code of cell `number`."""
        name, again = f"<cell {number}>", 1
        while name in self._filename_map:  # a run that is not counted, or code that a magic runs
            again += 1
            name = f"<cell {number}.{again}>"
        self.current = self.current or name
        return name


class PlainText(PlainTextFormatter):
    """The text of a value, at most `MOST_TEXT` characters of it."""

    def __call__(self, obj: Any) -> Any:
        """The text, or None where there is none."""
        return _bounded(super().__call__(obj))


class DisplayHook(ZMQShellDisplayHook):
    """Sends the value of the last expression after all that was printed before it."""

    def finish_displayhook(self) -> None:
        """Send it."""
        flush_streams()
        super().finish_displayhook()


class Publisher(ZMQDisplayPublisher):
    """Sends what is displayed, as many outputs as anyone can look at.

    Over the budget an output waits for the end of the run: of those that replace one another the last, of the others
    only the last of all.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._budget = Budget(DISPLAYS, DISPLAYS_PER_SECOND)
        self._waiting: dict[str, Callable[[], None]] = {}
        self._dropped = 0

    def _flush_streams(self) -> None:
        flush_streams()

    def publish(
        self, data: Any, metadata: Any = None, *, transient: Any = None, update: bool = False, **kwargs: Any
    ) -> None:
        """As ipykernel's, within the budget."""
        data = {kind: _bounded(text) if kind == "text/plain" else text for kind, text in data.items()}
        key = str((transient or {}).get("display_id") or "")

        def send() -> None:
            super(Publisher, self).publish(data, metadata, transient=transient, update=update, **kwargs)

        if self._waiting.pop(key, None) is not None and not key:
            self._dropped += 1
        if self._budget.take(1):
            send()
            return
        self._waiting[key] = send
        if len(self._waiting) > DISPLAYS:
            self._waiting.pop(next(iter(self._waiting)))
            self._dropped += 1

    def clear_output(self, wait: bool = False) -> None:
        """As ipykernel's, within the budget."""
        if self._budget.take(1):
            super().clear_output(wait)
            return
        self._waiting = {_CLEAR: lambda: super(Publisher, self).clear_output(wait)}

    def begin(self) -> None:
        """A run begins."""
        self._budget.refill()
        self._dropped = 0

    def end(self) -> int:
        """Sends what has waited; returns how many outputs were left out in this run."""
        waiting, self._waiting = self._waiting, {}
        for send in waiting.values():
            send()
        return self._dropped


_CLEAR = "\0clear"


def _bounded(text: Any) -> Any:
    return encodable(clip(text, MOST_TEXT)) if isinstance(text, str) else text


class Shell(ZMQInteractiveShell):
    """The shell: plain text only, exceptions as data, no way out of the process by accident."""

    displayhook_class = Type(DisplayHook)
    display_pub_class = Type(Publisher)

    def init_instance_attrs(self) -> None:
        """With our compiler, which ipykernel 6 has no setting for."""
        super().init_instance_attrs()
        self.compile = Compiler()

    def init_environment(self) -> None:
        """Nothing: ipykernel would ask every program for colours here. The app has set the environment."""

    def init_display_formatter(self) -> None:
        """No HTML, no pictures: nobody would see them, and some are costly to make."""
        super().init_display_formatter()
        self.display_formatter.formatters["text/plain"] = PlainText(parent=self.display_formatter)
        self.display_formatter.active_types = ["text/plain"]

    async def run_code(self, *args: Any, **kwargs: Any) -> bool:
        """As IPython's; a cell that breaks a built-in must not break what comes after it here."""
        try:
            return bool(await super().run_code(*args, **kwargs))
        finally:
            if self.kernel.surroundings is not None:
                self.kernel.surroundings.restore_machinery()

    def ask_exit(self) -> None:
        """`exit()` ends the cell, as in a script, and not the process with all its variables."""
        raise SystemExit

    def showtraceback(self, exc_tuple: Any = None, *_args: Any, **_kwargs: Any) -> None:
        """Sends the exception as data, in place of IPython's long account of it."""
        error = (exc_tuple or sys.exc_info())[1]
        if error is not None:
            self._send(error)

    def showsyntaxerror(self, *_args: Any, **_kwargs: Any) -> None:
        """The same for code that cannot be compiled."""
        error = sys.exc_info()[1]
        if error is not None:
            self._send(error)

    def _format_exception_for_storage(self, exception: BaseException, *_args: Any, **_kwargs: Any) -> dict[str, Any]:
        """Nothing: IPython would write its long account of every exception for a history that nobody reads."""
        return {"ename": type(exception).__name__, "evalue": "", "traceback": []}

    def _send(self, error: BaseException) -> None:
        flush_streams()
        data = describe(error, getattr(self.compile, "current", ""))
        self._showtraceback(type(error), encodable(data["message"]), [encodable(json.dumps(data))])
        # The frames would keep their tensors, and the GPU's memory, until the next exception.
        traceback.clear_frames(error.__traceback__)
        for name in ("last_value", "last_traceback", "last_exc"):
            setattr(sys, name, None)


class Kernel(IPythonKernel):
    """The kernel: marks where a run begins and ends."""

    shell_class = Type(Shell)
    surroundings: Surroundings | None = None

    def start(self) -> None:
        """As ipykernel's. A signal also wakes the event loop, or a cell that awaits would not notice an interrupt."""
        super().start()
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        self.io_loop.asyncio_loop.add_reader(reader, lambda: os.read(reader, 4096))

    async def do_execute(self, *args: Any, **kwargs: Any) -> Any:
        """Runs a cell; all that it put out has been sent when this returns."""
        self._restore()  # a thread that a cell has left behind may break things too
        self.shell.compile.current = ""
        self.shell.display_pub.begin()
        begin_streams()
        dropped = 0
        try:
            reply = await super().do_execute(*args, **kwargs)
        except Exception:  # the message of a learner's exception cannot be made; it has been shown as it is
            reply = {"status": "error", "ename": "", "evalue": "", "traceback": [], "user_expressions": {}}
        finally:
            self._restore()
            dropped = self.shell.display_pub.end()
            end_streams()
        if "evalue" in reply:
            reply["evalue"] = _bounded(reply["evalue"])
        reply["dropped"] = dropped
        reply["gpu_bytes"] = gpu.reserved()
        return reply

    def _restore(self) -> None:
        if self.surroundings is not None:
            self.surroundings.restore()


class App(kernelapp.IPKernelApp):
    """The application: no configuration but ours, no start-up files, nothing that listens beyond the directory."""

    kernel_class = Type(Kernel)

    def load_config_file(self, *_args: Any, **_kwargs: Any) -> None:
        """Not the user's, not the system's."""

    def init_code(self) -> None:
        """No start-up files: a lesson is the same for everybody."""
        flush_streams()

    def init_iopub(self, context: Any) -> None:
        """Without a limit on what is under way: a full queue would drop what says that a cell has ended."""
        context.sndhwm = 0
        super().init_iopub(context)


_format_warning = warnings.formatwarning


def _warning(message: Any, category: type[Warning], filename: str, lineno: int, line: str | None = None) -> str:
    """A warning as Python prints it; the names of cells mean nothing to the learner, their lines do."""
    if is_cell(filename):
        return f"line {lineno}: {category.__name__}: {message}\n"
    return _format_warning(message, category, filename, lineno, line)


class PubThread(IOPubThread):
    """The thread that sends. It opens no TCP port for forked children: see `BoundedStream` for what they print."""

    def _setup_pipe_in(self) -> None:
        self._pipe_flag = False

    def _really_send(self, *args: Any, **kwargs: Any) -> None:
        if self._is_master_process():  # the sockets are not a child's to use
            super()._really_send(*args, **kwargs)


def run(connection_file: Path) -> int:
    """Runs the kernel until it is told to end."""
    sys.modules["debugpy"] = None  # type: ignore[assignment]  # no debugger: it would listen on TCP
    kernelapp.IOPubThread = PubThread
    config = Config()
    config.IPKernelApp.connection_file = str(connection_file)
    config.IPKernelApp.outstream_class = "tutor.runtime.child.streams.BoundedStream"
    config.IPKernelApp.ignore_cwd = True
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.cache_size = 0  # Out[] would keep every tensor that was ever shown
    config.Completer.use_jedi = False  # the names that are there are known without it, and it takes a second to load
    config.HistoryManager.enabled = False
    config.HistoryManager.hist_file = ":memory:"
    warnings.filterwarnings("ignore", message="To exit: use")
    warnings.formatwarning = _warning
    app = App.instance(config=config)
    log = os.dup(2)
    app.initialize([])
    _quieten(log)
    app.kernel.surroundings = Surroundings()
    app.start()
    return 0


def _quieten(log: int) -> None:
    """From here on, what goes to the descriptors 1 and 2 is shown in the cell and nowhere else; a crash is logged."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        copy = getattr(stream, "_original_stdstream_copy", None)
        if copy is not None:
            os.dup2(nowhere, copy)
    os.close(nowhere)
    faulthandler.enable(os.fdopen(log, "w"), all_threads=False)
