"""Live cells: run, interrupted, changed, put back, and what they put out."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.ui.conftest import CURVES, ScriptedSession
from tests.ui.helpers import at, ready, shown, until
from tutor.runtime.outputs import Curves, Failure, Finished, Stream
from tutor.ui.app import TutorApp
from tutor.ui.cellrun import MOST_BLOCKS
from tutor.ui.widgets.cell import Editor
from tutor.ui.widgets.curve import CurvePlot
from tutor.ui.widgets.output import MOST_NEW, OutputView, _failure

SIZE = (80, 24)


def session_of(app: TutorApp) -> ScriptedSession:
    assert isinstance(app.python.session, ScriptedSession)
    return app.python.session


def test_the_line_of_an_error_is_told_once() -> None:
    traceback = "line 2\n    show(curve)\nNameError: name 'curve'"
    assert _failure(Failure("NameError", "name 'curve'", traceback, 2)).plain == traceback
    elsewhere = _failure(Failure("NameError", "name 'curve'", traceback, 22)).plain
    assert elsewhere == traceback + "\nIn your code: line 22."


async def test_a_cell_runs_from_the_page_and_from_the_editor() -> None:
    app = TutorApp("play")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "play")
        await ready(pilot)
        await pilot.press("f5")
        await until(pilot, lambda: "done in" in shown(app), "the end of the run")
        await pilot.press("e", *"# mine", "ctrl+j")
        await until(pilot, lambda: len(session_of(app).ran) == 2, "the second run")
        assert session_of(app).ran[1].startswith("# mine")


async def test_output_streams_and_ctrl_c_interrupts(tmp_path: Path) -> None:
    app = TutorApp("play")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "play")
        await ready(pilot)
        session = session_of(app)
        session.hold = asyncio.Event()
        session.outputs = [Stream("stdout", "half way\n")]
        await pilot.press("f5")
        await until(pilot, lambda: "half way" in shown(app), "output while it runs")
        assert "ctrl+c" in shown(app)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: "interrupted" in shown(app), "the interrupt")


async def test_a_dead_kernel_is_said_and_f4_starts_another() -> None:
    app = TutorApp("play")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "play")
        await ready(pilot)
        session = session_of(app)
        session.finished = Finished("died", 0.5, detail="Python was killed (SIGKILL).")
        await pilot.press("f5")
        await until(pilot, lambda: "Python was killed" in shown(app), "the death")
        await until(pilot, lambda: "Python ended" in shown(app), "the state")
        session.finished = Finished("ok", 0.1)
        await pilot.press("f4")
        await until(pilot, lambda: "Python ready" in shown(app), "ready again")
        await pilot.press("f5")
        await until(pilot, lambda: "done in" in shown(app), "a run")


async def test_output_stays_when_the_learner_looks_at_another_step() -> None:
    app = TutorApp("play")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "play")
        await ready(pilot)
        session = session_of(app)
        session.hold = asyncio.Event()
        await pilot.press("f5")
        await until(pilot, lambda: app.python.running == "play", "running")
        await pilot.press("n")
        await at(pilot, "guess")
        session.hold.set()
        await until(pilot, lambda: app.python.running is None, "the end")
        await pilot.press("p")
        await at(pilot, "play")
        await until(pilot, lambda: "done in" in shown(app), "the output")


async def test_enter_keeps_the_indentation() -> None:
    app = TutorApp("play")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "play")
        await pilot.press("e")
        editor = app.screen.query_one(Editor)
        editor.load_text("for i in range(3):")
        editor.move_cursor(editor.document.end)
        await pilot.press("enter", "a", "enter", "b")
        assert editor.text == "for i in range(3):\n    a\n    b"


async def test_documents_that_are_no_curves_are_shown_as_text() -> None:
    app = TutorApp("play")
    bad: list[dict[str, object]] = [
        {"curves": [1]},
        {"curves": {"a": "b"}},
        {"curves": [{"label": "x", "x": [10**400], "y": [1]}]},
        {"curves": [{"label": "x", "x": ["a"], "y": [1]}]},
    ]
    async with app.run_test(size=(80, 40)) as pilot:
        await at(pilot, "play")
        await ready(pilot)
        session = session_of(app)
        session.outputs = [Curves(document, f"plain {n}") for n, document in enumerate(bad)]
        await pilot.press("f5")
        await until(pilot, lambda: all(f"plain {n}" in shown(app) for n in range(len(bad))), "the texts")


async def test_a_fault_of_ours_in_a_run_ends_the_run_and_not_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object, **__: object) -> Finished:
        raise AttributeError("ours")

    monkeypatch.setattr(ScriptedSession, "run", broken)
    app = TutorApp("play")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "play")
        await ready(pilot)
        await pilot.press("f5")
        await until(pilot, lambda: "fault of normtutor" in shown(app), "what happened")
        assert app.python.running is None


async def test_reset_brings_the_authors_code_back_and_undo_the_learners() -> None:
    app = TutorApp("play")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "play")
        await pilot.press("e", *"# mine ")
        await pilot.press("f2")
        editor = app.screen.query_one(Editor)
        assert editor.text == "total = 1 + 1\nprint(total)"
        await pilot.press("ctrl+z")
        assert editor.text.startswith("# mine")
        await pilot.press("escape", "x")
        assert editor.text == "total = 1 + 1\nprint(total)"
        await pilot.press("ctrl+z")
        assert editor.text.startswith("# mine")


async def test_ctrl_end_and_ctrl_home_go_to_the_ends_and_backspace_takes_a_level_of_indentation() -> None:
    app = TutorApp("play")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "play")
        editor = app.screen.query_one(Editor)
        await pilot.press("e", "ctrl+end")
        assert editor.cursor_location == editor.document.end
        await pilot.press("ctrl+home")
        assert editor.cursor_location == (0, 0)
        await pilot.press(*"if 1:", "enter", *"if 2:", "enter")
        assert editor.cursor_location == (2, 8)
        await pilot.press("backspace")
        assert editor.cursor_location == (2, 4)
        await pilot.press("x", "backspace", "space", "backspace")
        assert editor.cursor_location == (2, 4), "in front of the code, back to a level; behind it, one character"


async def test_a_flood_of_plots_comes_a_few_at_a_look_and_all_that_is_kept_in_the_end() -> None:
    app = TutorApp("play")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "play")
        await ready(pilot)
        view = app.screen.query_one(OutputView)
        view._run.begin(changed_code=False)
        for _ in range(100):
            view._run.take(Curves(CURVES.document, CURVES.text))
        view.look()
        assert len(app.screen.query(CurvePlot)) == MOST_NEW
        view._run.end(Finished("ok", 1.0))
        await until(pilot, lambda: len(app.screen.query(CurvePlot)) == MOST_BLOCKS, "all that are kept")
        assert "60 outputs left out" in shown(app)
        await pilot.press("n")
        await at(pilot, "guess")
        await pilot.press("p")
        await at(pilot, "play")
        await until(pilot, lambda: len(app.screen.query(CurvePlot)) == MOST_BLOCKS, "the same, made anew")
