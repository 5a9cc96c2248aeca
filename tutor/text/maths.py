r"""LaTeX maths -> rows of characters for a terminal.

Layout is TeXicode's: fractions, growing brackets, roots, matrices. It sees only placeholders, one a cell, and the
commands that move them: the symbols, the words, the spaces and what fits on a row are settled here. So nothing
depends on its fonts and symbol tables, and none of its `?` for a macro that it does not know can come out.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from itertools import accumulate

from rich.cells import cell_len

from tutor.text.latex import parse
from tutor.text.latex_symbols import SUBSCRIPTS, SUPERSCRIPTS, Kind
from tutor.text.latex_tree import Atom, Fenced, Fraction, Grid, Group, MathsError, Node, Root, Script
from tutor.text.linear import NeedsRowsError, exact, gap, kind_of, kinds_of, linear, small

__all__ = ["MathsError", "fit", "on_one_row", "render", "render_or_source"]

# TeXicode reads ideographs as letters and draws them as they are; a formula may not hold any of its own.
_FIRST_PLACEHOLDER = 0x4E00
_TALL_DELIMITERS = {"(": "(", ")": ")", "[": "[", "]": "]", "{": r"\{", "}": r"\}", "|": "|", "‖": r"\Vert", "": ".",
                    "⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil"}  # fmt: skip


@lru_cache(maxsize=2048)
def render(latex: str) -> tuple[str, ...]:
    """The formula as rows of equal width in cells. Raises `MathsError`."""
    return _Layout().rows(parse(latex))


@lru_cache(maxsize=2048)
def on_one_row(latex: str) -> str:
    """The formula on one row, fractions as quotients with the parentheses that they need. Raises `MathsError`."""
    return linear(parse(latex))


def render_or_source(latex: str) -> tuple[str, ...]:
    """As `render`; what cannot be rendered is given as its source, on one row."""
    try:
        return render(latex)
    except MathsError:
        return (" ".join(latex.split()),)


@lru_cache(maxsize=512)
def fit(latex: str, width: int) -> tuple[str, ...] | None:
    """The formula as rows at most `width` cells wide, continued on further lines before a relation, a sum or after a
    wide space; None where it cannot be broken so. Raises `MathsError`.
    """
    whole = render(latex)
    if cell_len(whole[0]) <= width:
        return whole
    blocks: list[tuple[str, ...]] = []
    for line in _lines(parse(latex)):
        broken = _broken(line, width)
        if broken is None:
            return None
        blocks += broken
    apart = [""] if any(len(block) > 1 for block in blocks) else []
    rows = [row for block in blocks for row in (*apart, *block)][len(apart) :]
    longest = max(map(cell_len, rows))
    return tuple(row + " " * (longest - cell_len(row)) for row in rows)


_BREAKS: dict[Kind, int] = {"space": 3, "rel": 2, "bin": 1}


def _lines(tree: Group) -> list[tuple[Node, ...]]:
    if len(tree.items) == 1 and isinstance(tree.items[0], Grid) and tree.items[0].name in ("aligned", "align", "split"):
        return [tuple(item for cell in cells for item in cell.items) for cells in tree.items[0].rows]
    return [tree.items]


def _broken(items: tuple[Node, ...], width: int) -> list[tuple[str, ...]] | None:
    """One line of maths as blocks of rows; what continues a line is indented and begins with its operator."""
    kinds = kinds_of(items)
    depths = list(accumulate((kind == "open") - (kind == "close") for kind in kinds))
    places = [index for index, kind in enumerate(kinds) if index and kind in _BREAKS and depths[index] == 0]
    places.append(len(items))
    blocks: list[tuple[str, ...]] = []
    start = 0
    while start < len(items):
        indent = "  " if blocks else ""
        best: tuple[int, int, tuple[str, ...]] | None = None
        for place in (place for place in places if place > start):
            # An empty word before the operator keeps it from being spaced as a sign.
            rows = _Layout().rows(Group((Atom("", "ord"), *items[start:place])))
            if cell_len(rows[0]) + len(indent) > width:
                break
            rank = 9 if place == len(items) else _BREAKS[kinds[place]]
            # A worse place must fill the line much better to be taken.
            if best is None or rank >= best[0] or cell_len(rows[0]) > 2 * cell_len(best[2][0]):
                best = rank, place, rows
        if best is None:
            return None
        start = best[1]
        blocks.append(tuple(indent + row for row in best[2]))
        while start < len(items) and kinds[start] == "space":
            start += 1
    return blocks


class _Layout:
    def __init__(self) -> None:
        self.placeholders: dict[str, str] = {}

    def rows(self, tree: Group) -> tuple[str, ...]:
        try:
            return (linear(tree),) if _is_flat(tree) else self.drawn(self.row(tree.items, top=True))
        except RecursionError as error:
            raise MathsError("nested too deep") from error

    def drawn(self, source: str) -> tuple[str, ...]:
        from texicode import pipeline

        try:
            pipeline.init_arts({"fonts": "normal"})
            rows = pipeline.render_tex_rows(source, False)
        except Exception as error:
            # It raises whatever its tables lead to: KeyError, IndexError, TypeError.
            raise MathsError(f"{type(error).__name__} while laying the formula out") from error
        if not rows or rows[0].startswith("TeXicode:"):
            raise MathsError(rows[0] if rows else "nothing to show")
        shown = {placeholder: text for text, placeholder in self.placeholders.items()}
        # Its root begins with two corners that look like nothing; √ there would be read as a root of the bottom row.
        rows = ["".join(shown.get(char, char) for char in row.replace("╰┘", "╲│")) for row in rows]
        width = max(map(cell_len, rows))
        rows = _cropped([row + " " * (width - cell_len(row)) for row in rows])
        if not rows:
            raise MathsError("nothing to show")
        return tuple(rows)

    def put(self, text: str) -> str:
        """`text` as placeholders, one for each character with the accents on it."""
        letters: list[str] = []
        for char in text:
            if letters and unicodedata.combining(char):
                letters[-1] += char
            else:
                letters.append(char)
        return "".join(
            self.placeholders.setdefault(letter, chr(_FIRST_PLACEHOLDER + len(self.placeholders))) for letter in letters
        )

    def node(self, node: Node, *, top: bool = False) -> str:
        try:
            return self.put(exact(node))
        except NeedsRowsError:
            pass
        if isinstance(node, Group):
            return "{" + self.row(node.items) + "}"
        if isinstance(node, Fraction):
            return rf"\frac{{{self.row(node.top.items)}}}{{{self.row(node.bottom.items)}}}"
        if isinstance(node, Root):
            degree = f"[{self.put(linear(node.degree, tight=True))}]" if node.degree else ""
            return rf"\sqrt{degree}{{{self.row(node.body.items)}}}"
        if isinstance(node, Fenced):
            return self.fenced(node)
        if isinstance(node, Script):
            return self.script(node)
        if isinstance(node, Grid) and top:
            return self.grid(node)
        raise MathsError("an environment inside another construct")

    def row(self, items: tuple[Node, ...], *, top: bool = False) -> str:
        source, kinds = "", kinds_of(items)
        for index, node in enumerate(items):
            # A tall root begins with an empty column of its own.
            if index and not (isinstance(node, Root) and not _is_flat(node)):
                close = isinstance(node, Fraction) and kinds[index - 1] in ("ord", "num", "post", "close")
                source += self.put(" " if close else gap(kinds[index - 1], kinds[index], tight=False))
            source += self.node(node, top=top)
        return source

    def fenced(self, node: Fenced) -> str:
        body = self.row(node.body.items)
        if node.left not in _TALL_DELIMITERS or node.right not in _TALL_DELIMITERS:
            return self.put(node.left) + body + self.put(node.right)
        return rf"\left{_TALL_DELIMITERS[node.left]}{body}\right{_TALL_DELIMITERS[node.right]}"

    def script(self, node: Script) -> str:
        sub = linear(node.sub, tight=True) if node.sub else ""
        sup = linear(node.sup, tight=True) if node.sup else ""
        if kind_of(node.base) in ("big", "limit"):
            rows = (sup, linear(node.base), sub)
            return r"\substack{" + r"\\".join(self.put(row) for row in rows) + "}"
        # A bare quotient with a power would read as if only its top had it.
        base = self.node(Fenced("(", Group((node.base,)), ")") if isinstance(node.base, Fraction) else node.base)
        lowered, raised = small(sub, SUBSCRIPTS), small(sup, SUPERSCRIPTS)
        if not _is_flat(node.base):
            # Beside something tall, a small character stands at its corner, a full-sized one outside of it.
            return (
                "{" + base + "}"
                + ("_{" + (sub if lowered is not None else self.put(sub)) + "}" if sub else "")
                + ("^{" + (sup if raised is not None else self.put(sup)) + "}" if sup else "")
            )  # fmt: skip
        if lowered is not None and raised is None:
            return base + self.put(lowered) + "{}^{" + self.put(sup) + "}"
        return (
            "{" + base + "}" + ("_{" + self.put(sub) + "}" if sub else "") + ("^{" + self.put(sup) + "}" if sup else "")
        )

    def grid(self, node: Grid) -> str:
        aligned = node.name in ("aligned", "align", "split")
        # TeXicode sets `aligned` with an empty row between the lines, which only tall lines need.
        close = aligned and all(_is_flat(cell) for cells in node.rows for cell in cells)
        lines = []
        for cells in node.rows:
            parts = []
            for index, cell in enumerate(cells):
                part = self.row(cell.items)
                if aligned and not close and index and cell.items and kind_of(cell.items[0]) in ("rel", "bin"):
                    part = self.put(" ") + part
                parts.append(part)
            lines.append("&".join(parts))
        body = r"\\".join(lines)
        if close or node.name == "array":
            spec = ("rl" if close else "ll") * max(map(len, node.rows))
            return rf"\begin{{array}}{{{spec[: max(map(len, node.rows))]}}}{body}\end{{array}}"
        return rf"\begin{{{node.name}}}{body}\end{{{node.name}}}"


def _is_flat(node: Node) -> bool:
    try:
        exact(node)
    except NeedsRowsError:
        return False
    return True


def _cropped(rows: list[str]) -> list[str]:
    """The rows without the empty rows and columns around them."""
    while rows and not rows[0].strip():
        rows = rows[1:]
    while rows and not rows[-1].strip():
        rows = rows[:-1]
    if not rows:
        return []
    left = min(len(row) - len(row.lstrip()) for row in rows if row.strip())
    right = min(len(row) - len(row.rstrip()) for row in rows)
    return [row[left : len(row) - right] for row in rows]
