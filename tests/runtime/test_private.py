import os
import stat
from pathlib import Path

import pytest

from tutor.runtime.private import MOST_SOCKET_PATH, private_directory


def make(**environ: Path | str) -> Path:
    made = private_directory({name: str(value) for name, value in environ.items()})
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    made.rmdir()
    return made.parent


def test_the_runtime_directory_is_preferred(tmp_path: Path) -> None:
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    assert make(XDG_RUNTIME_DIR=runtime, TMPDIR=tmp_path) == runtime


def test_one_that_others_can_enter_or_that_is_none_is_not_used(tmp_path: Path) -> None:
    runtime = tmp_path / "run"
    runtime.mkdir()
    runtime.chmod(0o755)
    assert make(XDG_RUNTIME_DIR=runtime, TMPDIR=tmp_path) == tmp_path
    assert make(XDG_RUNTIME_DIR=tmp_path / "missing", TMPDIR=tmp_path) == tmp_path
    assert make(XDG_RUNTIME_DIR="", TMPDIR=tmp_path) == tmp_path


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_one_that_cannot_be_written_is_not_used(tmp_path: Path) -> None:
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o500)
    assert make(XDG_RUNTIME_DIR=runtime, TMPDIR=tmp_path) == tmp_path


def test_sockets_fit_into_what_is_chosen(tmp_path: Path) -> None:
    long = tmp_path / ("x" * (MOST_SOCKET_PATH - len(str(tmp_path))))
    long.mkdir(mode=0o700)
    parent = make(XDG_RUNTIME_DIR=long, TMPDIR=tmp_path)
    assert parent == tmp_path
    just = tmp_path / ("y" * (MOST_SOCKET_PATH - len("/normtutor-12345678/k-5") - len(str(tmp_path)) - 1))
    just.mkdir(mode=0o700)
    assert make(XDG_RUNTIME_DIR=just, TMPDIR=tmp_path) == just


def test_no_place_at_all_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with pytest.raises(OSError, match=r"No space left on device.*TMPDIR"):
        private_directory({})
