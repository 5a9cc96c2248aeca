from pathlib import Path

import pytest

from tests.runtime.conftest import is_alive
from tutor.runtime.device import Device
from tutor.runtime.triton_check import check


@pytest.mark.slow
def test_it_runs_interpreted_here() -> None:
    found = check(Device(kind="cpu", triton="interpreted"))
    assert found.state == "works", found
    assert "interpreted on the CPU" in found.found and "Triton 3" in found.found


@pytest.mark.slow
def test_it_fails_where_it_cannot_compile() -> None:
    found = check(Device(kind="cpu", triton="compiled"))
    assert (found.state, "active driver" in found.found) == ("fails", True), found


def test_without_triton_nothing_is_run() -> None:
    assert check(Device(kind="cpu", triton="missing"), python="/nonexistent").state == "missing"


@pytest.mark.parametrize(
    ("script", "state", "words"),
    [
        (
            """echo noise; echo '{"right": true, "torch": "1", "triton": "2\\u001b[2J", "where": "G"}'""",
            "works",
            "torch 1, Triton 2, G",
        ),
        ("""echo '{"right": false, "torch": "1", "triton": "2", "where": "G"}'""", "fails", "wrong numbers"),
        ("echo 'ImportError: libcuda' >&2; exit 1", "fails", "ImportError: libcuda"),
        ("kill -11 $$", "fails", "-11"),
        ("exec sleep 600", "fails", "no answer within 1 seconds"),
    ],
)
def test_what_it_makes_of_the_answer(tmp_path: Path, script: str, state: str, words: str) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\n{script}\n")
    python.chmod(0o755)
    found = check(Device(kind="cpu", triton="interpreted"), {"PATH": "/bin:/usr/bin"}, python=str(python), patience=1)
    assert found.state == state and words in found.found and "\x1b" not in found.found, found
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_a_python_that_is_not_there(tmp_path: Path) -> None:
    assert check(Device(kind="cpu", triton="interpreted"), python=str(tmp_path / "none")).state == "fails"
