from __future__ import annotations

import random
import subprocess
import sys
from datetime import UTC, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.memory.deck import FIRST, HANOI, answered, at, choice, course, event, exercise, number, replay, short
from tutor.memory import events
from tutor.memory.days import Days
from tutor.memory.schedule import EXERCISE, QUESTION, retrievability

ONE = course((choice("q"),))


def state(happened, now=None, of=ONE, card="q", days: Days | None = None):
    return replay(happened, of, now or at(400), days)[card]


def test_right_answers_on_time_spread_over_the_course():
    happened, intervals, day = [], [], 0
    for _ in range(6):
        happened.append(answered(at(day), "right"))
        intervals.append(state(happened).interval)
        day += intervals[-1]
    assert intervals == [1, 3, 8, 19, 30, QUESTION.most]


def test_code_to_write_comes_back_less_often():
    of = course((exercise("q"),))
    happened, intervals, day = [], [], 0
    for _ in range(5):
        happened.append(answered(at(day), "right"))
        intervals.append(state(happened, of=of).interval)
        day += intervals[-1]
    assert intervals == [3, 14, 45, 45, EXERCISE.most]
    assert state([answered(at(0), "wrong")], of=of).interval == EXERCISE.least


@pytest.mark.parametrize(
    ("word", "hints", "interval", "lapses", "shaky"),
    [
        ("right", 0, 3, 0, False),
        ("right", 1, 2, 0, True),
        ("partly", 0, 2, 0, True),
        ("wrong", 0, 1, 1, True),
        ("wrong", 2, 1, 1, True),
    ],
)
def test_how_well_it_went_decides_when_it_comes_back(word, hints, interval, lapses, shaky):
    card = state([answered(at(0), "right"), answered(at(1), word, hints=hints)])
    assert (card.interval, card.lapses, card.days, card.shaky) == (interval, lapses, 2, shaky)
    assert (card.last, card.due) == (FIRST + timedelta(days=1), FIRST + timedelta(days=1 + interval))


def test_only_the_learner_says_easy_and_only_of_what_was_right():
    def rated(word):
        happened = [
            answered(at(0), word, id="a1"),
            event(at(0), events.RATED, step="q", answer_event="a1", rating="easy"),
        ]
        return state(happened).interval

    assert (rated("right"), rated("wrong"), rated("partly")) == (3, 1, 1)
    assert state([answered(at(0), "right")]).interval == 1


def test_a_day_is_rated_once_by_its_worst_answer():
    good = state([answered(at(0), "right")])
    many = [answered(at(0, 9 + hour), "right") for hour in range(8)]
    assert state(many) == good, "practising all day long is no eight reviews"
    assert state([answered(at(0, 9), "wrong"), answered(at(0, 10), "right")]).lapses == 1, "the answer had been shown"
    assert state([answered(at(0, 9), "right"), answered(at(0, 10), "wrong")]).lapses == 1


def test_code_that_passed_after_some_tries_was_hard():
    of = course((exercise("q"),))
    tried = [answered(at(0, 9), "wrong"), answered(at(0, 10), "wrong"), answered(at(0, 11), "right")]
    card = state(tried, of=of)
    assert (card.lapses, card.shaky) == (0, True)
    assert state(tried[:2], of=of).lapses == 1


def test_studying_a_little_earlier_each_day_still_counts_as_a_day():
    later = state([answered(at(0, 13), "right"), answered(at(1, 14), "right")])
    earlier = state([answered(at(0, 13), "right"), answered(at(1, 9), "right")])
    assert earlier == later
    assert earlier.interval == 3


def test_the_day_begins_at_four_in_the_morning_where_the_learner_is():
    days = Days()
    assert days.today(at(1, 3.99)) == FIRST
    assert days.today(at(1, 4)) == FIRST + timedelta(days=1)
    night = state([answered(at(0, 22), "right"), answered(at(1, 2), "right")])
    assert night.last == FIRST, "after midnight is still the same evening"
    # 23:00 in Hanoi and 23:00 in Paris are hours apart, and both belong to the first of August.
    for zone in (HANOI, timezone(timedelta(hours=2)), timezone(timedelta(hours=-10))):
        assert state([answered(at(0, 23, zone), "right")]).last == FIRST


