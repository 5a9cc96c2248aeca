"""Grades an order: by the pairs that stand the right way round, with a reason for each item out of its place."""

from __future__ import annotations

import random
import re
from itertools import combinations

from tutor.course.model import Lang, OrderItem, OrderStep
from tutor.grading.choice import picked
from tutor.grading.say import code, paragraphs, reason, say, text
from tutor.grading.verdict import Check, Named, Verdict
from tutor.text.i18n import N_

PARTLY = 0.5
_BETWEEN = re.compile(r"\s*(?:[,;\n]|-+>|=+>|>|→)\s*|\s+")


def grade(step: OrderStep, answer: str, lang: Lang, seed: int | None = None) -> Verdict:
    """Judges ids, or the numbers and letters of the items as `shuffled` shows them for this seed."""
    given = arranged(step, answer, seed)
    if given is None:
        return Verdict(step=step.id, verdict="unreadable", feedback=_not_an_order(step, answer, lang, seed))
    ids = [item.id for item in given]
    score, right = max(((_agreement(ids, order), order) for order in orders(step)), key=lambda pair: pair[0])
    kept = _longest_in_order([right.index(id) for id in ids])
    checks = tuple(Check(item.id, place in kept, item.text.get(lang)) for place, item in enumerate(given))
    moved = [item for place, item in enumerate(given) if place not in kept]
    by_id = {item.id: item for item in step.items}
    turned = len(ids) > 1 and score == 0.0 and ids == list(reversed(right))
    solution = " → ".join(by_id[id].text.get(lang) for id in right)
    return Verdict(
        step=step.id,
        verdict="right" if tuple(ids) == right else ("partly" if score >= PARTLY else "wrong"),
        score=round(score, 2),
        checks=checks,
        misconception=Named("reversed", say(lang, N_("It is exactly the other way round."))) if turned else None,
        feedback=paragraphs(
            _reasons(moved, lang) if not turned else "",
            "" if tuple(ids) == right else say(lang, N_("The right order: {order}"), order=solution),
            text(step.why, lang),
        ),
    )


def shuffled(step: OrderStep, seed: int | None = None) -> tuple[OrderItem, ...]:
    """The items as they are shown first: always the same for a step and a seed, and in no right order."""
    items = list(step.items)
    chosen = random.Random(f"{step.id}:{seed}" if seed else step.id)
    right = orders(step)
    for _ in range(100):
        chosen.shuffle(items)
        if tuple(item.id for item in items) not in right:
            break
    return tuple(items)


def orders(step: OrderStep) -> tuple[tuple[str, ...], ...]:
    """Every order that is right, as ids."""
    return (tuple(item.id for item in step.items), *step.also)


def arranged(step: OrderStep, answer: str, seed: int | None = None) -> list[OrderItem] | None:
    """The items in the order of an answer; None unless it names each of them once."""
    shown = shuffled(step, seed)
    places = [picked(shown, name) for name in _BETWEEN.split(answer.strip()) if name]
    if None in places or sorted(place for place in places if place is not None) != list(range(len(shown))):
        return None
    return [shown[place] for place in places if place is not None]


def _agreement(ids: list[str], right: tuple[str, ...]) -> float:
    """Kendall's tau of the two orders, cut off at 0: an order by chance is worth nothing."""
    pairs = list(combinations([right.index(id) for id in ids], 2))
    agreeing = sum(first < second for first, second in pairs)
    return max(0.0, 2 * agreeing / len(pairs) - 1)


def _longest_in_order(ranks: list[int]) -> set[int]:
    """The places of the longest run of ranks that rises: what need not be moved."""
    best: list[list[int]] = []
    for place, rank in enumerate(ranks):
        lower = [way for way in best if ranks[way[-1]] < rank]
        best.append([*(max(lower, key=len) if lower else []), place])
    longest = max(best, key=len)
    return set(longest)


def _reasons(moved: list[OrderItem], lang: Lang) -> str:
    if not moved:
        return ""
    lines = [reason(item.text.get(lang), text(item.why, lang)) for item in moved]
    return "\n".join([say(lang, N_("Out of its place:")), "", *lines])


def _not_an_order(step: OrderStep, answer: str, lang: Lang, seed: int | None) -> str:
    items = shuffled(step, seed)
    listed = "\n".join(f"{at}. `{item.id}`: {item.text.get(lang)}" for at, item in enumerate(items, start=1))
    asked = say(lang, N_("Name each of these once, in order, by its number or its name:"))
    if not answer.strip():
        return paragraphs(asked, listed)
    return paragraphs(say(lang, N_("{answer} is no order of all of them."), answer=code(answer)), asked, listed)
