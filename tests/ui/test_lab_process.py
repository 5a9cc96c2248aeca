"""The lab's screen over its real process: what it measures is drawn, and what is cancelled is gone."""

from __future__ import annotations

import time

import pytest

from tests.ui.helpers import ready, shown, until
from tests.ui.terminal import alive
from tutor.ui.app import TutorApp
from tutor.ui.screens.lab import LabScreen


@pytest.mark.slow
async def test_a_real_run_is_drawn_live_cancelled_within_half_a_second_and_leaves_no_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.ui.helpers.PATIENCE", 90.0)  # torch is loaded here
    app = TutorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        app.open_lab("warmup")
        await until(pilot, lambda: isinstance(app.screen, LabScreen), "the lab")
        screen = app.screen
        assert isinstance(screen, LabScreen)
        for name, value in (("depth", 1), ("d_model", 8), ("steps", 20_000), ("arch", ("pre",))):
            screen.set(screen.state.experiment.parameter(name), value)
        await pilot.press("enter")
        await until(pilot, lambda: "pre, warm-up 0" in shown(app) and "▱" in shown(app), "the live curve")
        lab = app.laboratory._lab
        assert lab is not None and lab.pid is not None
        pid, began = lab.pid, time.monotonic()
        await pilot.press("escape")
        while alive(pid):
            assert time.monotonic() - began < 0.5
            await pilot.pause(0.01)
        await until(pilot, lambda: "Cancelled." in shown(app), "that it is cancelled")
        screen.set(screen.state.experiment.parameter("steps"), 20)
        await pilot.press("enter")
        await until(pilot, lambda: len(app.laboratory.runs) == 1, "a whole run")
        await until(pilot, lambda: "pre, warm-up 0: " in shown(app), "its reading")
        again = lab.pid
        assert again is not None and again != pid
    assert not alive(again)
