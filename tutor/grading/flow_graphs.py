"""Data flows as labelled graphs: what does not matter taken out, then compared.

The graphs are tiny, so that two are compared by trying the ways to lay one over the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, permutations, product

from tutor.text.flow import Flow
from tutor.text.flow_names import DROPOUT, HIDDEN, IDENTITY

Edge = tuple[int, int]

SUBLAYERS = ("Sublayer", "F", "Attention", "FFN")
_GENERIC = ("Sublayer", "F")
_NORMS = ("LN", "Norm", "RMSNorm")
_MOST_WAYS = 400


@dataclass(frozen=True)
class Graph:
    """Labels of the blocks, by index, and the arrows between them."""

    labels: tuple[str, ...]
    edges: frozenset[Edge]
    left_out: tuple[str, ...] = ()
    """Labels of blocks that were there and make no difference."""

    def name(self, index: int) -> str:
        """A block's label, numbered where it is not the only one."""
        label = self.labels[index]
        if self.labels.count(label) == 1:
            return label
        return f"{label}{self.labels[: index + 1].count(label)}"

    def arrow(self, edge: Edge) -> str:
        """An arrow as it is shown."""
        return f"{self.name(edge[0])} → {self.name(edge[1])}"

    def before(self, index: int) -> list[int]:
        """Where the arrows into a block come from."""
        return [start for start, end in self.edges if end == index]

    def after(self, index: int) -> list[int]:
        """Where the arrows out of a block go to."""
        return [end for start, end in self.edges if start == index]


def graph_of(flow: Flow) -> Graph:
    """A flow without names for what flows along an arrow, and with the output that its author may have left out.

    Dropout behind a sublayer is left out too: it changes no place of a norm, and does nothing after training.
    """
    labels = [node.label for node in flow.nodes]
    graph = Graph(tuple(labels), frozenset(flow.edges))
    for index, label in enumerate(labels):
        sources = graph.before(index)
        if label == HIDDEN and not sources and "x" not in labels:
            labels[index] = "x"
        elif label == IDENTITY and len(sources) > 1:
            labels[index] = "+"
    graph = Graph(tuple(labels), graph.edges)
    left_out: set[str] = set()
    gone: set[int] = set()
    for index, label in enumerate(labels):
        sources = graph.before(index)
        hands_on = label in (IDENTITY, HIDDEN) or (label == "y" and bool(graph.after(index)))
        if len(sources) == 1 and (hands_on or (label == DROPOUT and _is_only_branch(graph, sources[0]))):
            graph = _without(graph, index, sources[0])
            if index not in {end for edge in graph.edges for end in edge}:
                gone.add(index)
                left_out |= {label} if label == DROPOUT else set()
    return _with_output(_compact(graph, gone, tuple(sorted(left_out))))


def _is_only_branch(graph: Graph, index: int) -> bool:
    return graph.labels[index] in SUBLAYERS and len(graph.after(index)) == 1


def _without(graph: Graph, index: int, source: int) -> Graph:
    """The block skipped: what it got goes to where it went. Kept where that would make two arrows one."""
    ends = graph.after(index)
    if any((source, end) in graph.edges for end in ends):
        return graph
    edges = {edge for edge in graph.edges if index not in edge} | {(source, end) for end in ends}
    return Graph(graph.labels, frozenset(edges))


def _compact(graph: Graph, gone: set[int], left_out: tuple[str, ...] = ()) -> Graph:
    kept = [index for index in range(len(graph.labels)) if index not in gone]
    place = {index: number for number, index in enumerate(kept)}
    edges = frozenset((place[start], place[end]) for start, end in graph.edges)
    return Graph(tuple(graph.labels[index] for index in kept), edges, left_out)


def _with_output(graph: Graph) -> Graph:
    """The output, behind the last block, where none is named."""
    if "y" in graph.labels:
        return graph
    sinks = [index for index in range(len(graph.labels)) if not graph.after(index)]
    last = max(sinks, key=lambda index: len(_upstream(graph, index)))
    return Graph((*graph.labels, "y"), graph.edges | {(last, len(graph.labels))}, graph.left_out)


def _upstream(graph: Graph, index: int) -> set[int]:
    found = {index}
    while more := {start for start, end in graph.edges if end in found} - found:
        found |= more
    return found


