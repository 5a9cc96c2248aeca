from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest

from tests.memory.deck import answered, at, choice, course, event, number, short
from tutor.memory import events
from tutor.memory.cards import cards_of
from tutor.memory.progress import fold
from tutor.memory.quiz import Choice, Quiz
from tutor.memory.reviews import Reviews
from tutor.memory.settings import Settings

SIX = course((choice("a"), number("b"), choice("c")), (choice("d"), number("e"), choice("f")))


class Learner:
    """A journal in memory, and a review of it. Time stands still unless it is moved."""

    def __init__(self, of=SIX, settings: Settings = Settings(), **answers: float) -> None:  # noqa: B008 - never changed
        self.course, self.settings = of, settings
        self.now, self.seconds = at(30), 0.0
        self.events = [answered(at(day), "right", step) for step, day in answers.items()]
        self.quiz: Any = None

    def begin(self, choice: Choice | None = None, **options: Any) -> Quiz:
        self.progress = fold(self.events)
        reviews = Reviews(cards_of(self.course), self.progress, self.settings, self.now)
        self.quiz = Quiz(self.course, reviews, self.record, choice, clock=lambda: self.seconds, **options)
        self.quiz.next()
        return self.quiz

    def record(self, entry: events.Entry) -> events.Event:
        self.now += timedelta(seconds=1)
        new = event(self.now, entry.KIND, f"{len(self.events):06}", **msgspec.to_builtins(entry))
        self.events.append(new)
        self.progress.apply(new)
        return new

    def answer(self, word: str = "right", named: str = "", seconds: float = 30.0) -> None:
        step = self.quiz.put.step
        verdict: dict[str, Any] = {"verdict": word, "misconception": {"id": named} if named else None}
        self.seconds += seconds
        entry = events.Answered(
            step=step.id,
            answer="x",
            verdict=verdict,
            review=True,
            version=step.version,
            seconds=seconds,
            seed=self.quiz.put.seed,
        )
        self.quiz.answered(self.record(entry).id)

    def asked(self) -> list[str]:
        return [entry.data["step"] for entry in self.events if entry.kind == events.ASKED]

    @property
    def shown(self) -> str | None:
        return self.quiz.put.step.id if self.quiz.put is not None else None


@pytest.fixture
def learner() -> Learner:
    return Learner(a=1, b=2, c=3, d=4, e=5, f=6)


def test_it_asks_what_is_due_one_after_the_other_and_counts(learner) -> None:
    quiz = learner.begin()
    order = []
    while quiz.put is not None:
        assert (quiz.number, quiz.total) == (len(order) + 1, 6)
        order.append(learner.shown)
        learner.answer()
        assert (quiz.number, quiz.total) == (len(order), 6), "the answer is on the screen"
        quiz.next()
    assert order == ["a", "d", "b", "e", "c", "f"], "the most overdue first, of two lessons in turn"
    quiz.end()
    assert learner.begin().put is None, "nothing is due twice in a day"


def test_it_goes_on_where_it_was_broken_off(learner) -> None:
    quiz = learner.begin()
    for _ in range(2):
        learner.answer()
        quiz.next()
    seed, at_question = quiz.put.seed, learner.shown
    learner.seconds += 7
    quiz.pause()
    learner.seconds += 1000
    again = learner.begin()
    assert again.resumed
    assert (learner.shown, again.put.seed) == (at_question, seed), "the same question in the same words"
    assert (again.number, again.total) == (3, 6)
    assert again.seconds == 67
    again.pause()
    third = learner.begin()
    assert (third.number, third.total) == (3, 6), "however often"


def test_after_a_crash_it_goes_on_too_with_the_time_that_answers_took(learner) -> None:
    quiz = learner.begin()
    learner.answer()
    quiz.next()
    again = learner.begin()
    assert (again.resumed, again.number, again.seconds) == (True, 2, 30)


def test_what_a_lesson_asked_meanwhile_is_not_asked_again(learner) -> None:
    quiz = learner.begin()
    quiz.pause()
    learner.events.append(answered(learner.now + timedelta(hours=1), "right", "d"))
    learner.now += timedelta(hours=2)
    again = learner.begin()
    assert again.total == 5 and "d" not in _all(learner)


def _all(learner: Learner) -> list[str]:
    found = []
    while learner.quiz.put is not None:
        found.append(learner.shown)
        learner.answer()
        learner.quiz.next()
    return found


def test_another_day_or_another_choice_begins_anew(learner) -> None:
    learner.begin().pause()
    assert not learner.begin(Choice(lesson="l1")).resumed
    learner.begin().pause()
    learner.now += timedelta(days=1)
    assert not learner.begin().resumed


def test_a_limit_and_the_choices(learner) -> None:
    assert learner.begin(Choice(limit=2)).total == 2
    assert learner.begin(Choice(lesson="l2")).total == 3
    assert _all(learner) == ["d", "e", "f"]
    assert learner.begin(Choice(ahead=True)).total == 3, "those of the second lesson, which come tomorrow"
    learner.quiz.end()
    assert learner.begin(Choice(weak=True)).put is None
    learner.begin()
    learner.answer("wrong")
    learner.quiz.end()
    assert learner.begin(Choice(weak=True)).total == 1


