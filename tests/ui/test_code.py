from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.ui.helpers import at, history, shown, until
from tutor.grading.verdict import Check, Named, Verdict
from tutor.ui.app import TutorApp
from tutor.ui.widgets.cell import Editor

SIZE = (80, 40)
WRONG = Verdict(
    step="write",
    verdict="wrong",
    score=0.5,
    misconception=Named("eps", "You left eps out."),
    checks=(Check("a", False, "Small variance: y is 2, expected 1"), Check("b", True, "Random rows")),
    feedback="1 of 2 checks pass.",
)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The answers that were handed in; the verdict is `WRONG` unless the code holds "solved"."""
    answers: list[str] = []

    async def grade_code(step: Any, answer: str, *, on_progress: Callable[[int, int], None], **_: Any) -> Verdict:
        answers.append(answer)
        on_progress(1, 2)
        return Verdict(step=step.id, verdict="right", score=1.0) if "solved" in answer else WRONG

    monkeypatch.setattr("tutor.grading.code.grade_code", grade_code)
    return answers


async def test_an_exercise_is_reported_check_by_check_and_solved(judged: list[str], tmp_path: Any) -> None:
    app = TutorApp("write")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "write")
        await pilot.press("f5")
        await until(pilot, lambda: "You left eps out." in shown(app), "the mistake named")
        assert "✗ Small variance: y is 2, expected 1" in shown(app)
        assert "✓ Random rows" in shown(app)
        assert "A solution:" not in shown(app)
        await pilot.press("e", *"# solved ", "ctrl+j")
        await until(pilot, lambda: "A solution:" in shown(app), "the solution after passing")
        assert judged[1].startswith("# solved")
        await pilot.press("ctrl+q")
    verdicts = [event.data["verdict"]["verdict"] for event in history(tmp_path / "home") if event.kind == "answered"]
    assert verdicts == ["wrong", "right"]


async def test_hints_open_one_by_one_and_are_counted(judged: list[str], tmp_path: Any) -> None:
    app = TutorApp("write")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "write")
        assert "Think of the root." not in shown(app)
        await pilot.press("h")
        await until(pilot, lambda: "Think of the root." in shown(app), "the hint")
        await pilot.press("f5")
        await until(pilot, lambda: judged, "handed in")
        await pilot.press("ctrl+q")
    assert [event.data["hints"] for event in history(tmp_path / "home") if event.kind == "answered"] == [1]


async def test_giving_up_shows_a_solution(judged: list[str]) -> None:
    app = TutorApp("write")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "write")
        await pilot.press("g")
        await until(pilot, lambda: "A solution:" in shown(app), "the solution")
        assert judged == []
        await pilot.press("t")
        await until(pilot, lambda: "– " in shown(app) and "given up" in shown(app), "the list says so")
        assert app.study is not None and not app.study.progress.done(app.study.course.lessons[0].steps[6])


async def test_the_judge_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    async def never(*_: Any, **__: Any) -> Verdict:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr("tutor.grading.code.grade_code", never)
    app = TutorApp("write")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "write")
        await pilot.press("f5")
        await until(pilot, lambda: app.judge.running == "write", "judging")
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.judge.running is None, "stopped")
        assert app.study is not None and not app.study.progress.done(app.study.course.lessons[0].steps[6])


async def test_a_claim_is_settled_by_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    async def search(step: Any, answer: str, **_: Any) -> Verdict:
        right = answer == "fails"
        return Verdict(step=step.id, verdict="right" if right else "wrong", feedback="x = [1, 2] breaks it.")

    monkeypatch.setattr("tutor.grading.code.grade_code", search)
    app = TutorApp("shift")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "shift")
        await pilot.press("enter")
        await until(pilot, lambda: "x = [1, 2] breaks it." in shown(app), "the counterexample")
        assert "✓ There is a counterexample." in shown(app)
        assert "✗ It always holds." in shown(app)


async def test_the_starter_comes_back_by_f2(judged: list[str]) -> None:
    app = TutorApp("write")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "write")
        await pilot.press("e", *"# mine ", "f2")
        assert app.screen.query_one(Editor).text.startswith("def rms_norm")
