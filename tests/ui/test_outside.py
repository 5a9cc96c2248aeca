"""The learner's own editor: what it writes is taken back, and what goes wrong is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.app import App, SuspendNotSupported

from tutor.ui import outside


class Aside:
    """Stands in for the app, which has no terminal to step aside from in a test."""

    def __init__(self, trouble: Exception | None = None) -> None:
        self.aside = 0
        self._trouble = trouble

    def suspend(self) -> Aside:
        if self._trouble is not None:
            raise self._trouble
        return self

    def __enter__(self) -> None:
        self.aside += 1

    def __exit__(self, *_: object) -> None:
        self.aside += 1


def edit(text: str, app: Any = None) -> str:
    app = app or Aside()
    edited = outside.edit(app, text, ".py")
    assert app.aside == 2
    return edited


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An editor that keeps what it got, and writes what is in `new`."""
    script = tmp_path / "my editor"
    script.write_text(
        f'#!/bin/sh\ncp "$2" "{tmp_path}/got"\nls -l "$2" > "{tmp_path}/modes"\ncp "{tmp_path}/new" "$2"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("EDITOR", f"'{script}' --wait")
    monkeypatch.delenv("VISUAL", raising=False)
    return tmp_path


def test_what_it_writes_is_taken_back_without_control_characters(written: Path) -> None:
    (written / "new").write_text("x = 'ừ'\n\x1b]52;c;x\x07y = 2\n\n", encoding="utf-8")
    assert edit("x = 1") == "x = 'ừ'\ny = 2"
    assert (written / "got").read_text() == "x = 1\n"
    assert (written / "modes").read_text().startswith("-rw-------")
    assert ".py" in (written / "modes").read_text()


@pytest.mark.parametrize(
    ("editor", "message"),
    [
        ("false", "false ended with 1"),
        ("no-such-editor-anywhere", "cannot be started (No such file or directory)"),
        ("'unclosed", "cannot be read"),
    ],
)
def test_what_goes_wrong_is_said(monkeypatch: pytest.MonkeyPatch, editor: str, message: str) -> None:
    monkeypatch.setenv("VISUAL", editor)
    with pytest.raises(outside.OutsideError) as caught:
        outside.edit(Aside(), "x", ".py")  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_what_is_no_text_or_too_much_is_not_taken(written: Path) -> None:
    for content, message in ((b"\xff\xfe", "UTF-8"), (b"x" * 300_000, "too long: 300000")):
        (written / "new").write_bytes(content)
        with pytest.raises(outside.OutsideError) as caught:
            edit("x")
        assert message in str(caught.value)


def test_an_app_that_cannot_step_aside_says_so(written: Path) -> None:
    app: App[Any] = Aside(SuspendNotSupported("no"))  # type: ignore[assignment]
    with pytest.raises(outside.OutsideError, match="cannot be opened"):
        outside.edit(app, "x", ".py")
