from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tutor.memory import events
from tutor.memory.journal import Journal
from tutor.memory.snapshot import FILE


def answered(home: Path, step: str, verdict: str, *, days_ago: float = 0, **data: object) -> None:
    def clock() -> datetime:
        return datetime.now().astimezone() - timedelta(days=days_ago)

    with Journal(home, clock=clock) as journal:
        journal.append(events.ANSWERED, step=step, answer="x", verdict={"step": step, "verdict": verdict}, **data)


@pytest.fixture
def home(environment: dict[str, str]) -> Path:
    return Path(environment["NORMTUTOR_HOME"])


def test_before_anything_was_answered_it_says_how_reviews_begin_and_leaves_nothing_behind(normtutor, home) -> None:
    assert "reviews begin when you have answered questions" in normtutor("due").stdout
    assert normtutor("due", "--quiet").stdout == ""
    assert not home.exists()


def test_one_line_in_both_languages(normtutor, home) -> None:
    answered(home, "tiny-choice", "right", days_ago=9)
    answered(home, "tiny-short", "wrong", days_ago=9)
    answered(home, "gone-from-the-course", "right", days_ago=9)
    assert normtutor("due").stdout == "2 questions are due · about 1 min\n"
    assert normtutor("due", "--lang", "vi").stdout == normtutor("due", NORMTUTOR_LANG="vi").stdout
    assert "2 câu" in normtutor("due", "--lang", "vi").stdout
    assert json.loads(normtutor("due", "--json").stdout) == {"due": 2, "minutes": 1, "next": None}


def test_when_nothing_is_due_it_says_when_something_is(normtutor, home) -> None:
    answered(home, "tiny-choice", "right")
    assert normtutor("due").stdout == "Nothing is due; the next review is tomorrow.\n"
    assert normtutor("due", "--quiet").stdout == ""
    assert json.loads(normtutor("due", "--json").stdout)["next"]["cards"] == 1


def test_it_agrees_with_list_and_with_itself_without_the_snapshot(normtutor, home) -> None:
    answered(home, "tiny-choice", "wrong", days_ago=9)
    answered(home, "tiny-number", "right", days_ago=3, review=True)
    for _ in range(2):
        assert json.loads(normtutor("due", "--json").stdout)["due"] == 2
        assert json.loads(normtutor("list", "--json").stdout)["due"] == 2
    (home / FILE).unlink()
    assert json.loads(normtutor("due", "--json").stdout)["due"] == 2


def test_it_sees_answers_that_came_after_the_snapshot(normtutor, home) -> None:
    answered(home, "tiny-choice", "right", days_ago=9)
    assert "1 question is due" in normtutor("due").stdout
    answered(home, "tiny-choice", "right")
    assert "Nothing is due" in normtutor("due").stdout


def test_the_settings_count(normtutor, home) -> None:
    for step in ("tiny-choice", "tiny-number", "tiny-short"):
        answered(home, step, "right", days_ago=9)
    assert "3 questions" in normtutor("due").stdout
    (home / "settings.toml").write_text('language = "vi"\n[review]\ndaily-limit = 2\n')
    assert normtutor("due").stdout.startswith("2 câu")
    assert normtutor("due", NORMTUTOR_LANG="en").stdout.startswith("2 questions")


def test_a_directory_that_cannot_be_written_or_a_journal_of_rubbish_does_not_matter(normtutor, home) -> None:
    answered(home, "tiny-choice", "right", days_ago=9)
    (home / "rubbish.jsonl").write_bytes(b"\x00\xff" * 999)
    (home / FILE).mkdir()
    assert normtutor("due").stdout.startswith("1 question")


def test_it_loads_almost_nothing_and_answers_in_the_c_locale(environment, home, tmp_path) -> None:
    answered(home, "tiny-choice", "right", days_ago=9)
    program = (
        "import sys; from tutor.cli import main; main(['due']); "
        "print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=environment | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            cwd=tmp_path,
            capture_output=True,
            check=True,
        )
    assert done.stdout.decode() == "1 question is due · about 1 min\n"
    loaded = set(done.stderr.decode().split())
    assert loaded.isdisjoint(
        {"textual", "rich", "torch", "numpy", "fsrs", "msgspec", "yaml", "argparse", "platformdirs"}
    )
