from __future__ import annotations

import json
import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.memory.deck import at
from tutor.memory import events, refresh, snapshot
from tutor.memory.history import read
from tutor.memory.journal import Journal
from tutor.memory.snapshot import FILE

LESSON = """\
id: tiny
title: Tiny
minutes: 1
steps:
- id: pick
  kind: choice
  prompt: Which?
  options:
  - {id: a, text: a, right: true}
  - {id: b, text: b, why: "no"}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course of one question, and a directory for the journal and the settings."""
    course = tmp_path / "course"
    course.mkdir()
    (course / "tiny.yaml").write_text(LESSON)
    monkeypatch.setenv("NORMTUTOR_COURSE", str(course))
    monkeypatch.setenv("NORMTUTOR_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def answered(home: Path, moment: datetime, step: str = "pick", kind: str = events.ANSWERED) -> None:
    with Journal(home, clock=lambda: moment) as journal:
        if kind == events.ANSWERED:
            journal.append(kind, step=step, answer="a", verdict={"step": step, "verdict": "right"}, version=1)
        else:
            journal.append(kind, step=step, field="answer", text="chuẩn hoá")


class Reads:
    """How often the journal is read: a snapshot that fits spares that."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0

        def counted(*arguments: object, **options: object) -> object:
            self.count += 1
            return read(*arguments, **options)  # type: ignore[arg-type]

        monkeypatch.setattr("tutor.memory.history.read", counted)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    return Reads(monkeypatch)


def days_of(found: snapshot.Snapshot) -> list[int]:
    return [state.days for state in found.states]


def test_it_spares_the_journal_while_nothing_that_counts_happens(home, reads) -> None:
    answered(home, at(0))
    first = refresh.current(at(1))
    assert (days_of(first), reads.count) == ([1], 1)
    assert refresh.current(at(1)) == first and reads.count == 1
    answered(home, at(1), kind=events.DRAFT)
    assert refresh.current(at(2)) == first and reads.count == 1, "a draft changes nothing, nor does another day"
    answered(home, at(2))
    assert days_of(refresh.current(at(2))) == [2] and reads.count == 2


def test_appending_to_a_file_that_it_knows_is_seen(home, reads) -> None:
    with Journal(home, clock=lambda: at(0)) as journal:
        journal.append(events.SEEN, step="pick")
        assert days_of(refresh.current(at(1))) == []
        journal.append(events.DRAFT, step="pick", field="answer", text="x")
        assert days_of(refresh.current(at(1))) == [] and reads.count == 1
        journal.append(events.ANSWERED, step="pick", answer="a", verdict={"verdict": "right"})
        assert days_of(refresh.current(at(1))) == [1]


@pytest.mark.parametrize(
    "damage",
    [
        lambda home, file: file.unlink(),
        lambda home, file: file.write_bytes(file.read_bytes().replace(b'"right"', b'"wrong"')),
        lambda home, file: os.truncate(file, 10),
        lambda home, file: (home / FILE).write_bytes(b"{"),
        lambda home, file: (home / FILE).write_bytes(b"[]"),
        lambda home, file: (home / FILE).write_text((home / FILE).read_text().replace('"format":1', '"format":99')),
        lambda home, file: (home / FILE).write_text(json.dumps({"format": 1, "program": "0"})),
        lambda home, file: (home / FILE).unlink(),
        lambda home, file: (home / "settings.toml").write_text("[review]\nrollover = 5\n"),
    ],
)
def test_it_is_not_trusted_when_it_does_not_fit(home, reads, damage) -> None:
    answered(home, at(0))
    answered(home, at(0, 13), "other")
    refresh.current(at(1))
    damage(home, sorted(home.glob("*.jsonl"))[0])
    refresh.current(at(1))
    assert reads.count == 2
    refresh.current(at(1))
    assert reads.count == 2, "and a new one is made"


def test_another_course_or_a_changed_lesson_makes_other_cards(home, tmp_path, monkeypatch) -> None:
    answered(home, at(0))
    assert [card.questions[0].version for card in refresh.current(at(1)).cards] == [1]
    (tmp_path / "course" / "tiny.yaml").write_text(LESSON.replace("  kind", "  version: 2\n  kind"))
    changed = refresh.current(at(1))
    assert [card.questions[0].version for card in changed.cards] == [2] and changed.states[0].last is None
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setenv("NORMTUTOR_COURSE", str(other))
    assert refresh.current(at(1)).cards == ()


def test_a_clock_that_was_ahead_or_goes_back_is_looked_at_anew(home, reads) -> None:
    answered(home, at(0))
    answered(home, at(9))
    assert days_of(refresh.current(at(1))) == [1]
    assert days_of(refresh.current(at(1))) == [1] and reads.count == 1
    assert days_of(refresh.current(at(9))) == [2], "what was in the future has come"
    refresh.current(at(1))
    assert reads.count == 3


def test_where_nothing_can_be_written_it_works_all_the_same(home, reads) -> None:
    answered(home, at(0))
    (home / FILE).mkdir()
    for count in (1, 2):
        assert days_of(refresh.current(at(1))) == [1]
        assert reads.count == count


def test_it_holds_no_answers_and_is_private(home) -> None:
    with Journal(home, clock=lambda: at(0)) as journal:
        journal.append(events.ANSWERED, step="pick", answer="secret words", verdict={"verdict": "right"})
    refresh.current(at(1))
    assert b"secret" not in (home / FILE).read_bytes()
    assert (home / FILE).stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in home.iterdir() if path.suffix != ".jsonl") == [FILE]


def test_a_large_tail_is_read_rather_than_looked_through(home, reads, monkeypatch) -> None:
    answered(home, at(0))
    refresh.current(at(1))
    monkeypatch.setattr(snapshot, "MAX_TAIL", 10)
    answered(home, at(1), kind=events.DRAFT)
    refresh.current(at(1) + timedelta(seconds=1))
    assert reads.count == 2