def test_later_puts_the_question_at_the_end(learner) -> None:
    quiz = learner.begin()
    first = learner.shown
    quiz.later()
    assert learner.shown != first and quiz.total == 6
    assert _all(learner)[-1] == first


def test_undo_takes_the_answer_back_and_asks_again_as_before(learner) -> None:
    quiz = learner.begin()
    put = quiz.put
    learner.answer("wrong")
    assert quiz.undo() == put and quiz.number == 1
    learner.answer("right")
    quiz.next()
    second = learner.shown
    assert quiz.undo() == put, "also when the next question is there already"
    learner.answer("right")
    quiz.next()
    assert learner.shown == second
    progress = fold(learner.events)
    assert [answer.verdict for answer in progress.answers(put.step.id) if answer.review] == ["right"]
    quiz.undo()
    assert quiz.undo() is None


def test_easy_is_said_once_of_a_right_answer(learner) -> None:
    quiz = learner.begin()
    assert not quiz.easy(), "nothing was answered"
    learner.answer("right")
    assert quiz.easy() and not quiz.easy()
    quiz.next()
    learner.answer("wrong")
    assert not quiz.easy()
    easy = [answer.easy for answer in fold(learner.events).answers("a")]
    assert easy == [False, True]


def test_a_flagged_question_is_not_asked_again_until_it_means_something_else(learner) -> None:
    quiz = learner.begin()
    flagged = learner.shown
    assert not quiz.flag("  ")
    assert quiz.flag("the unit is missing")
    quiz.next()
    assert flagged not in _all(learner)
    learner.now += timedelta(days=30)
    assert flagged not in [learner.shown, *_all(learner)] and learner.begin().total == 5
    flag = fold(learner.events).flags[flagged]
    assert (flag.note, flag.seed is not None) == ("the unit is missing", True)
    learner.quiz.end()
    learner.course = course((choice("a", version=2), number("b"), choice("c")))
    learner.begin()
    assert "a" in [learner.shown, *_all(learner)]


def test_twins_alternate_and_a_flagged_one_leaves_the_other() -> None:
    twins = course((choice("a", twin="n"), number("n"), choice("z")))
    learner = Learner(twins, a=1)
    shown = []
    for _ in range(4):
        learner.begin()
        shown.append(learner.shown)
        learner.answer()
        learner.quiz.end()
        learner.now += timedelta(days=60)
    assert shown == ["n", "a", "n", "a"]
    learner.begin().flag("bad")
    learner.begin()
    assert learner.shown == "a"


def test_a_twin_in_a_lesson_that_was_never_opened_is_not_given_away() -> None:
    twins = course((choice("a", twin="n"),), (number("n"),))
    learner = Learner(twins, a=1)
    learner.begin()
    assert learner.shown == "a"
    learner.events.append(event(learner.now, events.OPENED, lesson="l2", step="t2"))
    learner.now += timedelta(days=9)
    learner.begin()
    learner.answer()
    learner.quiz.end()
    learner.now += timedelta(days=30)
    learner.begin()
    assert learner.shown == "n"


def test_values_differ_from_review_to_review_and_the_seed_is_in_the_journal(learner) -> None:
    seeds = set()
    for _ in range(5):
        quiz = learner.begin()
        while learner.shown != "b":
            quiz.later()
        seeds.add(quiz.put.seed)
        learner.answer()
        quiz.end()
        learner.now += timedelta(days=30)
    assert len(seeds) == 5 and all(seeds)
    logged = [
        entry.data["seed"] for entry in learner.events if entry.kind == events.ASKED and entry.data["step"] == "b"
    ]
    assert seeds <= set(logged)


def test_a_misconception_brings_its_card_into_the_same_review() -> None:
    treated = course((short("s", "swapped", claims=("x",)), short("t", "swapped", claims=("x",)), choice("z")))
    learner = Learner(treated, s=1)
    learner.events += [answered(at(day), "right", "t") for day in (20, 21, 24)]
    quiz = learner.begin()
    assert (learner.shown, quiz.total) == ("s", 1)
    learner.answer("wrong", named="swapped")
    assert quiz.total == 2
    quiz.next()
    assert learner.shown == "t"


def test_an_answer_that_is_settled_by_the_learner_counts_as_that(learner) -> None:
    quiz = learner.begin()
    learner.answer("unsure")
    assert not quiz.easy()
    quiz.judged("right")
    assert quiz.done[-1].verdict == "right"
    assert len(quiz.done) == 1


def test_time(learner) -> None:
    quiz = learner.begin(minutes=1)
    learner.seconds += 40
    assert not quiz.over
    learner.answer()
    assert quiz.over
    quiz.go_on(5)
    assert not quiz.over and quiz.minutes == pytest.approx(5 + 70 / 60)
    quiz.pause()
    learner.seconds += 500
    quiz.resume()
    assert quiz.seconds == 70


def test_nothing_due_writes_nothing() -> None:
    learner = Learner()
    assert learner.begin().put is None
    assert learner.events == []
    assert isinstance(learner.now, datetime)
