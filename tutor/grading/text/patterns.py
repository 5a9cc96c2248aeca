"""The patterns of a rubric and their search in the facts of an answer.

`A & B`    both, near each other, said of one topic
`A B C`    in this order with small gaps
`A+B`      in this order with nothing between that means anything: `the norm of the output`
`A>B`      as one step after another: `A -> B`, `A, B`, `A and then B`
`!A`       denied
`T: ...`   said of the topic T

Without `!` every concept must be affirmed. With it, the others may stand under the same negation: `!DEPEND BATCH` is
found in `does not depend on the batch`. Denying the opposite of a concept affirms it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tutor.grading.text import cues, formulas
from tutor.grading.text.facts import Distances, Facts, Item, Strand

MAX_GAP_WORDS = 5
MAX_GAP_CONCEPTS = 1
NEAR_WORDS = 25
_STEPS_ALLOWED = 4000

_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_LINKED = re.compile(r"([+>]?)([^+>]*)")


class PatternError(ValueError):
    """A pattern that cannot be read; the message is for the author of the question."""


@dataclass(frozen=True, slots=True)
class Atom:
    """One concept of a pattern, `denied` where it is written with `!`; `link` is the sign that ties it to the last."""

    name: str
    denied: bool
    link: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern: for each part between `&` its concepts in order."""

    text: str
    topic: str | None
    parts: tuple[tuple[Atom, ...], ...]

    @property
    def names(self) -> frozenset[str]:
        """The concepts it speaks of, its topic included."""
        named = frozenset(atom.name for part in self.parts for atom in part)
        return named | {self.topic} if self.topic else named


@lru_cache(maxsize=4096)
def parse(text: str) -> Pattern:
    """Reads a pattern; PatternError says what is wrong with it."""
    topic, colon, rest = text.rpartition(":")
    topic = topic.strip()
    if colon and not _NAME.fullmatch(topic):
        raise PatternError(f"the topic before the colon of {text!r} must be one name in capitals")
    parts = []
    for part in rest.split("&"):
        atoms = tuple(
            _atom(name, text, link) for word in part.split() for link, name in _LINKED.findall(word) if link or name
        )
        if not atoms or atoms[0].link:
            raise PatternError(f"a concept is missing in {text!r}")
        parts.append(atoms)
    return Pattern(text, topic or None, tuple(parts))


def _atom(word: str, text: str, link: str) -> Atom:
    denied = word.startswith("!")
    name = word[1:] if denied else word
    if not _NAME.fullmatch(name):
        raise PatternError(f"{word!r} in {text!r} is no concept: concepts are names in capitals")
    return Atom(name, denied, link)


def unknown(pattern: Pattern, glossary: Mapping[str, object]) -> frozenset[str]:
    """The names in a pattern that are neither in the glossary nor built in."""
    return pattern.names - glossary.keys() - cues.BUILT_IN - formulas.NAMES


def find(
    pattern: Pattern,
    facts: Facts,
    opposites: Mapping[str, str],
    *,
    also_of_none: bool = False,
    spent: frozenset[int] = frozenset(),
) -> tuple[Strand, tuple[Item, ...]] | None:
    """Where `pattern` is found first.

    `also_of_none` lets a topic's pattern match what is said of no topic at all; `spent` are the places of words that
    no longer count.
    """
    for strand in facts.strands:
        if pattern.topic is None or strand.topic == pattern.topic or (also_of_none and strand.topic is None):
            items = _in_strand(pattern, strand, facts, opposites, spent)
            if items is not None:
                return strand, items
    return None


@dataclass(frozen=True, slots=True)
class _Choice:
    atom: Atom
    item: Item
    direct: bool


class _Steps:
    """Bounds the search: an answer made of one word repeated has very many ways to match."""

    def __init__(self) -> None:
        self.left = _STEPS_ALLOWED

    def take(self) -> bool:
        self.left -= 1
        return self.left > 0


def _in_strand(
    pattern: Pattern, strand: Strand, facts: Facts, opposites: Mapping[str, str], spent: frozenset[int]
) -> tuple[Item, ...] | None:
    candidates = []
    for part in pattern.parts:
        of_part = []
        for atom in part:
            opposite = opposites.get(atom.name)
            of_atom = [
                _Choice(atom, item, atom.name in item.names)
                for item in strand.items
                if item.start not in spent
                and (atom.name in item.names or (opposite is not None and opposite in item.names))
            ]
            if not of_atom:
                return None
            of_part.append(of_atom)
        candidates.append(of_part)
    assert facts.distances is not None
    steps = _Steps()
    for chosen in _together(candidates, (), facts.distances, steps):
        if _polarity(chosen):
            return tuple(choice.item for choice in chosen)
    return None


def _together(
    candidates: Sequence[Sequence[Sequence[_Choice]]], chosen: tuple[_Choice, ...], distances: Distances, steps: _Steps
) -> Iterator[tuple[_Choice, ...]]:
    if not candidates:
        yield chosen
        return
    for part in _in_order(candidates[0], (), distances, steps):
        if not chosen or _near(chosen[0].item, part[0].item, distances):
            yield from _together(candidates[1:], (*chosen, *part), distances, steps)


def _in_order(
    candidates: Sequence[Sequence[_Choice]], chosen: tuple[_Choice, ...], distances: Distances, steps: _Steps
) -> Iterator[tuple[_Choice, ...]]:
    if not candidates:
        yield chosen
        return
    for choice in candidates[0]:
        if not steps.take():
            return
        if not chosen or _follows(chosen[-1].item, choice.item, choice.atom.link, distances):
            yield from _in_order(candidates[1:], (*chosen, choice), distances, steps)


def _follows(first: Item, second: Item, link: str, distances: Distances) -> bool:
    if first.start == second.start:
        return not link
    if second.start < first.end:
        return False
    if link:
        hindered, steps = distances.link(first.end, second.start)
        return not hindered and steps == (link == ">")
    words, concepts, is_open = distances.between(first.end, second.start)
    return words <= MAX_GAP_WORDS and concepts <= MAX_GAP_CONCEPTS and is_open


def _near(first: Item, second: Item, distances: Distances) -> bool:
    early, late = sorted((first, second), key=lambda item: item.start)
    return early.end >= late.start or distances.between(early.end, late.start)[0] <= NEAR_WORDS


def _polarity(chosen: Sequence[_Choice]) -> bool:
    """Whether each concept is affirmed or denied as the pattern wants it, shared negations counted once."""
    spent: set[int] = set()
    for choice in chosen:
        if choice.atom.denied == choice.direct:
            if len(choice.item.negators) % 2 == 0:
                return False
            spent |= choice.item.negators
    return all(len(choice.item.negators - spent) % 2 == 0 for choice in chosen if choice.atom.denied != choice.direct)
