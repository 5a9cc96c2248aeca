import fcntl
import json
import os
import pty
import select
import stat
import struct
import subprocess
import sys
import termios
from collections import namedtuple
from datetime import timedelta
from pathlib import Path

import msgspec
import pyte
import pytest

from tutor.commands.doctor import compute, history, software, storage
from tutor.commands.doctor.terminal import terminal_findings
from tutor.memory import refresh
from tutor.memory.journal import Journal
from tutor.memory.lines import encode
from tutor.runtime.device import Device
from tutor.runtime.outputs import Finished
from tutor.runtime.triton_check import TritonCheck


def by_name(findings) -> dict:
    return {finding.what: finding for finding in findings}


@pytest.mark.slow
def test_the_document_of_this_machine(normtutor) -> None:
    done = normtutor("doctor", "--json")
    document = json.loads(done.stdout)
    assert document["device"] and document["triton"] in ("compiled", "interpreted", "missing")
    found = {finding["what"]: finding for finding in document["findings"]}
    assert all(set(finding) >= {"what", "state", "advice"} for finding in document["findings"])
    for what in (
        "python",
        "packages",
        "torch",
        "triton",
        "kernel",
        "storage.writable",
        "course",
        "history",
        "translations",
    ):
        assert found[what]["state"] == "ok", found[what]
    assert all(finding["advice"] for finding in document["findings"] if finding["state"] != "ok")
    assert [finding for finding in document["findings"] if finding["state"] == "problem"] == []


@pytest.mark.slow
def test_a_problem_is_exit_code_1_and_says_what_to_do(normtutor, course: Path, tmp_path: Path) -> None:
    (course / "tiny.yaml").write_text("id: tiny\n")
    (tmp_path / "a-file").touch()
    done = normtutor("doctor", NORMTUTOR_HOME=str(tmp_path / "a-file" / "home"), TERM="dumb", LANG="", code=1)
    assert "✗ course: " in done.stdout and "normtutor check" in done.stdout
    assert "✗ storage.writable" in done.stdout
    assert "✗ terminal.type: TERM=dumb\n    " in done.stdout
    assert "3 problems" in done.stdout


# Storage


def test_a_directory_that_others_can_read_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    found = by_name(storage.storage_findings(tmp_path))
    assert found["storage.mode"].state == "warning" and "chmod 700" in found["storage.mode"].advice
    tmp_path.chmod(0o700)
    assert by_name(storage.storage_findings(tmp_path))["storage.mode"].state == "ok"


def test_asking_creates_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    before = stat.S_IMODE(tmp_path.stat().st_mode)
    assert by_name(storage.storage_findings(tmp_path / "a" / "b"))["storage.writable"].state == "ok"
    assert list(tmp_path.iterdir()) == [] and stat.S_IMODE(tmp_path.stat().st_mode) == before


def test_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    found = by_name(storage.storage_findings(tmp_path / "file" / "home"))
    assert found["storage.writable"].state == "problem"


def test_the_file_system_is_that_of_the_innermost_mount(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    inner = tmp_path / "with space" / "home"
    inner.mkdir(parents=True)
    escaped = str(tmp_path / "with space").replace(" ", "\\040")
    mounts.write_text(f"/dev/sda / ext4 rw 0 0\nserver:/home {escaped} nfs4 rw 0 0\ntmpfs {tmp_path}/w tmpfs rw 0 0\n")
    assert storage.filesystem(inner, mounts) == "nfs4"
    assert storage.filesystem(tmp_path, mounts) == "ext4"
    assert storage.filesystem(inner, tmp_path / "none") == ""


@pytest.mark.parametrize(("free", "state"), [(1 << 20, "problem"), (50 << 20, "warning"), (1 << 34, "ok")])
def test_free_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, state: str) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(storage.shutil, "disk_usage", lambda _path: usage(1 << 40, 0, free))
    assert by_name(storage.storage_findings(tmp_path))["storage.space"].state == state


# History and settings


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NORMTUTOR_HOME", str(tmp_path))
    monkeypatch.setenv("NORMTUTOR_COURSE", str(tmp_path / "no-course"))
    return tmp_path


