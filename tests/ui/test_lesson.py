from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input

from tests.ui.conftest import CURVES, ScriptedSession
from tests.ui.helpers import at, history, ready, shown, until
from tutor.runtime.outputs import Curves, Failure, Finished, Stream
from tutor.ui.app import TutorApp
from tutor.ui.screens.lesson import LessonScreen
from tutor.ui.steps.short import AnswerArea
from tutor.ui.widgets.cell import Editor
from tutor.ui.widgets.curve import CurvePlot
from tutor.ui.widgets.output import _failure

SIZE = (80, 24)


def session_of(app: TutorApp) -> ScriptedSession:
    assert isinstance(app.python.session, ScriptedSession)
    return app.python.session


async def test_a_text_step_shows_maths_and_both_flows() -> None:
    app = TutorApp("read")
    async with app.run_test(size=(80, 40)) as pilot:
        await at(pilot, "read")
        await until(pilot, lambda: "Post-Norm" in shown(app), "the flows")
        text = shown(app)
        assert "y = x + F(LN(x))" in text
        assert "∂y" in text and "∂F" in text
        assert "Pre-Norm" in text


async def test_keys_move_between_the_steps_and_t_lists_them() -> None:
    app = TutorApp("read")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "read")
        for key, step in [("n", "pick"), ("right_square_bracket", "count"), ("alt+left", "pick")]:
            await pilot.press(key)
            await at(pilot, step)
        await pilot.press("t")
        await until(pilot, lambda: "Telling" in shown(app), "the list")
        await pilot.press("end", "up", "up", "enter")
        await at(pilot, "tell")


async def test_tab_is_never_trapped() -> None:
    app = TutorApp("guess")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "guess")
        seen = set()
        for _ in range(6):
            await pilot.press("tab")
            seen.add(type(app.focused).__name__)
        assert {"Picker", "Editor", "VerticalScroll"} <= seen


async def test_the_last_step_ends_in_a_summary_of_what_to_revisit() -> None:
    app = TutorApp("pick")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "pick")
        await pilot.press("down", "enter")
        await until(pilot, lambda: "Not right." in shown(app), "the verdict")
        await pilot.press("t", "end", "enter")
        await at(pilot, "shift")
        await pilot.press("alt+right")
        await until(pilot, lambda: "0 of 6 questions right." in shown(app), "the count")
        assert "not answered" in shown(app)
        await pilot.press("home", "enter")
        await at(pilot, "pick")


# Questions


async def test_a_wrong_choice_is_told_why_and_can_be_tried_again(tmp_path: Path) -> None:
    app = TutorApp("pick")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "pick")
        await pilot.press("down", "enter")
        await until(pilot, lambda: "Not right." in shown(app), "the verdict")
        assert "That is Post-Norm." in shown(app)
        assert "✗ after the addition" in shown(app)
        await pilot.press("r")
        await until(pilot, lambda: "Not right." not in shown(app), "a fresh question")
        await pilot.press("up", "enter")
        await until(pilot, lambda: "Right." in shown(app), "the verdict")
        await pilot.press("ctrl+q")
    verdicts = [event.data["verdict"]["verdict"] for event in history(tmp_path / "home") if event.kind == "answered"]
    assert verdicts == ["wrong", "right"]


async def test_a_verdict_is_there_again_after_a_restart() -> None:
    app = TutorApp("pick")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "pick")
        await pilot.press("down", "enter")
        await until(pilot, lambda: "Not right." in shown(app), "the verdict")
        await pilot.press("ctrl+q")
    again = TutorApp()
    async with again.run_test(size=SIZE) as pilot:
        await at(pilot, "pick")
        await until(pilot, lambda: "That is Post-Norm." in shown(again), "the verdict")


async def test_a_number_names_the_known_mistake() -> None:
    app = TutorApp("count")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "count")
        await pilot.press("5", "enter")
        await until(pilot, lambda: "norm, not the RMS" in shown(app), "the named mistake")
        await pilot.press("r")
        app.screen.query_one(Input).value = ""
        await pilot.press(*"3.5355", "enter")
        await until(pilot, lambda: "Right." in shown(app), "the verdict")


async def test_a_number_that_cannot_be_read_does_not_count() -> None:
    app = TutorApp("count")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "count")
        await pilot.press(*"five", "enter")
        await until(pilot, lambda: "does not count" in shown(app), "unreadable")
        assert isinstance(app.focused, Input)
        assert app.study is not None and not app.study.progress.done("count")


