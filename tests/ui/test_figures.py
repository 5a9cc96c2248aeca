"""Texts that quote figures, before and after the learner's own cells have measured them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.conftest import ScriptedSession
from tests.ui.helpers import at, history, ready, shown, until
from tutor.memory.events import RAN
from tutor.runtime.outputs import Finished
from tutor.runtime.session import State
from tutor.ui.app import TutorApp
from tutor.ui.widgets.cell import Editor

LESSON = r"""
id: figures
title: {vi: Số đo, en: Figures}
minutes: 1
steps:
- id: before
  kind: cell
  code: |
    start = 1
- id: measure
  kind: cell
  about: {vi: "Tỉ số {{measure.ratio}}.", en: "A ratio of {{measure.ratio}}."}
  code: |
    ratio = 60
  figures:
    ratio: {value: ratio, low: 54, high: 66}
- id: guess
  kind: predict
  prompt: {vi: "Bao nhiêu?", en: "Which?"}
  cell: |
    v = 2
  ask:
    choice:
    - {id: more, text: {vi: hơn, en: more}, true_if: v > 1}
    - {id: less, text: {vi: kém, en: less}, true_if: v <= 1}
  why: {vi: "Đo được {{guess.v}}.", en: "We measured {{guess.v}}."}
  figures:
    v: {value: v, low: 1.5, high: 2.5}
- id: quote
  kind: text
  body: {vi: "Lớn gấp {{measure.ratio}} lần.", en: "Larger by {{measure.ratio}} times."}
