"""The app asks before code of a foreign course may run, and until then nothing of it can be opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.helpers import at, ready, shown, until
from tutor.memory import trust
from tutor.ui.app import TutorApp
from tutor.ui.screens.consent import ConsentScreen


@pytest.fixture(autouse=True)
def not_agreed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(trust.VARIABLE)


async def asked(pilot, app: TutorApp) -> None:
    await until(pilot, lambda: isinstance(app.screen, ConsentScreen) and app.screen.complete, "the question")


async def test_yes_opens_the_course_and_is_remembered() -> None:
    app = TutorApp("pick")
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        text = shown(app)
        assert "tests/ui/course" in text and "A first lesson" in text and "2 cells" in text
        assert app.study is None
        await pilot.press("enter", "ctrl+j", "f5", "r")
        assert isinstance(app.screen, ConsentScreen) and app.study is None
        await pilot.press("v")
        await until(pilot, lambda: "Bài thử" in shown(app), "Vietnamese")
        await pilot.press("y")
        await ready(pilot)
        await at(pilot, "pick")
    assert trust.trusted()
    app = TutorApp("pick")
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await at(pilot, "pick")


@pytest.mark.parametrize("key", ["n", "escape"])
async def test_no_leaves_and_nothing_has_run(key: str) -> None:
    app = TutorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        session = app.python.session
        await pilot.press(key)
        await until(pilot, lambda: app.return_code is not None or not app.is_running, "the end")
    assert app.study is None and app.return_code == 0
    assert session is None or session.ran == []  # type: ignore[attr-defined]
    assert not trust.trusted()


async def test_it_goes_on_where_it_cannot_be_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(root: Path | None = None) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(trust, "remember", full)
    app = TutorApp("pick")
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        await pilot.press("y")
        await ready(pilot)
        await at(pilot, "pick")
        await until(pilot, lambda: "No space left" in str([*app._notifications]), "the warning")