async def test_a_prediction_is_judged_by_the_run(tmp_path: Path) -> None:
    app = TutorApp("guess")
    async with app.run_test(size=(80, 40)) as pilot:
        await at(pilot, "guess")
        await ready(pilot)
        session = session_of(app)
        session.outputs = [CURVES]
        session.finished = Finished("ok", 0.2, values={"a-wins": "False", "b-wins": "True"})
        await pilot.press("ctrl+j")
        assert session.ran == [], "nothing runs before a prediction is made"
        await pilot.press("enter")
        await until(pilot, lambda: "Prediction locked" in shown(app), "committed")
        await pilot.press("ctrl+j")
        await until(pilot, lambda: "Not right." in shown(app), "the verdict")
        assert "post-norm" in shown(app) and "pre-norm" in shown(app)
        assert "b is 4." in shown(app)
        assert app.screen.query(CurvePlot)
        assert not app.screen.query_one(Editor).read_only, "the cell is open once it has decided"
        await pilot.press("ctrl+q")
    kinds = [event.kind for event in history(tmp_path / "home") if event.kind in ("predicted", "ran", "answered")]
    assert kinds == ["predicted", "ran", "answered"]


async def test_the_cell_of_a_prediction_cannot_be_changed_first() -> None:
    app = TutorApp("guess")
    async with app.run_test(size=(80, 40)) as pilot:
        await at(pilot, "guess")
        editor = app.screen.query_one(Editor)
        editor.focus()
        await pilot.press("x", "y")
        assert editor.text.startswith("a, b = 3, 4")


def test_the_line_of_an_error_is_told_once() -> None:
    traceback = "line 2\n    show(curve)\nNameError: name 'curve'"
    assert _failure(Failure("NameError", "name 'curve'", traceback, 2)).plain == traceback
    elsewhere = _failure(Failure("NameError", "name 'curve'", traceback, 22)).plain
    assert elsewhere == traceback + "\nIn your code: line 22."


async def test_a_failed_run_leaves_the_prediction_open() -> None:
    app = TutorApp("guess")
    async with app.run_test(size=(80, 40)) as pilot:
        await at(pilot, "guess")
        await ready(pilot)
        session_of(app).outputs = [Failure("NameError", "name 'Curve'", "NameError: name 'Curve'", 2)]
        session_of(app).finished = Finished("error", 0.1)
        await pilot.press("enter", "ctrl+j")
        await until(pilot, lambda: "In your code: line 2." in shown(app), "the error")
        assert app.study is not None and not app.study.progress.done("guess")
        assert "Prediction locked" in shown(app)


async def test_an_answer_in_words_is_right_wrong_or_ticked(tmp_path: Path) -> None:
    app = TutorApp("tell")
    async with app.run_test(size=(80, 30)) as pilot:
        await at(pilot, "tell")
        await pilot.press(*"it is computed somewhere", "enter")
        await until(pilot, lambda: "Not sure" in shown(app), "unsure")
        assert "[ ] LN computes over the features." in shown(app)
        await pilot.press("space", "enter")
        await until(pilot, lambda: "Right." in shown(app), "ticked")
        await pilot.press("ctrl+q")
    kinds = [event.kind for event in history(tmp_path / "home") if event.kind in ("answered", "ticked")]
    assert kinds == ["answered", "ticked"]


async def test_a_misconception_is_named_and_can_be_overruled(tmp_path: Path) -> None:
    app = TutorApp("tell")
    async with app.run_test(size=(80, 30)) as pilot:
        await at(pilot, "tell")
        await pilot.press(*"LN computes over the batch", "enter")
        await until(pilot, lambda: "Not right." in shown(app), "wrong")
        assert "The batch is BN's." in shown(app)
        await pilot.press("o")
        await until(pilot, lambda: "both are kept" in shown(app), "overruled")
        assert app.study is not None and app.study.progress.verdict("tell") == "right"
        await pilot.press("m")
        await until(pilot, lambda: "A full answer:" in shown(app), "the model answer")


