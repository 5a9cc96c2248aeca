"""Scalars, vectors, rows and small matrices in plain Python, as far as comparing formulas needs them.

Multiplying vectors is elementwise, multiplying matrices is not commutative: that is how wrong orders show. A row is a
gradient; where one meets a matrix from the right it is taken as its column, the other convention.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

SIZE = 3
"""The dimension of all vectors and matrices."""
_LARGEST_POWER = 1000.0
_LARGEST_MATRIX_POWER = 8

Kind = Literal["scalar", "vector", "row", "matrix"]
Data = float | list[float] | list[list[float]]


class ValueProblem(ValueError):  # noqa: N818 - what somebody typed is no error of the program
    """A formula that has no value here: shapes that do not fit, a root of a negative number."""


class NoNumberProblem(ValueProblem):
    """It is too large, or a root of a negative number: nothing that shapes could explain."""


class NotGivenProblem(ValueProblem):
    """It speaks of something that the question does not give, such as a derivative; the text names it."""


class Value:
    """One value: a float, a list, or a list of rows, by `kind`."""

    __slots__ = ("data", "kind")

    def __init__(self, kind: Kind, data: Data) -> None:
        self.kind = kind
        self.data = data

    @property
    def scalar(self) -> float:
        """The number of a scalar."""
        if not isinstance(self.data, float):
            raise ValueProblem("a number is needed")
        return self.data

    @property
    def entries(self) -> list[float]:
        """All numbers in it."""
        if isinstance(self.data, float):
            return [self.data]
        return [entry for part in self.data for entry in (part if isinstance(part, list) else [part])]

    @property
    def rows(self) -> list[list[float]]:
        """As a matrix: a vector is one column, a row is one row."""
        if isinstance(self.data, float):
            return [[self.data]]
        if self.kind == "matrix":
            return [list(part) for part in self.data if isinstance(part, list)]
        return [self.entries] if self.kind == "row" else [[entry] for entry in self.entries]


def scalar(number: float) -> Value:
    """A scalar; ValueProblem where it is no finite number."""
    if isinstance(number, complex) or not math.isfinite(number):
        raise NoNumberProblem("it has no finite value")
    return Value("scalar", float(number))


def vector(entries: Sequence[float]) -> Value:
    """A vector."""
    return Value("vector", _finite(entries))


def row(entries: Sequence[float]) -> Value:
    """A row."""
    return Value("row", _finite(entries))


def matrix(rows: Sequence[Sequence[float]]) -> Value:
    """A square matrix."""
    return Value("matrix", [_finite(entries) for entries in rows])


def identity() -> Value:
    """The identity matrix."""
    return matrix([[float(i == j) for j in range(SIZE)] for i in range(SIZE)])


def _finite(entries: Sequence[float]) -> list[float]:
    if any(isinstance(entry, complex) or not math.isfinite(entry) for entry in entries):
        raise NoNumberProblem("it has no finite value")
    return [float(entry) for entry in entries]


def add(left: Value, right: Value, sign: float = 1.0) -> Value:
    """Left + sign * right. A number beside a matrix stands for that multiple of the identity, as in 1 + J."""
    if left.kind == right.kind:
        return _zip(left, right, lambda a, b: a + sign * b)
    kinds = {left.kind, right.kind}
    if kinds == {"scalar", "matrix"}:
        return add(_as_matrix(left), _as_matrix(right), sign)
    if "scalar" in kinds and "matrix" not in kinds:
        return _zip(_spread(left, right.kind), _spread(right, left.kind), lambda a, b: a + sign * b)
    raise ValueProblem(f"a {left.kind} and a {right.kind} cannot be added")


def multiply(left: Value, right: Value) -> Value:
    """The product: elementwise for two vectors, the matrix product where a matrix is in it."""
    if left.kind == "scalar":
        return _map(right, lambda entry: left.scalar * entry)
    if right.kind == "scalar":
        return _map(left, lambda entry: entry * right.scalar)
    if left.kind == "matrix" and right.kind == "row":
        right = transpose(right)
    if left.kind == "vector" and right.kind == "matrix":
        left = transpose(left)
    if "matrix" in (left.kind, right.kind):
        return _product(left, right)
    if left.kind == right.kind:
        return _zip(left, right, lambda a, b: a * b)
    if left.kind == "row":
        return scalar(sum(a * b for a, b in zip(left.entries, right.entries, strict=True)))
    return _product(left, right)


def divide(left: Value, right: Value) -> Value:
    """The quotient; nothing is divided by a matrix."""
    if right.kind == "matrix":
        raise ValueProblem("nothing can be divided by a matrix")
    if any(entry == 0 for entry in right.entries):
        raise NoNumberProblem("it divides by zero")
    if right.kind == "scalar":
        return _map(left, lambda entry: entry / right.scalar)
    if left.kind == "scalar":
        return _map(right, lambda entry: left.scalar / entry)
    if left.kind != right.kind:
        raise ValueProblem(f"a {left.kind} cannot be divided by a {right.kind}")
    return _zip(left, right, lambda a, b: a / b)


def power(base: Value, exponent: Value) -> Value:
    """A power: of numbers, of each entry of a vector, or a matrix times itself."""
    if exponent.kind != "scalar" or abs(exponent.scalar) > _LARGEST_POWER:
        raise NoNumberProblem("that is no exponent")
    if base.kind == "matrix":
        times = exponent.scalar
        if times != int(times) or not 0 <= times <= _LARGEST_MATRIX_POWER:
            raise ValueProblem("a matrix takes only small whole powers")
        result = identity()
        for _ in range(int(times)):
            result = _product(result, base)
        return result
    return _map(base, lambda entry: _power(entry, exponent.scalar))


def _power(base: float, exponent: float) -> float:
    try:
        result = base**exponent
    except (OverflowError, ZeroDivisionError):
        raise NoNumberProblem("it has no finite value") from None
    if isinstance(result, complex):
        raise NoNumberProblem("it has a root of a negative number")
    return float(result)


def transpose(value: Value) -> Value:
    """The transpose; a number is its own."""
    if value.kind == "scalar":
        return value
    if value.kind == "matrix":
        return matrix([list(column) for column in zip(*value.rows, strict=True)])
    return Value("row" if value.kind == "vector" else "vector", value.entries)


def each(value: Value, function: Callable[[float], float]) -> Value:
    """`function` of each entry; ValueProblem where it has no value."""
    if value.kind == "matrix":
        raise ValueProblem("that is no function of a matrix")
    try:
        return _map(value, function)
    except (ValueError, OverflowError, ZeroDivisionError) as problem:
        raise NoNumberProblem(str(problem)) from None


def close(left: Value, right: Value, tolerance: float = 1e-7) -> bool:
    """Whether two values are the same up to rounding."""
    if left.kind != right.kind:
        return False
    # Relative to the size of the values, which may be small: 0.9^50 is 0.005.
    size = max(abs(entry) for entry in (*left.entries, *right.entries, 1e-9))
    return all(abs(a - b) <= tolerance * size for a, b in zip(left.entries, right.entries, strict=True))


def _as_matrix(value: Value) -> Value:
    return multiply(value, identity()) if value.kind == "scalar" else value


def _spread(value: Value, kind: Kind) -> Value:
    return Value(kind, [value.scalar] * SIZE) if value.kind == "scalar" else value


def _map(value: Value, function: Callable[[float], float]) -> Value:
    if value.kind == "scalar":
        return scalar(function(value.scalar))
    if value.kind == "matrix":
        return matrix([[function(entry) for entry in entries] for entries in value.rows])
    return Value(value.kind, _finite([function(entry) for entry in value.entries]))


def _zip(left: Value, right: Value, function: Callable[[float, float], float]) -> Value:
    if left.kind == "scalar":
        return scalar(function(left.scalar, right.scalar))
    if left.kind == "matrix":
        pairs = zip(left.rows, right.rows, strict=True)
        return matrix([[function(a, b) for a, b in zip(one, other, strict=True)] for one, other in pairs])
    entries = [function(a, b) for a, b in zip(left.entries, right.entries, strict=True)]
    return Value(left.kind, _finite(entries))


def _product(left: Value, right: Value) -> Value:
    first, second = left.rows, right.rows
    if len(first[0]) != len(second):
        raise ValueProblem(f"a {left.kind} and a {right.kind} cannot be multiplied in this order")
    columns = list(zip(*second, strict=True))
    product = [[sum(a * b for a, b in zip(entries, column, strict=True)) for column in columns] for entries in first]
    if len(product) == 1:
        return scalar(product[0][0]) if len(product[0]) == 1 else row(product[0])
    return vector([entries[0] for entries in product]) if len(product[0]) == 1 else matrix(product)
