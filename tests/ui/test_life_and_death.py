"""What may happen to a program on a server, in a real terminal: afterwards nothing is lost, and nothing is left."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.ui.aftermath import LIGHT, Place
from tests.ui.conftest import COURSE
from tests.ui.terminal import Terminal, children

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc")]

HOME = "\x1b[H"
F2, F4, F5, F6 = "\x1bOQ", "\x1bOS", "\x1b[15~", "\x1b[17~"
CTRL_Q, CTRL_Z = "\x11", "\x1a"
ASLEEP = "import time; print('as' + 'leep'); time.sleep(99)"
BASH = shutil.which("bash")


@pytest.fixture
def place() -> Iterator[Place]:
    place = Place(COURSE)
    yield place
    place.clear()


def app_of(terminal: Terminal) -> int:
    """The app itself, the one child of the process that was started."""
    (child,) = map(int, Path(f"/proc/{terminal.pid}/task/{terminal.pid}/children").read_text().split())
    return child


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def run_cell(terminal: Terminal, code: str, until: str) -> None:
    """Put code in the place of the cell's first line, run it, and wait for words on the screen."""
    terminal.type(F2)
    terminal.settle()
    terminal.wait("total = 1 + 1")
    if "leave the field" not in terminal.text:
        terminal.type("e")
        terminal.wait("leave the field")
    terminal.type(f"{HOME}{code}  # ")
    terminal.settle()
    terminal.type(F5)
    terminal.wait(until)