"""
SIZE = (80, 24)
MEASURED = Finished("ok", 0.1, values={"figure.ratio": "61.2"})


@pytest.fixture(autouse=True)
def course(surroundings: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "figures.yaml").write_text(LESSON, encoding="utf-8")
    monkeypatch.setenv("NORMTUTOR_COURSE", str(tmp_path / "figures.yaml"))


def session_of(app: TutorApp) -> ScriptedSession:
    assert isinstance(app.python.session, ScriptedSession)
    return app.python.session


async def test_a_text_shows_the_range_until_the_cell_has_run_here_and_then_what_it_measured(tmp_path: Path) -> None:
    app = TutorApp("quote")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await at(pilot, "quote")
        await until(pilot, lambda: "Larger by 54 to 66 times." in shown(app), "the range")
        await pilot.press("p", "p")
        await at(pilot, "measure")
        session_of(app).finished = MEASURED
        await pilot.press("ctrl+j")
        await until(pilot, lambda: "A ratio of 61*." in shown(app), "what the cell is about, again")
        await pilot.press("n", "n")
        await at(pilot, "quote")
        await until(pilot, lambda: "Larger by 61* times." in shown(app), "the measurement")
        await pilot.press("v")
        await until(pilot, lambda: "Lớn gấp 61* lần." in shown(app), "in Vietnamese")
        assert "* đo trên máy này" in shown(app)
    (ran,) = [event.data for event in history(tmp_path / "home") if event.kind == RAN]
    assert ran["figures"] == {"ratio": 61.2}
    again = TutorApp("quote")
    async with again.run_test(size=SIZE) as pilot:
        await at(pilot, "quote")
        await until(pilot, lambda: "Lớn gấp 61* lần." in shown(again), "the journal remembers")


@pytest.mark.parametrize(
    ("old", "new"),
    [("    ratio = 60\n", "    ratio = 59\n"), ("machine", "machine")],
    ids=["the cell is another now", "another machine measured"],
)
async def test_what_another_cell_or_machine_measured_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str
) -> None:
    app = TutorApp("measure")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await at(pilot, "measure")
        session_of(app).finished = MEASURED
        await pilot.press("ctrl+j")
        await until(pilot, lambda: "measured on this machine" in shown(app), "the measurement")
    if old == "machine":
        monkeypatch.setattr("platform.node", lambda: "elsewhere")
    else:
        (tmp_path / "figures.yaml").write_text(LESSON.replace(old, new), encoding="utf-8")
    again = TutorApp("quote")
    async with again.run_test(size=SIZE) as pilot:
        await at(pilot, "quote")
        await until(pilot, lambda: "Larger by 54 to 66 times." in shown(again), "the range")


async def test_what_altered_code_measures_is_another_experiment_until_python_starts_again() -> None:
    app = TutorApp("before")
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await at(pilot, "before")
        app.screen.query_one(Editor).insert("start = 2\n")
        await pilot.press("ctrl+j")
        study = app.study
        assert study is not None
        await until(pilot, lambda: "before" in study.progress.runs, "the altered cell has run")
        await pilot.press("alt+right")
        await at(pilot, "measure")
        session_of(app).finished = MEASURED
        await pilot.press("ctrl+j")
        await until(pilot, lambda: "measure" in study.progress.runs, "the cell has run")
        assert "A ratio of 54 to 66." in shown(app)
        session_of(app)._to(State.STARTING)
        session_of(app)._to(State.READY)
        await pilot.press("ctrl+j")
        await until(pilot, lambda: "A ratio of 61*." in shown(app), "the measurement")
        app.screen.query_one(Editor).insert("ratio = 70\n")
        session_of(app).finished = Finished("ok", 0.1, values={"figure.ratio": "70.0"})
        await pilot.press("ctrl+j")
        await until(pilot, lambda: study.progress.runs["measure"].code_changed, "the altered cell has run")
        assert "A ratio of 61*." in shown(app)


async def test_a_prediction_is_explained_with_what_its_run_measured() -> None:
    app = TutorApp("guess")
    async with app.run_test(size=(80, 40)) as pilot:
        await ready(pilot)
        await at(pilot, "guess")
        session_of(app).finished = Finished("ok", 0.1, values={"more": "True", "less": "False", "figure.v": "2.0"})
        await pilot.press("enter", "ctrl+j")
        await until(pilot, lambda: "We measured 2.0*." in shown(app), "why")
        assert "* measured on this machine" in shown(app)
        await pilot.press("v")
        await until(pilot, lambda: "Đo được 2,0*." in shown(app), "why, in Vietnamese")


async def test_one_key_tells_where_a_step_comes_from_and_what_was_measured(tmp_path: Path) -> None:
    lesson = LESSON.replace("  kind: text\n", "  kind: text\n  claims: [grows]\n")
    lesson = lesson.replace("- id: measure\n  kind: cell\n", "- id: measure\n  kind: cell\n  claims: [grows]\n")
    (tmp_path / "figures.yaml").write_text(lesson, encoding="utf-8")
    claims = "- {id: grows, from: section 4.3, verdict: refined, show: measure, claim: {vi: Nó tăng., en: It grows.}}\n"
    (tmp_path / "claims.yaml").write_text(claims, encoding="utf-8")
    app = TutorApp("measure")
    async with app.run_test(size=(80, 40)) as pilot:
        await ready(pilot)
        await at(pilot, "measure")
        session_of(app).finished = MEASURED
        await pilot.press("ctrl+j")
        await until(pilot, lambda: "measured on this machine" in shown(app), "the measurement")
        await pilot.press("n", "n")
        await at(pilot, "quote")
        await pilot.press("w")
        await until(pilot, lambda: "│ It grows." in shown(app), "the claim")
        text = shown(app)
        assert "From: section 4.3" in text and "Often met, and only a part of the truth." in text
        assert "ratio: 61 (in the course: 54 to 66)" in text
        await pilot.press("w")
        await at(pilot, "quote")
        await pilot.press("p")
        await at(pilot, "guess")
        await pilot.press("w")
        await until(pilot, lambda: "no claim of its own" in str([*app._notifications]), "there is none")
        names = [command.title for command in app.get_system_commands(app.screen)]
        assert "Where this comes from, and whether it held here" in names
