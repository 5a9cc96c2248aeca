from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from tests.ui.conftest import CURVES
from tests.ui.helpers import history, ready, shown, until
from tutor.memory import events
from tutor.memory.journal import Journal
from tutor.memory.progress import fold
from tutor.memory.quiz import Choice
from tutor.runtime.outputs import Finished
from tutor.ui.app import TutorApp
from tutor.ui.screens.home import HomeScreen
from tutor.ui.screens.lesson import LessonScreen
from tutor.ui.screens.review import ReviewScreen
from tutor.ui.screens.review_end import ReviewEndScreen
from tutor.ui.steps.base import StepView
from tutor.ui.widgets.picker import Picker

SIZE = (80, 24)


def due(home: Path, *steps: str, days_ago: float = 3, verdict: str = "right") -> None:
    """These questions were answered some days ago."""

    def clock() -> datetime:
        return datetime.now().astimezone() - timedelta(days=days_ago)

    with Journal(home, clock=clock) as journal:
        for step in steps:
            journal.append(
                events.ANSWERED,
                step=step,
                answer="old",
                verdict={"step": step, "verdict": verdict},
                version=1,
                review=False,
            )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


async def asking(pilot: Pilot[Any], step: str | None = None) -> ReviewScreen:
    """Wait until the review asks a question, which may have to be `step`."""

    def there() -> bool:
        screen = pilot.app.screen
        if not isinstance(screen, ReviewScreen) or screen.quiz.put is None:
            return False
        wanted = step or screen.quiz.put.step.id
        return any(view.step.id == wanted and view.is_mounted for view in screen.query(StepView))

    await until(pilot, there, f"the question {step}")
    assert isinstance(pilot.app.screen, ReviewScreen)
    return pilot.app.screen


async def ended(pilot: Pilot[Any]) -> ReviewEndScreen:
    await until(
        pilot, lambda: isinstance(pilot.app.screen, ReviewEndScreen) and pilot.app.screen.query(OptionList), "the end"
    )
    assert isinstance(pilot.app.screen, ReviewEndScreen)
    return pilot.app.screen


async def answer(pilot: Pilot[Any], screen: ReviewScreen, option: str) -> None:
    """Pick an option of a choice, wherever the seed has put it."""
    await pilot.press(digit(screen, option), "enter")
    await until(pilot, lambda: screen.quiz.answered_now, "the verdict")


def digit(screen: ReviewScreen, option: str) -> str:
    """The key that goes to an option."""
    return str([choice.id for choice in screen.query_one(Picker)._choices].index(option) + 1)


def answers(home: Path) -> list[tuple[str, str]]:
    return [
        (event.data["step"], event.data["verdict"]["verdict"])
        for event in history(home)
        if event.kind == events.ANSWERED and event.data["review"]
    ]


def kinds(home: Path, kind: str) -> Iterable[dict[str, Any]]:
    return [event.data for event in history(home) if event.kind == kind]


async def test_r_at_home_asks_what_is_due_and_the_journal_knows_it_was_a_review(home: Path) -> None:
    due(home, "pick", "count", "gone")
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "2 questions are due" in shown(app), "the count")
        await pilot.press("r")
        screen = await asking(pilot, "pick")
        assert "Review · 1 of 2 · 0 of 10 min" in shown(app)
        assert "old" not in shown(app), "what was answered in the lesson is not given away"
        await answer(pilot, screen, "before")
        assert "That is its place." in shown(app)
        await pilot.press("enter")
        screen = await asking(pilot, "count")
        await pilot.press(*"5", "enter")
        await until(pilot, lambda: "That is the norm, not the RMS." in shown(app), "why it is wrong")
        await pilot.press("enter")
        await ended(pilot)
        assert "1 of 2 questions right" in shown(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen), "home")
        await until(pilot, lambda: "questions are due" not in shown(app), "nothing is due any more")
        await pilot.press("q")
    assert answers(home) == [("pick", "right"), ("count", "wrong")]
    assert {data["version"] for data in kinds(home, events.ANSWERED) if data["review"]} == {1}
    assert [data["state"] for data in kinds(home, events.QUIZ)][-1] == "ended"
    (seed,) = {data["seed"] for data in kinds(home, events.ASKED) if data["step"] == "pick"}
    assert seed > 0


