from __future__ import annotations

from datetime import date, timedelta

import pytest

from tests.memory.deck import FIRST, answered, at, choice, course, event, exercise, number, short
from tutor.memory import events
from tutor.memory.advice import advice
from tutor.memory.cards import cards_of
from tutor.memory.mistaken import mistaken
from tutor.memory.progress import fold
from tutor.memory.report import report
from tutor.memory.reviews import Reviews
from tutor.memory.settings import Settings
from tutor.memory.standing import seconds_by_day, standing

OF = course(
    (choice("a", claims=("x",)), choice("b", claims=("x", "y"))),
    (short("s", "swapped", claims=("y",)), number("n", claims=("z",))),
)


def reviews(happened, now=None, of=OF, **settings):
    return Reviews(cards_of(of), fold(happened), Settings(**settings), now or at(2))


def test_a_card_is_known_shaky_or_unseen_and_a_claim_by_its_cards():
    happened = [answered(at(1), "right", "a"), answered(at(1), "wrong", "b"), answered(at(1), "right", "n")]
    found = standing(OF, reviews(happened))
    assert found.cards == {"a": "known", "b": "shaky", "s": "unseen", "n": "known"}
    assert found.claims == {"x": "shaky", "y": "shaky", "z": "known"}
    assert {lesson: dict(counts) for lesson, counts in found.lessons.items()} == {
        "l1": {"known": 1, "shaky": 1},
        "l2": {"unseen": 1, "known": 1},
    }


def test_what_has_faded_is_shaky_however_well_it_went():
    happened = [answered(at(1), "right", "a")]
    assert standing(OF, reviews(happened, at(2))).cards["a"] == "known"
    assert standing(OF, reviews(happened, at(90))).cards["a"] == "shaky"


def test_retention_counts_reviews_of_the_last_days_and_not_the_first_time():
    happened = [
        answered(at(0), "right", "a", review=True),
        answered(at(1), "right", "a", review=True),
        answered(at(2), "wrong", "a", review=True),
        answered(at(3), "right", "a"),
        answered(at(0), "right", "b"),
        answered(at(3), "partly", "b", review=True),
    ]
    found = standing(OF, reviews(happened, at(4))).retention
    assert (found.right, found.of) == (2, 3)
    assert found.expected is not None and 0.5 < found.expected < 1
    assert standing(OF, reviews(happened, at(60))).retention[:2] == (0, 0)
    assert standing(OF, reviews([])).retention == (0, 0, None)


def test_the_forecast_begins_today_and_knows_the_limit():
    happened = [answered(at(0), "right", step) for step in ("a", "b", "n")]
    assert standing(OF, reviews(happened, at(1), daily_limit=2)).forecast[:3] == [2, 1, 0]


def test_time_is_what_lies_between_things_done_without_long_pauses():
    happened = [
        event(at(0, 9), events.SEEN, "1", step="a"),
        event(at(0, 9.05), events.SEEN, "2", step="b"),
        event(at(0, 9.1), events.SEEN, "3", step="c"),
        event(at(0, 15), events.SEEN, "4", step="d"),
        event(at(0, 15.02), events.SEEN, "5", step="e"),
        event(at(1, 3), events.SEEN, "6", step="f"),
        event(at(1, 3.01), events.SEEN, "7", step="g"),
        event(at(2, 9), events.SEEN, "8", step="h"),
    ]
    assert seconds_by_day(happened, reviews([])) == {FIRST: pytest.approx(180 + 180 + 72 + 36)}


