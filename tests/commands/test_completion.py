"""Completion as bash and zsh give it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NORMTUTOR = [sys.executable, "-m", "tutor"]


def script(shell: str) -> str:
    return subprocess.run([*NORMTUTOR, "completion", shell], capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_completes_commands_options_and_ids(tmp_path: Path) -> None:
    # `normtutor` on the path is this one.
    program = tmp_path / "normtutor"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tutor "$@"\n')
    program.chmod(0o755)
    (tmp_path / "script").write_text(script("bash"))

    def completed(*words: str) -> list[str]:
        code = (
            f'PATH="{tmp_path}:$PATH"; source "{tmp_path}/script"; COMP_WORDS=({" ".join(map(repr, words))}); '
            f"COMP_CWORD={len(words) - 1}; _shtab_normtutor; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        )
        ended = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
        return ended.stdout.split()

    assert {"list", "lab"} <= set(completed("normtutor", "l"))
    assert "--json" in completed("normtutor", "list", "--")
    assert "placement" in completed("normtutor", "open", "placem")
    assert "rq5" in completed("normtutor", "grade", "rq")


def test_zsh_gets_a_function() -> None:
    assert script("zsh").startswith("#compdef normtutor")


def test_another_shell_is_a_wrong_use() -> None:
    ended = subprocess.run([*NORMTUTOR, "completion", "fish"], capture_output=True, text=True, check=False)
    assert ended.returncode == 2 and "fish" in ended.stderr