async def test_a_review_that_was_broken_off_goes_on_with_what_was_typed(home: Path) -> None:
    due(home, "pick", "tell")
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("r")
        screen = await asking(pilot, "pick")
        await answer(pilot, screen, "before")
        await pilot.press("enter")
        await asking(pilot, "tell")
        await pilot.press(*"over the fea")
        await pilot.press("ctrl+q")
    again = TutorApp()
    async with again.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("r")
        screen = await asking(pilot, "tell")
        assert "Review · 2 of 2" in shown(again)
        assert "over the fea" in shown(again)
        await pilot.press(*"tures", "enter")
        await until(pilot, lambda: screen.quiz.answered_now, "the verdict")
        await pilot.press("ctrl+q")
    assert answers(home) == [("pick", "right"), ("tell", "right")]
    assert fold(history(home)).drafts == {}


async def test_esc_pauses_and_the_lesson_knows_nothing_of_what_was_typed(home: Path) -> None:
    due(home, "tell")
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("r")
        await asking(pilot, "tell")
        await pilot.press(*"half")
        await pilot.press("escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen), "home")
        assert app.study is not None
        lesson, index = app.study.course.find("tell")  # type: ignore[misc]
        assert app.study.state(lesson.steps[index]).answer == "old"
        await pilot.press("ctrl+q")
    assert fold(history(home)).drafts == {("tell", "review-answer"): "half"}
    assert [data["state"] for data in kinds(home, events.QUIZ)][-1] == "paused"


async def test_undo_easy_later_and_flag_by_keys(home: Path) -> None:
    due(home, "pick", "count", "tell")
    app = TutorApp()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await ready(pilot)
        await pilot.press("r")
        screen = await asking(pilot, "pick")
        await answer(pilot, screen, "after")
        await pilot.press("e")
        await until(pilot, lambda: "Only a right answer" in shown(app), "no easy for a wrong answer")
        await pilot.press("u")
        screen = await asking(pilot, "pick")
        await until(pilot, lambda: not screen.quiz.answered_now, "asked again")
        await answer(pilot, screen, "before")
        assert "e easy" in shown(app)
        await pilot.press("e")
        await until(pilot, lambda: "comes back later" in shown(app), "easy")
        await pilot.press("enter")
        await asking(pilot, "count")
        await pilot.press("escape", "z")
        await asking(pilot, "tell")
        await pilot.press("escape", "f", *"bad words", "enter")
        await asking(pilot, "count")
        assert "Review · 2 of 2" in shown(app)
        await pilot.press("ctrl+q")
    progress = fold(history(home))
    (pick,) = [one for one in progress.answers("pick") if one.review]
    assert (pick.verdict, pick.easy) == ("right", True)
    assert progress.flags["tell"].note == "bad words"


async def test_not_knowing_is_an_answer_and_shows_what_is_right(home: Path) -> None:
    due(home, "count")
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("r")
        screen = await asking(pilot, "count")
        await pilot.press("escape", "g")
        await until(pilot, lambda: "3.53" in shown(app), "the answer")
        assert screen.quiz.answered_now
        await pilot.press("enter")
        await ended(pilot)
        assert "Look at “Counting” again" in shown(app)
        await pilot.press("down", "enter")
        await until(pilot, lambda: type(app.screen) is LessonScreen, "the lesson")
        await pilot.press("ctrl+q")
    assert answers(home) == [("count", "wrong")]


async def test_its_step_is_a_key_away_once_it_is_answered_and_esc_comes_back(home: Path) -> None:
    due(home, "pick", "count")
    app = TutorApp()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await ready(pilot)
        await pilot.press("r")
        screen = await asking(pilot, "pick")
        await pilot.press("b")
        await until(pilot, lambda: "Answer first" in shown(app), "not before")
        await answer(pilot, screen, "before")
        await pilot.press("b")
        await until(pilot, lambda: type(app.screen) is LessonScreen and "2/8" in shown(app), "the lesson")
        await pilot.press("escape")
        await asking(pilot, "pick")
        assert screen.quiz.answered_now
        await pilot.press("enter")
        await asking(pilot, "count")
        await pilot.press("ctrl+q")


async def test_a_prediction_runs_its_cell_and_counts(home: Path) -> None:
    due(home, "guess")
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        session: Any = app.python.session
        session.outputs = [CURVES]
        session.finished = Finished("ok", 0.1, values={"a-wins": "False", "b-wins": "True"})
        await pilot.press("r")
        screen = await asking(pilot, "guess")
        await pilot.press(digit(screen, "b-wins"), "enter", "ctrl+j")
        await until(pilot, lambda: screen.quiz.answered_now, "the verdict")
        await pilot.press("ctrl+q")
    assert answers(home) == [("guess", "right")]
    assert kinds(home, events.PREDICTED) == [], "a lesson would take that for a prediction of its own"


async def test_a_prediction_that_needs_the_cells_before_it_gets_them(home: Path) -> None:
    due(home, "guess")
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        session: Any = app.python.session
        run, ran = session.run, []

        async def needs_play(code: str, *, name: str, **options: Any) -> Finished:
            await run(code, name=name, **options)
            ran.append(name)
            values = {"a-wins": "False", "b-wins": "True"}
            return Finished("ok" if "play" in ran else "error", 0.1, values=values)

        session.run = needs_play
        await pilot.press("r")
        screen = await asking(pilot, "guess")
        await pilot.press("1", "enter", "ctrl+j")
        await until(pilot, lambda: screen.quiz.answered_now, "the verdict")
        await pilot.press("ctrl+q")
    assert ran == ["guess", "play", "guess"]


async def test_words_that_are_not_sure_count_by_what_is_ticked(home: Path) -> None:
    due(home, "tell")
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("r")
        screen = await asking(pilot, "tell")
        await pilot.press(*"it does something to tokens", "enter")
        await until(pilot, lambda: "Tick what your answer says" in shown(app), "the points")
        await pilot.press("space", "enter")
        await until(
            pilot, lambda: bool(screen.quiz.done) and screen.quiz.done[-1].verdict == "right", "what was ticked"
        )
        await pilot.press("ctrl+q")
    (told,) = [one for one in fold(history(home)).answers("tell") if one.review]
    assert told.verdict == "right"


async def test_when_the_time_is_up_it_asks_whether_to_go_on(home: Path) -> None:
    due(home, "pick", "count")
    app = TutorApp(review=(Choice(), 0.0001))
    async with app.run_test(size=SIZE) as pilot:
        screen = await asking(pilot, "pick")
        await answer(pilot, screen, "before")
        await pilot.press("enter")
        await ended(pilot)
        assert "minutes are over" in shown(app) and "1 question is left" in shown(app)
        await pilot.press("enter")
        await asking(pilot, "count")
        assert not screen.quiz.over
        await pilot.press("ctrl+q")


async def test_after_a_limit_what_is_still_due_is_told_and_offered(home: Path) -> None:
    due(home, "pick", "count")
    app = TutorApp(review=(Choice(limit=1), None))
    async with app.run_test(size=SIZE) as pilot:
        screen = await asking(pilot, "pick")
        await answer(pilot, screen, "before")
        await pilot.press("enter")
        await ended(pilot)
        assert "1 question is due" in shown(app) and "Nothing" not in shown(app)
        await pilot.press("down", "enter")
        await asking(pilot, "count")
        await pilot.press("ctrl+q")


async def test_when_nothing_is_due_there_is_practice(home: Path) -> None:
    due(home, "pick", days_ago=0)
    due(home, "tell", days_ago=0, verdict="wrong")
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("r")
        end = await ended(pilot)
        assert "Nothing is due." in shown(app) and "Tomorrow 2 questions come back." in shown(app)
        options = end.query_one(OptionList)
        assert [options.get_option_at_index(n).id for n in range(options.option_count)] == [
            "home",
            "weak",
            "ahead",
            "lesson:first",
        ]
        await pilot.press("down", "enter")
        await asking(pilot, "tell")
        assert "Review · 1 of 1" in shown(app)
        await pilot.press("escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen), "home")
        await pilot.press("q")


async def test_in_vietnamese_and_the_language_can_change_in_the_middle(home: Path) -> None:
    due(home, "pick")
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("r")
        screen = await asking(pilot, "pick")
        await answer(pilot, screen, "after")
        await pilot.press("v")
        await until(pilot, lambda: "Đó là Post-Norm." in shown(app), "the verdict in Vietnamese")
        assert "Ôn tập · 1/1" in shown(app)
        await pilot.press("ctrl+q")


async def test_a_failing_exercise_may_be_tried_again_and_given_up(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tutor.grading.verdict import Verdict

    async def judged(step: Any, answer: str, **_: Any) -> Verdict:
        return Verdict(step=step.id, verdict="right" if "sqrt" in answer else "wrong", feedback="judged")

    monkeypatch.setattr("tutor.grading.code.grade_code", judged)
    due(home, "write", days_ago=9)
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("r")
        screen = await asking(pilot, "write")
        await pilot.press("ctrl+j")
        await until(pilot, lambda: screen.quiz.answered_now, "the first verdict")
        await pilot.press("e")
        screen.query_one("TextArea").load_text("sqrt")  # type: ignore[attr-defined]
        await pilot.press("ctrl+j")
        await until(pilot, lambda: screen.quiz.done[-1].verdict == "right", "the second verdict")
        assert len(screen.quiz.done) == 1
        await pilot.press("ctrl+q")
    assert answers(home) == [("write", "wrong"), ("write", "right")]
