"""Keys before there is anything to answer to, terminals of any size, clocks that jump."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.ui.helpers import at, history, ready, shown, until
from tutor.course import load
from tutor.ui.app import TutorApp
from tutor.ui.screens.consent import ConsentScreen

pytestmark = [pytest.mark.asyncio, pytest.mark.slow]


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """The course is not read before this is set."""
    go, read = threading.Event(), load.load_course

    def slowly(*arguments: Path | None) -> load.Course:
        go.wait(20)
        return read(*arguments)

    monkeypatch.setattr(load, "load_course", slowly)
    return go


async def test_what_is_typed_while_the_course_is_read_does_nothing_later(held: threading.Event) -> None:
    app = TutorApp()
    async with app.run_test() as pilot:
        await until(pilot, lambda: "Reading the course" in shown(app))
        await pilot.press("enter", "enter", "r", "v", "l", "question_mark", "ctrl+p", "ctrl+z")
        held.set()
        await ready(pilot)
        assert app.screen is app.get_default_screen() and app.lang == "en"
        await pilot.press("enter")
        await at(pilot, "read")


async def test_no_key_from_before_consents(held: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NORMTUTOR_TRUST")
    app = TutorApp()
    async with app.run_test() as pilot:
        await until(pilot, lambda: "Reading the course" in shown(app))
        await pilot.press("y", "y", "enter")
        held.set()
        await until(pilot, lambda: isinstance(app.screen, ConsentScreen))
        await pilot.pause(0.05)
        assert isinstance(app.screen, ConsentScreen) and app.study is None


async def test_q_leaves_at_once_also_while_the_course_is_read(held: threading.Event) -> None:
    app = TutorApp()
    async with app.run_test() as pilot:
        await until(pilot, lambda: "Reading the course" in shown(app))
        held.set()
        await pilot.press("q")
        await until(pilot, lambda: app.return_code == 0 or not app.is_running)


async def test_every_screen_survives_any_size() -> None:
    app = TutorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)

        async def any_size(what: str) -> None:
            screen = app.screen
            for size in ((1, 1), (20, 5), (80, 24)):
                await pilot.resize_terminal(*size)
                await pilot.pause()
                assert app.screen is screen, f"{what} at {size}"
            assert shown(app).strip(), what

        await any_size("home")
        for key in ("p", "s", "l", "slash", "question_mark", "ctrl+p", "r"):
            home = app.screen
            await pilot.press(key)
            await until(pilot, lambda home=home: app.screen is not home, key)
            await any_size(key)
            while app.screen is not home:
                await pilot.press("escape")
        await pilot.press("enter")
        for step in ("read", "pick", "count", "play", "guess", "tell", "write", "shift"):
            await at(pilot, step)
            await any_size(step)
            await pilot.press("alt+right")
        await any_size("the end of the lesson")


async def test_clocks_that_jump_disturb_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a night in which the machine slept, and after its clock has been put right."""
    jump, monotonic = 0.0, time.monotonic
    wall = timedelta()
    app = TutorApp("tell")
    async with app.run_test() as pilot:
        await at(pilot, "tell")
        assert app.study is not None
        app.study.journal._clock = lambda: datetime.now(UTC) + wall
        monkeypatch.setattr(time, "monotonic", lambda: monotonic() + jump)
        for number, hours in enumerate((9, -30, 2)):
            wall += timedelta(hours=hours)
            jump += 3600.0 * abs(hours)
            await pilot.press(*f"{number}")
            await until(pilot, lambda number=number: f"{number}" in shown(app))
            app.screen.keep()  # type: ignore[attr-defined]
        await pilot.press("escape", "alt+left")
        await at(pilot, "guess")
    events = history(tmp_path / "home")
    assert [event.data["text"] for event in events if event.kind == "draft"] == ["0", "01", "012"]
    assert [event.time for event in events] == sorted(event.time for event in events)
