from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from tests.ui.helpers import ready, shown, until
from tests.ui.test_review import asking, due
from tutor.memory.settings import load
from tutor.ui.app import TutorApp
from tutor.ui.screens.home import HomeScreen
from tutor.ui.screens.lesson import LessonScreen
from tutor.ui.screens.progress import ProgressScreen
from tutor.ui.screens.settings import SettingsScreen, ValueScreen

SIZE = (80, 24)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def settings_file(home: Path) -> Path:
    """A file of settings in which some are wrong."""
    home.mkdir()
    (home / "settings.toml").write_text(
        'language = "vi"\ntheme = "no-such"\n[review]\nminutes = -3\n[keys]\n"home.quit" = "x"\n"no.such" = "y"\n'
    )
    return home / "settings.toml"


async def test_p_shows_where_one_stands_and_enter_does_what_it_says(home: Path) -> None:
    due(home, "pick", "count")
    due(home, "tell", verdict="wrong")
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("p")
        await until(pilot, lambda: "Review the 3 questions that are due" in shown(app), "the advice")
        assert "A first lesson" in shown(app) and "2 known, 1 shaky, 3 unseen" in shown(app)
        assert "The next 14 days" in shown(app)
        await pilot.press("v")
        await until(pilot, lambda: "Ôn 3 câu đến hạn" in shown(app), "Vietnamese")
        await pilot.press("v", "enter")
        await asking(pilot, "pick")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ProgressScreen), "back")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen), "home")


async def test_without_a_history_it_says_where_to_begin(home: Path) -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("p")
        await until(pilot, lambda: "Begin “A first lesson”, 5 minutes." in shown(app), "the advice")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LessonScreen), "the lesson")


async def test_settings_are_changed_by_keys_and_kept_in_the_file(home: Path) -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("s")
        await until(
            pilot, lambda: isinstance(app.screen, SettingsScreen) and "Reviews a day" in shown(app), "the settings"
        )
        assert "Kept in" in shown(app)
        await pilot.press("down", "down", "down", "enter")
        await until(pilot, lambda: app.preferences.settings.daily_limit == 30, "the next value")
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, ValueScreen), "the field")
        app.screen.query_one(Input).value = "0"
        await pilot.press("enter")
        await until(pilot, lambda: "It must be a whole number from 1 to 500." in shown(app), "what is wrong")
        app.screen.query_one(Input).value = "12"
        await pilot.press("enter")
        await until(pilot, lambda: app.preferences.settings.daily_limit == 12, "the typed value")
        await pilot.press("up", "up", "up", "enter")
        await until(pilot, lambda: "Số câu ôn mỗi ngày" in shown(app), "Vietnamese at once")
        await app.workers.wait_for_complete()
        await pilot.press("ctrl+q")
    found = load(home / "settings.toml")
    assert found.problems == ()
    assert (found.settings.language, found.settings.daily_limit) == ("vi", 12)


async def test_what_the_file_says_is_used_and_what_is_wrong_with_it_is_said(settings_file: Path) -> None:
    app = TutorApp()
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "Bài thử" in shown(app), "Vietnamese")
        await until(pilot, lambda: "settings.toml:4" in shown(app), "the line")
        assert "no-such" in shown(app) and "no.such" in shown(app)
        assert app.preferences.settings.minutes == 10
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen), "q does nothing now")
        await pilot.press("x")
        await until(pilot, lambda: app._exit, "x quits")


async def test_settings_of_older_journals_move_into_the_file_with_the_first_change(home: Path) -> None:
    from tutor.memory import events
    from tutor.memory.journal import Journal

    with Journal(home) as journal:
        journal.append(events.SETTING, name="lang", value="vi")
        journal.append(events.SETTING, name="theme", value="nord")
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "Bài thử" in shown(app), "Vietnamese")
        assert app.theme == "nord" and not (home / "settings.toml").exists()
        app.preferences.change("minutes", 15.0)
        await app.workers.wait_for_complete()
        await pilot.press("ctrl+q")
    settings = load(home / "settings.toml").settings
    assert (settings.language, settings.theme, settings.minutes) == ("vi", "nord", 15.0)


@pytest.fixture
def no_file(home: Path) -> None:
    """A directory where the file should be."""
    (home / "settings.toml").mkdir(parents=True)


async def test_a_file_that_cannot_be_written_is_said_and_the_setting_holds(no_file: None) -> None:
    app = TutorApp()
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await ready(pilot)
        await pilot.press("v")
        await until(pilot, lambda: "Thiết lập có hiệu lực" in shown(app), "the warning")
        assert app.lang == "vi"