def test_storms_stops_and_sizes(place: Place) -> None:
    terminal = place.start("open", "tell")
    terminal.wait("Python ready")
    app, parent = app_of(terminal), terminal.pid
    terminal.type("hal")
    terminal.wait("hal")
    for _ in range(50):
        os.kill(app, signal.SIGINT)
        os.kill(parent, signal.SIGINT)
        os.killpg(parent, signal.SIGINT)
    terminal.type("f")
    terminal.wait("half")

    for pids in ([app], [parent], [app, parent]):
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        place.until(lambda: state(parent) == "T")  # with the app its parent stops, which is what a shell waits for
        for pid in {*pids, parent}:
            os.kill(pid, signal.SIGCONT)
        place.until(lambda: state(app) != "T" and state(parent) != "T", terminal)
        terminal.wait_for(lambda: terminal.modes_on and not terminal.echoes)
        terminal.settle()
    shown = terminal.text
    for columns, rows in [(20, 5), (1, 1), (200, 60)] * 10 + [(20, 5)]:
        terminal.resize(columns, rows)
        terminal.read(0.01)
    terminal.settle()
    terminal.type(" a line")
    place.until(lambda: place.drafts()[-1:] == ["half a line"], terminal)
    terminal.resize(80, 24)
    terminal.wait("half a line")
    terminal.wait_for(lambda: terminal.text.splitlines()[0][:20] == shown.splitlines()[0][:20])

    for _ in range(50):
        os.killpg(parent, signal.SIGTERM)
    assert terminal.ended() == 0
    place.nothing_is_left(terminal)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_storm_while_it_ends_changes_nothing(place: Place, number: signal.Signals) -> None:
    terminal = place.start("open", "tell")
    terminal.wait("Over which axis")
    terminal.settle()
    terminal.type("half")
    terminal.wait("half")
    terminal.type(CTRL_Q)
    for _ in range(60):
        os.killpg(terminal.pid, number)
        terminal.read(0.01)
    assert terminal.ended() == 0
    place.nothing_is_left(terminal)
    assert place.drafts()[-1:] == ["half"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_signals_at_any_moment_of_the_start_leave_no_traceback(place: Place, number: signal.Signals) -> None:
    moments: tuple[Callable[[Terminal], object], ...] = (
        lambda terminal: children(terminal.pid),
        lambda terminal: terminal.modes_on,
        lambda terminal: "Reading" in terminal.text,
    )
    for begun in moments:
        terminal = place.start()
        terminal.wait_for(partial(begun, terminal))
        for _ in range(20):
            os.killpg(terminal.pid, number)
            terminal.read(0.005)
        if number is signal.SIGINT:  # once the app is there it is no reason to end
            terminal.type(CTRL_Q)
        assert terminal.ended() in (0, 128 + number)
        place.nothing_is_left(terminal)


def test_storage_that_fails_is_said_and_what_is_typed_waits_for_it(place: Place) -> None:
    terminal = place.start("open", "tell")
    terminal.wait("Python ready")
    terminal.settle()
    for switch, words in (("full", "the disk is full"), ("memory", "there is no memory left")):
        (place.faults / switch).touch()
        terminal.type(f"{switch} ")
        terminal.wait("NOT SAVED")
        terminal.wait(words)
        (place.faults / switch).unlink()
        terminal.type("again ")
        terminal.wait("· saved")
    shutil.rmtree(place.home)
    terminal.type("gone ")
    place.until(lambda: place.drafts()[-1:] == ["full again memory again gone "], terminal)
    # The sockets of the Python that runs are gone as well: what lives goes on, and nothing new can begin.
    shutil.rmtree(place.temporary)
    shutil.rmtree(place.private)
    terminal.type("\x1b" + F4)
    terminal.wait("Python ready")  # where sockets may be instead
    terminal.hang_up()
    assert terminal.ended() == 0
    place.nothing_is_left()


def test_a_python_that_dies_is_said_and_begun_again_and_a_lost_terminal_ends_the_cell(place: Place) -> None:
    terminal = place.start("open", "play")
    terminal.wait_for(lambda: place.named("ipykernel_main"))
    for pid in place.named("ipykernel_main"):
        os.kill(pid, signal.SIGKILL)
    terminal.wait("no Python · F4")
    terminal.type(F4)
    terminal.wait("Python ready")
    os.kill(max(place.named("ipykernel_main")), signal.SIGKILL)
    terminal.wait("Python ended · F4")
    terminal.type(F4)
    terminal.wait("Python ready")
    run_cell(terminal, "'x' * 10**15", "MemoryError")
    run_cell(terminal, ASLEEP, "asleep")
    for _ in range(50):
        os.killpg(terminal.pid, signal.SIGINT)
    terminal.wait("interrupted after")
    run_cell(terminal, ASLEEP, "asleep")
    terminal.kill(signal.SIGTSTP)
    place.until(lambda: state(terminal.pid) == "T")
    terminal.settle()
    assert not terminal.modes_on and terminal.echoes
    terminal.kill(signal.SIGCONT)
    terminal.wait_for(lambda: terminal.modes_on and not terminal.echoes)
    os.kill(max(place.named("ipykernel_main")), signal.SIGKILL)
    terminal.wait("Most often the machine ran out of memory")
    terminal.type(F4)
    terminal.wait("Python ready")
    run_cell(terminal, ASLEEP, "asleep")
    terminal.hang_up()
    assert terminal.ended() == 0
    place.nothing_is_left()
    endings = [event.data["ending"] for event in place.events if event.kind == "ran"]
    assert endings[:3] == ["error", "interrupted", "died"]  # how the last one ended may be known too late


@pytest.mark.skipif(BASH is None, reason="wants bash")
def test_a_job_of_a_shell_stops_comes_back_and_is_killed(place: Place, tmp_path: Path) -> None:
    assert BASH is not None
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho EDITING\necho outside > "$1"\nread answer\n')
    editor.chmod(0o755)
    env = {"PS1": "prompt> ", "HISTFILE": "/dev/null", "EDITOR": str(editor), "VISUAL": ""}
    shell = place.start("--norc", "--noprofile", "-i", command=(BASH,), env=env)
    shell.wait("prompt>")
    command = " ".join(LIGHT)
    shell.type(f"{command} open read\n")
    shell.wait("Python ready")
    for _ in range(2):
        shell.type(CTRL_Z)
        shell.wait("Stopped")
        shell.settle()
        assert shell.modes_on <= {"2004"}, "the shell's own"
        shell.type("clear; fg\n")
        shell.wait("Post-Norm")
        shell.wait_for(lambda: shell.modes_on)
        shell.settle()
    # The whole group, as the terminal's own ctrl+z would, from which parent and app learn twice: one fg is enough.
    (parent, app) = sorted(place.named("tests.ui.light"))
    os.killpg(parent, signal.SIGTSTP)
    shell.wait("Stopped")
    shell.settle()
    shell.type("clear; fg\n")
    shell.wait("Post-Norm")
    shell.settle()
    shell.type("t")
    shell.wait("Telling")
    shell.type("\x1b")
    shell.settle()
    shell.type(CTRL_Z)
    shell.wait("Stopped")
    os.kill(app, signal.SIGKILL)
    shell.type("clear; fg\n")
    shell.wait("It was killed (SIGKILL). Most often the machine ran out of memory.")
    shell.wait("start it again, and it goes on")

    shell.type(f"clear; {command} open tell\n")
    shell.wait("Over which axis")
    shell.settle()
    shell.type("half")
    shell.wait("half")
    shell.type(F6)
    shell.wait("EDITING")
    os.kill(min(place.named("tests.ui.light")), signal.SIGTERM)
    shell.wait("prompt>")
    place.until(lambda: len(place.processes) == 1, shell)
    assert place.drafts()[-1:] == ["outside"], "what the editor had saved"
    shell.type("exit\n")
    shell.ended()
    place.nothing_is_left()
    assert not shell.modes_on - {"2004"}


@pytest.mark.skipif(BASH is None, reason="wants bash")
def test_a_lost_terminal_is_noticed_where_no_signal_tells_of_it(place: Place) -> None:
    assert BASH is not None
    terminal = place.start("-c", "trap '' HUP; " + " ".join(LIGHT) + " open tell; true", command=(BASH,))
    terminal.wait("Over which axis")
    terminal.settle()
    terminal.type("half")
    terminal.wait("half")
    terminal.hang_up()
    place.nothing_is_left()
    assert place.drafts()[-1:] == ["half"]


def test_two_at_once_and_a_terminal_that_is_lost_in_a_review(place: Place) -> None:
    first = place.start("open", "tell")
    first.wait("Over which axis")
    first.settle()
    first.type("over the features")
    first.settle()
    first.type("\r")
    first.wait("✓")
    second = place.start("review", "--ahead")
    second.wait("Over which axis")
    second.settle()
    second.type("half")
    second.wait("half")
    first.type("r")
    first.settle()
    first.type("once more")
    first.wait("once more")
    second.hang_up()
    assert second.ended() == 0
    first.type(CTRL_Q)
    assert first.ended() == 0
    place.nothing_is_left(first)
    assert any(draft.endswith("once more") for draft in place.drafts()) and "half" in place.drafts()
    assert len({event.session for event in place.events}) == 2


def nothing_is_left_after(fault: str, place: Place, terminal: Terminal) -> None:
    """End the app by the fault, or by its key after one that it survives."""
    if fault == "app killed":
        os.kill(app_of(terminal), signal.SIGKILL)
    elif fault == "terminal lost":
        terminal.hang_up()
    else:
        terminal.type(CTRL_Q)
    assert terminal.ended() == (128 + signal.SIGKILL if fault == "app killed" else 0)
    place.nothing_is_left()


@pytest.mark.skipif("NORMTUTOR_ALL_FAULTS" not in os.environ, reason="loads torch: NORMTUTOR_ALL_FAULTS=1 runs it")
@pytest.mark.parametrize("fault", ["app killed", "judge killed", "terminal lost"])
def test_an_answer_that_is_judged(place: Place, fault: str) -> None:
    terminal = place.start("open", "write")
    terminal.wait("Python ready")
    terminal.settle()
    terminal.type("\n")
    terminal.wait("Check")
    place.until(lambda: place.named("judge_main"), terminal)
    if fault == "judge killed":
        os.kill(min(place.named("judge_main")), signal.SIGKILL)
        place.until(lambda: any(event.kind == "answered" for event in place.events), terminal)  # by another judge
    nothing_is_left_after(fault, place, terminal)


@pytest.mark.skipif("NORMTUTOR_ALL_FAULTS" not in os.environ, reason="loads torch: NORMTUTOR_ALL_FAULTS=1 runs it")
@pytest.mark.parametrize("fault", ["app killed", "lab killed", "ctrl+z", "terminal lost"])
def test_an_experiment_that_runs(place: Place, fault: str) -> None:
    terminal = place.start()
    terminal.wait("A first lesson")
    terminal.settle()
    terminal.type("l")
    place.until(lambda: place.named("lab_main"), terminal)
    terminal.settle()
    terminal.type("\n")
    terminal.wait("cancel")
    if fault == "lab killed":
        os.kill(min(place.named("lab_main")), signal.SIGKILL)
        # While it loads another takes its place; later it is said.
        terminal.wait_for(lambda: "process has ended" in terminal.text or "grows" in terminal.text)
    elif fault == "ctrl+z":
        terminal.kill(signal.SIGTSTP)
        place.until(lambda: state(terminal.pid) == "T")
        terminal.kill(signal.SIGCONT)
        terminal.wait_for(lambda: terminal.modes_on and not terminal.echoes)
    nothing_is_left_after(fault, place, terminal)
