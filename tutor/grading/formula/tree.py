"""A formula as a tree, and the same tree as LaTeX, so that a learner sees how it was read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Number:
    """A number, as it was written."""

    value: float
    written: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name of the question, by its own spelling."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function of one argument: an unknown map such as F, or a known one such as sqrt."""

    name: str
    argument: Node


@dataclass(frozen=True, slots=True)
class Negative:
    """Minus something."""

    inner: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """`+`, `-`, `*`, `/` or `^` between two formulas."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Transpose:
    """The transpose."""

    inner: Node


@dataclass(frozen=True, slots=True)
class Differential:
    """d of something: only in a quotient it has a value."""

    inner: Node


@dataclass(frozen=True, slots=True)
class Derivative:
    """A quotient of two differentials, or a function with a prime (`by` is None)."""

    of: Node
    by: Node | None


Node = Number | Symbol | Call | Negative | Binary | Transpose | Differential | Derivative

_LEVELS = {"+": 1, "-": 1, "*": 2, "/": 4, "^": 3}
_GREEK = frozenset(["alpha", "beta", "gamma", "delta", "epsilon", "mu", "sigma", "phi", "theta", "lambda"])
_SYMBOLS = {"eps": r"\epsilon"}


def names_in(node: Node) -> set[str]:
    """The names of the symbols and functions in a formula."""
    match node:
        case Symbol(name=name):
            return {name}
        case Call(name=name, argument=argument):
            return {name} | names_in(argument)
        case Binary(left=left, right=right):
            return names_in(left) | names_in(right)
        case Negative(inner=inner) | Transpose(inner=inner) | Differential(inner=inner):
            return names_in(inner)
        case Derivative(of=of, by=by):
            return names_in(of) | (names_in(by) if by is not None else set())
        case _:
            return set()


def latex(node: Node) -> str:
    """`node` in LaTeX, with the brackets that its structure needs."""
    return _latex(node)[0]


def _latex(node: Node) -> tuple[str, int]:
    """The LaTeX, and how tightly it binds: 1 sum, 2 product, 3 power, 4 whole."""
    match node:
        case Number(written=written):
            return written, 4
        case Symbol(name=name):
            return _name(name), 4
        case Call(name="sqrt", argument=argument):
            return rf"\sqrt{{{latex(argument)}}}", 4
        case Call(name=name, argument=argument):
            return rf"{_name(name)}({latex(argument)})", 4
        case Negative(inner=inner):
            return f"-{_in(inner, 2)}", 1
        case Binary(sign="/", left=left, right=right):
            return rf"\frac{{{latex(left)}}}{{{latex(right)}}}", 4
        case Binary(sign="^", left=left, right=right):
            return f"{_in(left, 4)}^{{{latex(right)}}}", 3
        case Binary(sign="*", left=left, right=right):
            return _product(left, right), 2
        case Binary(sign=sign, left=left, right=right):
            return f"{_in(left, 1)} {sign} {_in(right, 2 if sign == '-' else 1)}", 1
        case Transpose(inner=inner):
            return f"{_in(inner, 4)}^T", 3
        case Differential(inner=inner):
            return rf"\partial {_in(inner, 4)}", 2
        case Derivative(of=of, by=None):
            return f"{_in(of, 4)}'", 4
        case Derivative(of=of, by=by):
            assert by is not None
            return rf"\frac{{\partial {_in(of, 4)}}}{{\partial {_in(by, 4)}}}", 4


def _product(left: Node, right: Node) -> str:
    """Two factors side by side; with a sign where digits would run on, as in `0.9 50`, or make a mixed number."""
    first, second = _in(left, 2), _in(right, 2 if isinstance(left, Number) else 3)
    begins = second.removeprefix(r"\frac{") if first[-1].isdigit() else second
    return rf"{first} \times {second}" if begins[0].isdigit() else f"{first} {second}"


def _in(node: Node, level: int) -> str:
    written, binds = _latex(node)
    return written if binds >= level else f"({written})"


def _name(name: str) -> str:
    base, _, index = name.partition("_")
    shown = _SYMBOLS.get(base) or (rf"\{base}" if base in _GREEK else base if len(base) == 1 else rf"\text{{{base}}}")
    return f"{shown}_{{{index.replace('_', ',')}}}" if index else shown
