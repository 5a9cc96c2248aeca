from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import subprocess
import sys
import termios
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tutor.memory import events, journal
from tutor.memory.events import Event
from tutor.memory.journal import Journal
from tutor.memory.progress import fold


def due(home: Path, *steps: str, days_ago: float = 9, verdict: str = "right") -> None:
    def clock() -> datetime:
        return datetime.now().astimezone() - timedelta(days=days_ago)

    with Journal(home, clock=clock) as run:
        for step in steps:
            run.append(events.ANSWERED, step=step, answer="old", verdict={"step": step, "verdict": verdict}, version=1)


@pytest.fixture
def home(environment: dict[str, str]) -> Path:
    return Path(environment["NORMTUTOR_HOME"])


def reviewed(home: Path) -> list[tuple[str, str, str]]:
    """Step, answer and verdict of the answers that were given in reviews."""
    found = [event.data for event in _history(home) if event.kind == events.ANSWERED and event.data.get("review")]
    return [(data["step"], data["answer"], data["verdict"]["verdict"]) for data in found]


def _history(home: Path) -> tuple[Event, ...]:
    return journal.read(home).events


def test_the_document_lists_what_would_be_asked_and_asks_nothing(normtutor, home) -> None:
    due(home, "tiny-number", "tiny-choice")
    due(home, "tiny-short", days_ago=3, verdict="wrong")
    document = json.loads(normtutor("review", "--json").stdout)
    assert document["due"] == 3
    assert [card["card"] for card in document["cards"]] == ["tiny-choice", "tiny-number", "tiny-short"]
    assert document["cards"][0]["steps"] == [{"id": "tiny-choice", "kind": "choice"}]
    assert [card["card"] for card in json.loads(normtutor("review", "--json", "--weak").stdout)["cards"]] == [
        "tiny-short"
    ]
    assert len(json.loads(normtutor("review", "--json", "--limit", "1").stdout)["cards"]) == 1
    assert len(_history(home)) == 3


def test_inline_asks_grades_and_says_why(normtutor, home) -> None:
    due(home, "tiny-choice", "tiny-number", "tiny-short")
    typed = "nothing of the kind\ngood\n\n5\n\nthe cat barks\n\n"
    out = normtutor("review", "--inline", input=typed).stdout
    assert "Review · 1 of 3 · 00:0" in out and "A tiny lesson" in out
    assert "none of these" in out, "what cannot be read is a free retry"
    assert "1. the right one" in out or "2. the right one" in out
    assert "✓ Right." in out and "✗ Not right." in out and "Dogs bark." in out
    assert "Done: 1 of 3 right." in out
    steps = [step for step, _, _ in reviewed(home)]
    assert steps == ["tiny-choice", "tiny-number", "tiny-short"]
    assert reviewed(home)[0] == ("tiny-choice", "good", "right")
    assert "Nothing is due; the next review is tomorrow" in normtutor("review", "--inline").stdout


def test_numbers_are_those_on_the_screen_and_are_written_down_by_name(normtutor, home) -> None:
    due(home, "tiny-choice")
    out = normtutor("review", "--inline", input="1\n:q\n").stdout
    first = "good" if "1. the right one" in out else "bad"
    assert reviewed(home) == [("tiny-choice", first, "right" if first == "good" else "wrong")]


def test_it_pauses_at_the_end_of_the_input_and_goes_on_with_the_same_values(normtutor, home) -> None:
    due(home, "tiny-choice", "tiny-number")
    first = normtutor("review", "--inline", input="good\n\n").stdout
    assert "Paused; 1 question is left." in first
    second = normtutor("review", "--inline", input="1\n\n").stdout
    assert "You go on where you stopped." in second and "Review · 2 of 2" in second
    question = next(line for line in first.splitlines() if line.startswith("The RMS of"))
    assert question in second
    assert "Done: 0 of 1 right." in second
    asked = {
        event.data["seed"]
        for event in _history(home)
        if event.kind == events.ASKED and event.data["step"] == "tiny-number"
    }
    assert len(asked) == 1


def test_words_with_a_colon(normtutor, home) -> None:
    due(home, "tiny-choice", "tiny-number", "tiny-short")
    typed = ":h\n:u\n:z\n0\n:m\n:b\n:u\n0\n\n:f values are odd\n:o\ngood\n:e\n:e\n\n"
    out = normtutor("review", "--inline", input=typed).stdout
    assert ":z  ask it later" in out and "There is no answer to take back." in out
    assert "From “A tiny lesson”: normtutor open tiny-number" in out
    assert "Noted." in out and "It comes back later." in out and "Only a right answer" in out
    progress = fold(_history(home))
    assert [answer.verdict for answer in progress.answers("tiny-number") if answer.review] == ["wrong"]
    (choice,) = [answer for answer in progress.answers("tiny-choice") if answer.review]
    assert choice.easy
    assert "tiny-short (tiny): values are odd" in normtutor("review", "--flags").stdout
    assert json.loads(normtutor("review", "--flags", "--json").stdout)["flags"][0]["step"] == "tiny-short"
    assert "asked again" in normtutor("review", "--unflag", "tiny-short").stdout
    assert "No question is flagged." in normtutor("review", "--flags").stdout
    assert "not flagged" in normtutor("review", "--unflag", "tiny-short", code=2).stderr


