"""The learner copies by their own key what a step holds, and finds something in a long output."""

from __future__ import annotations

import base64
import re
import time
from pathlib import Path
from typing import Any

import pytest

from tests.ui.conftest import CURVES
from tests.ui.helpers import at, ready, shown, until
from tutor.runtime.outputs import Stream
from tutor.ui import clipboard
from tutor.ui.app import TutorApp
from tutor.ui.clipboard import MOST, sequence
from tutor.ui.findings import Match, find
from tutor.ui.screens.copy import CopyScreen
from tutor.ui.screens.find import FindScreen

SIZE = (80, 24)


def decoded(sent: str) -> str:
    match = re.fullmatch(r"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07", sent)
    assert match is not None, sent[:80]
    return base64.b64decode(match[1]).decode()


def test_the_sequence_is_wrapped_for_what_it_passes_through() -> None:
    plain = sequence("ừ\x1b]0;x\x07", {"TERM": "xterm"})
    assert decoded(plain) == "ừ\x1b]0;x\x07", "whatever is in it stays in it"
    for tmux in ({"TERM": "screen", "TMUX": "/tmp/x,1,0"}, {"TERM": "tmux-256color"}):
        sent = sequence("x", tmux)
        assert sent.startswith("\x1b]52;c;") and "\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\" in sent
    parts = re.findall(r"\x1bP(.*?)\x1b\\", sequence("x" * 2000, {"TERM": "screen"}), re.DOTALL)
    assert len(parts) > 3 and all(len(part) < 768 for part in parts)
    assert decoded("".join(parts)) == "x" * 2000
    assert len(sequence("x" * MOST, {})) <= 100_000


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.delenv("STY", raising=False)
    texts: list[str] = []
    monkeypatch.setattr(clipboard, "send", lambda _app, text: texts.append(text))
    return texts


def notes(app: TutorApp) -> str:
    return " ".join(note.message for note in app._notifications)


async def test_y_copies_what_the_learner_chooses_and_nothing_else_does(sent: list[str], tmp_path: Path) -> None:
    app = TutorApp("play")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        screen: Any = await at(pilot, "play")
        session: Any = app.python.session
        hostile = "\x1b]52;c;ZXZpbA==\x07one\nChuẩn hoá\n"
        session.outputs = [Stream("stdout", hostile), CURVES]
        await pilot.press("ctrl+j")
        await until(pilot, lambda: "done in" in shown(app), "it ran")
        assert sent == []
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, CopyScreen) and "CSV" in shown(app), "the choice")
        await pilot.press("down", "enter")
        await until(pilot, lambda: sent, "the numbers")
        assert sent[0].splitlines()[:3] == ["x,post-norm,pre-norm", "0.0,1.0,1.0", "1.0,1.0,2.0"]
        await until(pilot, lambda: "Copied: Numbers" in notes(app) and "OSC 52" in notes(app), "said")
        assert (tmp_path / "home" / "copied.txt").read_text() == sent[0] + "\n"
        assert (tmp_path / "home" / "copied.txt").stat().st_mode & 0o777 == 0o600

        session.outputs = [Stream("stdout", "x" * 100 + "\n")] * 900
        await pilot.press("ctrl+j")
        await until(pilot, lambda: screen.step_state().run.finished is not None, "it ran")
        await pilot.press("y", "enter")
        await until(pilot, lambda: "more than terminals copy (74 kB)" in notes(app), "too long is said")
        assert len(sent) == 1
        assert len((tmp_path / "home" / "copied.txt").read_text()) > MOST


def test_finding_ignores_case_and_marks_and_knows_the_places() -> None:
    lines = ["Chuẩn HOÁ chuan", "", "đỏ", unmarked := "chuẩn"]
    assert find(lines, "chuan") == (Match(0, 0, 5), Match(0, 10, 15), Match(3, 0, len(unmarked)))
    assert find(lines, "do") == (Match(2, 0, 2),)
    assert find(lines, "") == () and find(lines, "\u0301") == ()
    started = time.perf_counter()
    assert len(find([f"step {n} loss 0.5" for n in range(100_000)], "step 999")) == 111
    assert time.perf_counter() - started < 2


async def test_ctrl_f_searches_as_one_types() -> None:
    app = TutorApp("play")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await at(pilot, "play")
        await pilot.press("ctrl+f")
        await until(pilot, lambda: "no output" in notes(app), "nothing yet")
        session: Any = app.python.session
        session.outputs = [Stream("stdout", "".join(f"bước {n} Chuẩn\n" for n in range(900)) + "z" * 200 + "END\n")]
        await pilot.press("ctrl+j")
        await until(pilot, lambda: "done in" in shown(app), "it ran")
        await pilot.press("ctrl+f", *"buoc 77")
        await until(pilot, lambda: "1 of 11" in shown(app), "the count")
        assert isinstance(app.screen, FindScreen)
        assert "bước 77 Chuẩn" in shown(app)
        await pilot.press("down")
        assert "2 of 11" in shown(app) and "bước 770 Chuẩn" in shown(app)
        await pilot.press("up", "up")
        assert "11 of 11" in shown(app) and "bước 779 Chuẩn" in shown(app)
        await pilot.press(*["backspace"] * 7, *"zend")
        await until(pilot, lambda: "1 of 1" in shown(app) and "zEND" in shown(app), "in a row that goes on")
        await pilot.press("escape")
        await at(pilot, "play")


async def test_a_source_is_searched_too() -> None:
    app = TutorApp("guess")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await at(pilot, "guess")
        await pilot.press("s", "ctrl+f", *"def SHOW")
        await until(pilot, lambda: "1 of 1" in shown(app), "found")
