r"""Maths on one row: `γ · (x - μ)/√(σ² + ε) + β`.

Two uses: what needs no second row in a two-dimensional formula (`exact`), and whole formulas in a line of prose, where
fractions become quotients with every parenthesis that the reading needs.
"""

from __future__ import annotations

from collections.abc import Sequence

from tutor.text.latex_symbols import SUBSCRIPTS, SUPERSCRIPTS, Kind
from tutor.text.latex_tree import Atom, Fenced, Fraction, Grid, Group, MathsError, Node, Root, Script

_WORDS: set[Kind] = {"word", "fun", "limit"}
_LETTERS: set[Kind] = {"ord", "num", "diff", *_WORDS}
_OPENED: set[Kind] = {"open", "bin", "rel", "punct", "slash"}
_ENDED: set[Kind] = {"ord", "num", "post", "close", "fence"}
_SIGNS = tuple(Atom(char, "bin") for char in "+-±∓")
_BIG: set[Kind] = {"big", "integral"}


class NeedsRowsError(Exception):
    """What cannot be written on one row without another notation: a fraction, a script that Unicode lacks."""


def exact(node: Node, *, tight: bool = False) -> str:
    """The node on one row in the notation of its author. Raises `NeedsRowsError`."""
    return _Writer(exact=True).node(node, tight)


def linear(node: Node, *, tight: bool = False) -> str:
    """The node on one row, whatever it is; `tight` leaves out the spaces, as in a script."""
    return _Writer(exact=False).node(node, tight)


def small(text: str, table: dict[str, str]) -> str | None:
    """`text` in the raised or lowered characters of `table`, None where one is missing."""
    parts = text.split(",")
    if len(parts) > 1 and all(len(part) == 1 and part.isalpha() for part in parts):
        text = "".join(parts)  # x_{i,j} is read as xᵢⱼ; a comma on the line would end the term
    return "".join(table[char] for char in text) if all(char in table for char in text) else None


def kind_of(node: Node) -> Kind:
    """How a node is spaced: as its base, and what has no kind as a symbol."""
    if isinstance(node, Script):
        return kind_of(node.base)
    if isinstance(node, Group) and len(node.items) == 1:
        kind = kind_of(node.items[0])
        return "ord" if kind in ("rel", "bin", "punct") else kind  # 65{,}504: braces take the space away
    if isinstance(node, Fenced):
        return "fence"
    return node.kind if isinstance(node, Atom) else "ord"


def kinds_of(items: Sequence[Node]) -> list[Kind]:
    """The kinds of a row, with a sign, as in `-x`, told from a subtraction."""
    kinds: list[Kind] = []
    for node in items:
        kind = kind_of(node)
        if kind == "bin" and (not kinds or kinds[-1] in _OPENED or kinds[-1] in _BIG):
            kind = "diff"
        kinds.append(kind)
    if kinds and kinds[-1] == "bin":
        kinds[-1] = "post"
    return kinds


def gap(left: Kind, right: Kind, *, tight: bool) -> str:
    """The space between two neighbours in a row."""
    if "space" in (left, right):
        return ""
    if (left in _WORDS and right in _LETTERS) or (left in _ENDED and right in _WORDS):
        return " "
    if tight:
        return ""
    if "rel" in (left, right) or "bin" in (left, right) or left == "punct":
        return "" if left == right or right == "punct" else " "
    if left in _BIG or (right in _BIG and left not in _OPENED and left != "diff"):
        return " "
    if "dots" in (left, right):
        return "" if left == "open" or right in ("close", "punct") else " "
    return ""


