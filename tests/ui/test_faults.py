"""A fault of ours leaves a report that says what happened, and nothing of it on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.worker import WorkerFailed

from tutor.ui.faults import message, write_report


def failing() -> None:
    raise ValueError("the real reason")


def test_the_report_says_what_happened_in_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NORMTUTOR_HOME", str(tmp_path))
    try:
        failing()
    except ValueError as error:
        report = write_report(WorkerFailed(error))
    assert report is not None
    assert "in failing" in report.read_text()
    assert "the real reason" in report.read_text()
    assert report.stat().st_mode & 0o777 == 0o600
    assert str(report) in message(report).plain
    assert "the real reason" not in message(report).plain


def test_a_report_that_cannot_be_written_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NORMTUTOR_HOME", str(tmp_path / "file"))
    assert write_report(ValueError("x")) is None
    assert "Details" not in message(None).plain
