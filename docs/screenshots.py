"""Draws the pictures of the README from the real app, the real course and a real kernel: `make screenshots`."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
SIZE = (100, 40)
PATIENCE = 120.0


async def _until(pilot, condition: Callable[[], object]) -> None:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("the app did not get there")
        await pilot.pause(0.05)
    await pilot.pause(0.5)


async def _draw() -> None:
    from tutor.runtime.session import State
    from tutor.ui.app import TutorApp

    app = TutorApp("variance-prediction")
    async with app.run_test(size=SIZE) as pilot:
        await _until(pilot, lambda: app.python.session is not None and app.python.session.state is State.READY)
        await _until(pilot, lambda: app.study is not None and len(app.screen_stack) > 1)
        await pilot.press("enter", "ctrl+j")
        await _until(pilot, lambda: app.study is not None and app.study.progress.verdict("variance-prediction"))
        picture = app.export_screenshot()
    (HERE / "screenshot.svg").write_text(_standalone(picture), encoding="utf-8")
    print(HERE / "screenshot.svg")


def _standalone(picture: str) -> str:
    """The picture without the fonts that it would fetch from elsewhere."""
    picture = re.sub(r"@font-face\s*{[^}]*}", "", picture)
    return picture.replace("Fira Code", "DejaVu Sans Mono")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(NORMTUTOR_HOME=home, NORMTUTOR_LANG="en", TEXTUAL_ANIMATIONS="none")
        asyncio.run(_draw())
