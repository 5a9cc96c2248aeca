"""What the tests of the screens share: waiting for what should happen, and reading the screen as text."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from tutor.memory import journal
from tutor.memory.events import Event
from tutor.ui.app import TutorApp
from tutor.ui.screens.lesson import LessonScreen
from tutor.ui.steps.base import StepView

PATIENCE = 20.0


async def until(pilot: Pilot[Any], condition: Callable[[], object], what: str = "") -> None:
    """Let the app work until `condition` holds; the test fails when it does not within `PATIENCE` seconds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"never happened: {what}\n{shown(pilot.app)}"
        await pilot.pause(0.01)
    await pilot.pause()


def shown(app: Any) -> str:
    """The screen as text."""
    return "\n".join("".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips())


async def ready(pilot: Pilot[Any]) -> None:
    """The course is read and the kernel is up."""
    app = pilot.app
    assert isinstance(app, TutorApp)
    await until(
        pilot,
        lambda: app.study is not None and app.python.session is not None and app.python.device is not None,
        "start",
    )


async def at(pilot: Pilot[Any], step: str) -> LessonScreen:
    """Wait until the lesson screen shows `step`."""

    def there() -> bool:
        screen = pilot.app.screen
        if not isinstance(screen, LessonScreen):
            return False
        return any(view.step.id == step and view.is_mounted for view in screen.query(StepView))

    await until(pilot, there, f"step {step}")
    assert isinstance(pilot.app.screen, LessonScreen)
    return pilot.app.screen


def history(home: Path) -> tuple[Event, ...]:
    """What the journal holds on disk."""
    return journal.read(home).events