def test_not_sure_is_ticked_or_overruled(normtutor, home) -> None:
    due(home, "tiny-short")
    out = normtutor("review", "--inline", input="it makes a sound\n1\n\n").stdout
    assert "1. [ ] Cats meow." in out
    (ticked,) = [answer for answer in fold(_history(home)).answers("tiny-short") if answer.review]
    assert (ticked.ticked, ticked.verdict) == (("meow",), "right")


def test_a_prediction_is_decided_by_its_cell(normtutor, home) -> None:
    due(home, "tiny-predict")
    out = normtutor("review", "--inline", input="up\n\n").stdout
    assert "larger = base + 1" in out and "✓ Right." in out
    assert reviewed(home) == [("tiny-predict", "up", "right")]


def test_in_vietnamese(normtutor, home) -> None:
    due(home, "tiny-choice")
    out = normtutor("review", "--inline", "--lang", "vi", input=":h\ngood\n\n").stdout
    assert "Ôn tập" in out and "Chọn đi." in out and "Xong" in out
    assert "Type" not in out and "Enter goes" not in out and "ask it later" not in out


def test_wrong_uses(normtutor, home) -> None:
    assert "Did you mean tiny?" in normtutor("review", "--lesson", "tini", code=2).stderr
    assert "--limit" in normtutor("review", "--limit", "0", code=2).stderr
    assert "--minutes" in normtutor("review", "--minutes", "-1", code=2).stderr
    assert "--weak" in normtutor("review", "--weak", "--ahead", code=2).stderr
    assert "terminal" in normtutor("review", code=2).stderr
    assert not home.exists()


def test_other_choices(normtutor, home) -> None:
    due(home, "tiny-choice", days_ago=0)
    due(home, "tiny-number", days_ago=0, verdict="wrong")
    assert "Review · 1 of 2" in normtutor("review", "--inline", "--ahead").stdout
    assert "Review · 1 of 1" in normtutor("review", "--inline", "--weak").stdout
    assert "Review · 1 of 2" in normtutor("review", "--inline", "--lesson", "tiny").stdout


def test_ctrl_c_keeps_what_was_half_typed(environment, home, tmp_path) -> None:
    due(home, "tiny-short")
    command = [sys.executable, "-m", "tutor", "review", "--inline"]
    assert "Paused; 1 question is left." in in_terminal(command, environment, tmp_path, "> ", b"the cat me", b"\x03")
    assert fold(_history(home)).drafts == {("tiny-short", "review-answer"): "the cat me"}
    out = in_terminal(command, environment, tmp_path, "> ", b"ows", b"\r", b"\r")
    assert "the cat me" in out and "✓ Right." in out
    assert reviewed(home) == [("tiny-short", "the cat meows", "right")]


def in_terminal(command: list[str], environment: dict[str, str], cwd: Path, prompt: str, *keys: bytes) -> str:
    """What a command prints in a terminal of its own, with each of `keys` pressed at a new prompt or after an echo."""
    terminal, slave = pty.openpty()
    process = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment,
        cwd=cwd,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # ctrl+c is for whoever's terminal it is
    )
    os.close(slave)
    shown = b""
    waiting, deadline, seen = list(keys), time.monotonic() + 60, 0
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                part = os.read(terminal, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
        elif waiting and len(shown) > seen and prompt.encode() in shown:
            seen = len(shown)
            os.write(terminal, waiting.pop(0))
    process.wait(timeout=30)
    os.close(terminal)
    return shown.decode()


def test_progress_without_a_screen(normtutor, home) -> None:
    assert normtutor("progress").stdout.startswith("Begin “A tiny lesson”")
    due(home, "tiny-choice", "tiny-number", days_ago=2)
    due(home, "tiny-short", days_ago=2, verdict="wrong")
    text = normtutor("progress").stdout
    assert text.startswith("Review the 3 questions that are due; that takes about 2 min.")
    assert "2 known, 1 shaky, 1 unseen" in text
    assert "Theo bài" in normtutor("progress", "--lang", "vi").stdout
    document = json.loads(normtutor("progress", "--json").stdout)
    assert document["due"] == 3 and document["claims"] == {"root": "known"}
    assert document["cards"]["tiny-short"] == "shaky" and document["cards"]["tiny-predict"] == "unseen"
    assert document["forecast"][0] == 3 and len(document["forecast"]) == 14


def test_what_needs_the_screen_says_so_and_the_rest_is_asked(normtutor, home, course) -> None:
    code = """\
- id: tiny-break
  kind: break
  prompt: {vi: Phá đi., en: Break it.}
  faulty: one_pass_variance
  input: {x: {vi: một hàng, en: a row}}
  broken_if: relative_error > 0.1
  solutions: ["x = [1.0e+4, 1.0e+4, 10001]"]
"""
    file = course / "tiny.yaml"
    file.write_text(file.read_text(encoding="utf-8") + code, encoding="utf-8")
    due(home, "tiny-choice", "tiny-break")
    out = normtutor("review", "--inline", input="good\n\n").stdout
    assert "normtutor open tiny-break" in out and "✓ Right." in out
    assert reviewed(home) == [("tiny-choice", "good", "right")]
