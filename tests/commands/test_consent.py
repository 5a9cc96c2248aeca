"""Code of a course from elsewhere runs after a yes, or with --trust, and not before."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest

from tutor.cli import main

LESSON = """
id: foreign
title: Foreign
minutes: 1
steps:
- {id: touches, kind: cell, code: "open('RAN', 'a').close()"}
- id: guess
  kind: predict
  prompt: How much?
  cell: "open('RAN', 'a').close(); n = 1"
  ask: {number: {value: n}}
- {id: sum, kind: number, prompt: "1 + 1?", answer: 2}
- id: breaks
  kind: break
  prompt: Break it.
  faulty: one_pass_variance
  input: {x: a row}
  broken_if: relative_error > 0.1
  solutions: ["x = [10000.0, 10001.0, 10002.0, 10003.0]"]
"""


@pytest.fixture
def foreign(tmp_path: Path, environment: dict[str, str]) -> Path:
    """A course whose cells leave a trace, and nobody has agreed to."""
    root = tmp_path / "foreign"
    root.mkdir()
    (root / "foreign.yaml").write_text(LESSON.replace("RAN", str(tmp_path / "ran")), encoding="utf-8")
    del environment["NORMTUTOR_TRUST"]
    environment["NORMTUTOR_COURSE"] = str(root)
    return root


READING = [
    ("list", "--ids"),
    ("progress",),
    ("review", "--flags"),
    ("check", "--fast"),
    ("claims",),
    ("export", "notebook", "foreign", "-"),
    ("grade", "sum", "--answer", "2"),
]


def test_what_only_reads_the_course_asks_nothing_and_runs_nothing(
    foreign: Path, tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NORMTUTOR_TRUST", raising=False)
    for name in ("NORMTUTOR_COURSE", "NORMTUTOR_HOME"):
        monkeypatch.setenv(name, environment[name])
    for command in READING:
        assert main(command) in (0, 1)
    assert not (tmp_path / "ran").exists()


COMMANDS = [
    ("run", "foreign"),
    ("grade", "guess", "--answer", "1"),
    ("grade", "breaks", "--answer", "x = [1.0]"),
    ("check",),
    ("review", "--inline"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_without_a_terminal_it_says_so_and_runs_nothing(normtutor, foreign: Path, tmp_path: Path, command) -> None:
    done = normtutor(*command, code=2)
    assert "--trust" in done.stderr and str(foreign.name) in done.stderr
    assert not (tmp_path / "ran").exists()


def test_reading_needs_no_consent(normtutor, foreign: Path, tmp_path: Path) -> None:
    assert "foreign" in normtutor("list").stdout
    normtutor("check", "--fast")
    normtutor("grade", "sum", "--answer", "2")
    normtutor("export", "notebook", "foreign", "-")
    assert not (tmp_path / "ran").exists()


def test_the_flag_agrees_for_once(normtutor, foreign: Path, tmp_path: Path) -> None:
    normtutor("run", "foreign", "--trust")
    assert (tmp_path / "ran").exists()
    normtutor("run", "foreign", code=2)
    (tmp_path / "ran").unlink()
    normtutor("--trust", "run", "foreign")
    assert (tmp_path / "ran").exists()


def test_another_course_is_named_on_the_command_line(normtutor, foreign: Path, course: Path, tmp_path: Path) -> None:
    assert "tiny" in normtutor("--course", course, "list").stdout
    assert "tiny" in normtutor(f"--course={course}", "list").stdout
    assert "tiny" in normtutor("--course", os.path.relpath(course, tmp_path), "list").stdout
    normtutor("--course", course, "run", "tiny", code=2)
    assert "no file or directory" in normtutor("--course", course / "no", "list", code=2).stderr
    assert "Did you mean list?" in normtutor("--course", course, "lsit", code=2).stderr


def answered(environment: dict[str, str], where: Path, answer: str) -> tuple[int, str]:
    """`normtutor run foreign` on a terminal, its question answered."""
    master, slave = pty.openpty()
    command = [sys.executable, "-P", "-m", "tutor", "run", "foreign"]
    child = subprocess.Popen(
        command, env=environment, cwd=where, stdin=slave, stdout=subprocess.DEVNULL, stderr=slave, close_fds=True
    )
    os.close(slave)
    shown = b""
    while child.poll() is None or select.select([master], [], [], 0)[0]:
        if not select.select([master], [], [], 0.2)[0]:
            continue
        try:
            chunk = os.read(master, 4096)
        except OSError:  # the other side is closed
            break
        shown += chunk
        if answer and b"[y/N]" in shown:
            os.write(master, f"{answer}\n".encode())
            answer = ""
    code = child.wait(timeout=60)
    os.close(master)
    return code, shown.decode(errors="replace")


def test_on_a_terminal_it_asks_once(environment: dict[str, str], foreign: Path, tmp_path: Path) -> None:
    code, shown = answered(environment, tmp_path, "n")
    assert code == 2 and "Nothing was run" in shown and not (tmp_path / "ran").exists()
    assert "2 cells, 1 exercise" in shown
    code, _ = answered(environment, tmp_path, "y")
    assert code == 0 and (tmp_path / "ran").exists()
    code, shown = answered(environment, tmp_path, "")
    assert code == 0 and "[y/N]" not in shown
    with (foreign / "foreign.yaml").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    code, shown = answered(environment, tmp_path, "n")
    assert code == 2 and "[y/N]" in shown
