"""Consent to share answers, given and taken back from the command palette."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.ui.helpers import history, ready, shown, until
from tutor.memory.progress import fold
from tutor.memory.sharing import agreed
from tutor.text import i18n
from tutor.ui.app import TutorApp


async def choose(pilot: Pilot[Any], words: str, entry: str) -> None:
    """Ctrl+p, a few letters, enter."""
    await pilot.press("ctrl+p", *words)
    await until(pilot, lambda: entry in shown(pilot.app), entry)
    await pilot.press("down", "enter")


@pytest.mark.parametrize(
    ("lang", "allow", "stop"),
    [
        ("en", ("allow", "Allow sharing answers"), ("stop sh", "Stop sharing answers")),
        ("vi", ("cho ph", "Cho phép chia sẻ câu trả lời"), ("thôi", "Thôi chia sẻ câu trả lời")),
    ],
)
async def test_it_is_off_and_can_be_switched(
    tmp_path: Path, lang: i18n.Lang, allow: tuple[str, str], stop: tuple[str, str]
) -> None:
    i18n.set_language(lang)
    app = TutorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        assert not app.sharing.agreed
        await choose(pilot, *allow)
        await until(pilot, lambda: app.sharing.agreed, "agreed")
        await choose(pilot, *stop)
        await until(pilot, lambda: not app.sharing.agreed, "no longer")
        await choose(pilot, *allow)
        await until(pilot, lambda: app.sharing.agreed, "agreed again")
        await pilot.press("ctrl+q")
    assert agreed(fold(history(tmp_path / "home")).settings)
