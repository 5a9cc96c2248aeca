"""The end of a lesson: what to revisit, and the way to the steps that teach it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.helpers import at, history, shown, until
from tutor.text import i18n
from tutor.ui.app import TutorApp
from tutor.ui.screens.summary import SummaryScreen

TEACHES = """
id: a-lesson
title: {vi: Bài dạy, en: The lesson}
minutes: 1
steps:
- {id: intro, kind: text, title: {vi: Mở đầu, en: Opening}, body: x}
- {id: explain, kind: text, title: {vi: Giảng, en: Explaining}, claims: [c1], body: Here it is taught.}
- {id: more, kind: text, title: {vi: Giảng thêm, en: Explaining more}, claims: [c2], body: x}
"""
ASKS = """
id: the-end
title: {vi: Hỏi, en: The questions}
minutes: 1
needs: [a-lesson]
steps:
- id: one
  kind: choice
  title: {vi: Câu một, en: Question one}
  claims: [c1]
  prompt: x
  options: [{id: a, text: a, right: true}, {id: b, text: b, why: {vi: Không., en: "No."}}]
- id: two
  kind: choice
  title: {vi: Câu hai, en: Question two}
  claims: [c1, c2]
  prompt: x
  options: [{id: a, text: a, right: true}, {id: b, text: b, why: {vi: Không., en: "No."}}]
- id: three
  kind: choice
  title: {vi: Câu ba, en: Question three}
  prompt: x
  options: [{id: a, text: a, right: true}, {id: b, text: b, why: {vi: Không., en: "No."}}]
"""
SIZE = (80, 24)


@pytest.fixture(autouse=True)
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "course"
    root.mkdir()
    (root / "a-lesson.yaml").write_text(TEACHES, encoding="utf-8")
    (root / "the-end.yaml").write_text(ASKS, encoding="utf-8")
    monkeypatch.setenv("NORMTUTOR_COURSE", str(root))


async def summary(pilot) -> None:
    """Past the last step."""
    await at(pilot, "three")
    await pilot.press("n")
    await until(
        pilot, lambda: isinstance(pilot.app.screen, SummaryScreen) and "Home" in shown(pilot.app), "the summary"
    )
    return pilot.app


async def test_each_open_question_stands_over_the_steps_that_teach_it() -> None:
    app = TutorApp("three")
    async with app.run_test(size=SIZE) as pilot:
        await summary(pilot)
        lines = [line.strip("│┃ ▁▔").strip() for line in shown(app).splitlines()]
        listed = [line for line in lines if "Question" in line or "→" in line]
        assert [line.split("  ")[0] for line in listed] == [
            "1 Question one",
            "→ The lesson, 2. Explaining",
            "2 Question two",
            "→ The lesson, 2. Explaining",
            "→ The lesson, 3. Explaining more",
            "3 Question three",
        ]


async def test_l_opens_what_teaches_the_question_and_esc_comes_back_to_the_summary(tmp_path: Path) -> None:
    app = TutorApp("three")
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await summary(pilot)
        await pilot.press("l")
        await at(pilot, "explain")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, SummaryScreen), "the summary again")
        await pilot.press("home", "down", "down", "down", "down", "l")
        await at(pilot, "more")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, SummaryScreen), "the summary again")
        await pilot.press("home", "down", "enter")
        await at(pilot, "explain")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, SummaryScreen), "the summary again")
        await pilot.press("end", "up", "l")
        await until(pilot, lambda: "No step of the course teaches this" in shown(app), "the note")
        await pilot.press("home", "enter")
        await at(pilot, "one")
        await pilot.press("ctrl+q")
    opened = [event.data["step"] for event in history(tmp_path / "home") if event.kind == "opened"]
    assert opened[-3:] == [None, "three", "one"], "the next start is in the questions again, not at home"


async def test_what_was_answered_meanwhile_counts() -> None:
    app = TutorApp("three")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "three")
        await pilot.press("enter")
        await until(pilot, lambda: "Right." in shown(app), "the verdict")
        await summary(pilot)
        assert "1 of 3 questions right." in shown(app)
        assert "Question three" not in shown(app)


async def test_it_speaks_vietnamese() -> None:
    i18n.set_language("vi")
    app = TutorApp("three")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "three")
        await pilot.press("n")
        await until(pilot, lambda: "→ Bài dạy, 2. Giảng" in shown(app), "where it is taught")
        assert "l bài đã dạy" in shown(app)


async def test_a_long_list_leaves_room_for_its_keys(tmp_path: Path) -> None:
    question = ASKS[ASKS.index("- id: three") :]
    more = "".join(question.replace("three", f"q{n}").strip() + "\n" for n in range(20))
    (tmp_path / "course" / "the-end.yaml").write_text(ASKS + more, encoding="utf-8")
    app = TutorApp("q19")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "q19")
        await pilot.press("n")
        await until(pilot, lambda: "l where it is taught" in shown(app), "the keys")
        assert "Home" in shown(app)
        await pilot.press("home")
        await until(pilot, lambda: "Question one" in shown(app), "the first question")
        assert "l where it is taught" in shown(app)
