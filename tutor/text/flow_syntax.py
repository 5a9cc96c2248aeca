"""Text -> data flow.

Chains of blocks joined by arrows, separated by `;`, `,` or a line break. A name in a later chain means the block that
has it already; where several have it, the first that lies ahead:
`x -> LN -> Attn -> + -> LN -> FFN -> +; x -> +; + -> +`. A number picks one, `LN2`. Within one chain a repeated name is
a new block, since a path visits none twice. Quotes hold a block of any other name: `x -> "LM head"`.

What stands between two arrows may be written as a formula too: `αx`, `x + Sub(LN(x))`, or `LN(x)` behind x.
Brackets with commas fan out: `LN -> (Attn, FFN) -> +`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from tutor.text.flow_names import Kind, Meant, meant
from tutor.text.flow_pieces import enclosed, split, trimmed
from tutor.text.i18n import N_, Lang, language, translate
from tutor.text.sanitize import sanitize

LONGEST = 1000
MOST_BLOCKS = 40
_DEEPEST = 10
_LONGEST_NAME = 40

_ARROW = re.compile(r"\s*(?P<left><[-=]+|[←⇐⟵])\s*|\s*(?:[-–—]+>|=+>|[>→⇒⟶➔➜⟹➡])\s*")
_PART = re.compile(r'(?:"[^"\n]*"|[^;\n"])+')
_CALL = re.compile(r"([^()\[\]]+?)\s*[(\[](.*)[)\]]", re.DOTALL)
_FACTOR = r"(?:scaled?|mul(?:tiply)?|times|nhân|nhan)?\s*(?:by|với|voi)?\s*(?P<factor>α|alpha|β|beta)"
_SCALED = re.compile(
    rf"[*×·⋅]?\s*\\?{_FACTOR}(?:\s*[*×·⋅]\s*|\s+|(?=x\b|\())?(?P<of>.*)|(?P<first>.+?)\s*[*×·⋅]\s*\\?(?P<last>α|alpha|β|beta)",
    re.IGNORECASE | re.DOTALL,
)
_PLACEHOLDERS = ("", ".", "·", "⋅", "…", "...")


class FlowError(ValueError):
    """A flow that cannot be read: why, in the learner's language, at which character, and what was read before it."""

    def __init__(self, message: str, position: int, understood: str = "", **values: object) -> None:
        self._message, self._values = message, values
        self.position = position
        self.understood = understood
        super().__init__(self.say("en"))

    @property
    def message(self) -> str:
        """Why, in the language in use."""
        return self.say(language())

    def say(self, lang: Lang) -> str:
        """Why, in `lang`."""
        return translate(self._message, lang).format(**self._values)

    def __str__(self) -> str:
        return self.message


class FlowCircleError(FlowError):
    """Every block can be read, but the arrows run in a circle, which no computation does."""


@dataclass(frozen=True, slots=True)
class Node:
    """A block: what it is, how it is labelled, and which one of that label it is, from 1."""

    kind: Kind
    label: str
    number: int = 1