def test_a_history_is_looked_at_and_left_as_it_is(home: Path) -> None:
    assert by_name(history.history_findings(home))["history"].found == "0 events, 0 sessions"
    with Journal(home) as journal:
        journal.append("seen", step="a")
        ahead = journal.make("seen", step="b")
    file = next(home.glob("*.jsonl"))
    newer = msgspec.structs.replace(ahead, id="n", v=99)
    future = msgspec.structs.replace(ahead, id="f", time=ahead.time + timedelta(days=400))
    file.write_bytes(b"garbage\n" + file.read_bytes() + b"more\n" + encode(newer) + encode(future) + b"torn")
    before = file.read_bytes()
    found = by_name(history.history_findings(home))
    assert found["history"].state == "warning" and f"{file}:1" in found["history"].found
    assert "3 events" in found["history"].found and "and 1 more" in found["history"].found
    assert found["history.newer"].found == "1 event of a newer normtutor"
    assert found["history.clock"].found == "1 event lies in the future"
    assert all(finding.advice for finding in found.values() if finding.state == "warning")
    assert file.read_bytes() == before and list(home.iterdir()) == [file]


def test_the_snapshot_and_the_settings_are_told(home: Path) -> None:
    with Journal(home) as journal:
        journal.append("seen", step="a")
    assert "none that fits" in by_name(history.history_findings(home))["history.snapshot"].found
    refresh.current()
    assert by_name(history.history_findings(home))["history.snapshot"].found == "0 cards"
    assert by_name(history.history_findings(home))["settings"].state == "ok"
    (home / "settings.toml").write_text("[review]\ndaily-limit = -4\n")
    found = by_name(history.history_findings(home))
    assert found["settings"].state == "warning" and "settings.toml:2" in found["settings"].found
    assert "before the last" in found["history.snapshot"].found


# Software


def test_a_package_of_a_version_that_does_not_work_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    version = software.metadata.version
    monkeypatch.setattr(software.metadata, "version", lambda name: "0.26.1" if name == "tree-sitter" else version(name))
    found = by_name(software.software_findings())
    assert found["packages.tree-sitter"].state == "problem"
    assert (
        "0.26.1" in found["packages.tree-sitter"].found and "tree-sitter<0.26" in found["packages.tree-sitter"].advice
    )


def test_another_distribution_with_our_top_level_names_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        software.metadata,
        "packages_distributions",
        lambda: {"kernels": ["kernels", "normtutor"], "tutor": ["normtutor"]},
    )
    found = by_name(software.software_findings())
    assert found["names.kernels"].state == "problem" and "names.tutor" not in found


# The kernel, torch and Triton


def answer(**values: str) -> Finished:
    told = {"sum": "2", "version": "'2.9'", "cuda": "None", "finite": "True"} | values
    return Finished("ok", 0.1, {name: value for name, value in told.items() if value}, {"finite": "CUDA out of memory"})


@pytest.mark.parametrize(
    ("told", "complaint", "what", "state", "says"),
    [
        (answer(), "", "torch", "ok", "CPU"),
        (answer(cuda="'12.8'"), "", "torch", "ok", "CUDA 12.8"),
        (None, "no answer within 20 s", "kernel", "problem", "no answer"),
        (Finished("unavailable", 0.0, detail="no place"), "", "kernel", "problem", "no place"),
        (Finished("died", 0.0, detail="killed"), "", "kernel", "problem", "killed"),
        (answer(version=""), "“import torch” failed: ImportError", "torch", "problem", "ImportError"),
        (answer(finite=""), "", "torch", "problem", "out of memory"),
        (answer(finite="False"), "", "torch", "problem", "out of memory"),
        (answer(), "“from kernels import *” failed", "kernel", "problem", "from kernels"),
    ],
)
def test_what_the_kernel_told_is_judged(
    told: Finished | None, complaint: str, what: str, state: str, says: str
) -> None:
    finding = by_name(compute.kernel_findings(Device(), told, complaint))[what]
    assert finding.state == state and says in finding.found
    assert bool(finding.advice) == (state != "ok")


@pytest.mark.slow
async def test_a_kernel_that_does_not_answer_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute, "PATIENCE", 0.01)
    told, complaint = await compute.ask_kernel(Device())
    assert told is None and "no answer" in complaint


@pytest.mark.parametrize(("state", "judged"), [("works", "ok"), ("fails", "problem"), ("missing", "warning")])
def test_what_came_of_triton_is_judged(state: str, judged: str) -> None:
    finding = compute.triton_finding(TritonCheck(state, "words"))
    assert (finding.what, finding.state) == ("triton", judged) and finding.found == "words"


