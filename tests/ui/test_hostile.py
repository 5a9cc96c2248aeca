"""Hostile texts on every screen: what the app sends to the terminal is only what Textual's driver means to send."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from textual import events as pressed
from textual.pilot import Pilot

from tests.ui.conftest import COURSE, ScriptedSession
from tests.ui.evil import ALL, BREAK, EVIL, LONG, MARK, course, hostile, write, written
from tests.ui.helpers import at, ready, shown, until
from tests.ui.terminal import Terminal, environment
from tests.ui.test_formula import LESSON as FORMULAS
from tests.ui.test_lab import ScriptedLab, lab, run, variance
from tests.ui.test_layouts import LESSON as LAYOUTS
from tests.ui.test_predict_curve import LESSON as CURVES
from tests.ui.wire import SENT, Wire, clean
from tutor.grading.verdict import Check, Named, Verdict
from tutor.memory import trust
from tutor.runtime.device import Device
from tutor.runtime.outputs import Output
from tutor.runtime.reading import Reading
from tutor.ui import faults
from tutor.ui.app import TutorApp
from tutor.ui.screens.base import TutorScreen

SIZE = (120, 50)
LINE = EVIL.replace("\x00", "").replace("\ue000", "")
"""What an environment variable or the name of a file can hold."""


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    return Wire(monkeypatch)


@pytest.fixture
def root(tmp_path: Path, surroundings: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The hostile course: every kind of step."""
    made = course(tmp_path / "course", (COURSE / "first.yaml").read_text(), BREAK, LAYOUTS, FORMULAS, CURVES)
    write(made, "terms", hostile([{"id": "term", "name": "RMS", "also": ["skip"], "about": "a", "step": "read"}]))
    (made / "glossary.yaml").write_text((COURSE / "glossary.yaml").read_text(), encoding="utf-8")
    monkeypatch.setenv("NORMTUTOR_COURSE", str(made))
    return made


def look(pilot: Pilot[Any], wire: Wire) -> None:
    """The text is there, as it is written, and all that was sent is the driver's."""
    assert MARK in shown(pilot.app)
    wire.check()


async def paste(pilot: Pilot[Any], text: str) -> None:
    pilot.app.post_message(pressed.Paste(text))
    await pilot.pause()
    await pilot.pause()


async def test_every_kind_of_step(root: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = Verdict(
        step="write",
        verdict="wrong",
        score=0.5,
        misconception=Named("eps", EVIL),
        checks=(Check("a", False, EVIL), Check("b", True, ALL)),
        feedback=EVIL,
    )

    async def grade_code(*_: Any, **__: Any) -> Verdict:
        return verdict

    monkeypatch.setattr("tutor.grading.code.grade_code", grade_code)
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: MARK in shown(app), "home")
        look(pilot, wire)
        assert app.study is not None and not app.study.course.findings
        kinds = set()
        for lesson in app.study.course.lessons:
            for step in lesson.steps:
                kind = type(step), getattr(getattr(step, "ask", None), "curve", None) is None
                if kind in kinds:
                    continue
                kinds.add(kind)
                app.open_step(step.id)
                await at(pilot, step.id)
                look(pilot, wire)
                await pilot.press("e")
                await paste(pilot, ALL + LONG)
                await pilot.press("f5")
                look(pilot, wire)
                await pilot.press("escape", "m", *(("h", "s", "escape", "t") if step.id == "write" else ("w",)))
                look(pilot, wire)
                while len(app.screen_stack) > 1:
                    app.pop_screen()
                await pilot.pause()
        assert len(kinds) == 14


def sent_by_a_kernel() -> list[Output]:
    """What the app makes of hostile messages of every type."""
    outputs: list[Output] = []
    reading = Reading(outputs.append, "play", {})
    curve = {"label": EVIL, "arch": EVIL, "x": [0, 1, 2], "y": [1.0, 2.0, 3.0], "x_label": EVIL, "y_label": EVIL}
    document = {"version": 1, "title": EVIL, "log_x": False, "log_y": False, "curves": [curve]}
    for text in ALL.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass"), EVIL[::-1], LONG:
        for start in range(0, len(text), 7):
            reading.take("stream", {"name": "stderr" if start % 2 else "stdout", "text": text[start : start + 7]})
    reading.take("execute_result", {"data": {"text/plain": ALL + LONG}})
    reading.take("display_data", {"data": {"text/plain": EVIL, "application/vnd.kernels.curves+json": document}})
    reading.take("display_data", {"data": {"text/plain": EVIL}, "transient": {"display_id": EVIL}})
    reading.take("error", {"ename": EVIL, "evalue": ALL, "traceback": [EVIL, ALL]})
    assert reading.failure is not None
    return [*outputs, reading.failure]


async def test_what_a_kernel_sends(wire: Wire) -> None:
    app = TutorApp("play")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "play")
        await ready(pilot)
        session = app.python.session
        assert isinstance(session, ScriptedSession)
        session.outputs = sent_by_a_kernel()
        session.replies = {
            "complete_request": {"matches": [f"total{EVIL}", f"toll{EVIL}"], "cursor_start": 0, "cursor_end": 2},
            "inspect_request": {"found": True, "data": {"text/plain": ALL}},
        }
        await pilot.press("f5")
        await until(pilot, lambda: app.python.running is None, "the end")
        look(pilot, wire)
        await pilot.press("e", *"to", "tab")
        await pilot.pause()
        await pilot.press("escape", "shift+tab")
        await pilot.pause()
        wire.check()


