"""Text -> data flow.

Chains of blocks joined by arrows, separated by `;` or a line break. A name in a later chain means the block that has
it already; where several have it, the first that lies ahead: `x -> LN -> Attn -> + -> LN -> FFN -> +; x -> +; + -> +`.
A number picks one, `LN2`. Within one chain a repeated name is a new block, since a path visits none twice.
Quotes hold a block of any other name: `x -> "LM head"`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tutor.text.i18n import _

Kind = Literal["input", "output", "norm", "sublayer", "add", "scale", "other"]

LONGEST = 1000
MOST_BLOCKS = 40

_NAMES: dict[tuple[Kind, str], str] = {
    ("input", "x"): "x, input, in, đầu vào, dau vao",
    ("output", "y"): "y, output, out, đầu ra, dau ra",
    ("norm", "Norm"): "norm, normalization, normalisation, normalize, chuẩn hóa, chuẩn hoá, chuan hoa",
    ("norm", "LN"): "ln, layernorm, layer norm, layer normalization",
    ("norm", "RMSNorm"): "rmsnorm, rms norm, rms, rn",
    ("norm", "BatchNorm"): "bn, batchnorm, batch norm",
    ("sublayer", "Sublayer"): "sub, sublayer, sub layer, layer, tầng con, tang con",
    ("sublayer", "F"): "f",
    ("sublayer", "Attention"): "attention, attn, self attention, mha, sa, multi head attention",
    ("sublayer", "FFN"): "ffn, ff, mlp, feed forward, feedforward, feed forward network",
    ("add", "+"): "+, ⊕, add, addition, cộng, cong, phép cộng, phep cong, sum, residual add, add residual",
    ("scale", "×α"): "α, alpha",
    ("scale", "×β"): "β, beta",
    ("other", "Dropout"): "dropout",
    ("other", "Embedding"): "embedding, embed",
    ("other", "Linear"): "linear",
    ("other", "QK-Norm"): "qk norm",
}
_KNOWN = {name: block for block, names in _NAMES.items() for name in names.split(", ")}
_ARROW = re.compile(r"\s*(?:-+>|=+>|[→⇒⟶])\s*")
_PART = re.compile(r'(?:"[^"\n]*"|[^;\n"])+')
_FACTOR = re.compile(r"[*×·]?\s*(α|alpha|β|beta)\s*(?:[*×·]\s*(.*))?", re.IGNORECASE | re.DOTALL)


class FlowError(ValueError):
    """A flow that cannot be read: why, in the learner's language, at which character, and what was read before it."""

    def __init__(self, message: str, position: int, understood: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.understood = understood


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
    """The data flow that `text` describes. Raises `FlowError`."""
    if len(text) > LONGEST:
        raise FlowError(_("At most {n} characters can be read.").format(n=LONGEST), LONGEST)
    reader = _Reader()
    for part in _PART.finditer(unicodedata.normalize("NFC", text)):
        reader.chain(part.group(), part.start())
    if not reader.edges:
        raise FlowError(_("Join the blocks with arrows: x -> LN -> Sub"), 0, str(reader.flow()))
    return reader.flow()


class _Reader:
    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.edges: dict[tuple[int, int], None] = {}

    def flow(self) -> Flow:
        return Flow(tuple(self.nodes), tuple(self.edges))

    def chain(self, text: str, offset: int) -> None:
        if not text.strip():
            return
        previous: int | None = None
        fresh: set[int] = set()
        for name, at in _pieces(text):
            for kind, label, number in self.blocks(name, offset + at):
                index = self.find(kind, label, number, previous, fresh)
                if index is None:
                    index = self.add(kind, label, number, offset + at)
                    fresh.add(index)
                if previous is not None:
                    self.join(previous, index, offset + at)
                previous = index

    def blocks(self, name: str, at: int) -> Iterator[tuple[Kind, str, int | None]]:
        """What a piece between two arrows stands for: mostly one block, `alpha*x` is x and then its factor."""
        if len(name) > 1 and name[0] == name[-1] == '"':
            yield "other", name[1:-1].strip() or "?", None
            return
        factor = _FACTOR.fullmatch(name)
        if factor:
            if factor[2]:
                yield from self.blocks(factor[2].strip(), at + factor.start(2))
            yield "scale", _KNOWN[factor[1].casefold()][1], None
            return
        plain = re.sub(r"[\s_-]+", " ", name.casefold()).strip()
        known, number = _KNOWN.get(plain), None
        if known is None and (numbered := re.fullmatch(r"(.*?)\s*#?(\d)", plain)):
            known, number = _KNOWN.get(numbered[1].strip()), int(numbered[2])
        if known is None:
            message = _("“{name}” is no block I know.") if name else _("A block is missing here.")
            raise FlowError(message.format(name=name[:40]), at, str(self.flow()))
        yield *known, number

    def find(self, kind: Kind, label: str, number: int | None, previous: int | None, fresh: set[int]) -> int | None:
        """The block meant by a name, None if it is a new one."""
        behind = self.ancestors(previous) if previous is not None else set()
        for index, node in enumerate(self.nodes):
            if (node.kind, node.label) != (kind, label):
                continue
            if kind in ("input", "output") or number == node.number:
                return index
            if number is None and index not in behind and index not in fresh:
                return index
        return None

    def add(self, kind: Kind, label: str, number: int | None, at: int) -> int:
        if len(self.nodes) == MOST_BLOCKS:
            raise FlowError(_("At most {n} blocks can be read.").format(n=MOST_BLOCKS), at, str(self.flow()))
        known = {node.number for node in self.nodes if (node.kind, node.label) == (kind, label)}
        self.nodes.append(Node(kind, label, number or next(n for n in range(1, MOST_BLOCKS + 1) if n not in known)))
        return len(self.nodes) - 1

    def join(self, start: int, end: int, at: int) -> None:
        if start == end or end in self.ancestors(start):
            message = _("The flow runs in a circle through “{name}”.").format(name=self.nodes[end].label)
            raise FlowError(message, at, str(self.flow()))
        self.edges[start, end] = None

    def ancestors(self, index: int) -> set[int]:
        found = {index}
        while more := {start for start, end in self.edges if end in found} - found:
            found |= more
        return found


def _pieces(text: str) -> Iterator[tuple[str, int]]:
    start = 0
    for arrow in _ARROW.finditer(text):
        yield _trimmed(text, start, arrow.start())
        start = arrow.end()
    yield _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> tuple[str, int]:
    piece = text[start:end]
    return piece.strip(), start + len(piece) - len(piece.lstrip())
