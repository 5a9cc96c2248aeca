import contextlib
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ui.terminal import alive, children
from tutor import __version__
from tutor.cli import COMMANDS, main
from tutor.memory.places import settings_file

VI = {"NORMTUTOR_LANG": "vi"}


def test_version_and_help(normtutor, capsys: pytest.CaptureFixture[str]) -> None:
    assert normtutor("--version").stdout == f"normtutor {__version__}\n"
    help = normtutor("--help").stdout
    assert all(f"    {command} " in help for command in COMMANDS)
    for command in COMMANDS:
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        assert ended.value.code == 0
        assert f"usage: normtutor {command}" in capsys.readouterr().out


def test_the_parsers_own_words_are_in_the_language_in_use(normtutor) -> None:
    english = ("usage:", "options:", "positional arguments:", "show this help", "show program's version", "error:")
    told = normtutor("--help", "--lang", "vi").stdout + normtutor("grade", "--help", "--lang", "vi").stdout
    for words in ("cách dùng: normtutor grade", "tùy chọn:", "tham số:", "hiện trợ giúp này rồi thoát"):
        assert words in told
    wrong = normtutor("grade", "--lang", "vi", code=2).stderr + normtutor("list", "--lang", "fr", code=2, **VI).stderr
    assert "lỗi: " in wrong and "thiếu tham số: ID" in wrong and "không hợp lệ: 'fr'" in wrong
    assert not [words for words in english if words in told + wrong]
    english_help = normtutor("grade", "--help", "--lang", "en").stdout
    assert all(words in english_help for words in english[:4])


def test_without_a_terminal_the_app_does_not_open(normtutor) -> None:
    assert "terminal" in normtutor(code=2).stderr
    assert "terminal" in normtutor("open", "tiny", code=2).stderr


def test_wrong_words_are_answered_with_near_ones(normtutor) -> None:
    assert "Did you mean list?" in normtutor("lsit", code=2).stderr
    assert "Did you mean" not in normtutor("nosuch", code=2).stderr
    assert "Did you mean tiny-choice" in normtutor("grade", "tiny-chioce", "-", code=2).stderr
    assert "--jsno" in normtutor("list", "--jsno", code=2).stderr


def test_vietnamese_is_written_as_utf_8_whatever_the_locale(normtutor) -> None:
    for locale in ({"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}):
        assert "Bài nhỏ" in normtutor("list", "--lang", "vi", **locale).stdout


def test_a_foreign_word_cannot_act_on_the_terminal(normtutor) -> None:
    for done in (normtutor("grade", "\x1b]0;title\x07x", "-", code=2), normtutor("\x1b[2Jx", code=2)):
        assert "\x1b" not in done.stderr and "\x07" not in done.stderr


def test_a_reader_that_leaves_early_is_no_error(environment: dict[str, str], tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-P", "-m", "tutor", "list"]
    child = subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert child.communicate(timeout=60)[1] == b""
    assert child.returncode == 141


def test_a_full_disk_is_said_in_one_line(environment: dict[str, str], tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "tutor", "list"],
            env=environment,
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["normtutor: No space left on device"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "background"),
    [(signal.SIGINT, 130, False), (signal.SIGTERM, 143, False), (signal.SIGTERM, 143, True)],
)
def test_a_signal_ends_an_experiment_and_its_child(
    environment: dict[str, str], tmp_path: Path, number: signal.Signals, code: int, background: bool
) -> None:
    seed = str(os.getpid() * 1000 + number)
    command = [sys.executable, "-P", "-m", "tutor", "lab", "hidden-variance", "--depth", "192", "--seed", seed]
    terminal, slave = pty.openpty()
    child = subprocess.Popen(
        command,
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=slave,
        # A shell without job control ignores it for what is to run in the background; the tests may run there too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN if background else signal.SIG_DFL),
    )
    os.close(slave)
    shown = b""
    while b"%" not in shown:  # it measures
        shown += os.read(terminal, 1024)
    below = children(child.pid)
    assert below, "the experiment runs in a process of its own"
    child.send_signal(number)
    assert child.wait(timeout=30) == code
    assert not any(map(alive, below))
    with contextlib.suppress(OSError):  # the end: nobody has the other side open any more
        while chunk := os.read(terminal, 1024):
            shown += chunk
    assert b"Traceback" not in shown
    os.close(terminal)


@pytest.mark.parametrize("line", ["--device {} list", "run --device {} x", "lab --device={}", "grade --device {} x y"])
def test_the_device_is_one_of_those_that_there_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.delenv("NORMTUTOR_DEVICE", raising=False)
    assert main(line.format("GPU-no").split()) == 2
    assert "--device GPU-no: CUDA_VISIBLE_DEVICES hides every GPU" in capsys.readouterr().err
    assert "NORMTUTOR_DEVICE" not in os.environ


@pytest.mark.parametrize(
    ("line", "environ", "device"),
    [
        ("list", {}, "2"),
        ("list", {"NORMTUTOR_DEVICE": "1"}, "1"),
        ("--device cpu list", {"NORMTUTOR_DEVICE": "1"}, "cpu"),
        ("--device auto list", {}, "auto"),
        ("list", {"CUDA_VISIBLE_DEVICES": "3"}, None),
    ],
)
def test_the_command_line_then_the_environment_then_the_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str, environ: dict[str, str], device: str | None
) -> None:
    monkeypatch.setenv("NORMTUTOR_HOME", str(tmp_path))
    monkeypatch.setenv("NORMTUTOR_DEVICE", "")  # so that it is as it was when the test is over
    monkeypatch.delenv("NORMTUTOR_DEVICE")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    settings_file().write_text('device = "2"\n')
    assert main(line.split()) == 0
    assert os.environ.get("NORMTUTOR_DEVICE") == device
