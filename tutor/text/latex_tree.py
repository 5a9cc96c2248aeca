"""The tree of a formula: what `latex.parse` makes, what `linear` and `maths` show."""

from __future__ import annotations

from dataclasses import dataclass

from tutor.text.latex_symbols import Kind


class MathsError(ValueError):
    """A formula that cannot be shown; the message says what is wrong, in English, for the author."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A symbol, a number or a word: `text` is what is shown, `kind` decides the spaces around it."""

    text: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Group:
    """What stands between braces."""

    items: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Fraction:
    """`top` over `bottom`."""

    top: Group
    bottom: Group


@dataclass(frozen=True, slots=True)
class Root:
    """A root; `degree` is None for the square root."""

    body: Group
    degree: Group | None


@dataclass(frozen=True, slots=True)
class Script:
    """`base` with a subscript, a superscript, or both."""

    base: Node
    sub: Group | None
    sup: Group | None


@dataclass(frozen=True, slots=True)
class Fenced:
    r"""What stands between `\left` and `\right`; an empty delimiter is invisible."""

    left: str
    body: Group
    right: str


@dataclass(frozen=True, slots=True)
class Grid:
    """An environment: rows of cells."""

    name: str
    rows: tuple[tuple[Group, ...], ...]


Node = Atom | Group | Fraction | Root | Script | Fenced | Grid
