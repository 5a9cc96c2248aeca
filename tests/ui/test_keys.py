from __future__ import annotations

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
