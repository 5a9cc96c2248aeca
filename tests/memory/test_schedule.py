from __future__ import annotations

import random
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.memory import events
from tutor.memory.events import Event
from tutor.memory.schedule import LONGEST, Due, due, replay, study_day

HANOI = timezone(timedelta(hours=7))
FIRST = date(2026, 8, 1)


def at(day: int, hour: float = 12, zone: timezone = HANOI) -> datetime:
    """A local time, `day` days after the first of August."""
    return datetime(2026, 8, 1, tzinfo=zone) + timedelta(days=day, hours=hour)


def answered(moment: datetime, word: str, step: str = "q", hints: int = 0, id: str = "") -> Event:
    offset = (moment.utcoffset() or timedelta()) // timedelta(minutes=1)
    data = {"step": step, "answer": "x", "verdict": {"verdict": word}, "hints": hints}
    name = id or f"{moment.isoformat()}-{step}-{word}"
    return Event(name, 1, moment.astimezone(UTC), offset, "s", events.ANSWERED, data)


def test_right_answers_on_time_spread_over_the_course():
    happened, intervals, day = [], [], 0
    for _ in range(6):
        happened.append(answered(at(day), "right"))
        intervals.append(replay(happened)["q"].interval)
        day += intervals[-1]
    assert intervals == [1, 3, 8, 19, 30, LONGEST]


@pytest.mark.parametrize(
    ("word", "hints", "interval", "lapses"),
    [("right", 0, 3, 0), ("right", 1, 2, 0), ("partly", 0, 2, 0), ("wrong", 0, 1, 1), ("wrong", 2, 1, 1)],
)
def test_how_well_it_went_decides_when_it_comes_back(word, hints, interval, lapses):
    state = replay([answered(at(0), "right"), answered(at(1), word, hints=hints)])["q"]
    assert (state.interval, state.lapses, state.reviews) == (interval, lapses, 2)
    assert (state.last, state.due) == (FIRST + timedelta(days=1), FIRST + timedelta(days=1 + interval))


def test_studying_a_little_earlier_each_day_still_counts_as_a_day():
    later = replay([answered(at(0, 13), "right"), answered(at(1, 14), "right")])
    earlier = replay([answered(at(0, 13), "right"), answered(at(1, 9), "right")])
    assert earlier == later
    assert earlier["q"].interval == 3


def test_the_day_begins_at_four_in_the_morning_where_the_learner_is():
    assert study_day(at(1, 3.99)) == FIRST
    assert study_day(at(1, 4)) == FIRST + timedelta(days=1)
    night = replay([answered(at(0, 22), "right"), answered(at(1, 2), "right")])["q"]
    assert night.last == FIRST, "after midnight is still the same evening"
    # 23:00 in Hanoi and 23:00 in Paris are hours apart, and both belong to the first of August.
    for zone in (HANOI, timezone(timedelta(hours=2)), timezone(timedelta(hours=-10))):
        assert replay([answered(at(0, 23, zone), "right")])["q"].last == FIRST


@pytest.mark.parametrize("word", ["unsure", "unreadable", "not-graded"])
def test_what_settles_nothing_schedules_nothing(word):
    assert replay([answered(at(0), word)]) == {}
    before = [answered(at(0), "right")]
    assert replay([*before, answered(at(1), word)]) == replay(before)


def test_unsure_counts_as_what_was_ticked_on_the_day_of_the_answer():
    unsure = answered(at(0), "unsure", id="a1")
    ticked = Event("t1", 1, at(5).astimezone(UTC), 420, "s", events.TICKED, {})
    for word, lapses in (("right", 0), ("wrong", 1)):
        data = {"step": "q", "answer_event": "a1", "points": [], "verdict": word}
        state = replay([unsure, Event("t1", 1, ticked.time, 420, "s", events.TICKED, data)])["q"]
        assert (state.lapses, state.last) == (lapses, FIRST)


def test_an_overruled_verdict_counts_as_the_learner_says():
    wrong = answered(at(0), "wrong", id="a1")
    data = {"step": "q", "answer_event": "a1", "verdict": "right"}
    overruled = Event("o1", 1, at(0, 13).astimezone(UTC), 420, "s", events.OVERRULED, data)
    assert replay([wrong, overruled])["q"].lapses == 0


def test_a_clock_that_went_back_is_no_error():
    happened = [answered(at(10), "right", id="a"), answered(at(10), "right", id="b")]
    # The second session's clock is right again; its events still come later by what the journal guarantees.
    behind = answered(at(10, 12.1), "right", id="c")
    behind = Event(behind.id, 1, behind.time, -720, "s", behind.kind, behind.data)
    state = replay([*happened, behind])["q"]
    assert state.last == FIRST + timedelta(days=10)
    assert state.reviews == 3


def test_times_at_the_ends_of_the_calendar_are_passed_over():
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    assert replay([answered(first, "right"), answered(last, "right"), answered(at(0), "right")])["q"].reviews == 1


def test_what_is_due_comes_most_overdue_first():
    happened = [
        answered(at(0), "right", "long"),
        answered(at(1), "right", "long"),  # due after 3 days, on day 4
        answered(at(3), "right", "short"),  # due after 1 day, on day 4
        answered(at(4), "right", "fresh"),  # due on day 5
    ]
    assert due(happened, at(3, 23)) == []
    assert due(happened, at(4, 3)) == [], "before four it is still the third day"
    assert due(happened, at(4, 5)) == [
        Due("long", FIRST + timedelta(days=4), 1.0),
        Due("short", FIRST + timedelta(days=4), 1.0),
    ]
    assert [(card.step, card.overdueness) for card in due(happened, at(7))] == [
        ("short", 4.0),
        ("fresh", 3.0),
        ("long", 2.0),
    ]
    assert {card.step for card in due(happened)} <= {"long", "short", "fresh"}, "by default, now"


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
    happened = [answered(at(day, hour), word, step, id=f"{n}") for n, (day, hour, word, step) in enumerate(reviews)]
    states = replay(happened)
    shared = random.getstate()
    shuffled = [*happened]
    chance.shuffle(shuffled)
    assert replay(shuffled) == states
    assert random.getstate() == shared, "the fuzz, which is off, would draw from this"
    for state in states.values():
        assert 1 <= state.interval <= LONGEST
        assert state.last <= state.due


def test_the_scheduler_is_loaded_only_when_there_is_something_to_schedule():
    code = "import sys; from tutor.memory import schedule; schedule.due([]); print('fsrs' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
