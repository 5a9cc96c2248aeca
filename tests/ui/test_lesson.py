from __future__ import annotations

from pathlib import Path

from textual.widgets import Input

from tests.ui.conftest import CURVES, ScriptedSession
from tests.ui.helpers import at, history, ready, shown, until
from tutor.runtime.outputs import Failure, Finished
from tutor.ui.app import TutorApp
from tutor.ui.screens.lesson import LessonScreen
from tutor.ui.steps.short import AnswerArea
from tutor.ui.widgets.cell import Editor
from tutor.ui.widgets.curve import CurvePlot

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
        await until(pilot, lambda: "Enter again commits" in shown(app), "marked only")
        assert "Prediction locked" not in shown(app), "enter turned the page before: one too many commits to nothing"
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


async def test_paging_through_options_scrolls_and_never_fails() -> None:
    app = TutorApp("pick")
    async with app.run_test(size=(20, 5)) as pilot:
        await at(pilot, "pick")
        await pilot.press("pagedown", "pageup", "pageup", "end", "home", "t", "pagedown", "pageup", "escape")
        await at(pilot, "pick")


# Nothing is lost


def footer(app: TutorApp) -> str:
    return shown(app).splitlines()[-1]


async def test_the_way_out_and_the_help_are_always_in_the_footer() -> None:
    app = TutorApp("read")
    async with app.run_test(size=(44, 24)) as pilot:
        for step in ("read", "pick", "count", "play", "guess", "tell", "write", "shift"):
            await at(pilot, step)
            app.screen.set_focus(app.screen.query_one("#page"))
            await until(pilot, lambda: "esc home" in footer(app) and "? keys" in footer(app), f"the footer of {step}")
            await pilot.press("n")


async def test_more_is_promised_only_while_there_is_more() -> None:
    app = TutorApp("tell")
    async with app.run_test(size=(120, 10)) as pilot:
        await at(pilot, "tell")
        await pilot.press("escape", "home")
        await until(pilot, lambda: "space more" in footer(app), "something to scroll to")
        await pilot.press("end")
        await until(pilot, lambda: "space more" not in footer(app), "the end of the page")
