"""Data flows drawn top to bottom: the longest path as boxes, everything beside it as rails on the right.

A rail leaves its block in the row below it and joins its target from the right; what lies on the rail is drawn on it.
Rails that end at one block share the last stretch, as their sum does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rich.cells import cell_len, chop_cells

from tutor.text.flow_syntax import Flow, Node

_BARE = ("input", "output", "add")
_GUTTER = 4
_SHORTEST_LABEL = 3


def draw(flow: Flow, *, width: int = 30) -> tuple[str, ...]:
    """The flow as rows of equal width, at most `width` cells where the labels can be shortened to that.

    A graph that no such drawing shows is given as its edges, one a row.
    """
    path = spine(flow)
    rails = rails_beside(flow, path)
    if rails is None:
        return _padded(str(flow).split("; "))
    longest = max(cell_len(node.label) for node in flow.nodes)
    try:
        rows = _Drawing(flow, path, rails, longest).rows()
        while cell_len(rows[0]) > width and longest > _SHORTEST_LABEL:
            longest -= 1
            rows = _Drawing(flow, path, rails, longest).rows()
    except _CrossedError:
        return _padded(str(flow).split("; "))
    return rows


def side_by_side(drawings: Sequence[tuple[str, Sequence[str]]], width: int) -> tuple[str, ...]:
    """Titled drawings beside each other where they fit into `width` cells, else the rest below."""
    rows: list[str] = []
    line: list[tuple[str, ...]] = []
    for title, drawing in drawings:
        block = _padded([title, "", *drawing] if title else list(drawing))
        if line and sum(cell_len(other[0]) + _GUTTER for other in line) + cell_len(block[0]) > width:
            rows += [*_joined(line), ""]
            line = []
        line.append(block)
    return _padded([*rows, *_joined(line)]) if line else ()


def _joined(blocks: list[tuple[str, ...]]) -> list[str]:
    tallest = max(map(len, blocks))
    filled = [block + (" " * cell_len(block[0]),) * (tallest - len(block)) for block in blocks]
    return [(" " * (_GUTTER)).join(rows) for rows in zip(*filled, strict=True)]


def _padded(rows: Sequence[str]) -> tuple[str, ...]:
    longest = max(map(cell_len, rows), default=0)
    return tuple(row + " " * (longest - cell_len(row)) for row in rows)


class _CrossedError(Exception):
    """A line would run through a block."""


@dataclass
class Rail:
    """A line beside the path: where it leaves and joins, and the blocks on it; the rest is where it is drawn."""

    start: int
    end: int
    nodes: list[int] = field(default_factory=list)
    top: int = -1
    bottom: int = -1
    column: int = 0


def spine(flow: Flow) -> list[int]:
    """The longest path; a factor counts for less than a block, and the first mentioned wins a tie."""
    best: dict[int, tuple[float, list[int]]] = {}

    def longest(index: int) -> tuple[float, list[int]]:
        if index not in best:
            ways = [longest(end) for start, end in flow.edges if start == index]
            length, path = max(ways, key=lambda way: way[0], default=(0.0, []))
            best[index] = length + (0.5 if flow.nodes[index].kind == "scale" else 1.0), [index, *path]
        return best[index]

    return max((longest(index) for index in range(len(flow.nodes))), key=lambda way: way[0])[1]


def rails_beside(flow: Flow, path: list[int]) -> list[Rail] | None:
    """Everything beside the path as paths from it and back to it; None if there is more than that."""
    along = set(pairwise(path))
    rails, seen = [], set(path)
    for start, end in flow.edges:
        if (start, end) in along or start not in path:
            continue
        rail = Rail(start, end)
        while rail.end not in path:
            following = [after for before, after in flow.edges if before == rail.end]
            preceding = [before for before, after in flow.edges if after == rail.end]
            if len(following) != 1 or len(preceding) != 1:
                return None
            rail.nodes.append(rail.end)
            seen.add(rail.end)
            rail.end = following[0]
        rails.append(rail)
    return rails if len(seen) == len(flow.nodes) else None


class _Drawing:
    """One drawing: a grid of cells, the centre of the boxes at `centre`, rails in the columns to the right."""

    def __init__(self, flow: Flow, spine: list[int], rails: list[Rail], most: int) -> None:
        self.flow, self.spine = flow, spine
        self.rails = [Rail(rail.start, rail.end, rail.nodes) for rail in rails]
        self.most = most
        boxed = [cell_len(self.label(flow.nodes[index])) for index in spine if flow.nodes[index].kind not in _BARE]
        self.inner = max(boxed, default=1) + 2
        self.inner += self.inner % 2 == 0  # odd, so that the box has a middle
        self.centre = self.inner // 2 + 1 if boxed else 0
        self.cells: list[dict[int, str]] = []
        self.taken: set[tuple[int, int]] = set()

    def label(self, node: Node) -> str:
        if cell_len(node.label) <= self.most:
            return node.label
        return chop_cells(node.label, self.most - 1)[0] + "…"

    def rows(self) -> tuple[str, ...]:
        ends = {rail.end for rail in self.rails}
        forks: dict[int, int] = {}
        joins: dict[int, int] = {}
        for place, index in enumerate(self.spine):
            node = self.flow.nodes[index]
            if index in ends:
                self.make_room(index, forks)
            if node.kind in _BARE:
                if place:
                    self.line("▼")
                joins[index] = len(self.cells)
                self.line(node.label)
            else:
                joins[index] = len(self.cells) + 1
                self.box(self.label(node), self.centre, self.inner, top="▼" if place else "─", row=len(self.cells))
                if place == len(self.spine) - 1:
                    self.cells[-1][self.centre] = "─"
            if any(rail.start == index for rail in self.rails):
                forks[index] = len(self.cells)
                self.line("│")
        self.place_rails(forks, joins)
        return self.text()

    def line(self, char: str) -> None:
        self.cells.append({})
        self.put(len(self.cells) - 1, self.centre - (cell_len(char) - 1) // 2, char)

    def put(self, row: int, column: int, text: str) -> None:
        for offset, char in enumerate(text):
            self.cells[row][column + offset] = char

    def box(self, label: str, centre: int, inner: int, *, top: str, row: int) -> None:
        left, half = centre - inner // 2 - 1, inner // 2
        while len(self.cells) < row + 3:
            self.cells.append({})
        before = (inner - cell_len(label)) // 2
        middle = " " * before + label + " " * (inner - before - cell_len(label))
        self.put(row, left, "┌" + "─" * half + top + "─" * half + "┐")
        self.put(row + 1, left, "│" + middle + "│")
        self.put(row + 2, left, "└" + "─" * half + "┬" + "─" * half + "┘")

    def height(self, rail: Rail) -> int:
        """The rows that the blocks of a rail take."""
        return sum(1 if self.flow.nodes[index].kind == "scale" else 3 for index in rail.nodes)

    def make_room(self, end: int, forks: dict[int, int]) -> None:
        """Lengthens the spine until each rail that ends here has room for what lies on it."""
        for rail in self.rails:
            # A bare target has an arrow above it, a box its upper edge.
            while rail.end == end and len(self.cells) + 1 - forks[rail.start] - 1 < self.height(rail):
                self.line("│")

    def place_rails(self, forks: dict[int, int], joins: dict[int, int]) -> None:
        # An arrow into a box wants a cell for its line.
        beside = any(self.flow.nodes[rail.end].kind not in _BARE for rail in self.rails)
        right = max(max(row, default=0) for row in self.cells) + beside
        for rail in self.rails:
            rail.top, rail.bottom = forks[rail.start], joins[rail.end]
        placed: list[Rail] = []
        # Short rails run inside of the long ones, so that none has to be crossed where they are nested.
        for rail in sorted(self.rails, key=lambda rail: (rail.bottom - rail.top, -len(rail.nodes))):
            half = self.half(rail)
            column = right + 2 + half
            for other in sorted(placed, key=lambda other: other.column):
                if other.top <= rail.bottom and rail.top <= other.bottom:
                    column = max(column, other.column + self.half(other) + 2 + half)
            rail.column = column
            placed.append(rail)
        for rail in placed:
            self.vertical(rail)
        # From the outside in: where several share a line, the outermost draws it.
        for rail in sorted(placed, key=lambda rail: -rail.column):
            self.horizontal(rail)

    def half(self, rail: Rail) -> int:
        """Half the width of what lies on a rail."""
        widths = [
            cell_len(self.label(node)) + (0 if node.kind == "scale" else 4)
            for node in (self.flow.nodes[index] for index in rail.nodes)
        ]
        return max(widths, default=1) // 2

    def vertical(self, rail: Rail) -> None:
        for row in range(rail.top + 1, rail.bottom):
            self.cells[row][rail.column] = "│"
        row = rail.top + 1 + (rail.bottom - rail.top - 1 - self.height(rail)) // 2
        for index in rail.nodes:
            node = self.flow.nodes[index]
            label = self.label(node)
            inner = cell_len(label) + 2
            inner += inner % 2 == 0
            if node.kind == "scale":
                left, height, columns = rail.column - (cell_len(label) - 1) // 2, 1, cell_len(label)
                self.put(row, left, label)
            else:
                left, height, columns = rail.column - inner // 2 - 1, 3, inner + 2
                self.box(label, rail.column, inner, top="▼", row=row)
            self.taken.update((row + down, left + across) for down in range(height) for across in range(columns))
            row += height

    def horizontal(self, rail: Rail) -> None:
        bare = self.flow.nodes[rail.end].kind in _BARE
        target = self.centre + (1 if bare else self.inner // 2 + 2)
        self.stretch(rail.top, self.centre + 1, rail.column, "╮", "┬")
        self.put(rail.top, self.centre, "├")
        self.stretch(rail.bottom, target, rail.column, "╯", "┴")
        self.put(rail.bottom, target, "◄")

    def stretch(self, row: int, start: int, end: int, corner: str, branch: str) -> None:
        """A horizontal line that ends in a corner, or in a branch where the line of a rail further out runs already.

        It passes behind the rails that it crosses.
        """
        if any((row, column) in self.taken for column in range(start, end + 1)):
            raise _CrossedError
        for column in range(start, end):
            self.cells[row].setdefault(column, "─")
        self.cells[row][end] = corner if end not in self.cells[row] else branch

    def text(self) -> tuple[str, ...]:
        rows = []
        for cells in self.cells:
            last = max(cells, default=-1)
            rows.append("".join(cells.get(column, " ") for column in range(last + 1)).rstrip())
        return _padded(rows)