class _Writer:
    def __init__(self, *, exact: bool) -> None:
        self.exact = exact

    def node(self, node: Node, tight: bool) -> str:
        if isinstance(node, Atom):
            return node.text
        if isinstance(node, Group):
            return self.row(node.items, tight)
        if isinstance(node, Script):
            return self.script(node, tight)
        if isinstance(node, Fenced):
            return node.left + self.node(node.body, tight) + node.right
        if isinstance(node, Root):
            return self.root(node)
        if self.exact:
            raise NeedsRowsError
        if isinstance(node, Fraction):
            differential = all(
                len(side.items) == 2 and side.items[0] == Atom("d", "ord") for side in (node.top, node.bottom)
            )
            return f"{self.operand(node.top)}/{self.operand(node.bottom, below=not differential)}"
        return self.grid(node)

    def row(self, items: Sequence[Node], tight: bool) -> str:
        text, piece, kinds = "", "", kinds_of(items)
        for index, node in enumerate(items):
            before, piece = piece, self.node(node, tight)
            if isinstance(node, Fraction) and _joined(kinds, index):
                piece = f"({piece})"
            if text:
                space = gap(kinds[index - 1], kinds[index], tight=tight)
                # √x y and x_L y: the letter that follows is not under the root, not in the script.
                space = space or (" " if piece[:1].isalnum() and _open_ended(items[index - 1], before) else "")
                text += "" if text.endswith(" ") or piece.startswith(" ") else space
            text += piece
        return text

    def script(self, node: Script, tight: bool) -> str:
        base = self.node(node.base, tight)
        if isinstance(node.base, Fraction | Grid) or (isinstance(node.base, Group) and len(node.base.items) > 1):
            base = f"({base})"
        if self.exact and kind_of(node.base) in ("big", "limit"):
            raise NeedsRowsError
        return base + self.small(node.sub, SUBSCRIPTS, "_") + self.small(node.sup, SUPERSCRIPTS, "^")

    def small(self, script: Group | None, table: dict[str, str], mark: str) -> str:
        if script is None:
            return ""
        text = linear(script, tight=True)
        if text == "′" and mark == "^":
            return text
        shrunk = small(text, table)
        if shrunk is not None:
            return shrunk
        if self.exact:
            raise NeedsRowsError
        return mark + (text if text.isalnum() else f"({text})")

    def root(self, node: Root) -> str:
        degree = linear(node.degree, tight=True) if node.degree else ""
        sign = {"": "√", "2": "√", "3": "∛", "4": "∜"}.get(degree)
        if sign is None:
            raised = small(degree, SUPERSCRIPTS)
            if raised is None:
                raise MathsError(f"a root of degree {degree}")
            sign = raised + "√"
        body = self.node(node.body, False)
        return sign + (body if _single(node.body) else f"({body})")

    def operand(self, group: Group, below: bool = False) -> str:
        """One side of a quotient, in parentheses unless it is read as one thing there."""
        text = self.node(group, False)
        items = group.items
        if len(items) == 1:
            whole = not isinstance(items[0], Fraction | Grid) and kind_of(items[0]) not in ("rel", "bin")
        else:
            kinds = kinds_of(items)
            head = isinstance(items[0], Atom) and kinds[0] in ("diff", *_WORDS) and items[0] not in _SIGNS
            plain = not any(isinstance(node, Fraction | Grid) for node in items) and items[0] not in _SIGNS
            product = plain and set(kinds) <= {"ord", "num", "diff"}
            whole = (head and (len(items) == 2 or _call(kinds))) or (product and not below)
        return text if whole else f"({text})"

    def grid(self, node: Grid) -> str:
        rows = [" ".join(filter(None, (self.node(cell, False) for cell in cells))) for cells in node.rows]
        if node.name == "cases":
            return "{ " + "; ".join(rows)
        text = "; ".join(rows)
        return f"[{text}]" if node.name.endswith("matrix") else text


def _joined(kinds: list[Kind], index: int) -> bool:
    """Whether a quotient at `index` would be read into its neighbours: 1/2 x, log a/b."""
    before = next((kind for kind in reversed(kinds[:index]) if kind != "space"), "open")
    after = next((kind for kind in kinds[index + 1 :] if kind != "space"), "close")
    return before not in ("open", "bin", "rel", "punct") or after not in ("close", "bin", "rel", "punct", "slash")


def _single(group: Group) -> bool:
    return len(group.items) == 1 and isinstance(group.items[0], Atom) and len(group.items[0].text) == 1


def _call(kinds: list[Kind]) -> bool:
    """Whether the row after its first item is one pair of parentheses."""
    if kinds[1] == "fence":
        return len(kinds) == 2
    level = 0
    for index, kind in enumerate(kinds[1:], start=1):
        level += (kind == "open") - (kind == "close")
        if level <= 0:
            return level == 0 and kind == "close" and index == len(kinds) - 1
    return False


def _open_ended(node: Node, piece: str) -> bool:
    """Whether a letter set right after `piece`, which shows `node`, would be read as part of it."""
    if isinstance(node, Root):
        return not piece.endswith(")")
    return isinstance(node, Script) and piece[-1:].isalnum() and ("_" in piece or "^" in piece)