def test_the_hour_and_the_zone_can_be_set():
    # A server on UTC: it is five in the morning in Hanoi, and still the evening before on the machine.
    machine = answered(at(0, 22, timezone(timedelta(0))), "right")
    assert state([machine]).last == FIRST
    assert state([machine], days=Days(zone="Asia/Ho_Chi_Minh")).last == FIRST + timedelta(days=1)
    assert state([answered(at(1, 5), "right")], days=Days(rollover=6)).last == FIRST
    assert Days(zone="Asia/Ho_Chi_Minh").today(at(0, 22, timezone(timedelta(0)))) == FIRST + timedelta(days=1)


@pytest.mark.parametrize("word", ["unsure", "unreadable", "not-graded"])
def test_what_settles_nothing_schedules_nothing(word):
    assert replay([answered(at(0), word)], ONE, at(9)) == {}
    before = [answered(at(0), "right")]
    assert replay([*before, answered(at(1), word)], ONE, at(9)) == replay(before, ONE, at(9))


def test_unsure_counts_as_what_was_ticked_on_the_day_of_the_answer():
    unsure = answered(at(0), "unsure", id="a1")
    for word, lapses in (("right", 0), ("wrong", 1)):
        ticked = event(at(5), events.TICKED, step="q", answer_event="a1", points=[], verdict=word)
        card = state([unsure, ticked])
        assert (card.lapses, card.last) == (lapses, FIRST)


def test_an_overruled_verdict_counts_as_the_learner_says():
    overruled = event(at(0, 13), events.OVERRULED, step="q", answer_event="a1", verdict="right")
    assert state([answered(at(0), "wrong", id="a1"), overruled]).lapses == 0


def test_an_answer_that_was_taken_back_counts_for_nothing():
    happened = [answered(at(0), "right"), answered(at(1), "wrong", id="slip")]
    assert state(happened).lapses == 1
    happened.append(event(at(1), events.UNDONE, step="q", answer_event="slip"))
    assert state(happened) == state(happened[:1])


def test_a_question_that_means_something_else_starts_anew_and_one_in_other_words_does_not():
    happened = [answered(at(day), "right") for day in (0, 1, 4)]
    reworded = course((choice("q", title=None),))
    assert state(happened, at(5), reworded) == state(happened, at(5))
    changed = course((choice("q", version=2),))
    anew = state(happened, at(5), changed)
    assert (anew.last, anew.due, anew.days) == (None, FIRST + timedelta(days=5), 0)
    assert anew.is_due(FIRST + timedelta(days=5))
    happened.append(answered(at(5), "right", version=2))
    assert (state(happened, at(5), changed).interval, state(happened, at(5), changed).days) == (1, 1)


def test_a_question_that_was_removed_is_no_card_and_comes_back_with_its_history():
    happened = [answered(at(0), "right"), answered(at(1), "right")]
    assert replay(happened, course((choice("other"),)), at(2)) == {}
    assert state(happened, at(2)).interval == 3


def test_twins_share_one_memory():
    of = course((choice("q", twin="n"),), (number("n"),))
    card = state([answered(at(0), "right", "q"), answered(at(1), "right", "n")], of=of)
    assert (card.interval, card.days) == (3, 2)


def test_clocks_and_zones_that_go_back_are_no_error():
    happened = [answered(at(10), "right", id="a"), answered(at(10, 12.1), "right", id="b")]
    # It is earlier in the day west of here, and by what the journal guarantees still later.
    west = answered(at(10, 12.2).astimezone(timezone(timedelta(hours=-12))), "right", id="c")
    card = state([*happened, west], at(11))
    assert (card.last, card.days) == (FIRST + timedelta(days=10), 1)


