from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.helpers import at, history, ready, shown, until
from tutor.memory.journal import Journal
from tutor.ui.app import TutorApp
from tutor.ui.screens.lesson import LessonScreen

SIZE = (80, 24)


async def test_shows_the_lessons_the_machine_and_how_to_quit() -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "A first lesson" in shown(app), "the lesson's title")
        text = shown(app)
        assert "CPU · Triton interpreted" in text
        assert "5 min" in text
        assert "q quit" in text
        assert "? keys" in text


async def test_v_changes_the_language_at_once_and_for_the_next_start(tmp_path: Path) -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("v")
        await until(pilot, lambda: "Bài thử" in shown(app), "the Vietnamese title")
        await pilot.press("ctrl+q")
    again = TutorApp()
    async with again.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "Bài thử" in shown(again), "the Vietnamese title")


async def test_enter_opens_a_lesson_and_esc_comes_back() -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("enter")
        await at(pilot, "read")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, LessonScreen), "home")
        await until(pilot, lambda: "Continue" in shown(app), "what to continue")


async def test_starts_where_the_last_session_stopped(tmp_path: Path) -> None:
    first = TutorApp()
    async with first.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("enter")
        await at(pilot, "read")
        await pilot.press("n")
        await at(pilot, "pick")
        await pilot.press("ctrl+q")
    second = TutorApp()
    async with second.run_test(size=SIZE) as pilot:
        await at(pilot, "pick")


async def test_starts_at_home_when_the_last_session_ended_there() -> None:
    first = TutorApp()
    async with first.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("enter")
        await at(pilot, "read")
        await pilot.press("escape", "q")
    second = TutorApp()
    async with second.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "Continue" in shown(second), "what to continue")
        assert not isinstance(second.screen, LessonScreen)


async def test_open_goes_to_a_step_and_what_is_only_looked_at_is_not_continued() -> None:
    first = TutorApp("read")
    async with first.run_test(size=SIZE) as pilot:
        await at(pilot, "read")
        await pilot.press("n")
        await at(pilot, "pick")
        await pilot.press("ctrl+q")
    app = TutorApp("guess")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "guess")
        await pilot.press("ctrl+q")
    third = TutorApp()
    async with third.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "step 2 of 8" in shown(third), "home, where to continue")
        await pilot.press("enter")
        await at(pilot, "pick")


async def test_a_broken_lesson_is_a_message_with_its_line_and_the_others_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = tmp_path / "course"
    course.mkdir()
    from tests.ui.conftest import COURSE

    for file in COURSE.iterdir():
        (course / file.name).write_bytes(file.read_bytes())
    broken = (COURSE / "first.yaml").read_text().replace("id: first", "id: second").replace("minutes:", "minutse:")
    (course / "second.yaml").write_text(broken)
    monkeypatch.setenv("NORMTUTOR_COURSE", str(course))
    app = TutorApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "second.yaml:4" in shown(app), "the finding")
        assert "minutes" in shown(app)
        await pilot.press("enter")
        await at(pilot, "read")


async def test_progress_is_counted_and_kept(tmp_path: Path) -> None:
    app = TutorApp("read")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "read")
        await pilot.press("n")
        await at(pilot, "pick")
        await pilot.press("escape", "escape")
        await until(pilot, lambda: "1 of 8 steps" in shown(app), "progress")
        await pilot.press("q")
    assert [event.data["step"] for event in history(tmp_path / "home") if event.kind == "seen"] == ["read"]


async def test_a_journal_that_cannot_be_written_is_said_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = OSError(28, "No space left on device")

    def full(*_: object) -> None:
        raise blocked

    app = TutorApp("read")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "read")
        await until(pilot, lambda: app.study is not None and not app.study.saving, "saved")
        with monkeypatch.context() as patched:
            patched.setattr("tutor.memory.journal._RunFile.write", full)
            await pilot.press("n")
            await at(pilot, "pick")
            await until(pilot, lambda: "NOT SAVED" in shown(app), "the warning")
            assert "disk is full" in shown(app)
        assert app.study is not None
        app.study.retry()
        await until(pilot, lambda: "NOT SAVED" not in shown(app), "saved again")
        await pilot.press("ctrl+q")
    steps = [event.data["step"] for event in history(tmp_path / "home") if event.kind == "opened"]
    assert steps == ["read", "pick"]


def test_journal_and_app_agree_on_the_directory(tmp_path: Path) -> None:
    assert Journal().directory == tmp_path / "home"
