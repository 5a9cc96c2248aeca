from __future__ import annotations

from datetime import timedelta

import pytest

from tests.memory.deck import FIRST
from tutor.memory.due import CardState, ahead, due, forecast, interleaved, minutes, next_day, weakest


def card(name: str, last: int, due: int, topic: str = "l1", **more) -> CardState:
    """A card last answered and due so many days after the first."""
    return CardState(name, topic, FIRST + timedelta(days=due), FIRST + timedelta(days=last), **more)


def day(number: int):
    return FIRST + timedelta(days=number)


def names(cards):
    return [card.card for card in cards]


def test_what_is_due_comes_most_overdue_first():
    cards = [card("long", 1, 4), card("short", 3, 4), card("fresh", 4, 5)]
    assert due(cards, day(3)) == []
    assert names(due(cards, day(4))) == ["long", "short"]
    assert names(due(cards, day(7))) == ["short", "fresh", "long"], "four, three and two intervals ago"


def test_nothing_is_due_on_the_day_on_which_it_was_answered():
    assert due([card("q", 4, 4)], day(4)) == []
    assert names(due([CardState("anew", "l1", day(4))], day(4))) == ["anew"]


def test_a_break_makes_no_wall_and_what_was_reviewed_counts():
    cards = [card(f"q{number:02}", 0, 1) for number in range(60)]
    assert len(due(cards, day(21))) == 20
    done = [one._replace(last=day(21), due=day(22), reviewed=day(21)) for one in cards[:15]]
    assert len(due([*done, *cards[15:]], day(21))) == 5
    assert len(due(cards, day(21), limit=3)) == 3


def test_neighbours_are_of_different_topics_where_that_can_be():
    cards = [card(f"a{number}", 0, 1, "a") for number in range(3)] + [card("b", 0, 1, "b"), card("c", 0, 1, "c")]
    assert names(interleaved(cards)) == ["a0", "b", "a1", "c", "a2"]
    assert names(interleaved(cards[:2])) == ["a0", "a1"]
    assert sorted(names(interleaved(cards))) == sorted(names(cards))


def test_one_exercise_a_day_and_it_comes_last():
    cards = [card("code", 0, 1, exercise=True), card("q", 2, 3), card("more", 0, 1, exercise=True)]
    assert names(due(cards, day(9))) == ["q", "code"]
    done = cards[0]._replace(last=day(9), due=day(12), reviewed=day(9))
    assert names(due([done, *cards[1:]], day(9))) == ["q"]
    assert names(due(cards, day(9), limit=1)) == ["code"], "else a low limit would never let one through"


def test_practice_ahead_takes_what_will_be_due_first_and_no_exercises():
    cards = [card("late", 0, 9), card("soon", 0, 3), card("due", 0, 1), card("code", 0, 9, exercise=True)]
    assert names(ahead(cards, day(1))) == ["soon", "late"]


def test_weakness_is_what_went_wrong_last_then_what_went_wrong_often():
    cards = [
        card("fine", 0, 3, stability=9.0),
        card("twice", 0, 3, lapses=2, stability=2.0),
        card("now", 0, 3, shaky=True, stability=5.0),
        card("once", 0, 3, lapses=1, stability=2.0),
    ]
    assert names(weakest(cards)) == ["now", "twice", "once"]


def test_the_forecast_spreads_what_is_waiting_over_the_days_that_have_room():
    cards = [card(f"q{number}", 0, 1) for number in range(5)] + [card("later", 0, 4), card("far", 0, 40)]
    assert forecast(cards, day(2), days=4, limit=2) == [2, 2, 2, 0]
    assert forecast(cards, day(2), days=4) == [5, 0, 1, 0]
    reviewed = card("done", 2, 9, reviewed=day(2))
    assert forecast([*cards, reviewed], day(2), days=3, limit=2) == [1, 2, 2]
    assert forecast([], day(2)) == [0] * 14


def test_the_next_day_on_which_something_is_due():
    cards = [card("q", 0, 5), card("r", 0, 5), card("s", 0, 9), card("due", 0, 1)]
    assert next_day(cards, day(1)) == (day(5), 2)
    assert next_day([], day(1)) is None
    assert next_day([card("due", 0, 1)], day(1)) is None


@pytest.mark.parametrize(("questions", "exercises", "expected"), [(0, 0, 0), (1, 0, 1), (9, 0, 6), (3, 1, 12)])
def test_how_long_it_takes(questions, exercises, expected):
    cards = [card("q", 0, 1)] * questions + [card("e", 0, 1, exercise=True)] * exercises
    assert minutes(cards) == expected