def without_empty_adds(graph: Graph) -> Graph:
    """An addition of one thing is that thing."""
    for index, label in enumerate(graph.labels):
        sources = graph.before(index)
        if label == "+" and len(sources) == 1 and (shorter := _without(graph, index, sources[0])) is not graph:
            return without_empty_adds(_compact(shorter, {index}, graph.left_out))
    return graph


def in_the_words_of(graph: Graph, reference: Graph) -> Graph:
    """The graph with its labels as the reference has them, where the two mean the same.

    One kind of norm is as good as another, and where the reference speaks of a sublayer, any one will do; but what has
    two names stays two things.
    """
    words = {"×": "×α"}
    words |= _one(graph, _NORMS, {label for label in reference.labels if label in _NORMS}, "Norm")
    asked = {label for label in reference.labels if label in SUBLAYERS}
    if asked <= set(_GENERIC):
        words |= _one(graph, SUBLAYERS, asked, "")
    else:
        words["F"] = "Sublayer"
    return Graph(tuple(words.get(label, label) for label in graph.labels), graph.edges, graph.left_out)


def _one(graph: Graph, family: tuple[str, ...], asked: set[str], neutral: str) -> dict[str, str]:
    """One label for a family of which both sides use one; `neutral` goes with any."""
    used = {label for label in graph.labels if label in family}
    if len(asked) != 1 or len(used - {neutral}) > 1:
        return {}
    return dict.fromkeys(used, next(iter(asked)))


def same(one: Graph, other: Graph) -> bool:
    """Whether the two are one graph: some order of blocks with equal labels makes the arrows equal."""
    if len(one.edges) != len(other.edges) or Counter(one.labels) != Counter(other.labels):
        return False
    return _extend(one, other, {}, 0)


def _extend(one: Graph, other: Graph, laid: dict[int, int], index: int) -> bool:
    if index == len(one.labels):
        return True
    for there in range(len(other.labels)):
        if there in laid.values() or other.labels[there] != one.labels[index]:
            continue
        laid[index] = there
        fits = all(
            ((a, b) in one.edges) == ((laid[a], laid[b]) in other.edges)
            for known in laid
            for a, b in ((known, index), (index, known))
        )
        if fits and _extend(one, other, laid, index + 1):
            return True
        del laid[index]
    return False


@dataclass(frozen=True)
class Comparison:
    """The arrows that an answer has of its reference, lacks, and has too many: `extra` in the answer's own indices."""

    found: frozenset[Edge]
    missing: frozenset[Edge]
    extra: frozenset[Edge]

    @property
    def likeness(self) -> float:
        """Arrows in both, of all in either: 0 to 1."""
        return len(self.found) / (len(self.found) + len(self.missing) + len(self.extra))


def compare(answer: Graph, reference: Graph) -> Comparison:
    """The answer laid over the reference so that most arrows agree."""

    def laid(way: dict[int, int]) -> frozenset[Edge]:
        edges = {(way[start], way[end]) for start, end in answer.edges if start in way and end in way}
        return reference.edges & edges

    best = max(islice(_ways(answer, reference), _MOST_WAYS), key=lambda way: len(laid(way)))
    found = laid(best)
    extra = {(a, b) for a, b in answer.edges if (best.get(a, -1), best.get(b, -1)) not in found}
    return Comparison(found, reference.edges - found, frozenset(extra))


def _ways(answer: Graph, reference: Graph) -> Iterator[dict[int, int]]:
    """Every way to lay blocks over blocks of the reference with equal labels; the order typed comes first."""
    choices: list[list[dict[int, int]]] = []
    for label in dict.fromkeys(answer.labels):
        ours = [index for index, name in enumerate(answer.labels) if name == label]
        theirs = [index for index, name in enumerate(reference.labels) if name == label]
        if len(ours) <= len(theirs):
            ways = [dict(zip(ours, chosen, strict=True)) for chosen in permutations(theirs, len(ours))]
        else:
            some = islice(permutations(ours, len(theirs)), _MOST_WAYS)
            ways = [dict(zip(chosen, theirs, strict=True)) for chosen in some]
        choices.append(ways)
    for chosen in product(*choices):
        yield {ours: theirs for part in chosen for ours, theirs in part.items()}
