"""The first start asks for the language once, and shows a tour that can be skipped and opened again."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.ui.helpers import at, ready, shown, until
from tutor.text import i18n
from tutor.ui import welcome
from tutor.ui.app import TutorApp
from tutor.ui.screens.home import HomeScreen
from tutor.ui.screens.welcome import CARDS, LanguageScreen, TourScreen

SIZE = (80, 24)


def greeting(start: str | None = None) -> TutorApp:
    app = TutorApp(start)
    app.greets = True
    return app


async def not_asked(pilot: Pilot[int], app: TutorApp) -> None:
    await ready(pilot)
    await until(pilot, lambda: "A first lesson" in shown(app) or "Bài thử" in shown(app), "home")
    assert isinstance(app.screen, HomeScreen)


async def test_the_language_is_asked_once_and_the_tour_follows(tmp_path: Path) -> None:
    app = greeting()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(
            pilot, lambda: isinstance(app.screen, LanguageScreen) and "Tiếng Việt" in shown(app), "the question"
        )
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, TourScreen), "the tour")
        for number in range(1, len(CARDS) + 1):
            assert f"{number}/{len(CARDS)}" in shown(app)
            await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen) and "Bài thử" in shown(app), "home")
        await pilot.press("q")
    assert 'language = "vi"' in (tmp_path / "home" / "settings.toml").read_text()
    again = greeting()
    async with again.run_test(size=SIZE) as pilot:
        await not_asked(pilot, again)
        welcome.tour(again)
        await until(pilot, lambda: isinstance(again.screen, TourScreen), "the tour again")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(again.screen, HomeScreen), "left")
        assert any(command.title == i18n.translate("Tour", "vi") for command in again.get_system_commands(again.screen))


async def test_skipping_is_an_answer_too() -> None:
    app = greeting()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: isinstance(app.screen, LanguageScreen), "the question")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen), "home")
        await pilot.press("q")
    again = greeting()
    async with again.run_test(size=SIZE) as pilot:
        await not_asked(pilot, again)


async def test_who_opens_a_step_or_has_said_the_language_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NORMTUTOR_LANG", "en")
    app = greeting()
    async with app.run_test(size=SIZE) as pilot:
        await not_asked(pilot, app)
    monkeypatch.delenv("NORMTUTOR_LANG")
    app = greeting("read")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "read")
