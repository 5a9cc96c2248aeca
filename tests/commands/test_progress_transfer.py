from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.commands.test_review import due, in_terminal
from tutor.memory import events, journal
from tutor.memory.events import Event
from tutor.memory.journal import Journal
from tutor.memory.progress import fold


@pytest.fixture
def home(environment: dict[str, str]) -> Path:
    return Path(environment["NORMTUTOR_HOME"])


def history(home: Path) -> tuple[Event, ...]:
    return journal.read(home).events


def test_progress_goes_to_another_machine_and_back(normtutor, home, tmp_path) -> None:
    due(home, "tiny-choice", "tiny-number")
    there = {"NORMTUTOR_HOME": str(tmp_path / "there")}
    done = normtutor("export", "progress", "--output", tmp_path / "p.jsonl")
    assert "2 events." in done.stderr and done.stdout == ""
    assert "2 events were added." in normtutor("import", "progress", tmp_path / "p.jsonl", **there).stdout
    again = json.loads(normtutor("import", "progress", tmp_path / "p.jsonl", "--json", **there).stdout)
    assert again == {"added": 0, "known": 2, "damaged": 0}
    assert normtutor("due", **there).stdout == normtutor("due").stdout
    due(tmp_path / "there", "tiny-short")
    piped = normtutor("export", "progress", **there)
    assert "1 event was added" in normtutor("import", "progress", "-", input=piped.stdout).stdout
    assert history(home) == history(tmp_path / "there")
    assert json.loads(normtutor("import", "progress", tmp_path / "there", "--json").stdout)["added"] == 0


def test_what_is_damaged_is_said(normtutor, home, tmp_path) -> None:
    due(home, "tiny-choice")
    file = next(home.glob("*.jsonl"))
    file.write_bytes(b"garbage\n" + file.read_bytes())
    done = normtutor("export", "progress", code=1)
    assert "1 damaged line was left out" in done.stderr and len(done.stdout.splitlines()) == 1
    done = normtutor("import", "progress", file, code=1, NORMTUTOR_HOME=str(tmp_path / "there"))
    assert "1 event was added" in done.stdout and "1 damaged line" in done.stderr


def test_wrong_uses(normtutor, home, tmp_path) -> None:
    assert "progress" in normtutor("import", code=2).stderr
    assert "nowhere" in normtutor("import", "progress", "nowhere", code=2).stderr
    assert normtutor("export", "progress").stdout == ""
    assert "0 events" in normtutor("import", "progress", "-", input="").stdout
    assert not home.exists()
    (tmp_path / "locked").mkdir(mode=0o555)
    normtutor("export", "progress", "-o", tmp_path / "missing" / "x", code=1)


def test_reset_asks_first_and_is_an_event(normtutor, environment, home, tmp_path) -> None:
    due(home, "tiny-choice", "tiny-number", "elsewhere")
    assert "--yes" in normtutor("reset", code=2).stderr
    command = [sys.executable, "-m", "tutor", "reset", "tiny"]
    out = in_terminal(command, environment, tmp_path, "to do that", b"no\r")
    assert "Begin “A tiny lesson” once more? 2 questions" in out and "Nothing was changed." in out
    assert len(history(home)) == 3
    out = in_terminal(command, environment, tmp_path, "to do that", b"yes\r")
    assert "counts no more" in out
    assert fold(history(home)).answered_steps == ("elsewhere",)
    assert "reviews begin" in normtutor("due").stdout
    with Journal(home) as run:
        run.read()
        run.append(events.ANSWERED, step="tiny-choice", answer="a", verdict={"verdict": "right"}, version=1)
    assert fold(history(home)).verdict("tiny-choice") == "right", "what comes after it counts"
    assert "Done." in normtutor("reset", "--yes").stdout
    assert fold(history(home)).answered_steps == ()
    assert len(history(home)) == 6, "nothing is ever deleted"
    assert "Did you mean tiny?" in normtutor("reset", "tinny", "--yes", code=2).stderr
