from __future__ import annotations

from tests.memory.deck import choice, course, exercise, number, short
from tutor.course.model import Borrowed
from tutor.memory.cards import cards_of


def test_every_question_is_a_card_and_texts_are_none():
    cards = cards_of(course((choice("a"), number("b")), (short("c"), exercise("d"))))
    assert [(card.id, card.lesson) for card in cards] == [("a", "l1"), ("b", "l1"), ("c", "l2"), ("d", "l2")]
    assert [card.exercise for card in cards] == [False, False, False, True]
    assert [card.varies for card in cards] == [False, True, False, False]


def test_twins_are_one_card_wherever_they_stand_and_whoever_names_the_other():
    for first, second in (("b", ""), ("", "a"), ("b", "a")):
        cards = cards_of(
            course((choice("a", twin=first, claims=("x",)),), (number("b", twin=second, claims=("x", "y")),))
        )
        (card,) = cards
        assert (card.id, [asked.id for asked in card.questions], card.lesson) == ("a", ["a", "b"], "l1")
        assert (card.claims, card.varies) == (("x", "y"), True)
    three = cards_of(course((choice("a", twin="b"), number("b"), short("c", twin="b"), choice("d", twin="gone"))))
    assert [[asked.id for asked in card.questions] for card in three] == [["a", "b", "c"], ["d"]]


def test_a_borrowed_question_is_one_card_of_the_lesson_that_owns_it():
    import msgspec

    whole = course((choice("a"),), (choice("b"),))
    first, second = whole.lessons
    second = msgspec.structs.replace(second, steps=(*second.steps, first.steps[1]), borrows=(Borrowed(step="a"),))
    cards = cards_of(msgspec.structs.replace(whole, lessons=(first, second)))
    assert [(card.id, card.lesson) for card in cards] == [("a", "l1"), ("b", "l2")]


def test_what_names_a_wrong_idea():
    cards = cards_of(course((short("s", "swapped", "other"), exercise("e", "eps-outside"), choice("c"))))
    assert [set(card.misconceptions) for card in cards] == [{"swapped", "other"}, {"eps-outside"}, set()]