def test_a_clock_that_was_years_ahead_holds_no_card_back():
    happened = [answered(at(0), "right"), answered(at(1), "right"), answered(at(700), "right")]
    card = state(happened, at(5))
    assert (card.last, card.interval) == (FIRST + timedelta(days=1), 3)
    only = state([answered(at(700), "right")], at(5))
    assert only.is_due(FIRST + timedelta(days=5)), "what was answered by a wrong clock alone starts anew"
    flown = state([answered(at(6, 1), "right")], at(5, 20, timezone(timedelta(hours=-8))))
    assert flown.last == FIRST + timedelta(days=5), "but a day ahead is a journey west"


def test_times_at_the_ends_of_the_calendar_are_passed_over():
    from datetime import datetime

    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    happened = [
        answered(first, "right"),
        answered(last, "right"),
        answered(at(-20_000), "right"),
        answered(at(0), "right"),
    ]
    assert state(happened).days == 1


CLAIMS = {"claims": ("pre-norm",)}


def test_a_misconception_brings_the_cards_that_treat_it_forward():
    of = course(
        (short("asked", "swapped", **CLAIMS),),
        (choice("far"), short("near", "swapped", claims=("pre-norm", "other")), choice("sharing", **CLAIMS)),
    )
    known = [answered(at(day), "right", step) for step in ("far", "near", "sharing") for day in (0, 1, 4)]
    wrong = answered(at(5), "wrong", "asked", named="swapped")
    before, after = replay(known, of, at(5)), replay([*known, wrong], of, at(5))
    assert not before["near"].is_due(FIRST + timedelta(days=5))
    assert after["near"].is_due(FIRST + timedelta(days=5)) and after["near"].forward
    assert {card: after[card] for card in ("far", "sharing")} == {card: before[card] for card in ("far", "sharing")}
    seen = replay([*known, wrong, answered(at(5, 13), "right", "near")], of, at(5))["near"]
    assert not seen.is_due(FIRST + timedelta(days=5)), "never twice on a day"


def test_without_a_card_that_names_it_the_nearest_by_claims_comes():
    of = course((choice("asked", claims=("a", "b")), choice("one", claims=("a",)), choice("both", claims=("a", "b"))))
    known = [answered(at(day), "right", step) for step in ("one", "both") for day in (0, 1)]
    after = replay([*known, answered(at(2), "wrong", "asked", named="b")], of, at(2))
    assert [card for card, one in after.items() if one.forward] == ["both"]
    today = replay([*known, answered(at(1, 13), "wrong", "asked", named="b")], of, at(1))
    assert today["both"].due == FIRST + timedelta(days=2), "it was asked today, so it comes tomorrow"
    unnamed = replay([*known, answered(at(2), "wrong", "asked")], of, at(2))
    assert not any(one.forward for one in unnamed.values())


def test_the_chance_to_remember_falls_to_the_retention_when_a_card_is_due():
    card = state([answered(at(0), "right"), answered(at(1), "right")], at(1))
    assert retrievability(card, FIRST + timedelta(days=1)) == 1.0
    assert retrievability(card, card.due) == pytest.approx(QUESTION.retention, abs=0.02)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 60),
            st.integers(0, 23),
            st.sampled_from(["right", "partly", "wrong", "unsure"]),
            st.sampled_from("qr"),
        ),
        max_size=20,
    ),
    st.randoms(use_true_random=False),
)
def test_the_schedule_follows_from_the_events_alone(reviews, chance):
    of = course((choice("q"), choice("r")))
    happened = [answered(at(day, hour), word, step, id=f"{n}") for n, (day, hour, word, step) in enumerate(reviews)]
    cards = replay(happened, of, at(61))
    shared = random.getstate()
    shuffled = [*happened]
    chance.shuffle(shuffled)
    assert replay(shuffled, of, at(61)) == cards
    assert random.getstate() == shared, "the fuzz, which is off, would draw from this"
    for card in cards.values():
        assert card.last is not None
        assert 1 <= card.interval <= QUESTION.most
        assert not card.is_due(card.last)


def test_the_scheduler_is_loaded_only_when_there_is_something_to_schedule():
    code = (
        "import sys; from tutor.memory import schedule, progress, days; from datetime import date; "
        "schedule.states([], progress.Progress(), days.Days(), date(2026, 8, 1)); print('fsrs' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
