"""Simulated learners over sixty days: what is due stays sane, whatever they and their clocks do."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from functools import cache
from itertools import pairwise
from statistics import median

import pytest

from tests.memory.deck import HANOI, answered, at, choice, course, exercise
from tutor.memory.cards import cards_of
from tutor.memory.progress import Progress
from tutor.memory.reviews import Reviews
from tutor.memory.schedule import QUESTION
from tutor.memory.settings import Settings

DAYS = 60
LIMIT = 20
LESSONS, QUESTIONS = 4, 11
COURSE = course(*((*(choice(f"q{n}-{k}") for k in range(QUESTIONS)), exercise(f"e{n}")) for n in range(LESSONS)))
CARDS = cards_of(COURSE)


class Learner:
    """Learns some new questions each day, then reviews what is due. Memory fades: by half in `hold` days, at first."""

    def __init__(
        self,
        *,
        hold: float = 4.0,
        clock: Callable[[int], datetime] = lambda day: at(day, 20),
        away: range = range(0),
        new: int = 3,
    ) -> None:
        self.hold, self.clock, self.away, self.new = hold, clock, away, new
        self.chance = random.Random(7)
        self.progress = Progress()
        self.half: dict[str, float] = {}
        self.seen: dict[str, int] = {}
        """The real day of each card's last answer."""
        self.due: list[int] = []
        """How much was due on each day of study."""
        self.waiting: list[int] = []
        """How much would have been due without a limit."""
        self.asked: dict[str, list[int]] = {}
        """The real days on which reviews asked each card."""
        self.intervals: list[int] = []
        self.events = 0

    def live(self) -> Learner:
        for day in range(DAYS):
            if day not in self.away:
                self._study(day)
        return self

    def _reviews(self, now: datetime) -> Reviews:
        return Reviews(CARDS, self.progress, Settings(daily_limit=LIMIT), now)

    def _study(self, day: int) -> None:
        now = self.clock(day)
        for card in [card.id for card in CARDS if card.id not in self.seen][: self.new]:
            now += timedelta(seconds=40)
            self._answer(card, day, now, review=False)
        reviews = self._reviews(now)
        queue = [state.card for state in reviews.due]
        assert len(queue) <= LIMIT
        assert sum(card.startswith("e") for card in queue) <= 1
        self.due.append(len(queue))
        self.waiting.append(sum(state.is_due(reviews.today) for state in reviews.states.values()))
        for card in queue:
            now += timedelta(seconds=40)
            self._answer(card, day, now, review=True)
            self.asked.setdefault(card, []).append(day)
        after = self._reviews(now + timedelta(minutes=5))
        if after.today == reviews.today:
            assert not {state.card for state in after.due} & set(queue), "nothing is due twice in a day"
        for state in after.states.values():
            if state.last is not None:
                assert state.interval >= 1, "intervals never collapse"
                assert state.exercise or state.interval <= QUESTION.most
        self.intervals = [state.interval for state in after.states.values() if not state.exercise and state.last]

    def _answer(self, card: str, day: int, now: datetime, *, review: bool) -> None:
        gone = day - self.seen.get(card, day)
        half = self.half.get(card, self.hold)
        right = self.chance.random() < 0.5 ** (gone / half)
        self.half[card] = half * 2.2 if right and gone else half if right else max(self.hold, half * 0.5)
        self.seen[card] = day
        self.events += 1
        word = "right" if right else "wrong"
        self.progress.apply(answered(now, word, card, id=f"{self.events:06}", version=1, review=review))


def gaps(learner: Learner) -> list[int]:
    """Real days between two times that a card was asked."""
    return [later - sooner for days in learner.asked.values() for sooner, later in pairwise(days)]


@cache
def steady() -> Learner:
    """Who forgets little and studies each evening: what the others are held against."""
    return Learner(hold=30).live()


def test_a_steady_learner_meets_a_few_cards_a_day_and_ever_longer_intervals():
    learner = steady()
    assert len(learner.seen) == len(CARDS)
    assert max(learner.due) <= 12 and sum(learner.due[-10:]) / 10 < 6
    assert median(learner.intervals) >= 14
    assert max(learner.waiting) <= LIMIT, "nothing is ever put off"


def test_a_forgetful_learner_meets_more_but_no_wall():
    learner = Learner(hold=1.5).live()
    assert sum(learner.due) > 1.5 * sum(steady().due)
    assert max(learner.due) <= LIMIT
    assert learner.waiting[-1] < len(CARDS), "and is not asked everything every day"
    assert min(gaps(learner)) >= 1


def test_who_was_away_for_three_weeks_comes_back_to_twenty_cards_and_is_through_within_days():
    learner = Learner(hold=12, away=range(25, 46)).live()
    back = 25
    assert learner.waiting[back] > LIMIT
    assert learner.due[back] == LIMIT
    assert learner.due[back + 8] < LIMIT, "a week later it is as it was"
    assert learner.waiting[-1] <= LIMIT
    assert median(learner.intervals) >= 3, "the break has not thrown them back to the start"


def _zones(day: int) -> datetime:
    """Hanoi, then Paris, then San Francisco, each for some days, by turns."""
    zone = (HANOI, timezone(timedelta(hours=1)), timezone(timedelta(hours=-8)))[day // 5 % 3]
    return at(day, 20, zone)


def test_three_time_zones():
    learner = Learner(hold=30, clock=_zones).live()
    assert max(learner.due) <= LIMIT
    assert abs(sum(learner.due) - sum(steady().due)) < 0.25 * sum(steady().due)
    assert median(learner.intervals) >= 10


def test_studying_a_little_earlier_each_day_holds_nobody_back():
    learner = Learner(hold=30, clock=lambda day: at(day, 22 - day * 0.25)).live()
    assert (learner.due, learner.intervals) == (steady().due, steady().intervals)


@pytest.mark.parametrize("shift", [400, 3, -20, -20_000])
def test_a_clock_that_was_wrong_for_two_days(shift):
    """Ahead or behind, by days or by decades (a dead battery shows 1970)."""

    def clock(day: int) -> datetime:
        return at(day + (shift if day in (20, 21) else 0), 20)

    learner = Learner(hold=30, clock=clock).live()
    assert max(learner.due) <= LIMIT
    assert sum(learner.due[22:]) < 2.5 * sum(steady().due[22:]), "no flood"
    assert sum(learner.due[30:]) > 0.3 * sum(steady().due[30:]), "and no silence"
    for card, days in learner.asked.items():
        longest = 45 if card.startswith("e") else QUESTION.most
        assert all(later - sooner <= longest + 25 for sooner, later in pairwise(days)), card
    assert median(learner.intervals) >= 5


def test_the_day_of_the_learner_and_not_of_the_machine_decides():
    """Study at nine in the evening and at six the next morning are two days, at eleven and at two one."""
    reviews = Reviews(CARDS, Progress(), Settings(), at(0, 21))
    assert reviews.today == date(2026, 8, 1)
    assert Reviews(CARDS, Progress(), Settings(), at(1, 2)).today == date(2026, 8, 1)
    assert Reviews(CARDS, Progress(), Settings(), at(1, 6)).today == date(2026, 8, 2)
