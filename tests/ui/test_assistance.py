"""Tab and shift+tab in the editor: how a name may go on, and what it is."""

from __future__ import annotations

from tests.ui.helpers import at, ready, shown, until
from tests.ui.test_cells import SIZE, session_of
from tutor.ui.app import TutorApp
from tutor.ui.widgets.editor import Editor, Suggestions


async def test_tab_completes_what_is_certain_and_goes_through_the_rest() -> None:
    app = TutorApp("play")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "play")
        await ready(pilot)
        session = session_of(app)
        editor = app.screen.query_one(Editor)
        await pilot.press("e", "ctrl+end", "enter", *"norm.ma")
        start = len(editor.text) - 2
        session.replies["complete_request"] = {
            "cursor_start": start, "cursor_end": start + 2, "matches": ["manual_layer", "manual_rms"],
        }  # fmt: skip
        await pilot.press("tab")
        await until(pilot, lambda: editor.text.endswith("norm.manual_"), "what all matches begin with")
        assert "manual_layer  manual_rms" in shown(app)
        session.replies["complete_request"] |= {"cursor_end": start + 7}
        await pilot.press("tab")
        await until(pilot, lambda: editor.text.endswith("norm.manual_layer"), "the first")
        await pilot.press("tab")
        assert editor.text.endswith("norm.manual_rms")
        await pilot.press("tab")
        assert editor.text.endswith("norm.manual_layer")
        await pilot.press("(")
        assert editor.text.endswith("norm.manual_layer(") and not app.screen.query_one(Suggestions).display
        await pilot.press("ctrl+z")
        assert app.focused is editor


async def test_shift_tab_says_what_is_called() -> None:
    app = TutorApp("play")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "play")
        await ready(pilot)
        session_of(app).replies["inspect_request"] = {
            "data": {
                "text/plain": "Signature: show(*curves, log_y=False)\nDocstring: Draws.\x1b]0;x\x07\nType: function"
            }
        }
        await pilot.press("e", "ctrl+end", "enter", *"show(", "shift+tab")
        await until(pilot, lambda: "show(*curves, log_y=False)" in shown(app), "the signature")
        assert "Draws." in shown(app) and "function" not in shown(app)
        await pilot.press("escape")
        assert not app.screen.query_one(Suggestions).display


async def test_tab_moves_on_where_there_is_no_name() -> None:
    app = TutorApp("play")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "play")
        await ready(pilot)
        editor = app.screen.query_one(Editor)
        await pilot.press("e", "ctrl+home", "tab")
        assert app.focused is not editor
        assert session_of(app).asked == []
        await pilot.press("e", "ctrl+end", "enter", *"zzz", "tab")
        await until(pilot, lambda: "no such name" in shown(app), "a word about it")
        assert app.focused is editor
