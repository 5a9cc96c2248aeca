"""The program from outside: killed, hung up, its kernel killed."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.runtime.test_life import listening
from tests.ui.conftest import COURSE
from tests.ui.helpers import history
from tests.ui.terminal import PATIENCE, Terminal, alive, children, environment

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc")]

Start = Callable[..., Terminal]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    terminals: list[Terminal] = []

    def start(*arguments: str) -> Terminal:
        terminals.append(Terminal(*arguments, env=environment(tmp_path / "home", COURSE)))
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.close()


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        select.select([], [], [], 0.05)


def drafts(home: Path) -> list[str]:
    return [event.data["text"] for event in history(home) if event.kind == "draft"]


def app_of(terminal: Terminal) -> int:
    """The app itself, a child of the process that was started."""
    (child,) = (int(pid) for pid in Path(f"/proc/{terminal.pid}/task/{terminal.pid}/children").read_text().split())
    return child


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL], ids=lambda number: number.name)
def test_the_terminal_is_put_right_when_the_app_dies_of_a_signal(start: Start, number: signal.Signals) -> None:
    terminal = start("open", "read")
    terminal.wait("Post-Norm")
    terminal.settle()
    assert terminal.modes_on and not terminal.echoes
    mine = children(terminal.pid)
    os.kill(app_of(terminal), number)
    terminal.wait("normtutor has ended.")
    terminal.wait("start it again, and it goes on")
    assert f"({number.name})." in terminal.text
    assert terminal.ended() == 128 + number
    assert not terminal.modes_on and terminal.echoes
    wait_for(lambda: not any(map(alive, mine)))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_to_the_parent_ends_the_app_in_order(start: Start, number: signal.Signals) -> None:
    terminal = start("open", "read")
    terminal.wait("Post-Norm")
    mine = children(terminal.pid)
    terminal.kill(number)
    assert terminal.ended() == 0
    assert not terminal.modes_on and terminal.echoes
    wait_for(lambda: not any(map(alive, mine)))


def test_the_app_leaves_when_its_parent_is_killed(start: Start) -> None:
    terminal = start("open", "read")
    terminal.wait("Post-Norm")
    mine = children(terminal.pid)
    terminal.kill()
    assert terminal.ended() == -signal.SIGKILL
    wait_for(lambda: not any(map(alive, mine)))
    terminal.settle()
    assert not terminal.modes_on and terminal.echoes


def test_ctrl_z_stops_both_and_continuing_either_brings_the_screen_back(start: Start) -> None:
    terminal = start("open", "read")
    terminal.wait("Post-Norm")
    for _ in range(2):
        terminal.kill(signal.SIGTSTP)
        wait_for(lambda: stopped(terminal.pid) and stopped(app_of(terminal)))
        terminal.settle()
        assert not terminal.modes_on and terminal.echoes
        terminal.kill(signal.SIGCONT)
        wait_for(lambda: not stopped(app_of(terminal)))
        terminal.wait_for(lambda: terminal.modes_on and not terminal.echoes)
    terminal.type("\x11")
    assert terminal.ended() == 0


def stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def test_a_half_typed_answer_survives_kill_9(start: Start, tmp_path: Path) -> None:
    terminal = start("open", "tell")
    terminal.wait("Over which axis")
    terminal.settle()
    terminal.type("LN tính trên")
    wait_for(lambda: drafts(tmp_path / "home")[-1:] == ["LN tính trên"])
    os.kill(app_of(terminal), signal.SIGKILL)
    assert terminal.ended() == 128 + signal.SIGKILL
    again = start()
    again.wait("LN tính trên")
    again.wait("6/8")


def test_a_hang_up_keeps_the_last_letters_and_leaves_no_process(start: Start, tmp_path: Path) -> None:
    terminal = start("open", "tell")
    terminal.wait("Python ready")
    terminal.type("half")
    terminal.wait("half")
    processes = children(terminal.pid)
    assert processes, "the kernel"
    assert not any(listening(pid) for pid in (terminal.pid, *processes))
    terminal.hang_up()
    assert terminal.ended() == 0
    assert drafts(tmp_path / "home")[-1:] == ["half"]
    wait_for(lambda: not any(alive(pid) for pid in processes))


def test_a_killed_kernel_is_said_and_another_can_be_started(start: Start) -> None:
    terminal = start("open", "play")
    terminal.wait("Python ready")
    terminal.type("e")
    terminal.settle()
    terminal.type("import time; print('as' + 'leep'); time.sleep(99)  # ")
    terminal.settle()
    terminal.type("\x1b[15~")
    terminal.wait("asleep")
    for pid in children(terminal.pid):
        if "ipykernel" in Path(f"/proc/{pid}/cmdline").read_text():
            os.kill(pid, signal.SIGKILL)
    terminal.wait("the Python process ended")
    terminal.type("\x1bOS")
    terminal.wait("Python ready")
    terminal.type("\x1bOQ")
    terminal.settle()
    terminal.type("\x1b[15~")
    terminal.wait("done in")
    terminal.type("\x11")
    assert terminal.ended() == 0


def test_a_whole_prediction_with_the_real_kernel(start: Start, tmp_path: Path) -> None:
    terminal = start("open", "guess")
    terminal.wait("Python ready")
    terminal.type("2")
    terminal.settle()
    terminal.type("\r")
    terminal.wait("Prediction locked")
    terminal.type("\n")
    terminal.wait("Right.")
    terminal.type("\x11")
    assert terminal.ended() == 0
    verdicts = [event.data["verdict"]["verdict"] for event in history(tmp_path / "home") if event.kind == "answered"]
    assert verdicts == ["right"]


def test_a_cell_is_edited_in_the_learners_own_editor(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "editor"
    script.write_text('#!/bin/sh\necho EDITING "$1"\nread answer\necho "answer = \'$answer\'" > "$1"\n')
    script.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(script))
    monkeypatch.delenv("VISUAL", raising=False)
    terminal = start("open", "play")
    terminal.wait("total = 1 + 1")
    terminal.settle()
    terminal.type("\x1b[17~")
    terminal.wait("EDITING")
    assert not terminal.modes_on and terminal.echoes
    terminal.type("forty-two\n")
    terminal.wait("answer = 'forty-two'")
    terminal.wait_for(lambda: terminal.modes_on and not terminal.echoes)
    terminal.type("\x11")
    assert terminal.ended() == 0


def test_a_terminal_that_knows_no_utf_8_gets_ascii(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NORMTUTOR_ASCII", "1")
    terminal = start("open", "read")
    terminal.wait("Post-Norm")
    terminal.type("v")
    terminal.wait("Bai thu")
    terminal.settle()
    assert terminal.raw.isascii()
    assert "+--" in terminal.text


def test_a_terminal_that_cannot_draw_is_told_what_it_can_have(
    start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    terminal = Terminal(env=environment(tmp_path / "home", COURSE) | {"TERM": "dumb"})
    terminal.wait("TERM=dumb")
    terminal.wait("review --inline")
    assert terminal.ended() == 2
    assert not terminal.modes_on and "\x1b" not in terminal.raw.decode()


def test_ctrl_l_paints_what_another_program_wrote_over(start: Start) -> None:
    terminal = start("open", "read")
    terminal.wait("Post-Norm")
    terminal.wait("Python ready")
    terminal.settle()
    shown = terminal.text
    terminal.scribble("\x1b[3;1HBroadcast message from root" + "\x1b[24;1HThe system is going down")
    assert terminal.text != shown
    terminal.type("\x0c")
    terminal.wait_for(lambda: terminal.text == shown)
