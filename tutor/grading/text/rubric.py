"""Grades an answer in words by the points and misconceptions of its question.

The result is three-way on purpose: right where the points are found, wrong where a misconception is named, and else
not sure. Rules miss one right answer in three that is put in words nobody listed, so not finding a point proves little.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from tutor.course.model import Concept, Misconception, Point, ShortStep
from tutor.grading.text import facts, formulas, patterns, screening
from tutor.grading.text.facts import Facts, Item, Strand
from tutor.grading.text.lexicon import Lexicon, lexicon
from tutor.grading.text.screening import Screened

RIGHT_SCORE = 0.7
SURE_SHARE = 0.75
"""The share of an answer's words that must be understood before something counts as not said."""

Outcome = Literal["right", "partly", "wrong", "unsure", "empty", "repeats", "terms", "orders", "unknown"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the rules find in an answer."""

    outcome: Outcome
    found: frozenset[str] = frozenset()
    """The ids of the points that were found."""
    misconception: Misconception | None = None
    score: float = 0.0
    contradicts: bool = False
    hedged: bool = False
    screened: Screened = field(default_factory=lambda: Screened(""))
    by: Mapping[str, str] = field(default_factory=dict)
    """The pattern that found each point, and the misconception, by their ids."""


def judge(step: ShortStep, answer: str, glossary: Mapping[str, Concept]) -> Judgement:
    """Grades `answer`; raises PatternError only for a fault of the question itself."""
    screened = screening.screen(answer, step.max_words)
    if not any(letter.isalnum() for letter in screened.text):
        return Judgement("orders" if screened.orders else "empty", screened=screened)
    prompts = (step.prompt.vi, step.prompt.en)
    if screening.gives_up(screened.text, prompts):
        return Judgement("unknown", screened=screened)
    if screening.repeats_question(screened.text, prompts):
        return Judgement("repeats", screened=screened)
    known = lexicon(glossary)
    reading = known.read(formulas.mark(screened.text))
    if screening.only_terms(reading, screened.text, step.topics):
        return Judgement("terms", screened=screened)
    asked = known.named_in(step.prompt.vi) | known.named_in(step.prompt.en)
    said = facts.analyse(reading, step.topics, asked)
    named = _misconception(step, said, known)
    found = _points(step, said, known, named.places if named else frozenset())
    reached = score(step, frozenset(found))
    contradicts = any(
        _taken_back(point, *found[point.id], said, known)
        for point in step.points
        if point.required and point.id in found
    )
    outcome = _outcome(step, frozenset(found), named is not None, contradicts, screened)
    if outcome == "unsure" and _surely_partly(step, found, named, contradicts, screened, said):
        outcome = "partly" if screening.understood(reading) >= SURE_SHARE else "unsure"
    if outcome == "wrong" and named is not None and (named.hedged or (named.inferred and found)):
        outcome = "unsure"
    return Judgement(
        outcome,
        frozenset(found),
        named.misconception if named else None,
        min(reached, named.misconception.cap) if named else reached,
        contradicts,
        bool(said.hedged),
        screened,
        {id: pattern.text for id, (pattern, _place) in found.items()}
        | ({named.misconception.id: named.pattern} if named else {}),
    )


_Place = tuple[Strand, tuple[Item, ...]]


def _points(
    step: ShortStep, said: Facts, known: Lexicon, spent: frozenset[int]
) -> dict[str, tuple[patterns.Pattern, _Place]]:
    found: dict[str, tuple[patterns.Pattern, _Place]] = {}
    for last_resort in (False, True):
        for point in step.points:
            if point.only_if_none != last_resort or (last_resort and found):
                continue
            place = _first(step, point, said, known, spent)
            if place is not None:
                found[point.id] = place
    return found


def _first(
    step: ShortStep, point: Point, said: Facts, known: Lexicon, spent: frozenset[int]
) -> tuple[patterns.Pattern, _Place] | None:
    for text in point.any:
        pattern = patterns.parse(text)
        # An answer that names no topic speaks of the first one: that is what the question asks about.
        of_none = not said.names_topic and bool(step.topics) and pattern.topic == step.topics[0]
        place = patterns.find(pattern, said, known.opposites, also_of_none=of_none, spent=spent)
        if place is not None:
            return pattern, place
    return None


@dataclass(frozen=True, slots=True)
class _Named:
    """A misconception that was found; `inferred` where it is not said in so many words but follows from a negation.

    `places` are the words that say it outright: they earn no point as well.
    """

    misconception: Misconception
    pattern: str
    hedged: bool
    inferred: bool
    places: frozenset[int] = frozenset()


def _misconception(step: ShortStep, said: Facts, known: Lexicon) -> _Named | None:
    """The first misconception that is said outright, else the first that is there at all."""
    doubtful: _Named | None = None
    for misconception in step.misconceptions:
        for text in misconception.any:
            place = patterns.find(patterns.parse(text), said, known.opposites)
            if place is None:
                continue
            strand, items = place
            named = _Named(
                misconception,
                text,
                hedged=any(item.sentence in said.hedged for item in items),
                inferred=not strand.literal or any(item.negators for item in items),
            )
            if not named.hedged and not named.inferred:
                return replace(named, places=frozenset(item.start for item in items))
            doubtful = doubtful or named
    return doubtful


def score(step: ShortStep, found: frozenset[str]) -> float:
    """The share of the points' weight that was found, 0 to 1; `only_if_none` points add to it but are not asked for."""
    total = sum(point.weight for point in step.points if not point.only_if_none)
    got = sum(point.weight for point in step.points if point.id in found)
    return min(1.0, got / total) if total else 0.0


def complete(step: ShortStep, found: frozenset[str]) -> bool:
    """Whether the points found make an answer right: every required one, and most of the weight."""
    return score(step, found) >= RIGHT_SCORE - 1e-9 and all(
        point.id in found for point in step.points if point.required
    )


def _outcome(step: ShortStep, found: frozenset[str], named: bool, contradicts: bool, screened: Screened) -> Outcome:
    full = complete(step, found)
    if named:
        # Saying it right and wrong at once may be a contradiction or our misreading: the learner decides.
        return "unsure" if full else "wrong"
    if full:
        return "unsure" if contradicts or screened.orders else "right"
    return "orders" if screened.orders and not found else "unsure"


def _surely_partly(
    step: ShortStep,
    found: Mapping[str, object],
    named: object,
    contradicts: bool,
    screened: Screened,
    said: Facts,
) -> bool:
    """Whether nothing but the missing points stands against an answer whose words are understood."""
    doubtful = named or contradicts or screened.orders or screened.cut or said.retracts or said.hedged
    return bool(found) and not complete(step, frozenset(found)) and not doubtful


def _taken_back(point: Point, pattern: patterns.Pattern, place: _Place, said: Facts, known: Lexicon) -> bool:
    """Whether the answer also denies what it affirms here, of the same topic and in as many words.

    Not where either counts, as with a problem that may be named or be said to be solved.
    """
    if not place[0].literal or any(atom.denied for part in pattern.parts for atom in part):
        return False
    *parts, last = pattern.parts
    *atoms, final = last
    denials = [(*atoms, patterns.Atom(final.name, denied=True))]
    if final.name in known.opposites:
        denials.append((*atoms, patterns.Atom(known.opposites[final.name], denied=False)))
    accepted = [patterns.parse(text).parts for text in point.any]
    if any((*parts, denial) in accepted for denial in denials):
        return False
    denied = patterns.Pattern(f"not {pattern.text}", pattern.topic, (*parts, denials[0]))
    taken = patterns.find(denied, said, known.opposites)
    return taken is not None and taken[0].literal and taken[1][-1].start != place[1][-1].start
