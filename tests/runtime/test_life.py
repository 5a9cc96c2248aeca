import asyncio
import os
import signal
import stat
import sys
from pathlib import Path

import pytest

from tests.runtime.conftest import Told, begin, cell_environment, children, gone, is_alive, run
from tutor.runtime.outputs import Value
from tutor.runtime.session import Session, State

pytestmark = pytest.mark.asyncio(loop_scope="session")


def directory_of(session: Session) -> Path:
    assert session.pid is not None
    command = Path(f"/proc/{session.pid}/cmdline")
    # The pid is known a moment before the process has its own command line.
    while not (found := [word for word in command.read_text().split("\0") if word.endswith("kernel.json")]):
        assert is_alive(session.pid)
    return Path(found[0]).parent


async def test_states_are_told_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.runtime.session.PRELUDE", "1")
    states: list[State] = []
    session = Session(environment=cell_environment(), on_change=states.append)
    assert (session.state, session.pid) == (State.OFF, None)
    finished, _ = await run(session, "1")
    assert (finished.ending, finished.detail) == ("unavailable", "Python is not running.")
    await session.start()
    await session.start()
    await run(session, "1")
    await session.stop()
    await session.stop()
    assert states == [State.STARTING, State.READY, State.BUSY, State.READY, State.OFF]


async def test_a_run_asked_for_before_python_is_ready_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.runtime.session.PRELUDE", "early = 1")
    session = Session(environment=cell_environment())
    starting = asyncio.create_task(session.start())
    await asyncio.sleep(0)
    finished, _ = await run(session, "1", expressions={"early": "early"})
    assert finished.values == {"early": "1"}
    assert starting.done() or session.state is State.READY
    await starting
    await session.stop()


