"""The start of the learner's process, run as a script: a watcher, and below it the Jupyter kernel.

The kernel must not outlive the app, and neither may what cells have started. When the app dies by SIGKILL nothing of it
is left to see to that, so a small process stands between the two: it is told of the app's death by the system (or sees
it within a second, where there is no `prctl`), ends the kernel's whole process group and removes the private directory.
What a cell starts and leaves behind becomes the watcher's child, even in a session of its own, and ends with it. The
watcher has loaded nothing, so it costs a few megabytes and no time.

argv: the connection file, in the private directory.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LOOK_EVERY = 1.0


def main(connection_file: Path) -> int:
    """Starts the kernel below and watches over it. Returns only in the kernel's process."""
    app = int(os.environ.get("JPY_PARENT_PID") or os.getppid())
    _at_death_of(app, signal.SIGTERM)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    watched = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    for number in watched:
        signal.signal(number, lambda *_: None)  # the number arrives in the pipe
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    watcher = os.getpid()
    kernel = os.fork()
    if kernel:
        with contextlib.suppress(OSError):  # the kernel does the same; whoever is first
            os.setpgid(kernel, kernel)
        _watch(kernel, app, reader, connection_file.parent)
    signal.set_wakeup_fd(-1)
    for number in watched:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.close(reader)
    os.close(writer)
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    _at_death_of(watcher, signal.SIGKILL)
    os.environ["JPY_PARENT_PID"] = str(watcher)
    return _kernel_app()(connection_file)


def _watch(kernel: int, app: int, reader: int, directory: Path) -> None:
    """Hands signals on and waits for an end: the kernel's, the app's, or ours by SIGTERM. Does not return."""
    while True:
        ready, _, _ = select.select([reader], [], [], _LOOK_EVERY)
        numbers = set(os.read(reader, 4096)) if ready else set()
        if signal.SIGINT in numbers:
            _kill_group(kernel, signal.SIGINT)
        if numbers & {signal.SIGTERM, signal.SIGHUP} or os.getppid() != app:
            _kill_all(kernel)
            shutil.rmtree(directory, ignore_errors=True)
            os._exit(0)
        status = _reap(kernel)
        if status is not None:
            _kill_all(kernel)
            _end_like(status)


def _reap(kernel: int) -> int | None:
    """Takes note of every child that has ended; returns how the kernel did, None while it lives."""
    status = None
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == kernel:
                status = ended[1]
    return status


def _kill_all(kernel: int) -> None:
    """Ends the kernel's group, and whatever of its descendants has left the group."""
    _kill_group(kernel, signal.SIGKILL)
    while True:
        # Of each that ends, the children become ours in turn.
        for child in _children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    try:
        return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    except OSError:
        return []


def _kill_group(leader: int, number: int) -> None:
    try:
        os.killpg(leader, number)
    except ProcessLookupError:
        with contextlib.suppress(ProcessLookupError):  # before it had a group of its own
            os.kill(leader, number)


def _end_like(status: int) -> None:
    """Ends this process as the kernel ended, so that whoever waits for it learns how."""
    if os.WIFSIGNALED(status):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the kernel has left its core already
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _at_death_of(parent: int, number: int) -> None:
    """Has the system send us a signal when `parent` dies; at once if it is dead already."""
    _prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _kernel_app() -> Callable[[Path], int]:
    """The kernel proper. Our packages come from where this file is: others are called `tutor` and `kernels` too."""
    from importlib.util import module_from_spec, spec_from_file_location

    root = Path(__file__).resolve().parents[3]
    for name in ("tutor", "kernels"):
        spec = spec_from_file_location(name, root / name / "__init__.py", submodule_search_locations=[str(root / name)])
        if spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
    # Last, so that no file of the learner's shadows a library; theirs before ours, which are loaded already.
    sys.path.extend([str(Path.cwd()), str(root)])
    from tutor.runtime.child.kernel import run

    return run


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
