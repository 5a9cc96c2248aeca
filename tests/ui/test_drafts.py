"""What is typed: kept on disk, put back, sanitised, in the order in which it came."""

from __future__ import annotations

from pathlib import Path

from textual import events
from textual.widgets import Input

from tests.ui.conftest import ScriptedSession
from tests.ui.helpers import at, history, until
from tutor.ui.app import TutorApp
from tutor.ui.steps.short import AnswerArea
from tutor.ui.widgets.cell import Editor

SIZE = (80, 24)


def session_of(app: TutorApp) -> ScriptedSession:
    assert isinstance(app.python.session, ScriptedSession)
    return app.python.session


async def test_keys_in_a_burst_keep_their_order() -> None:
    app = TutorApp("tell")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "tell")
        for key in ["a", "b", "c", "backspace", "d", "left", "left", "x", "end", "e"]:
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        area = app.screen.query_one(AnswerArea)
        await until(pilot, lambda: area.text.endswith("e"), "the burst")
        assert area.text == "axbde"


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
