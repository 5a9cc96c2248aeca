"""One key shows the source of what a cell uses."""

from __future__ import annotations

from tests.ui.helpers import at, ready, shown, until
from tutor.ui.app import TutorApp
from tutor.ui.screens.lesson import LessonScreen
from tutor.ui.screens.source import SourceScreen


async def opened(pilot, app: TutorApp, step: str) -> SourceScreen:
    await ready(pilot)
    await at(pilot, step)
    await pilot.press("escape") if app.screen.query("Input:focus") else None
    await pilot.press("s")
    await until(pilot, lambda: isinstance(app.screen, SourceScreen), "the source")
    assert isinstance(app.screen, SourceScreen)
    return app.screen


async def test_it_shows_the_definitions_one_after_another() -> None:
    app = TutorApp("guess")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot, app, "guess")
        assert [found.name for found in screen._found] == ["show", "Curve"]
        assert "def show(" in shown(app) and "kernels/display.py" in shown(app)
        await pilot.press("right")
        assert "class Curve" in shown(app) and "kernels/curve.py" in shown(app)
        await pilot.press("right")
        assert screen.current.name == "show"
        await pilot.press("2")
        assert screen.current.name == "Curve"
        page = screen.query_one("#page")
        await pilot.press("space")
        await until(pilot, lambda: page.scroll_y > 0, "scrolled")
        await pilot.press("left")
        await until(pilot, lambda: page.scroll_y == 0, "at the top again")
        await pilot.press("escape")
        await at(pilot, "guess")


async def test_the_key_is_offered_where_there_is_something_to_show() -> None:
    app = TutorApp("guess")
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        screen = await at(pilot, "guess")
        await until(pilot, lambda: "code inside" in shown(app), "the key")
        assert "Show source" in [command.title for command in screen.commands()]
        await pilot.press("left_square_bracket")
        screen = await at(pilot, "play")
        assert "code inside" not in shown(app)
        assert "Show source" not in [command.title for command in screen.commands()]
        await pilot.press("s")
        await until(pilot, lambda: "no cell that uses" in str([*app._notifications]), "there is none")
        assert isinstance(app.screen, LessonScreen)


async def test_it_is_the_code_as_it_stands() -> None:
    app = TutorApp("play")
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        screen = await at(pilot, "play")
        screen._view.cell.editor.load_text("rms_norm(x)")  # type: ignore[union-attr]
        await until(pilot, lambda: app.study.state(screen.step).code == "rms_norm(x)", "typed")  # type: ignore[union-attr]
        await pilot.press("s")
        await until(pilot, lambda: "def rms_norm(" in shown(app), "its source")
