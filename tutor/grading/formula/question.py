"""What a formula question says: its names, what counts as right, and the wrong forms it knows."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from tutor.course.model import Part, Text

SymbolKind = Literal["scalar", "positive", "count", "vector", "row", "matrix", "identity", "map"]
"""`positive` scalars are above zero, `count` is how many entries a vector has, `map` is an unknown function."""


class Name(Part, frozen=True, kw_only=True):
    """A name of the question. `is_` defines it by the others, `also` are other spellings of it.

    `jacobian` belongs to a map: the matrix that the map's derivative is.
    """

    kind: SymbolKind = "scalar"
    is_: str = msgspec.field(default="", name="is")
    also: tuple[str, ...] = ()
    jacobian: str = ""


class WrongForm(Part, frozen=True, kw_only=True):
    """A wrong formula that many arrive at, and what it shows."""

    form: str
    say: Text


class FormulaQuestion(Part, frozen=True, kw_only=True):
    """A formula to type. `accept` lists right forms, one for each convention; equivalent ones are found by value.

    `derivatives` names what a quotient of differentials is, `L/x_3: g`. `statistics` allows mean, sum and what is made
    of them. With `literal_mean` the mean is any linear functional, so that forms which only agree for the true mean
    (two passes, one pass) are told apart. `identity` names the quantity that an equation is about: it is right where it
    holds, and would not hold were that quantity something else or the mean no mean. `uses` lists groups of names of
    which one must be written, `within` is the relative tolerance.
    """

    symbols: dict[str, SymbolKind | Name]
    accept: tuple[str, ...]
    wrong: tuple[WrongForm, ...] = ()
    derivatives: dict[str, str] = msgspec.field(default_factory=dict)
    statistics: tuple[str, ...] = ()
    literal_mean: bool = False
    identity: str = ""
    uses: tuple[str, ...] = ()
    within: float = 1e-7

    def names(self) -> dict[str, Name]:
        """Every name with its description."""
        return {
            normal(spelt): name if isinstance(name, Name) else Name(kind=name) for spelt, name in self.symbols.items()
        }


_BOUNDARY = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")


def normal(name: str) -> str:
    """A name with its index set off by underscores: `J1`, `J_1` and `J_{1}` are one."""
    plain = re.sub(r"[{}\s]", "", name)
    plain = _BOUNDARY.sub("_", plain)
    return re.sub(r"[_,]+", "_", plain).strip("_")