@dataclass(frozen=True, slots=True)
class Flow:
    """Blocks in the order of their first mention, and the edges between them as pairs of indices."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        names = [f"{node.label}{node.number if self._repeated(node) else ''}" for node in self.nodes]
        return "; ".join(f"{names[start]} -> {names[end]}" for start, end in self.edges)

    def _repeated(self, node: Node) -> bool:
        return sum(other.label == node.label for other in self.nodes) > 1


def parse(text: str) -> Flow:
    """The data flow that `text` describes. Raises `FlowError`; for one that runs in a circle, `FlowCircleError`."""
    if len(text) > LONGEST:
        raise FlowError(N_("At most {n} characters can be read."), LONGEST, n=LONGEST)
    reader = _Reader()
    for part in _PART.finditer(unicodedata.normalize("NFC", text)):
        for chain, at in split(part.group(), ","):
            reader.chain(chain, part.start() + at)
    if not reader.edges:
        raise FlowError(N_("Join the blocks with arrows: x -> LN -> Sub"), 0, str(reader.flow()))
    return reader.flow()


Blocks = tuple[int, ...]
"""The blocks that an arrow starts from: several after a fan."""


class _Reader:
    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.edges: dict[tuple[int, int], None] = {}
        self.before: dict[int, list[int]] = {}
        self.tags: dict[tuple[str, str], int] = {}
        self.fresh: set[int] = set()

    def flow(self) -> Flow:
        return Flow(tuple(self.nodes), tuple(self.edges))

    def chain(self, text: str, offset: int) -> None:
        if not text.strip():
            return
        previous: Blocks = ()
        self.fresh = set()
        for piece, at in _pieces(text):
            previous = self.piece(piece, offset + at, previous)

    def piece(self, name: str, at: int, previous: Blocks, *, operand: bool = False, depth: int = 0) -> Blocks:
        """Adds what stands between two arrows, and says what the next arrow starts from.

        An `operand` of a formula is not on the path: it means a block that is there already, if there is one.
        """
        if depth > _DEEPEST:
            raise FlowError(N_("There are too many brackets in one another."), at, str(self.flow()))
        if len(name) > 1 and name[0] == name[-1] == '"':
            return self.step(Meant("other", _visible(name[1:-1])), at, previous, operand)
        known = meant(name)
        if known:
            for block in known:
                previous = self.step(block, at, previous, operand)
            return previous
        if enclosed(name):
            ways = [self.piece(part, at + 1 + way, previous, operand=operand, depth=depth + 1)
                    for part, way in split(name[1:-1], ",&")]  # fmt: skip
            return tuple(dict.fromkeys(index for way in ways for index in way))
        left, *right = split(name, "=")
        if len(right) == 1 and (named := meant(left[0])):
            sources = self.piece(right[0][0], at + right[0][1], previous, operand=True, depth=depth + 1)
            return self.step(named[0], at, sources, operand)
        terms = split(name, "+⊕")
        if len(terms) > 1 and all(term for term, _ in terms[1:]):
            return self.sum([(term, at + way) for term, way in terms if term], at, previous, operand, depth)
        if scaled := _SCALED.fullmatch(name):
            return self.scaled(scaled, at, previous, operand, depth)
        called = _CALL.fullmatch(name)
        head = meant(called[1]) if called else ()
        if called and len(head) == 1 and head[0].kind not in ("input", "output"):
            sources = ()
            factor = meant(called[2].strip())
            if head[0].kind == "scale" and factor and factor[0].kind == "scale":
                return self.step(factor[0], at, previous, operand)
            if called[2].strip() not in _PLACEHOLDERS:
                sources = self.piece(called[2].strip(), at + called.start(2), (), operand=True, depth=depth + 1)
            return self.step(head[0], at, self.merged(sources, previous), operand, sources)
        message = N_("“{name}” is no block I know.") if name else N_("A block is missing here.")
        raise FlowError(message, at, str(self.flow()), name=_visible(name))

    def sum(self, terms: list[tuple[str, int]], at: int, previous: Blocks, operand: bool, depth: int) -> Blocks:
        """An addition of several terms. What comes in goes to a term that nothing else goes to, else to the sum."""
        ways = [self.piece(term, place, (), operand=True, depth=depth + 1) for term, place in terms]
        sources = tuple(dict.fromkeys(index for way in ways for index in way))
        for index in sources:
            if self.nodes[index].kind != "input" and index not in self.before:
                for start in previous:
                    self.join(start, index, at)
        return self.step(Meant("add", "+"), at, self.merged(sources, previous), operand, sources)

    def scaled(self, found: re.Match[str], at: int, previous: Blocks, operand: bool, depth: int) -> Blocks:
        """A factor: alone, the block that scales what comes in; with something behind or before it, that scaled."""
        (factor,) = meant(found["factor"] or found["last"])
        of = (found["of"] or found["first"] or "").strip()
        if not of:
            return self.step(factor, at, previous, operand)
        sources = self.piece(of, at + max(found.start("of"), found.start("first")), (), operand=True, depth=depth + 1)
        return self.step(factor, at, self.merged(sources, previous), operand, sources)

    def merged(self, sources: Blocks, previous: Blocks) -> Blocks:
        """What goes into a formula: its operands, and what comes in unless one of them follows from that."""
        behind = self.ancestors(sources)
        return (*sources, *(index for index in previous if index not in behind))

    def step(self, block: Meant, at: int, previous: Blocks, operand: bool, fed: Blocks = ()) -> Blocks:
        """Joins one block to what comes before it. Of blocks with that name one that is `fed` alike is meant first."""
        number = self.number(block)
        index = next((end for end in range(len(self.nodes)) if fed and self.is_fed(end, block, number, fed)), None)
        if index is None:
            index = self.find(block, number, previous, operand)
        if index is None:
            index = self.add(block, number, at)
        for start in previous:
            self.join(start, index, at)
        return (index,)

    def is_fed(self, end: int, block: Meant, number: int | None, fed: Blocks) -> bool:
        """Whether a block of that name is there and gets what a formula says that it gets."""
        node = self.nodes[end]
        named = (node.kind, node.label) == (block.kind, block.label) and number in (None, node.number)
        return named and all((start, end) in self.edges for start in fed)

    def number(self, block: Meant) -> int | None:
        """Which one of its label is meant: a number as it is typed, other marks in the order of their mention."""
        if not block.tag:
            return None
        key = (block.label, block.tag)
        if key not in self.tags:
            taken = {number for (label, _), number in self.tags.items() if label == block.label}
            taken |= {node.number for node in self.nodes if node.label == block.label}
            wanted = int(block.tag) if block.tag.isdigit() else 0
            free = next(number for number in range(1, len(taken) + 2) if number not in taken)
            self.tags[key] = wanted if wanted else free
        return self.tags[key]

    def find(self, block: Meant, number: int | None, previous: Blocks, operand: bool) -> int | None:
        """The block meant by a name, None if it is a new one."""
        behind = self.ancestors(previous)
        found = None
        for index, node in enumerate(self.nodes):
            if (node.kind, node.label) != (block.kind, block.label):
                continue
            if block.kind in ("input", "output") or number == node.number:
                return index
            if number is None and index not in behind and (operand or index not in self.fresh):
                if not operand:
                    return index
                found = index
        return found

    def add(self, block: Meant, number: int | None, at: int) -> int:
        if len(self.nodes) == MOST_BLOCKS:
            raise FlowError(N_("At most {n} blocks can be read."), at, str(self.flow()), n=MOST_BLOCKS)
        taken = {node.number for node in self.nodes if (node.kind, node.label) == (block.kind, block.label)}
        free = next(candidate for candidate in range(1, MOST_BLOCKS + 1) if candidate not in taken)
        self.nodes.append(Node(block.kind, block.label, number or free))
        self.fresh.add(len(self.nodes) - 1)
        return len(self.nodes) - 1

    def join(self, start: int, end: int, at: int) -> None:
        name = self.nodes[end].label
        if start == end:
            raise FlowError(N_("An arrow goes from “{name}” to itself."), at, str(self.flow()), name=name)
        if end in self.ancestors((start,)):
            raise FlowCircleError(N_("The flow runs in a circle through “{name}”."), at, str(self.flow()), name=name)
        self.edges[start, end] = None
        self.before.setdefault(end, []).append(start)

    def ancestors(self, indices: Blocks) -> set[int]:
        found: set[int] = set()
        waiting = list(indices)
        while waiting:
            index = waiting.pop()
            if index not in found:
                found.add(index)
                waiting += self.before.get(index, ())
        return found


def _visible(name: str) -> str:
    return sanitize(name, limit=_LONGEST_NAME, newlines=False).strip() or "?"


def _pieces(text: str) -> Iterator[tuple[str, int]]:
    """What stands between the arrows, with its place; arrows that all point to the left are read from the right."""
    arrows = list(_ARROW.finditer(text))
    left = [arrow for arrow in arrows if arrow["left"]]
    if left and len(left) < len(arrows):
        raise FlowError(N_("Let all arrows of one chain point the same way."), left[0].start())
    starts = [0, *(arrow.end() for arrow in arrows)]
    ends = [*(arrow.start() for arrow in arrows), len(text)]
    pieces = [trimmed(text, start, end) for start, end in zip(starts, ends, strict=True)]
    return iter(reversed(pieces) if left else pieces)