async def test_the_learners_files_and_the_environment(
    root: Path, wire: Wire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / f"home{LINE.replace('/', '|')[:90]}"
    home.mkdir()
    monkeypatch.setenv("NORMTUTOR_HOME", str(home))
    for name in ("TERM", "LANG", "USER", "HOSTNAME", "EDITOR", "NORMTUTOR_PLOT", "TEXTUAL_THEME", "COLORTERM"):
        monkeypatch.setenv(name, LINE)
    (home / f"{MARK.replace('/', '')}\x1b[2J\x9b\u202e.jsonl").write_text("torn\n\x1b[2J\n")
    (root / f"{MARK.replace('/', '')}\x1b[2J\x9b\u202e.yaml").write_text("id: \x1b]0;T\x07")
    keys = '"lesson.next" = "\\u001b[2J"\n"app.help" = "\\u202e,f9"\n"\\u009b2J" = "f8"\n"x[/]" = 1\n'
    quoted = f'theme = "{MARK} \\u001b[2J"\ndevice = "\\u009b2J{MARK}"\n"\\u001b[2J{MARK}" = 1\n[keys]\n{keys}'
    (home / "settings.toml").write_text(quoted)
    written(home)
    monkeypatch.setattr("tutor.runtime.device.choose", lambda *_: Device(kind="cpu", triton="interpreted"))
    monkeypatch.setattr("tutor.runtime.lab.Lab", ScriptedLab)
    ScriptedLab.made, ScriptedLab.hold, ScriptedLab.trouble, ScriptedLab.steps = [], None, "", [(1, 10)]
    monkeypatch.setattr(ScriptedLab, "measured", staticmethod(variance), raising=False)
    app = TutorApp()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await ready(pilot)
        await until(pilot, lambda: len(app.screen.query("Toast")) > 3, "what is wrong")
        look(pilot, wire)
        app.clear_notifications()
        for open_it in (app.action_progress, app.action_settings, app.action_search, app.action_help):
            open_it()
            await until(pilot, lambda: len(app.screen_stack) > 1 and app.screen.is_current, "the screen")
            if open_it == app.action_search:
                await pilot.press(*"rms")
                await paste(pilot, LONG)
            await pilot.pause(0.2)
            wire.check()
            while len(app.screen_stack) > 1:
                app.pop_screen()
            await pilot.pause()
        app.open_step("count")
        await at(pilot, "count")
        await pilot.press("ctrl+e")
        wire.check()
        app.notify(ALL, title=EVIL)
        await pilot.pause()
        look(pilot, wire)
        app.clear_notifications()
        await pilot.press("ctrl+p")
        await paste(pilot, EVIL)
        wire.check()
        await pilot.press("escape", "escape")
        await lab(pilot)
        await pilot.pause()
        look(pilot, wire)
        for key in ("w", "escape", "d", "escape", "r", "escape", "o", "p", "escape"):
            await pilot.press(key)
        wire.check()
        ScriptedLab.trouble = ""
        await run(pilot)
        wire.check()


async def test_a_review_of_hostile_questions(root: Path, wire: Wire, tmp_path: Path) -> None:
    written(tmp_path / "home")
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("r")
        for _ in range(5):
            await until(pilot, lambda: isinstance(app.screen, TutorScreen) and MARK in shown(app), "a question")
            await pilot.press("e")
            await paste(pilot, LONG)
            await pilot.press("escape", "g")
            look(pilot, wire)
            await pilot.press("f")
            await paste(pilot, ALL)
            await pilot.press("escape", "enter")
        await pilot.press("escape")
        wire.check()


async def test_the_question_whether_to_trust_a_course(root: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(trust.VARIABLE)
    there = root.with_name(f"{MARK.replace('/', '|')}\x1b[2J\x9b2J\u202e\x07")
    shutil.move(root, there)
    monkeypatch.setenv("NORMTUTOR_COURSE", str(there))
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "Run the code of this course?" in shown(app), "the question")
        look(pilot, wire)
        assert app.study is None


def test_the_words_at_an_end_of_our_own_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NORMTUTOR_HOME", str(tmp_path / "\x1b[2J\x9b\u202e"))
    report = faults.write_report(ValueError(ALL))
    assert report is not None and report.stat().st_mode & 0o077 == 0
    assert faults.message(report).plain.replace("\n", "").isprintable()
    assert faults.reported(ValueError()).isprintable()


def test_the_program_in_a_terminal(root: Path, tmp_path: Path) -> None:
    terminal = Terminal("open", "read", env=environment(tmp_path / "home", root))
    try:
        terminal.wait(MARK)
        terminal.settle()
        begun = len(terminal.raw)  # after the modes that a start switches on
        for keys in ("t", "\x1b", "n", "p", "/", "\x1b[200~rms \u202e\x9b2J\x07\x1b[201~"):
            terminal.type(keys)
            terminal.settle()
        sent = terminal.raw[begun:].decode()
        assert len(sent) > 5000
        clean(sent, SENT)
    finally:
        terminal.close()
