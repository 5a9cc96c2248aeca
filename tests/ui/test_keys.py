from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.binding import Binding

from tests.ui.helpers import at, ready, shown, until
from tutor.ui.app import TutorApp
from tutor.ui.keys import bindings, remapped
from tutor.ui.screens.lesson import LessonScreen


def test_every_binding_with_an_id_can_be_remapped_and_ids_are_not_taken_twice() -> None:
    found = bindings()
    assert {"app.quit", "home.review", "lesson.next", "review.undo", "settings.leave"} <= found.keys()
    assert all(isinstance(binding, Binding) and binding.description for binding in found.values())


def test_hints_name_the_keys_that_were_set() -> None:
    owners = [LessonScreen, TutorApp]
    assert remapped(owners, {"lesson.leave": "ctrl+x,f10"}, "esc") == "ctrl+x"
    assert remapped(owners, {"app.help": "escape"}, "?") == "esc"
    assert remapped(owners, {"lesson.act": "f8"}, "F5") == "f8"
    assert remapped(owners, {"lesson.act": "f8"}, "enter") == "enter"


@pytest.fixture
def settings_file(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "settings.toml").write_text('[keys]\n"lesson.steps" = "f9"\n"home.progress" = "o"\n')


async def test_a_key_that_was_set_works_and_is_on_the_last_line(settings_file: None) -> None:
    app = TutorApp()
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "o progress" in shown(app), "the hint")
        await pilot.press("enter")
        await at(pilot, "read")
        assert "f9 all steps" in shown(app)
        await pilot.press("f9")
        await until(pilot, lambda: "Choosing" in shown(app), "the list of steps")


EATEN = {
    *("ctrl+a", "ctrl+b", "ctrl+s", "ctrl+shift+c", "ctrl+shift+v", "ctrl+circumflex_accent", "ctrl+caret", "f11"),
    *("ctrl+h", "ctrl+i", "ctrl+m", "ctrl+enter", "shift+enter", "alt+enter", "ctrl+space"),
}
"""What tmux, screen, mosh, flow control and terminals keep for themselves, or send as another key."""
UNSURE = re.compile(r"alt\+|ctrl\+(j|q|z|shift\+)|shift\+(up|down|left|right)|ctrl\+(home|end)|f1$|f10$")
"""Keys that some terminals keep or change: never the only way to something."""
OTHER_WAYS = {"app.quit": "home.quit", "app.suspend": "ctrl+p", "lesson.undo": "lesson.reset",
              "review.undo_code": "lesson.reset",
              "editor.ends_first": "up", "editor.ends_last": "down"}  # fmt: skip
"""What does the same as a binding with unsure keys alone: another binding, the palette or a plain key."""


def test_no_key_that_a_terminal_eats_is_the_only_way_to_anything() -> None:
    for id, binding in bindings().items():
        keys = {key.strip() for key in binding.key.split(",")}
        assert keys - EATEN, f"{id}: {binding.key}"
        if all(UNSURE.match(key) for key in keys - EATEN):
            assert id in OTHER_WAYS, f"{id}: {binding.key}"


def test_every_binding_has_an_id() -> None:
    from tutor.ui.keys import nameless

    assert nameless() == []


async def test_help_begins_with_the_keys_of_the_screen_and_shows_them_whole() -> None:
    app = TutorApp("read")
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await at(pilot, "read")
        await pilot.press("question_mark")
        await until(pilot, lambda: "In a lesson" in shown(app), "the help")
        assert "Anywhere" not in shown(app).split("In a lesson")[0]
        assert "] n alt+→" in shown(app)
        await pilot.press("escape", "escape")
        await until(pilot, lambda: "A first lesson" in shown(app), "home")
        await pilot.press("question_mark")
        await until(pilot, lambda: "On the first screen" in shown(app), "the help of home")
        assert "Anywhere" in shown(app).split("On the first screen")[1]
