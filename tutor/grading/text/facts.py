"""What an answer says: each concept with the topic it is said of and the negations it stands under.

Beside the words themselves stand facts that only follow from them: `LN thì không` denies of LN what was just said of
BN, `unlike BN` says the contrary of BN, and what would happen without LN does not happen with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from tutor.grading.text import cues
from tutor.grading.text.clauses import Clause, cut, other
from tutor.grading.text.lexicon import Reading, Span

_DENYING = frozenset((cues.NOT, cues.PREVENT, cues.WITHOUT))
_RELATIONS = frozenset((cues.BEFORE, cues.AFTER))
_CONSEQUENCES = frozenset((cues.CONTRAST, cues.OTHER_WAY))


@dataclass(frozen=True, slots=True)
class Item:
    """A concept in the answer. It is denied where the number of `negators` around it is odd."""

    names: frozenset[str]
    start: int
    end: int
    sentence: int
    topics: frozenset[str]
    negators: frozenset[int]


@dataclass(frozen=True, slots=True)
class Strand:
    """What is said of one topic (None: of none), in order. `literal` is false for facts that only follow."""

    topic: str | None
    items: tuple[Item, ...]
    literal: bool = True


@dataclass(slots=True)
class Facts:
    """All strands of an answer, and what is known about its manner."""

    strands: list[Strand] = field(default_factory=list)
    hedged: set[int] = field(default_factory=set)
    """The sentences whose writer is not sure."""
    retracts: bool = False
    names_topic: bool = False
    distances: Distances | None = None


class Distances:
    """How far two places of an answer are apart, for patterns that allow small gaps."""

    def __init__(self, reading: Reading, clauses: Sequence[Clause]) -> None:
        count = len(reading.tokens)
        words, mentions, relations, walls, hindrances, steps = ([0] * (count + 1) for _ in range(6))
        for span in reading.spans:
            at = span.index + 1
            words[at] = span.length if span.token.kind in ("word", "pseudo") else 0
            mentions[at] = bool(span.names - cues.BUILT_IN) and not cues.is_function_word(span.token.key)
            relations[at] = bool(span.names & _RELATIONS)
            walls[at] = span.token.kind == "end"
            steps[at] = _is_step(span)
            hindrances[at] = not steps[at] and not _is_nothing(span, reading.marked)
        for clause in clauses:
            if clause.opener & (_CONSEQUENCES | {cues.BECAUSE}):
                walls[clause.spans[0].index + 1] = True
        rows = (words, mentions, relations, walls, hindrances, steps)
        self._sums = [list(accumulate(row)) for row in rows]

    def between(self, end: int, start: int) -> tuple[int, int, bool]:
        """Words and concepts between two places, and whether the way is open: no sentence end, contrast or relation."""
        words, mentions, relations, walls = (row[start] - row[end] for row in self._sums[:4])
        return words, mentions, not relations and not walls

    def link(self, end: int, start: int) -> tuple[bool, bool]:
        """Whether anything between two places means something, and whether a comma, an arrow or `then` is there."""
        hindrances, steps = (row[start] - row[end] for row in self._sums[4:])
        return bool(hindrances), bool(steps)


def analyse(reading: Reading, topics: Sequence[str], asked: frozenset[str]) -> Facts:
    """The facts of an answer to a question about `topics`, whose prompt names the concepts `asked`."""
    return _Analysis(reading, topics, asked).facts


class _Analysis:
    def __init__(self, reading: Reading, topics: Sequence[str], asked: frozenset[str]) -> None:
        self.topics = topics
        self.known = frozenset(topics)
        self.asked = asked | {cues.IT}
        self.facts = Facts()
        self.items: list[Item] = []
        self.derived: list[Strand] = []
        self._negators = 0
        self._imagined: frozenset[int] = frozenset()
        self._compared: tuple[str, str] | None = None
        clauses = cut(reading.spans, topics)
        if clauses and _begins_with_verb(clauses[0]):
            # "Giữ cho ...", "makes ...": an answer without a subject speaks of what was asked.
            start = clauses[0].spans[0].index
            about = frozenset((clauses[0].subject,)) if clauses[0].subject else frozenset[str]()
            self.items.append(Item(frozenset((cues.IT,)), start, start, 0, about, frozenset()))
        self.facts.distances = Distances(reading, clauses)
        sentence = -1
        last: list[Item] = []
        for clause in clauses:
            if clause.sentence != sentence:
                self._imagined, self._compared = frozenset(), None
                sentence = clause.sentence
            if cues.RETRACT in clause.opener and self.items:
                self.items, self.derived, last = [], [], []
                self.facts.retracts = True
            if clause.find(cues.HEDGE) >= 0:
                self.facts.hedged.add(sentence)
            last = self._clause(clause, last)
        self.facts.names_topic = any(clause.named or clause.reference for clause in clauses)
        self._collect()

    def _collect(self) -> None:
        for topic in (*self.topics, None):
            items = [item for item in self.items if (topic in item.topics if topic else not item.topics)]
            if items:
                self.facts.strands.append(Strand(topic, tuple(items)))
        self.facts.strands += self.derived

    def _negator(self) -> int:
        self._negators += 1
        return self._negators

    def _clause(self, clause: Clause, last: list[Item]) -> list[Item]:
        """Adds the facts of one clause; returns what an elliptic clause after it would repeat."""
        if clause.opener & _CONSEQUENCES or self._names_asked(clause):
            self._imagined = frozenset()
        items, contrasted, open_denials = self._denied(clause)
        says = [item for item in items if not item.names & self.known]
        about = {topic for _, named in clause.named for topic in named}
        if not about and clause.find(cues.OTHER) >= 0 and clause.subject:
            about = {clause.subject}
        if not says and len(about) == 1 and (open_denials or clause.find(cues.TOO, cues.DOES) >= 0):
            self._repeat(last, about, deny=bool(open_denials), affirm=clause.find(cues.TOO) < 0)
            self.items += items
            return last
        if open_denials and says:
            # "batch statistics are not used": the negation comes after what it denies.
            extra = frozenset(open_denials[:1])
            items = [item if item.names & self.known else _denied(item, extra) for item in items]
        self.items += items
        said = [item for item in items if not item.names & self.known]
        if not said and clause.reference and last and last[0].sentence == clause.sentence:
            said = last  # "..., unlike BN" looks back
        self._compare(clause, said, contrasted)
        self._contrast(clause, contrasted)
        return [item for item in items if not item.names & self.known] or last

    def _names_asked(self, clause: Clause) -> bool:
        absent = clause.find(cues.WITHOUT, cues.UNLESS)
        return absent < 0 and any(span.names & self.asked for span in clause.spans)

    def _denied(self, clause: Clause) -> tuple[list[Item], list[Item], list[int]]:
        """The items of a clause under their negations, those that only serve as contrast, and negations left open."""
        items: list[Item] = []
        contrasted: list[Item] = []
        active: list[int] = []
        unused: dict[int, bool] = {}
        absent = 0
        in_contrast = prevented = False
        spans = clause.spans
        for at, span in enumerate(spans):
            following = spans[at + 1] if at + 1 < len(spans) else None
            if cues.STOP in span.cues or (cues.AND in span.cues and following and _begins_anew(following)):
                active, in_contrast, prevented = [], False, False
            if cues.INSTEAD in span.cues:
                active, in_contrast = [self._negator()], True
            elif span.cues & _DENYING or (_keeps_from(span, following) and not prevented):
                new = self._negator()
                active.append(new)
                prevented = cues.PREVENT in span.cues
                if cues.NOT in span.cues:
                    unused[new] = True
                    in_contrast = in_contrast or self._opens_with_not(clause, at)
                if cues.WITHOUT in span.cues:
                    if self._is_asked(spans[at + 1 : at + 4]):
                        self._imagine(new, items)
                    elif at == 0:
                        absent = new
            elif cues.OTHERWISE in span.cues:
                self._imagined |= {self._negator()}
            elif cues.UNLESS in span.cues:
                self._deny_sentence(clause.sentence, items)
            if span.names:
                item = self._item(clause, at, span, frozenset(active) | self._imagined)
                items.append(item)
                if absent in active:
                    # "Without BN the scale ...": only what is absent is denied, not what follows from that.
                    active.remove(absent)
                if not span.names & self.known:
                    unused.update(dict.fromkeys(active, False))
                    if in_contrast:
                        contrasted.append(item)
        return items, contrasted, [negator for negator, is_open in unused.items() if is_open]

    def _item(self, clause: Clause, at: int, span: Span, negators: frozenset[int]) -> Item:
        topic = span.names & self.known
        # A topic is only itself: LN as a topic is no further mention of normalising.
        names = topic or span.names
        return Item(names, span.index, span.end, clause.sentence, topic or self._topics_at(clause, at), negators)

    def _topics_at(self, clause: Clause, at: int) -> frozenset[str]:
        named = clause.named
        if not named:
            return frozenset((clause.subject,)) if clause.subject else frozenset()
        if len(named) == 1:
            return named[0][1]
        says = [position for position, span in enumerate(clause.spans) if span.names and not span.names & self.known]
        if says and says[0] < named[0][0] and says[-1] < named[-1][0]:
            return next((topics for position, topics in named if position > at), named[-1][1])
        return next((topics for position, topics in reversed(named) if position < at), named[0][1])

    def _opens_with_not(self, clause: Clause, at: int) -> bool:
        """Whether this is `..., not the batch`: a clause that only says what does not hold of the topic before it."""
        return at <= 1 and not clause.named and bool(self.items) and clause.opener.isdisjoint((cues.BECAUSE,))

    def _is_asked(self, spans: Sequence[Span]) -> bool:
        first = next((span for span in spans if span.names or cues.STOP in span.cues), None)
        # "không có thì ...": without what the question is about, or the reader would not be told without what.
        return first is None or not first.names or bool(first.names & self.asked)

    def _imagine(self, negator: int, before: list[Item]) -> None:
        """What is said beside `without LN` does not happen with it: in this clause before it, and after it."""
        self._imagined |= {negator}
        before[:] = [_denied(item, self._imagined) for item in before]

    def _deny_sentence(self, sentence: int, before: list[Item]) -> None:
        extra = frozenset((self._negator(),))
        before[:] = [_denied(item, extra) for item in before]
        self.items = [_denied(item, extra) if item.sentence == sentence else item for item in self.items]

    def _repeat(self, last: list[Item], about: Iterable[str], *, deny: bool, affirm: bool) -> None:
        """`LN doesn't` denies of LN what was just said; `LN does` affirms it, even after `BN doesn't`; `so does LN`."""
        extra = frozenset((self._negator(),)) if deny else frozenset[int]()
        for topic in about:
            if last and topic not in last[0].topics:
                kept = [replace(item, negators=frozenset()) if affirm and not deny else item for item in last]
                self._derive(topic, [_denied(item, extra) for item in kept])

    def _compare(self, clause: Clause, says: list[Item], contrasted: list[Item]) -> None:
        """`unlike BN`, `khác BN ở chỗ`: the contrary holds of BN; `như BN`: it holds of BN, whatever of the subject."""
        reference = clause.reference or self._compared
        if not says:
            self._compared = reference
            return
        self._compared = None
        if reference is None:
            return
        cue, topic = reference
        comparing = clause.spans[clause.reference_at - 1].index if clause.reference_at > 0 else -1
        of_others = [
            item for item in says if topic not in item.topics and item not in contrasted and item.start != comparing
        ]
        if cue == cues.UNLIKE and of_others:
            extra = frozenset((self._negator(),))
            self._derive(topic, [_denied(item, extra) for item in of_others])
        elif cue == cues.LIKE and of_others:
            self._derive(topic, [replace(item, negators=frozenset()) for item in of_others])

    def _contrast(self, clause: Clause, contrasted: list[Item]) -> None:
        """`instead of the batch`, `chứ không theo batch`: denied of the subject, and true of the other topic."""
        if not contrasted:
            return
        subject = next(iter(contrasted[0].topics), None) or (self.topics[0] if self.topics else None)
        referenced = clause.reference[1] if clause.reference else None
        topic = referenced or other(subject, self.topics)
        if topic is not None:
            self._derive(topic, [replace(item, negators=frozenset()) for item in contrasted])

    def _derive(self, topic: str, items: list[Item]) -> None:
        about = frozenset((topic,))
        self.derived.append(Strand(topic, tuple(replace(item, topics=about) for item in items), literal=False))


def _is_nothing(span: Span, marked: bool) -> bool:
    """Whether this only holds a phrase together, as in `output của sublayer được chuẩn hóa`."""
    if span.length == 1 and span.token.kind == "filler":
        return True
    return not span.names and not span.cues and cues.is_function_word(span.token.key, marked=marked)


def _is_step(span: Span) -> bool:
    return span.token.text == "," or cues.THEN in span.names or cues.AND in span.cues


def _denied(item: Item, extra: frozenset[int]) -> Item:
    return replace(item, negators=item.negators | extra)


def _begins_with_verb(clause: Clause) -> bool:
    first = next((span for span in clause.spans if cues.BECAUSE not in span.cues), None)
    return first is not None and (bool(first.cues & {cues.VERB, cues.PREVENT}) or "CAUSE" in first.names)


def _begins_anew(span: Span) -> bool:
    """Whether a negation before `and` ends there, because a new verb follows."""
    return cues.VERB in span.cues or bool(span.cues & {cues.NOT, cues.STOP}) or "NORM" in span.names


def _keeps_from(span: Span, following: Span | None) -> bool:
    """Whether this is the `from` of `keeps the scale from drifting`."""
    return span.token.text == "from" and following is not None and following.token.text.endswith("ing")
