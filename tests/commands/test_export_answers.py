"""The answers that an author may see: with the learner's consent only, and only what says nothing about the learner."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tutor.memory import events, sharing
from tutor.memory.journal import Journal


def verdict(word: str, found: tuple[str, ...] = (), misconception: str | None = None) -> dict[str, Any]:
    return {
        "step": "tiny-short",
        "verdict": word,
        "points": [{"id": "meow", "found": "meow" in found}],
        "misconception": None if misconception is None else {"id": misconception, "message": "Dogs bark."},
    }


def answer(journal: Journal, text: str, given: dict[str, Any], kind: str = "short") -> str:
    return journal.append(
        events.ANSWERED, step="tiny-short", kind=kind, lang="en", answer=text, verdict=given, seconds=3.5
    ).id


@pytest.fixture
def home(environment: dict[str, str]) -> Path:
    """A history with answers of every sort."""
    directory = Path(environment["NORMTUTOR_HOME"])
    with Journal(directory) as journal:
        answer(journal, "cats meow", verdict("right", ("meow",)))
        answer(journal, "mèo nói gì đó", verdict("unsure"))
        ticked = answer(journal, "it makes its sound", verdict("unsure"))
        journal.append(
            events.TICKED, step="tiny-short", answer_event=ticked, points=["meow"], verdict=verdict("right", ("meow",))
        )
        overruled = answer(journal, "no cat barks", verdict("wrong", (), "barks"))
        journal.append(events.OVERRULED, step="tiny-short", answer_event=overruled, verdict="right")
        answer(journal, "the cat barks", verdict("wrong", (), "barks"))
        answer(journal, "mèo nói gì đó", verdict("unsure"))
        answer(journal, "x = \x1b]52;c;aGk=\x07 1", verdict("unsure"))
        answer(journal, "I + J", verdict("unsure"), kind="formula")
    return directory


def test_without_consent_it_says_so_and_writes_nothing(normtutor, home: Path, tmp_path: Path) -> None:
    done = normtutor("export", "answers", "--output", tmp_path / "out.jsonl", code=2)
    assert "--consent on" in done.stderr
    assert done.stdout == "" and not (tmp_path / "out.jsonl").exists()


def test_with_consent_it_writes_the_unsure_and_the_overruled_ones(normtutor, home: Path, tmp_path: Path) -> None:
    said = normtutor("export", "answers", "--consent", "on").stdout
    normtutor("export", "answers", "--output", tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").stat().st_mode & 0o777 == 0o600
    assert "Nothing is sent" in said and "{" not in said
    done = normtutor("export", "answers")
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {
            "question": "tiny-short", "lang": "en", "text": "mèo nói gì đó", "verdict": "unsure", "points": [],
            "misconception": None, "ticked": None, "overruled": None,
        },
        {
            "question": "tiny-short", "lang": "en", "text": "it makes its sound", "verdict": "unsure", "points": [],
            "misconception": None, "ticked": ["meow"], "overruled": None,
        },
        {
            "question": "tiny-short", "lang": "en", "text": "no cat barks", "verdict": "wrong", "points": [],
            "misconception": "barks", "ticked": None, "overruled": "right",
        },
        {
            "question": "tiny-short", "lang": "en", "text": "x =  1", "verdict": "unsure", "points": [],
            "misconception": None, "ticked": None, "overruled": None,
        },
    ]  # fmt: skip
    assert "4 answers." in done.stderr
    assert os.uname().nodename not in done.stdout
    normtutor("export", "answers", "--consent", "off")
    assert normtutor("export", "answers", code=2).stdout == ""


def test_to_a_file_in_both_languages(normtutor, home: Path, tmp_path: Path) -> None:
    normtutor("export", "answers", "--consent=on")
    printed = normtutor("export", "answers").stdout
    done = normtutor("export", "answers", "-o", tmp_path / "out.jsonl", "--lang", "vi")
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == printed
    assert done.stdout == "" and "4 câu trả lời." in done.stderr
    failed = normtutor("export", "answers", "-o", tmp_path / "nowhere" / "out.jsonl", code=1)
    assert "nowhere/out.jsonl: No such file or directory" in failed.stderr


def test_wrong_uses(normtutor, home: Path) -> None:
    assert "answers" in normtutor("export", code=2).stderr
    normtutor("export", "everything", code=2)
    normtutor("export", "answers", "--consent", "maybe", code=2)
    assert "exports nothing" in normtutor("export", "answers", "--consent", "on", "-o", "x", code=2).stderr
    normtutor("export", "answers", code=2)  # the consent was not given on the way


def test_consent_that_cannot_be_kept_is_no_consent(normtutor, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = normtutor("export", "answers", "--consent", "on", code=1, NORMTUTOR_HOME=str(tmp_path / "file"))
    assert "could not be saved" in done.stderr and done.stdout == ""


@pytest.mark.parametrize("value", [None, "off", "yes", True, 1, ["on"]])
def test_nothing_but_on_is_consent(value: object) -> None:
    assert not sharing.agreed({sharing.SETTING: value})


def test_a_verdict_of_another_version_does_no_harm() -> None:
    from tutor.memory.progress import fold

    def strange(**fields: Any) -> events.Event:
        from datetime import UTC, datetime

        data = {"step": "s", "kind": "short", "answer": ["no", "text"], "verdict": {"verdict": "unsure", **fields}}
        return events.Event("id", 1, datetime.now(UTC), 0, "session", events.ANSWERED, data)

    for fields in ({"points": 3}, {"points": ["meow"]}, {"misconception": "barks"}, {}):
        (found,) = sharing.answers(fold([strange(**fields)]))
        assert (found.points, found.misconception) == ([], None)
