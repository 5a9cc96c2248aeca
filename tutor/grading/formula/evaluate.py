"""The value of a formula on random scalars, vectors and matrices, with unknown functions as random non-linear maps."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping

from tutor.course.model import FormulaName, FormulaStep
from tutor.grading.formula import values
from tutor.grading.formula.names import names, normal
from tutor.grading.formula.tree import (
    Binary,
    Call,
    Derivative,
    Differential,
    Negative,
    Node,
    Number,
    Symbol,
    Transpose,
    latex,
)
from tutor.grading.formula.values import SIZE, NotGivenProblem, Value, ValueProblem

_PLAIN: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "rsqrt": lambda entry: 1 / math.sqrt(entry),
    "exp": math.exp,
    "log": math.log,
    "abs": abs,
}


class World:
    """One random choice of everything that a question leaves open.

    In a `free` one the quantity that an identity is about is anything, and the mean is some other linear functional.
    """

    def __init__(self, step: FormulaStep, trees: Mapping[str, Node], seed: int, *, free: bool = False) -> None:
        self.step = step
        self.names: dict[str, FormulaName] = names(step)
        self.trees = trees
        self.free = free
        self._chance = random.Random(f"world:{seed}")
        self._known: dict[str, Value] = {}
        self._maps: dict[str, Callable[[Value], Value]] = {}
        has_vectors = any(name.kind in ("vector", "row", "matrix", "map") for name in self.names.values())
        self._weights = [self._chance.uniform(0.2, 0.9) for _ in range(SIZE)]
        if not (step.literal_mean or free):
            self._weights = [1 / SIZE] * SIZE
        for name, described in sorted(self.names.items()):
            if described.kind == "map":
                self._maps[name] = self._map()
            elif not described.is_ or (free and name == normal(step.identity)):
                self._known[name] = self._draw(described, has_vectors)

    # ---- what is drawn
    def _draw(self, name: FormulaName, has_vectors: bool) -> Value:
        number = self._chance.uniform
        match name.kind:
            case "positive":
                return values.scalar(number(0.3, 1.6))
            case "count":
                return values.scalar(float(SIZE) if has_vectors else number(4.0, 9.0))
            case "vector":
                return values.vector([number(-2, 2) for _ in range(SIZE)])
            case "row":
                return values.row([number(-2, 2) for _ in range(SIZE)])
            case "matrix":
                return values.matrix([[number(-1.2, 1.2) for _ in range(SIZE)] for _ in range(SIZE)])
            case "identity":
                return values.identity()
        sign = self._chance.choice((-1, 1))
        return values.scalar(sign * number(0.3, 1.6))

    def _map(self) -> Callable[[Value], Value]:
        """A smooth non-linear map that commutes with nothing."""
        mix = [[self._chance.uniform(-1.2, 1.2) for _ in range(SIZE)] for _ in range(SIZE)]
        shift = [self._chance.uniform(-0.5, 0.5) for _ in range(SIZE)]

        def apply(value: Value) -> Value:
            if value.kind not in ("vector", "row"):
                raise ValueProblem(f"that function takes a vector, not a {value.kind}")
            mixed = [sum(a * b for a, b in zip(row, value.entries, strict=True)) for row in mix]
            bent = [
                math.tanh(entry + by) + 0.3 * entry * value.entries[at]
                for at, (entry, by) in enumerate(zip(mixed, shift, strict=True))
            ]
            return Value(value.kind, [entry if math.isfinite(entry) else 0.0 for entry in bent])

        return apply

    # ---- what is computed
    def value(self, node: Node) -> Value:
        """The value of a tree; ValueProblem where it has none."""
        match node:
            case Number(value=number):
                return values.scalar(number)
            case Symbol(name=name):
                return self.named(name)
            case Negative(inner=inner):
                return values.multiply(values.scalar(-1.0), self.value(inner))
            case Transpose(inner=inner):
                return values.transpose(self.value(inner))
            case Binary(sign="+", left=left, right=right):
                return values.add(self.value(left), self.value(right))
            case Binary(sign="-", left=left, right=right):
                return values.add(self.value(left), self.value(right), -1.0)
            case Binary(sign="*", left=left, right=right):
                return values.multiply(self.value(left), self.value(right))
            case Binary(sign="/", left=left, right=right):
                return values.divide(self.value(left), self.value(right))
            case Binary(left=left, right=right):
                return values.power(self.value(left), self.value(right))
            case Call(name=name, argument=argument):
                return self.call(name, self.value(argument))
            case Derivative(of=of, by=by):
                return self.derivative(of, by)
            case Differential():
                raise ValueProblem("a differential has a value only in a quotient, such as dF/dx")

    def named(self, name: str) -> Value:
        """The value of a name, computed from its definition where it has one."""
        if name not in self._known:
            if name in self._maps:
                raise ValueProblem(f"{name} is a function: of what?")
            if name not in self.trees:
                raise NotGivenProblem(name)
            self._known[name] = self.value(self.trees[name])
        return self._known[name]

    def call(self, name: str, argument: Value) -> Value:
        """A function of a value."""
        if name in self._maps:
            return self._maps[name](argument)
        if name in _PLAIN:
            return values.each(argument, _PLAIN[name])
        if argument.kind not in ("vector", "row"):
            raise ValueProblem(f"{name} takes a vector, not a {argument.kind}")
        entries = argument.entries
        mean = self.mean(entries)
        match name:
            case "mean":
                return values.scalar(mean)
            case "sum":
                return values.scalar(SIZE * mean)
            case "norm":
                return values.scalar(math.sqrt(SIZE * self.mean([entry * entry for entry in entries])))
            case "rms":
                return values.scalar(math.sqrt(self.mean([entry * entry for entry in entries])))
        spread = self.mean([(entry - mean) ** 2 for entry in entries])
        return values.scalar(spread if name == "var" else math.sqrt(spread))

    def mean(self, entries: list[float]) -> float:
        """The mean, or with `literal_mean` some other linear functional in its place."""
        return sum(weight * entry for weight, entry in zip(self._weights, entries, strict=True))

    # ---- derivatives
    def derivative(self, of: Node, by: Node | None) -> Value:
        """By the chain rule, with the Jacobians that the question names."""
        if by is None:
            name = of.name if isinstance(of, Symbol | Call) else ""
            return self.jacobian(name)
        if isinstance(of, Symbol) and isinstance(by, Symbol):
            given = self.given(of.name, by.name)
            if given is not None:
                return self.named(given)
        if of == by:
            return values.identity()
        match of:
            case Symbol(name=name) if name in self._maps:
                return self.jacobian(name)
            case Call(name=name, argument=argument) if name in self._maps:
                outer = self.jacobian(name)
                if argument == by or (isinstance(argument, Call) and by == Symbol(argument.name)):
                    return outer
                return values.multiply(outer, self.derivative(argument, by))
            case Binary(sign="+" | "-" as sign, left=left, right=right):
                return values.add(self.derivative(left, by), self.derivative(right, by), 1.0 if sign == "+" else -1.0)
            case Binary(sign="*", left=left, right=right) if self.value(left).kind == "scalar":
                return values.multiply(self.value(left), self.derivative(right, by))
        raise NotGivenProblem(f"d {latex(of)} / d {latex(by)}")

    def given(self, of: str, by: str) -> str | None:
        """The name of a quotient of differentials that the question gives."""
        wanted = f"{of}/{by}"
        for quotient, name in self.step.derivatives.items():
            if "/".join(normal(part) for part in quotient.split("/")) == wanted:
                return normal(name)
        return None

    def jacobian(self, name: str) -> Value:
        """The matrix that a map's derivative is."""
        described = self.names.get(name)
        if described is None or not described.jacobian:
            raise NotGivenProblem(f"{name}'")
        return self.named(normal(described.jacobian))
