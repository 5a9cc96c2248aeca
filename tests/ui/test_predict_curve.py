"""A prediction that is a curve, in a lesson, by keys alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernels.curve import Curve
from tests.ui.conftest import ScriptedSession
from tests.ui.helpers import at, history, ready, shown, until
from tutor.runtime.outputs import Finished
from tutor.ui.app import TutorApp
from tutor.ui.widgets.sketch_pad import SketchPad

SIZE = (80, 40)
LESSON = """\
id: curves
title: {vi: Đường cong, en: Curves}
minutes: 5
steps:
- id: growth
  kind: predict
  prompt: {vi: Variance đi đâu?, en: Where does the variance go?}
  cell: |
    pre = hidden_variance(Stack("pre", depth=48))
  ask:
    curve: {value: pre, x: [0, 48], x_label: {vi: tầng, en: layer}, why: {vi: Cộng dồn., en: It adds up.}}
"""
LAYERS = tuple(range(49))
PRE = Curve("pre", LAYERS, tuple(1.0 + layer for layer in LAYERS))


@pytest.fixture(autouse=True)
def course(surroundings: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = tmp_path / "course"
    root.mkdir()
    (root / "curves.yaml").write_text(LESSON, encoding="utf-8")
    monkeypatch.setenv("NORMTUTOR_COURSE", str(root))


async def test_a_curve_is_sketched_committed_run_and_judged(tmp_path: Path) -> None:
    app = TutorApp("growth")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "growth")
        await ready(pilot)
        session = app.python.session
        assert isinstance(session, ScriptedSession)
        session.finished = Finished("ok", 0.2, values={"value": repr(json.dumps(PRE.to_dict()))})
        await until(pilot, lambda: isinstance(app.focused, SketchPad), "the pad")
        await pilot.press("ctrl+j")
        assert session.ran == []  # nothing runs before there is a prediction
        await pilot.press("2", "right", "down")
        await until(pilot, lambda: "layer 19" in shown(app), "the point")
        await pilot.press("enter")
        await until(pilot, lambda: "Prediction locked" in shown(app), "committed")
        await pilot.press("ctrl+j")
        await until(pilot, lambda: "It adds up." in shown(app), "the verdict")
        await until(
            pilot, lambda: "measured 49.0" in shown(app) and "your prediction 49.0" in shown(app), "both curves"
        )
        await pilot.press("ctrl+q")
    (answer,) = [event.data for event in history(tmp_path / "home") if event.kind == "answered"]
    assert answer["verdict"]["verdict"] == "right"
    factors = [float(word) for word in answer["answer"].split()]
    assert len(factors) == 6 and factors[0] == 1 and factors[-1] == pytest.approx(49, rel=1e-3)


async def test_a_sketch_is_kept_when_the_app_ends_before_the_run() -> None:
    first = TutorApp("growth")
    async with first.run_test(size=SIZE) as pilot:
        await at(pilot, "growth")
        await until(pilot, lambda: isinstance(first.focused, SketchPad), "the pad")
        await pilot.press("5", "enter")
        await until(pilot, lambda: "Prediction locked" in shown(first), "committed")
        await pilot.press("ctrl+q")
    second = TutorApp("growth")
    async with second.run_test(size=SIZE) as pilot:
        screen = await at(pilot, "growth")
        await until(pilot, lambda: "Prediction locked" in shown(second), "committed still")
        assert screen.query_one(SketchPad).sketch.factors[-1] == pytest.approx(1e-6)