async def test_an_interrupt_while_python_starts_spares_the_prelude(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.runtime.session.PRELUDE", "import time; time.sleep(0.3); whole = 1")
    session = Session(environment=cell_environment())
    starting = asyncio.create_task(session.start())
    waiting = asyncio.create_task(session.run("ran = 1", on_output=Told()))
    await asyncio.sleep(0)
    await session.interrupt()
    assert (await waiting).ending == "interrupted"
    await starting
    finished, _ = await run(session, "1", expressions={"whole": "whole", "ran": "'ran' in globals()"})
    assert finished.values == {"whole": "1", "ran": "False"}
    await session.stop()


async def test_a_prelude_that_fails_is_said_and_cells_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.runtime.session.PRELUDE", "import json\nimport no_such_library\n")
    session = Session(environment=cell_environment())
    await session.start()
    assert session.state is State.READY
    assert session.detail == "“import no_such_library” failed: ModuleNotFoundError: No module named 'no_such_library'"
    finished, told = await run(session, "2")
    assert (finished.ending, list(told)) == ("ok", [Value("2")])
    assert "no_such_library" in session.detail
    await session.stop()


async def test_a_death_in_the_prelude_is_a_failed_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.runtime.session.PRELUDE", "import os; os._exit(9)")
    session = Session(environment=cell_environment())
    await session.start()
    assert session.state is State.FAILED and "exit code 9" in session.detail
    monkeypatch.setattr("tutor.runtime.session.PRELUDE", "1")
    await session.start()
    assert (session.state, session.detail) == (State.READY, "")
    await session.stop()


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exit 3", "exit code 3"),
        ("echo 'No module named ipykernel' >&2; exit 1", "No module named ipykernel"),
        ("exec sleep 600", "did not answer within 1 seconds"),
    ],
)
async def test_a_python_that_does_not_start_is_explained(tmp_path: Path, script: str, words: str) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\n{script}\n")
    python.chmod(0o755)
    session = Session(environment={"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)}, python=str(python), patience=1)
    await session.start()
    assert session.state is State.FAILED
    assert session.detail.startswith("Python could not be started.") and words in session.detail
    finished, _ = await run(session, "1")
    assert finished.ending == "unavailable" and words in finished.detail
    await session.stop()
    assert not is_alive(int((tmp_path / "pid").read_text()))
    assert not found(tmp_path, "normtutor-*")


async def test_a_missing_python_or_place_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(python=str(tmp_path / "nothing"))
    await session.start()
    assert session.state is State.FAILED and "No such file" in session.detail
    monkeypatch.setattr("tempfile.mkdtemp", lambda **_: (_ for _ in ()).throw(PermissionError(13, "Permission denied")))
    session = Session(environment=cell_environment())
    await session.start()
    assert session.state is State.FAILED and "Permission denied" in session.detail and "TMPDIR" in session.detail


async def test_kill_9_of_the_kernel_ends_the_run_and_restart_works(quick: Session) -> None:
    assert quick.pid is not None
    directory = directory_of(quick)
    [kernel] = children(quick.pid)
    task, told = await begin(quick, "import time\nprint('go', flush=True); time.sleep(60)")
    os.kill(kernel, signal.SIGKILL)
    finished = await task
    assert finished.ending == "died"
    assert "SIGKILL" in finished.detail and "memory" in finished.detail
    assert (quick.state, quick.detail, quick.pid) == (State.DEAD, finished.detail, None)
    assert told.printed == "go\n"
    finished, _ = await run(quick, "1")
    assert (finished.ending, finished.detail) == ("unavailable", quick.detail)
    await quick.restart()
    assert (quick.state, quick.detail) == (State.READY, "")
    finished, told = await run(quick, "own + 1", expressions={"t": "'time' in globals()"})
    assert (finished.values, list(told)) == ({"t": "False"}, [Value("2")])
    assert not directory.exists()


async def test_what_was_printed_before_a_crash_is_seen(quick: Session) -> None:
    _, told = await run(quick, "import os, time; print('last words', flush=True); time.sleep(0.1); os._exit(7)")
    assert told.printed == "last words\n"
    assert "exit code 7" in quick.detail


async def test_a_crash_in_native_code_names_the_line(quick: Session) -> None:
    finished, _ = await run(quick, "import ctypes\nx = 1\nctypes.string_at(0)", name="deep")
    assert finished.ending == "died"
    assert "SIGSEGV" in finished.detail and "deep, line 3" in finished.detail
    assert quick.detail == finished.detail


async def test_death_between_runs_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.runtime.session.PRELUDE", "1")
    dead = asyncio.Event()
    session = Session(
        environment=cell_environment(), on_change=lambda state: dead.set() if state is State.DEAD else None
    )
    await session.start()
    assert session.pid is not None
    pid, [kernel] = session.pid, children(session.pid)
    os.kill(pid, signal.SIGKILL)  # the watcher itself: the kernel goes with it
    await asyncio.wait_for(dead.wait(), 10)
    await gone(kernel)
    await session.stop()


async def test_restart_and_stop_end_the_run_that_is_under_way(quick: Session) -> None:
    task, _ = await begin(quick, "print('go')\nwhile True: pass")
    await quick.restart()
    assert ((await task).ending, (await task).detail) == ("interrupted", "Python was restarted.")
    task, _ = await begin(quick, "print('go')\nwhile True: pass")
    await quick.stop()
    assert ((await task).ending, (await task).detail) == ("interrupted", "Python was stopped.")
    assert quick.state is State.OFF
    await quick.start()
    finished, _ = await run(quick, "1")
    assert finished.ending == "ok"


async def test_stop_while_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.runtime.session.PRELUDE", "import time; time.sleep(60)")
    session = Session(environment=cell_environment())
    starting = asyncio.create_task(session.start())
    waiting = asyncio.create_task(session.run("1", on_output=Told()))
    async with asyncio.timeout(30):
        while session.pid is None:  # noqa: ASYNC110 - nothing tells when
            await asyncio.sleep(0)
    pid, directory = session.pid, directory_of(session)
    assert pid is not None
    await session.stop()
    await starting
    assert (await waiting).ending == "interrupted"
    assert session.state is State.OFF
    assert not is_alive(pid) and not directory.exists()


async def test_stop_ends_everything_that_cells_started(quick: Session) -> None:
    code = """
import subprocess
mine = subprocess.Popen(['sleep', '600'])
apart = subprocess.Popen(['sh', '-c', 'sleep 600 & echo $!'], start_new_session=True, stdout=subprocess.PIPE, text=True)
print(mine.pid, apart.stdout.readline())
"""
    _, told = await run(quick, code)
    pids = [int(word) for word in told.printed.split()]
    assert len(pids) == 2 and all(map(is_alive, pids))
    assert quick.pid is not None
    pids += [quick.pid, *children(quick.pid)]
    await quick.stop()
    assert not [pid for pid in pids if is_alive(pid)]


def found(directory: Path, pattern: str) -> list[Path]:
    return list(directory.glob(pattern))


APP = """
import asyncio, os, sys
from tests.runtime.conftest import cell_environment
from tutor.runtime import session
session.PRELUDE = "1"
async def main():
    mine = session.Session(environment={**cell_environment(), "TMPDIR": sys.argv[1], "XDG_RUNTIME_DIR": ""})
    await mine.start()
    code = '''
import os, subprocess, sys
helper = subprocess.Popen(['sh', '-c', 'exec sleep 600'], start_new_session=True)
print(os.getpid(), helper.pid, flush=True)
while True: pass
'''
    await mine.run(code, on_output=lambda output: print(mine.pid, output.text, flush=True))
asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_nothing_outlives_an_app_that_is_killed(tmp_path: Path, number: int) -> None:
    app = await asyncio.create_subprocess_exec(
        sys.executable, "-c", APP, str(tmp_path), stdout=asyncio.subprocess.PIPE, env={**os.environ, "PYTHONPATH": "."}
    )
    assert app.stdout is not None
    async with asyncio.timeout(60):
        words: list[str] = []
        while len(words) < 3:
            words += (await app.stdout.readline()).decode().split()
    pids = [int(word) for word in words]
    assert len(found(tmp_path, "normtutor-*/k-*")) == 5
    assert all(map(is_alive, pids))
    app.send_signal(number)
    await app.wait()
    await gone(*pids)
    assert not found(tmp_path, "normtutor-*")


async def test_it_is_private_and_touches_nothing_of_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    startup = home / ".ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text("started_up = 1\n")
    (home / ".ipython" / "profile_default" / "ipython_kernel_config.py").write_text(
        "c.IPKernelApp.exec_lines = ['x = 1']\n"
    )
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*")}
    monkeypatch.setattr("tutor.runtime.session.PRELUDE", "1")
    monkeypatch.setenv("HOME", str(home))
    session = Session(
        environment={**cell_environment(), "HOME": str(home), "XDG_RUNTIME_DIR": "", "TMPDIR": str(tmp_path)}
    )
    await session.start()
    finished, _ = await run(
        session,
        "import os, sys",
        expressions={
            "names": "[name for name in ('started_up', 'x') if name in globals()]",
            "debugpy": "'debugpy' in sys.modules and sys.modules['debugpy']",
            "colour": "os.environ.get('FORCE_COLOR')",
        },
    )
    assert finished.values == {"names": "[]", "debugpy": "None", "colour": "None"}
    assert session.pid is not None
    [kernel] = children(session.pid)
    assert not listening(kernel)
    directory = directory_of(session)
    assert directory.parent == tmp_path
    assert directory.stat().st_mode & 0o777 == 0o700
    files = [path for path in directory.iterdir() if path.is_file()]
    assert {path.name for path in files} == {"kernel.json", "log"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    await session.stop()
    assert not directory.exists()
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*")} == before


def listening(pid: int) -> list[str]:
    """The TCP sockets on which a process listens."""
    sockets = {str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir() if entry.is_symlink()}
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                found.append(fields[1])
    return found
