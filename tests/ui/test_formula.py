"""Formulas in the app, by keys alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input, Static

from tests.ui.helpers import at, history, shown, until
from tutor.ui.app import TutorApp

SIZE = (80, 24)
LESSON = """\
id: formulas
title: {vi: Công thức, en: Formulas}
minutes: 5
steps:
- id: chain
  kind: formula
  prompt: {vi: Viết đạo hàm., en: Write down the derivative.}
  symbols: {x: vector, I: identity, F: {kind: map, jacobian: J}, J: matrix}
  accept: [I + J]
  wrong:
  - {form: J, say: {vi: Thiếu I., en: The identity is missing.}}
  why: {vi: Tổng các đạo hàm., en: The derivatives add up.}
- id: rms
  kind: formula
  prompt: {vi: RMSNorm?, en: RMSNorm?}
  symbols: {x: vector, gamma: vector, eps: positive}
  statistics: [mean]
  accept: [gamma x / sqrt(mean(x^2) + eps)]
"""


@pytest.fixture(autouse=True)
def course(surroundings: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = tmp_path / "course"
    root.mkdir()
    (root / "formulas.yaml").write_text(LESSON, encoding="utf-8")
    monkeypatch.setenv("NORMTUTOR_COURSE", str(root))


def understood(app: TutorApp) -> str:
    return str(app.screen.query_one("#understood", Static).render())


async def test_a_formula_is_drawn_while_it_is_typed_and_judged(tmp_path: Path) -> None:
    app = TutorApp("chain")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "chain")
        await until(pilot, lambda: isinstance(app.focused, Input), "the field")
        await pilot.press(*"dF/dx")
        await until(pilot, lambda: "∂F" in understood(app) and "∂x" in understood(app), "a fraction")
        assert len(understood(app).split("\n")) == 3
        await pilot.press("enter")
        await until(pilot, lambda: "Not right." in shown(app), "the verdict")
        assert "The identity is missing." in shown(app) and "The derivatives add up." in shown(app)
        await pilot.press("m")
        await until(pilot, lambda: "I + J" in shown(app), "the right formula")
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.focused, Input) and "Not right." not in shown(app), "another try")
        assert "I + J" not in shown(app)
        await pilot.press(*" + I", "enter")
        await until(pilot, lambda: "Right." in shown(app), "the second verdict")
        await pilot.press("ctrl+q")
    answered = [event.data for event in history(tmp_path / "home") if event.kind == "answered"]
    judged = [(data["answer"], data["verdict"]["verdict"]) for data in answered]
    assert judged == [
        ("dF/dx", "wrong"),
        ("dF/dx + I", "right"),
    ]


async def test_what_cannot_be_read_leaves_no_drawing_of_a_part_of_it() -> None:
    app = TutorApp("rms")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "rms")
        await pilot.press(*"x/eps")
        await until(pilot, lambda: "─" in understood(app), "the drawing")
        await pilot.press(*"]]")
        await until(pilot, lambda: "Not readable yet" in understood(app), "why not")
        assert "“]” is not expected here" in understood(app)
        assert "─" not in understood(app) and "x" not in understood(app).replace("expected", "")
        await pilot.press("backspace", "backspace")
        await until(pilot, lambda: "─" in understood(app) and "Not" not in understood(app), "the drawing again")
        await pilot.press("ctrl+q")


async def test_what_cannot_be_read_yet_says_why_below_what_could_be() -> None:
    app = TutorApp("rms")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "rms")
        await pilot.press(*"x/eps +")
        await until(pilot, lambda: "Not readable yet" in understood(app), "why not")
        assert "ends too early" in understood(app) and "─" in understood(app)
        await pilot.press(*" y")
        await until(pilot, lambda: "y" in understood(app).rpartition("Not readable yet")[2], "another reason")
        await pilot.press("enter")
        await until(pilot, lambda: "does not count" in shown(app), "a free retry")
        assert isinstance(app.focused, Input)
        assert app.study is not None and not app.study.progress.done("rms")
        app.focused.value = "z"
        await until(pilot, lambda: "z" in understood(app), "nothing of it")
        assert "─" not in understood(app)
        app.focused.value = ""
        await until(pilot, lambda: understood(app) == "", "empty")


async def test_a_draft_comes_back_drawn(tmp_path: Path) -> None:
    app = TutorApp("rms")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "rms")
        await pilot.press(*"x/eps")
        await pilot.press("ctrl+q")
    again = TutorApp("rms")
    async with again.run_test(size=SIZE) as pilot:
        await at(pilot, "rms")
        await until(pilot, lambda: "─" in understood(again), "the drawing")
        assert again.screen.query_one(Input).value == "x/eps"


async def test_a_tall_formula_leaves_room_for_the_verdict() -> None:
    app = TutorApp("rms")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "rms")
        app.screen.query_one(Input).value = "x/(1 + 1/(1 + 1/(1 + 1/(1 + eps))))"
        await until(pilot, lambda: understood(app), "the drawing")
        assert len(understood(app).split("\n")) == 1


async def test_hostile_signs_do_not_reach_the_screen_and_reasons_are_in_the_language() -> None:
    app = TutorApp("chain")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "chain")
        app.screen.query_one(Input).value = "I + \x1b]0;x\x07"
        await until(pilot, lambda: "Not readable yet" in understood(app), "why not")
        assert "\x1b" not in understood(app)
        await pilot.press("escape", "v")
        await until(pilot, lambda: "Chưa đọc được" in shown(app), "Vietnamese")
