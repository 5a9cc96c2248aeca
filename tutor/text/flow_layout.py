"""A data flow as slots: blocks one below the other from x to y, and rails beside them. The guided editor changes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from tutor.text.flow_drawing import rails_beside, spine
from tutor.text.flow_syntax import Flow

SHORT = {"Sublayer": "Sub", "Attention": "Attn"}
"""How blocks with long names are called where there is little room."""
_NO_NUMBER = ("x", "y")


@dataclass(frozen=True)
class Track:
    """A rail from one place of the path to a later one, with what lies on it."""

    start: int
    end: int
    blocks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Layout:
    """Places count from 0, which is x, over the `blocks`, to `last`, which is y. Every change gives a new layout."""

    blocks: tuple[str, ...] = ()
    tracks: tuple[Track, ...] = ()

    @classmethod
    def of(cls, flow: Flow) -> Layout | None:
        """The layout of a flow; None if it is more than one path with rails beside it."""
        path = spine(flow)
        rails = rails_beside(flow, path)
        if rails is None or flow.nodes[path[0]].kind != "input":
            return None
        if flow.nodes[path[-1]].kind != "output":
            path = [*path, -1]
        labels = [_name(flow.nodes[index].label) for index in path[1:-1]]
        tracks = [
            Track(path.index(rail.start), path.index(rail.end), tuple(_name(flow.nodes[n].label) for n in rail.nodes))
            for rail in rails
        ]
        return cls(tuple(labels), tuple(tracks))

    @property
    def last(self) -> int:
        """The place of y."""
        return len(self.blocks) + 1

    @property
    def empty(self) -> bool:
        """Whether nothing was put anywhere yet."""
        return not self.blocks and not self.tracks

    def name(self, place: int) -> str:
        """What stands at a place, numbered where it is not the only one of its name."""
        return self._numbered()[0][place]

    def on(self, track: int) -> tuple[str, ...]:
        """What lies on a rail, numbered likewise."""
        return self._numbered()[1][track]

    def text(self) -> str:
        """The flow in the arrow text; empty while nothing was put anywhere."""
        if self.empty:
            return ""
        names, rails = self._numbered()
        chains = [names]
        for track, blocks in zip(self.tracks, rails, strict=True):
            chains.append([names[track.start], *blocks, names[track.end]])
        return "; ".join(" -> ".join(chain) for chain in chains)

    def put(self, label: str, after: int) -> Layout:
        """A block into the path, behind a place."""
        after = min(after, len(self.blocks))
        tracks = tuple(
            replace(track, start=track.start + (track.start > after), end=track.end + (track.end > after))
            for track in self.tracks
        )
        return Layout((*self.blocks[:after], label, *self.blocks[after:]), tracks)

    def take(self, place: int) -> Layout:
        """Without the block at a place, and without the rails that leave or join there."""
        if not 0 < place < self.last:
            return self
        tracks = tuple(
            replace(track, start=track.start - (track.start > place), end=track.end - (track.end > place))
            for track in self.tracks
            if place not in (track.start, track.end)
        )
        return Layout((*self.blocks[: place - 1], *self.blocks[place:]), tracks)._sound()

    def move(self, place: int, by: int) -> Layout:
        """The block at a place and its neighbour the other way round; rails stay with their blocks."""
        other = place + by
        if not (0 < place < self.last and 0 < other < self.last):
            return self
        blocks = list(self.blocks)
        blocks[place - 1], blocks[other - 1] = blocks[other - 1], blocks[place - 1]
        swapped = {place: other, other: place}
        tracks = tuple(
            replace(track, start=swapped.get(track.start, track.start), end=swapped.get(track.end, track.end))
            for track in self.tracks
        )
        return Layout(tuple(blocks), tracks)._sound()

    def lay(self, start: int, end: int) -> Layout:
        """A rail from one place to a later one; the same layout where that is not possible, or there already."""
        track = Track(start, end)
        if not 0 <= start < end <= self.last or end == start + 1 or track in self.tracks:
            return self
        return replace(self, tracks=(*self.tracks, track))

    def load(self, track: int, label: str) -> Layout:
        """One more block on a rail."""
        return self._with(track, replace(self.tracks[track], blocks=(*self.tracks[track].blocks, label)))

    def unload(self, track: int) -> Layout:
        """The last block off a rail; an empty rail goes."""
        blocks = self.tracks[track].blocks
        return self._with(track, replace(self.tracks[track], blocks=blocks[:-1]) if blocks else None)

    def _with(self, number: int, track: Track | None) -> Layout:
        tracks = [track if place == number else old for place, old in enumerate(self.tracks)]
        return Layout(self.blocks, tuple(kept for kept in tracks if kept is not None))._sound()

    def _sound(self) -> Layout:
        """Only rails that lead onward and past something, each once."""
        kept = [track for track in self.tracks if track.start < track.end - (not track.blocks)]
        return replace(self, tracks=tuple(dict.fromkeys(kept)))

    def _numbered(self) -> tuple[list[str], list[tuple[str, ...]]]:
        labels = ["x", *self.blocks, "y"]
        everything = labels + [label for track in self.tracks for label in track.blocks]
        seen: dict[str, int] = {}
        names = []
        for label in everything:
            seen[label] = seen.get(label, 0) + 1
            names.append(label if everything.count(label) == 1 or label in _NO_NUMBER else f"{label}{seen[label]}")
        cuts = [len(labels)]
        for track in self.tracks:
            cuts.append(cuts[-1] + len(track.blocks))
        return names[: len(labels)], [tuple(names[start:end]) for start, end in pairwise(cuts)]


def _name(label: str) -> str:
    return SHORT.get(label, label)


def palette(answers: list[Flow]) -> tuple[str, ...]:
    """The blocks that an answer may be made of: each label once, in the order norm, sublayers, addition, factor."""
    order = ("norm", "sublayer", "other", "add", "scale")
    nodes = [node for flow in answers for node in flow.nodes if node.kind in order]
    nodes.sort(key=lambda node: order.index(node.kind))
    return tuple(dict.fromkeys(_name(node.label) for node in nodes))
