"""How the screens look, as pictures: `pytest tests/ui/test_looks.py --snapshot-update` after looking at the report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import TextArea

from tests.ui.conftest import CURVES, ScriptedSession
from tests.ui.helpers import at, ready, shown, until
from tutor.runtime.outputs import Finished
from tutor.text import i18n
from tutor.ui.app import TutorApp

Compare = Callable[..., bool]
SIZES = [(80, 24), (120, 40)]


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """No blinking cursor, no clock."""
    monkeypatch.setattr(TextArea, "cursor_blink", False)
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("lang", ["en", "vi"])
def test_home(snap_compare: Compare, size: tuple[int, int], lang: i18n.Lang) -> None:
    i18n.set_language(lang)

    async def settle(pilot: Pilot[Any]) -> None:
        await ready(pilot)
        await until(pilot, lambda: "▱" in shown(pilot.app), "the lessons")

    assert snap_compare(TutorApp(), terminal_size=size, run_before=settle)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_text_step(snap_compare: Compare, size: tuple[int, int]) -> None:
    async def settle(pilot: Pilot[Any]) -> None:
        await at(pilot, "read")
        await ready(pilot)
        await saved(pilot)

    assert snap_compare(TutorApp("read"), terminal_size=size, run_before=settle)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("lang", ["en", "vi"])
def test_prediction_settled(snap_compare: Compare, size: tuple[int, int], lang: i18n.Lang) -> None:
    i18n.set_language(lang)

    async def settle(pilot: Pilot[Any]) -> None:
        await at(pilot, "guess")
        await ready(pilot)
        session = pilot.app.python.session  # type: ignore[attr-defined]
        assert isinstance(session, ScriptedSession)
        session.outputs = [CURVES]
        session.finished = Finished("ok", 0.2, values={"a-wins": "False", "b-wins": "True"})
        await pilot.press("enter", "ctrl+j")
        await until(pilot, lambda: "✗" in shown(pilot.app), "the verdict")
        await saved(pilot)

    assert snap_compare(TutorApp("guess"), terminal_size=size, run_before=settle)


def test_not_sure(snap_compare: Compare) -> None:
    async def settle(pilot: Pilot[Any]) -> None:
        await at(pilot, "tell")
        await ready(pilot)
        await pilot.press(*"somewhere", "enter")
        await until(pilot, lambda: "[ ]" in shown(pilot.app), "what to tick")
        await saved(pilot)

    assert snap_compare(TutorApp("tell"), terminal_size=(80, 24), run_before=settle)


def test_steps_list(snap_compare: Compare) -> None:
    async def settle(pilot: Pilot[Any]) -> None:
        await at(pilot, "read")
        await ready(pilot)
        await saved(pilot)
        await pilot.press("t")
        await until(pilot, lambda: "Telling" in shown(pilot.app), "the list")

    assert snap_compare(TutorApp("read"), terminal_size=(80, 24), run_before=settle)


def test_help(snap_compare: Compare) -> None:
    async def settle(pilot: Pilot[Any]) -> None:
        await ready(pilot)
        await pilot.press("question_mark")
        await until(pilot, lambda: "quit; everything is saved" in shown(pilot.app), "the help")

    assert snap_compare(TutorApp(), terminal_size=(80, 30), run_before=settle)


async def saved(pilot: Pilot[Any]) -> None:
    """Everything is on disk, and the screen says so."""
    app = pilot.app
    assert isinstance(app, TutorApp)
    await until(pilot, lambda: app.study is not None and not app.study.saving, "saved")