async def test_vietnamese_is_graded_in_vietnamese() -> None:
    app = TutorApp("tell")
    async with app.run_test(size=(80, 30)) as pilot:
        await at(pilot, "tell")
        await pilot.press("escape", "v")
        await until(pilot, lambda: "LN tính trên trục nào?" in shown(app), "the Vietnamese question")
        app.screen.query_one(AnswerArea).focus()
        await pilot.press(*"LN tính trên đặc trưng", "enter")
        await until(pilot, lambda: app.study is not None and app.study.progress.verdict("tell") == "right", "right")


async def test_a_verdict_follows_the_language() -> None:
    app = TutorApp("pick")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "pick")
        await pilot.press("down", "enter")
        await until(pilot, lambda: "That is Post-Norm." in shown(app), "the verdict")
        await pilot.press("v")
        await until(pilot, lambda: "Đó là Post-Norm." in shown(app), "the verdict in Vietnamese")


async def test_enter_goes_on_after_an_answer_and_esc_leaves_options_at_once() -> None:
    app = TutorApp("pick")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "pick")
        await pilot.press("enter")
        await until(pilot, lambda: "Right." in shown(app), "the verdict")
        await pilot.press("enter")
        await at(pilot, "count")
        await pilot.press("escape", "p")
        await at(pilot, "pick")
        await pilot.press("tab", "tab", "enter")
        await at(pilot, "count")
        await pilot.press("escape", "n", "n")
        await at(pilot, "guess")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, LessonScreen), "home")


async def test_keys_in_a_burst_keep_their_order() -> None:
    app = TutorApp("tell")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "tell")
        for key in ["a", "b", "c", "backspace", "d", "left", "left", "x", "end", "e"]:
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        area = app.screen.query_one(AnswerArea)
        await until(pilot, lambda: area.text.endswith("e"), "the burst")
        assert area.text == "axbde"


async def test_a_second_try_is_made_without_the_full_answer_in_sight() -> None:
    app = TutorApp("tell")
    async with app.run_test(size=(80, 30)) as pilot:
        await at(pilot, "tell")
        await pilot.press(*"LN computes over the batch", "enter")
        await until(pilot, lambda: "The batch is BN's." in shown(app), "wrong")
        await pilot.press("m")
        await until(pilot, lambda: "A full answer:" in shown(app), "the model answer")
        await pilot.press("r")
        await until(pilot, lambda: "A full answer:" not in shown(app), "gone")


# Cells


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


async def test_paging_through_options_scrolls_and_never_fails() -> None:
    app = TutorApp("pick")
    async with app.run_test(size=(20, 5)) as pilot:
        await at(pilot, "pick")
        await pilot.press("pagedown", "pageup", "pageup", "end", "home", "t", "pagedown", "pageup", "escape")
        await at(pilot, "pick")


# Nothing is lost


async def test_a_half_typed_answer_and_a_changed_cell_are_back_after_a_restart(tmp_path: Path) -> None:
    app = TutorApp("tell")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "tell")
        await pilot.press(*"LN tính ")
        await pilot.press("alt+left", "p")
        await at(pilot, "play")
        await pilot.press("e", *"# mine ")
        await pilot.press("ctrl+q")
    again = TutorApp()
    async with again.run_test(size=SIZE) as pilot:
        await at(pilot, "play")
        assert again.screen.query_one(Editor).text.startswith("# mine total")
        await pilot.press("n", "n")
        await at(pilot, "tell")
        assert again.screen.query_one(AnswerArea).text == "LN tính "


async def test_a_draft_is_on_disk_soon_after_the_typing_pauses(tmp_path: Path) -> None:
    app = TutorApp("tell")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "tell")
        await pilot.press(*"half")
        await until(
            pilot,
            lambda: [e.data["text"] for e in history(tmp_path / "home") if e.kind == "draft"][-1:] == ["half"],
            "the draft on disk while the app runs",
        )


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


async def test_what_is_pasted_is_sanitised_and_pasted_once() -> None:
    app = TutorApp("tell")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "tell")
        area = app.screen.query_one(AnswerArea)
        app.post_message(events.Paste("LN\x1b]52;c;ZWNobw==\x07 là\u202e gì\r\rnhỉ"))
        await until(pilot, lambda: area.text, "the pasted text")
        assert area.text == "LN là gì\n\nnhỉ"
        await pilot.press("escape", "p", "p", "p")
        await at(pilot, "count")
        field = app.screen.query_one(Input)
        field.focus()
        app.post_message(events.Paste("3\x9b2J.5"))
        await until(pilot, lambda: field.value, "the pasted number")
        assert field.value == "3.5"
