"""Where claims come from, and whether they held here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tutor.course.load import load_course
from tutor.memory import events
from tutor.memory.events import Event
from tutor.memory.held import account, measurements
from tutor.memory.measured import figures, machine, noted
from tutor.memory.progress import fold

LESSON = """\
id: held
title: {vi: Bài, en: Lesson}
minutes: 1
sources:
- {id: xiong2020, title: On Layer Normalization, authors: Xiong et al., year: 2020, where: arXiv 2002.04745}
steps:
- id: read
  kind: text
  claims: [grows, said]
  body: {vi: "Theo Xiong và cộng sự 2020.", en: "By Xiong et al. 2020."}
- id: measure
  kind: cell
  title: {vi: Đo, en: Measure}
  claims: [grows]
  code: ratio = 60
  figures:
    ratio: {value: ratio, low: 54, high: 66}
- id: guess
  kind: predict
  claims: [grows]
  prompt: {vi: Gì?, en: What?}
  cell: v = 2
  ask:
    choice:
    - {id: more, text: {vi: nhiều hơn, en: more}, true_if: v > 1}
    - {id: less, text: {vi: ít hơn, en: less}, true_if: v <= 1}
- {id: quiet, kind: text, body: {vi: a, en: b}}
"""
CLAIMS = """\
- id: grows
  from: {vi: mục 4.3, en: section 4.3}
  verdict: reversed
  show: measure
  claim: {vi: "Nó co lại, $x^2$.", en: "It shrinks, $x^2$."}
  note: {vi: Ngược lại., en: The other way round.}
- {id: said, from: a book, verdict: open, show: cite, claim: {vi: Có người nói., en: Somebody said so.}}
"""


@pytest.fixture
def course(tmp_path):
    (tmp_path / "held.yaml").write_text(LESSON, encoding="utf-8")
    (tmp_path / "claims.yaml").write_text(CLAIMS, encoding="utf-8")
    return load_course(tmp_path)


def happened(*said: tuple[str, dict]) -> list[Event]:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    return [
        Event(str(number), 1, start + timedelta(seconds=number), 0, "s", kind, data)
        for number, (kind, data) in enumerate(said)
    ]


def told(course, history: list[Event], step: str = "read", lang="en") -> str:
    progress = fold(history)
    lesson, index = course.find(step)
    return account(course, progress, figures(course, progress), lesson.steps[index], lang)


def test_a_claim_is_told_with_its_source_and_what_is_known_of_it(course):
    text = told(course, [])
    assert (
        "> It shrinks, $x^2$.\n\nFrom: section 4.3\n\n**✗ Often met, and the opposite is true.** The other way" in text
    )
    assert "- **Measure**: it has not run yet\n- **guess**: not predicted yet" in text
    assert "> Somebody said so.\n\nFrom: a book\n\n**? Open:" in text
    assert "Nothing here measures it: it is cited." in text
    assert text.endswith("**Sources named here**\n\n- Xiong et al. (2020). On Layer Normalization. arXiv 2002.04745.")
    vietnamese = told(course, [], lang="vi")
    assert "> Nó co lại, $x^2$.\n\nNguồn: mục 4.3\n\n**✗ Hay gặp, nhưng sự thật ngược lại.** Ngược lại." in vietnamese
    assert told(course, [], "quiet") == ""


def ran(course, step: str, **data) -> tuple[str, dict]:
    lesson, index = course.find(step)
    return events.RAN, {"step": step, "ok": True, **noted(lesson.steps[index], data)}


@pytest.mark.parametrize(("picked", "right"), [("more", True), ("less", False)])
def test_what_was_measured_here_is_told(course, picked, right):
    checks = [{"id": "more", "passed": True, "message": "x"}, {"id": "less", "passed": False, "message": "y"}]
    verdict = {"step": "guess", "verdict": "right" if right else "wrong", "checks": checks}
    history = happened(
        ran(course, "measure", ratio=61.2),
        ran(course, "guess"),
        (events.ANSWERED, {"step": "guess", "answer": picked, "verdict": verdict}),
    )
    text = told(course, history, "measure")
    assert "- **Measure**: it has run\n  - `ratio`: 61 (in the course: 54 to 66)\n" in text
    said = "it came out as you predicted: more" if right else "it came out otherwise than predicted: more"
    assert f"- **guess**: {said}" in text
    assert "Sources named here" not in text, "this step names none"
    assert ": nhiều hơn" in told(course, history, lang="vi")
    found = measurements(course, fold(history), figures(course, fold(history)), "grows")
    assert [(one.step.id, one.ran, one.predicted, one.outcome, one.figures) for one in found] == [
        ("measure", True, None, (), {"ratio": 61.2}),
        ("guess", True, right, ("more",), {}),
    ]


def test_figures_belong_to_a_machine_and_the_last_run_counts(course, monkeypatch):
    elsewhere = ran(course, "measure", ratio=99.0)
    elsewhere[1]["machine"] = "elsewhere"
    history = happened(ran(course, "measure", ratio=55.0), ran(course, "measure", ratio=61.2), elsewhere)
    assert figures(course, fold(history)).measured == {"measure": {"ratio": 61.2}}
    without = happened(ran(course, "measure", ratio=55.0), (events.RAN, {"step": "measure", "ok": False}))
    assert figures(course, fold(without)).measured == {"measure": {"ratio": 55.0}}
    monkeypatch.setattr("platform.node", lambda: "elsewhere")
    assert machine() == "elsewhere"
    assert figures(course, fold(history)).measured == {"measure": {"ratio": 99.0}}


def test_a_run_with_figures_that_are_none_is_left_alone(course):
    broken = happened((events.RAN, {"step": "measure", "ok": True, "figures": {"ratio": "61"}, "machine": machine()}))
    assert figures(course, fold(broken)).measured == {}