def test_misconceptions_are_cleared_by_a_right_answer_to_the_same_card():
    of = course((short("s", "swapped", "other"), exercise("e", "eps-outside"), choice("c", twin="t"), number("t")))
    happened = [
        answered(at(0), "wrong", "s", named="swapped"),
        answered(at(1), "wrong", "s", named="swapped"),
        answered(at(2), "right", "s"),
        answered(at(2), "wrong", "e", named="eps-outside"),
        answered(at(2), "right", "s", named="other"),
        answered(at(0), "wrong", "c", named="b"),
        answered(at(1), "right", "t"),
        answered(at(3), "wrong", "t", named="sign"),
    ]
    found = mistaken(of, reviews(happened, at(4), of), "en")
    assert [(one.step, one.id, one.times, one.cleared) for one in found] == [
        ("e", "eps-outside", 1, False),
        ("t", "sign", 1, False),
        ("s", "swapped", 2, True),
        ("c", "b", 1, True),
    ]
    assert [one.says for one in found] == ["eps-outside", "sign", "swapped", "not b"]


def says(happened, now=None, of=OF) -> tuple[str, str]:
    found = reviews(happened, now, of)
    said = advice(of, found, standing(of, found), "en")
    return said.text, said.leads


def test_what_to_do_next_is_one_sentence():
    opened = event(at(1), events.OPENED, lesson="l1", step="t1")
    assert says([]) == ("Begin “Lesson 1”, 5 minutes.", "lesson")
    assert says([opened, event(at(1), events.SEEN, step="t1")]) == (
        "Go on with “Lesson 1”: 1 of 3 steps are done.",
        "lesson",
    )
    assert says([answered(at(0), "right", "a")], at(9)) == (
        "Review the 1 question that is due; that takes about 1 min.",
        "review",
    )
    l1 = [event(at(1), events.SEEN, "t", step="t1"), answered(at(1), "right", "a"), answered(at(1), "right", "b")]
    assert says(l1, at(1)) == ("Begin “Lesson 2”, 5 minutes.", "lesson")
    wrong = [*l1, answered(at(1, 13), "wrong", "b")]
    assert says(wrong, at(1)) == ("Nothing is due, and 1 question is shaky: practise what went wrong.", "weak")
    l2 = [event(at(1), events.SEEN, "u", step="t2"), answered(at(1), "right", "s"), answered(at(1), "right", "n")]
    text, leads = says([*l1, *l2], at(1))
    assert text.endswith("the next review is in 1 day.") and leads == ""
    assert says([], of=course()) == ("There is nothing to do: the course has no questions yet.", "")


def test_the_report_is_as_wide_as_was_asked_for_and_says_all_of_it():
    happened = [
        answered(at(0), "right", "a", review=True),
        answered(at(1), "right", "a", review=True),
        answered(at(1, 13), "wrong", "s", named="swapped"),
        event(at(1, 13.02), events.SEEN, step="t1"),
    ]
    found = reviews(happened)
    for width in (60, 75, 100):
        sections = report(OF, found, standing(OF, found), happened, "en", width)
        assert [section.title for section in sections] == [
            "By lesson",
            "The next 14 days",
            "Remembered",
            "Misconceptions",
            "Days of study",
            "By claim",
        ]
        assert max(len(line) for section in sections for line in section.lines) <= width
    text = "\n".join(line for section in sections for line in section.lines)
    assert "1 known, 0 shaky, 1 unseen" in text and "1 of 1 review of the last 30 days remembered (100 %)" in text
    assert "1 met, 0 cleared." in text and "~ s: swapped" in text and "in all" in text
    assert report(course(), reviews([], of=course()), standing(course(), reviews([], of=course())), [], "en", 75) == []


def test_a_claim_that_is_known_to_be_false_is_not_shown_as_known():
    import msgspec

    from tutor.course.model import Claim, Text

    false = Claim(id="x", source=Text("A", "A"), verdict="reversed", show="measure", claim=Text("sai", "It grows."))
    of = msgspec.structs.replace(OF, claims={"x": false})
    found = reviews([answered(at(1), "right", "a")])
    lines = report(of, found, standing(of, found), [], "en", 75)[-1].lines
    assert "✓ not so: It grows." in lines


def test_days_of_the_calendar_end_today():
    assert (FIRST + timedelta(days=1)).weekday() == date(2026, 8, 2).weekday()
