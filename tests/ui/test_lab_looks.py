"""How the lab looks, as pictures: `pytest tests/ui/test_lab_looks.py --snapshot-update` after looking at the report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.ui.helpers import shown, until
from tests.ui.test_lab import lab, scripted  # noqa: F401   a fixture is used by being there
from tutor.text import i18n
from tutor.ui.app import TutorApp

Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing moves."""
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


async def saved(pilot: Pilot[Any]) -> None:
    app = pilot.app
    assert isinstance(app, TutorApp)
    await until(pilot, lambda: app.study is not None and not app.study.saving, "saved")
    await until(pilot, lambda: app.python.session is not None, "Python")


@pytest.mark.parametrize(("size", "lang"), [((80, 24), "en"), ((120, 40), "vi")], ids=str)
def test_a_run_with_its_prediction(snap_compare: Compare, size: tuple[int, int], lang: i18n.Lang) -> None:
    i18n.set_language(lang)

    async def settle(pilot: Pilot[Any]) -> None:
        screen = await lab(pilot)
        screen.state.guess = "pre"
        await pilot.press("p")
        await until(pilot, lambda: "pre: " in shown(pilot.app), "the pad")
        await pilot.press("2", "right", "down", "down", "down", "enter")
        await until(pilot, lambda: screen.state.run is not None, "the run")
        await pilot.press("right", "right")
        await until(pilot, lambda: " 25 " in shown(pilot.app), "the cursor")
        await saved(pilot)

    assert snap_compare(TutorApp(), terminal_size=size, run_before=settle)


def test_the_parameters(snap_compare: Compare) -> None:
    async def settle(pilot: Pilot[Any]) -> None:
        screen = await lab(pilot, "warmup")
        await pilot.press("e", "down")
        await until(pilot, lambda: "warmup: steps of warm-up" in shown(pilot.app), "what it is")
        assert screen.state.run is None
        await saved(pilot)

    assert snap_compare(TutorApp(), terminal_size=(80, 24), run_before=settle)