@pytest.mark.parametrize(
    ("device", "state", "says"),
    [
        (Device(kind="cuda", name="H200", free_bytes=100 << 30, total_bytes=141 << 30), "ok", "100 of 141 GiB"),
        (Device(kind="cuda", name="H200", free_bytes=1 << 30, total_bytes=141 << 30), "warning", "1 of 141"),
        (Device(note="no NVIDIA GPU"), "ok", "no NVIDIA GPU"),
    ],
)
def test_the_device_is_judged_by_its_free_memory(device: Device, state: str, says: str) -> None:
    finding = compute.device_finding(device)
    assert finding.state == state and says in finding.found


# The terminal


@pytest.mark.parametrize(
    ("environ", "what", "state"),
    [
        ({"TERM": "dumb"}, "terminal.type", "problem"),
        ({"TERM": "linux"}, "terminal.type", "warning"),
        ({"TERM": "xterm-256color"}, "terminal.type", "ok"),
        ({"TERM": "xterm-256color"}, "terminal.colours", "ok"),
        ({"TERM": "vt100"}, "terminal.colours", "warning"),
        ({"TERM": "vt100", "NO_COLOR": "1"}, "terminal.colours", "ok"),
        ({"TERM": "vt100", "COLORTERM": "truecolor"}, "terminal.colours", "ok"),
        ({"TERM": "xterm-256color", "TMUX": "/tmp/nowhere,1,0"}, "tmux", "warning"),
        ({"TERM": "tmux-256color", "SSH_CONNECTION": "a 1 b 2"}, "ssh", "ok"),
    ],
)
def test_what_the_environment_says_of_the_terminal(environ: dict[str, str], what: str, state: str) -> None:
    assert by_name(terminal_findings(environ))[what].state == state


ASK = """
import json, sys
from tutor.commands.doctor import terminal
terminal.ANSWER_WITHIN = float(sys.argv[2])
found = {finding.what: [finding.state, finding.found] for finding in terminal.terminal_findings()}
open(sys.argv[1], "w").write(json.dumps(found))
"""


def ask_in_terminal(answer: Path, columns: int, lines: int, wide: bool = False, silent: bool = False) -> dict:
    """Runs the terminal checks in an emulator; a `wide` one draws characters beyond ASCII over two columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    before = termios.tcgetattr(slave)
    screen = pyte.Screen(columns, lines)
    screen.write_process_input = lambda data: None if silent else os.write(master, data.encode())
    stream = pyte.Stream(screen)
    child = subprocess.Popen(
        [sys.executable, "-c", ASK, str(answer), "0.2" if silent else "60"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        env=os.environ | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "COLUMNS": "99"},
    )
    reader = os.fdopen(os.dup(master), "rb", buffering=0)
    os.set_blocking(master, True)
    ended = False
    while not ended or select.select([master], [], [], 0)[0]:  # also what it wrote last
        ended = child.poll() is not None
        if select.select([master], [], [], 0.05)[0]:
            text = reader.read(4096).decode()
            stream.feed("".join(c + ("*" if wide and ord(c) > 127 else "") for c in text))
    after = termios.tcgetattr(slave)
    os.close(slave)
    reader.close()
    os.close(master)
    assert after == before
    assert [line.strip() for line in screen.display if line.strip()] == []
    return json.loads(answer.read_text())


def test_the_width_of_characters_is_measured_and_the_terminal_left_as_it_was(tmp_path: Path) -> None:
    found = ask_in_terminal(tmp_path / "a", 80, 24)
    assert found["terminal.characters"][0] == "ok" and "braille" in found["terminal.characters"][1]
    assert found["terminal.size"] == ["ok", "80x24"]


def test_characters_of_the_wrong_width_and_a_small_terminal_are_told(tmp_path: Path) -> None:
    found = ask_in_terminal(tmp_path / "a", 70, 20, wide=True)
    assert found["terminal.characters"][0] == "warning" and "Vietnamese" in found["terminal.characters"][1]
    assert found["terminal.size"] == ["warning", "70x20"]


def test_a_terminal_that_does_not_answer_is_not_waited_for_long(tmp_path: Path) -> None:
    found = ask_in_terminal(tmp_path / "a", 80, 24, silent=True)
    assert found["terminal.characters"][0] == "ok" and "not measured" in found["terminal.characters"][1]
