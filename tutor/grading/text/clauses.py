"""Cuts an answer into sentences and clauses, and says which topic each clause is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tutor.grading.text import cues
from tutor.grading.text.lexicon import Span

_BOUNDARIES = frozenset((cues.CONTRAST, cues.OTHER_WAY, cues.BECAUSE, cues.RETRACT))
_REFERENCES = frozenset((cues.UNLIKE, cues.LIKE, cues.THAN))
_RELATIVE = frozenset(("which", "who", "that", "whose"))


@dataclass(slots=True)
class Clause:
    """A run of spans between commas, conjunctions or sentence ends.

    `named` are the topics it speaks about, by position, those that are only compared with left out; `reference` is
    the topic it compares with, and by which cue. `subject` is what it is about where it names none itself.
    """

    spans: list[Span]
    sentence: int
    opener: frozenset[str] = frozenset()
    named: list[tuple[int, frozenset[str]]] = field(default_factory=list)
    reference: tuple[str, str] | None = None
    reference_at: int = -1
    subject: str | None = None

    def content(self, topics: frozenset[str]) -> list[Span]:
        """The spans that say something: concepts other than the topics themselves."""
        return [span for span in self.spans if span.names and not span.names & topics]

    def find(self, *names: str) -> int:
        """Where the first of these cues stands, -1 where none does."""
        wanted = frozenset(names)
        return next((at for at, span in enumerate(self.spans) if span.cues & wanted), -1)


def cut(spans: Iterable[Span], topics: Sequence[str]) -> list[Clause]:
    """The clauses of an answer, each with its topics."""
    known = frozenset(topics)
    clauses: list[Clause] = []
    for clause in _raw(spans, known):
        clauses += _at_and(clause, known)
    for clause in clauses:
        _name_topics(clause, known)
    _carry_over(clauses, topics, known)
    return clauses


def _raw(spans: Iterable[Span], topics: frozenset[str]) -> Iterable[Clause]:
    sentence = 0
    current = Clause([], sentence)
    listed = list(spans)
    for at, span in enumerate(listed):
        kind = span.token.kind
        if kind in ("end", "pause"):
            if _aside(listed, at, topics):
                continue
            if current.spans:
                yield current
            sentence += kind == "end"
            current = Clause([], sentence)
        elif span.cues & _BOUNDARIES and (current.spans or span.cues & {cues.RETRACT}):
            if current.spans:
                yield current
            current = Clause([span], sentence, span.cues)
        else:
            if not current.spans:
                current.opener = span.cues
            current.spans.append(span)
    if current.spans:
        yield current


def _aside(spans: Sequence[Span], at: int, topics: frozenset[str]) -> bool:
    """Whether a bracket opens on a topic alone, `before the sublayer (pre)`, which names what was just spoken of."""
    return (
        spans[at].token.text == "("
        and len(spans) > at + 2
        and bool(spans[at + 1].names & topics)
        and spans[at + 2].token.text == ")"
    )


def _at_and(clause: Clause, topics: frozenset[str]) -> list[Clause]:
    """Splits at an `and` where each side names a topic and says something about it."""
    spans = clause.spans
    for at in range(1, len(spans) - 1):
        if cues.AND in spans[at].cues:
            left = Clause(spans[:at], clause.sentence, clause.opener)
            right = Clause(spans[at + 1 :], clause.sentence, spans[at + 1].cues)
            if all(_says_something(side, topics) for side in (left, right)):
                return [left, *_at_and(right, topics)]
    return [clause]


def _says_something(clause: Clause, topics: frozenset[str]) -> bool:
    names_topic = any(span.names & topics for span in clause.spans)
    return names_topic and (bool(clause.content(topics)) or clause.find(cues.NOT, cues.TOO, cues.DOES) >= 0)


def _name_topics(clause: Clause, topics: frozenset[str]) -> None:
    spans = clause.spans
    instead = clause.find(cues.INSTEAD)
    for at, span in enumerate(spans):
        topic = span.names & topics
        if not topic:
            continue
        compared = spans[at - 1].cues & _REFERENCES if at else frozenset[str]()
        several = any(other.names & topics for other in spans[: at - 1])
        if compared and not (cues.UNLIKE in compared and spans[at - 1].token.text in ("vs", "versus") and several):
            clause.reference = (min(compared), min(topic))
            clause.reference_at = at
        elif instead >= 0 and at > instead:
            clause.reference = (cues.INSTEAD, min(topic))
            clause.reference_at = at
        elif clause.named and _joined(spans, clause.named[-1][0], at):
            clause.named[-1] = (at, clause.named[-1][1] | topic)
        else:
            clause.named.append((at, topic))


def _joined(spans: Sequence[Span], first: int, second: int) -> bool:
    """Whether two topics are named in one breath, as in `LN and BN`, with nothing said about either in between."""
    between = spans[first + 1 : second]
    return len(between) <= 1 and all(
        cues.AND in span.cues or span.token.text in ("or", "hay", "vs") for span in between
    )


def _carry_over(clauses: Sequence[Clause], topics: Sequence[str], known: frozenset[str]) -> None:
    current: str | None = None
    order: list[str] = []
    for at, clause in enumerate(clauses):
        for _, named in clause.named:
            order += [topic for topic in sorted(named, key=topics.index) if topic not in order]
        if clause.named:
            current = min(clause.named[-1][1], key=topics.index)
            clause.subject = current
            continue
        if clause.find(cues.OTHER) >= 0:
            current = other(current, topics) or current
        elif clause.find(cues.FORMER) >= 0 and len(order) > 1:
            current = order[0]
        elif clause.find(cues.LATTER) >= 0 and len(order) > 1:
            current = order[1]
        clause.subject = current
        leading = clause.opener & {cues.INSTEAD, cues.UNLIKE, cues.WITHOUT}
        if current is None or leading or _introduces(clauses, at, known):
            clause.subject = _named_later(clauses, at, topics) or current
        if clause.spans[0].token.text in _RELATIVE and at and clauses[at - 1].reference:
            clause.subject = (clauses[at - 1].reference or ("", ""))[1]
        if clause.reference and clause.subject in (None, clause.reference[1]):
            clause.subject = other(clause.reference[1], topics)
        if clause.reference and _says_of_reference(clause, known):
            clause.subject = clause.reference[1]


def _introduces(clauses: Sequence[Clause], at: int, topics: frozenset[str]) -> bool:
    """Whether a sentence says first what it then only names, as `After the addition: Post-LN.` does."""
    first = at == 0 or clauses[at - 1].sentence != clauses[at].sentence
    rest = [clause for clause in clauses[at + 1 :] if clause.sentence == clauses[at].sentence]
    return first and len(rest) == 1 and bool(rest[0].named) and not rest[0].content(topics)


def _says_of_reference(clause: Clause, topics: frozenset[str]) -> bool:
    """Whether the words right after the topic compared with are about it: `Khác với BN dùng thống kê batch, ...`."""
    after = clause.spans[clause.reference_at + 1 :]
    if clause.reference_at > 1 or not after or not clause.content(topics):
        return False
    return cues.IT not in after[0].names and after[0].token.folded not in ("o", "thi", "la", "diem")


def _named_later(clauses: Sequence[Clause], at: int, topics: Sequence[str]) -> str | None:
    """The first topic named later in the same sentence."""
    for clause in clauses[at + 1 :]:
        if clause.sentence != clauses[at].sentence:
            return None
        if clause.named:
            return min(clause.named[0][1], key=topics.index)
    return None


def other(topic: str | None, topics: Sequence[str]) -> str | None:
    """The second of two topics; None where the question does not have exactly two."""
    if len(topics) != 2 or topic not in topics:
        return None
    return topics[1] if topic == topics[0] else topics[0]
