"""`/` looks terms up and searches; enter opens the step, within the lesson or in another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.ui.helpers import at, ready, shown, until
from tutor.ui.app import TutorApp
from tutor.ui.screens.home import HomeScreen
from tutor.ui.screens.lesson import LessonScreen
from tutor.ui.screens.search import SearchScreen

SECOND = """
id: second
title: {vi: Bài hai, en: A second lesson}
minutes: 1
needs: [first]
steps:
- {id: apart, kind: text, title: {vi: Xa xôi, en: Far away}, body: {vi: Chữ hiếm., en: A zebra.}}
"""


@pytest.fixture(autouse=True)
def two_lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, surroundings: None) -> None:
    root = tmp_path / "course"
    root.mkdir()
    for path in (Path(__file__).parent / "course").iterdir():
        (root / path.name).write_bytes(path.read_bytes())
    (root / "second.yaml").write_text(SECOND, encoding="utf-8")
    monkeypatch.setenv("NORMTUTOR_COURSE", str(root))


async def search(pilot: Pilot[Any], words: str) -> SearchScreen:
    await pilot.press("slash")
    await until(pilot, lambda: isinstance(pilot.app.screen, SearchScreen), "the search")
    screen = pilot.app.screen
    assert isinstance(screen, SearchScreen)
    await until(pilot, lambda: screen._index is not None and screen._hits, "the index")
    await pilot.press(*words)
    await until(pilot, lambda: screen._index and screen._hits == screen._index.find(words), "searched")
    return screen


async def test_a_term_is_looked_up_from_home() -> None:
    app = TutorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        screen = await search(pilot, "rmsnorm")
        assert screen._hits[0].kind == "term"
        await until(pilot, lambda: "root mean square norm" in shown(app), "what it is")
        await pilot.press("enter")  # the course of the test does not teach it
        await until(pilot, lambda: "No step teaches" in str([*app._notifications]), "said so")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen), "home")


async def test_enter_opens_the_step_of_another_lesson_in_the_place_of_this() -> None:
    app = TutorApp("pick")
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await at(pilot, "pick")
        screen = await search(pilot, "zebra")
        assert [hit.step for hit in screen._hits] == ["apart"]
        assert "A zebra." in shown(app) and "A second lesson" in shown(app)
        await pilot.press("enter")
        await at(pilot, "apart")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen), "home, and not the first lesson")


async def test_within_the_lesson_it_goes_to_the_step() -> None:
    app = TutorApp("read")
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        lesson = await at(pilot, "read")
        screen = await search(pilot, "choosing")
        await pilot.press("enter")
        assert not isinstance(app.screen, SearchScreen) or screen._hits
        assert await at(pilot, "pick") is lesson
        assert sum(isinstance(each, LessonScreen) for each in app.screen_stack) == 1


async def test_the_list_is_walked_while_the_cursor_stays_in_the_field() -> None:
    app = TutorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        screen = await search(pilot, "norm")
        assert len(screen._hits) > 2
        await pilot.press("down", "down")
        await until(pilot, lambda: screen._list.highlighted == 2, "down")
        await pilot.press("up")
        await until(pilot, lambda: screen._list.highlighted == 1, "up")
        await pilot.press("s")
        await until(pilot, lambda: screen.query_one("Input").value == "norms", "still typing")  # type: ignore[attr-defined]
        await pilot.press("pagedown", "pageup", "z", "z", "z", "down", "pagedown", "enter")
        await until(pilot, lambda: "0 places" in shown(app), "nothing found")
        assert app.screen is screen


async def test_vietnamese_without_marks_and_from_the_palette() -> None:
    app = TutorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await pilot.press("v")
        await until(pilot, lambda: app.lang == "vi", "Vietnamese")
        commands = {command.title: command for command in app.get_system_commands(app.screen)}
        commands["Tìm kiếm và tra thuật ngữ"].callback()
        await until(pilot, lambda: isinstance(app.screen, SearchScreen), "the search")
        screen = app.screen
        assert isinstance(screen, SearchScreen)
        await until(pilot, lambda: screen._hits, "the index")
        await pilot.press(*"xa xoi")
        await until(pilot, lambda: [hit.step for hit in screen._hits] == ["apart"], "found")
        assert "Bài hai" in shown(app)
