"""The small arithmetic language of `number` questions: numbers, names, + - * / **, brackets and a few functions.

Read by Python's `ast` and computed here from a whitelist of nodes, in floats only. Nothing is ever executed, and the
caps below keep the work small whatever is typed.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable, Mapping

from tutor.text.i18n import N_

MAX_LENGTH = 300
MAX_DEPTH = 30
MAX_NODES = 200
MAX_EXPONENT = 10_000.0

FUNCTIONS: dict[str, Callable[..., float]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "abs": abs,
    "min": min,
    "max": max,
}
CONSTANTS = {"pi": math.pi, "e": math.e}

_ARITIES = {name: (2, 20) if name in ("min", "max") else (1, 1) for name in FUNCTIONS}


class ArithmeticProblem(ValueError):  # noqa: N818 - a learner's typing is no error of the program
    """What is wrong with an expression. `message` is a message id, filled with `values`; `position` counts from 0."""

    def __init__(self, message: str, position: int | None = None, **values: object) -> None:
        super().__init__(message.format(**values))
        self.message = message
        self.values = values
        self.position = position


def evaluate(expression: str | float, names: Mapping[str, float] | None = None) -> float:
    """The value of `expression` with these `names`; ArithmeticProblem where it has none."""
    if isinstance(expression, int | float):
        return _finite(float(expression), None)
    tree = _parse(expression)
    return _finite(_Evaluation(names or {}).value(tree, 0), None)


def _parse(expression: str) -> ast.expr:
    text = expression.strip()
    if not text:
        raise ArithmeticProblem(N_("nothing is written"))
    if len(text) > MAX_LENGTH:
        raise ArithmeticProblem(N_("it is longer than {n} characters"), MAX_LENGTH, n=MAX_LENGTH)
    for position, letter in enumerate(text):
        if not letter.isascii() or not (letter.isalnum() or letter in "+-*/().,_ \t\n"):
            raise ArithmeticProblem(N_("“{sign}” has no meaning here"), position, sign=letter)
    if _deepest(text) > MAX_DEPTH:
        raise ArithmeticProblem(N_("the brackets are nested too deeply"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.replace("\n", " "), mode="eval").body
    except SyntaxError as error:
        position = max((error.offset or 1) - 1, 0)
        raise ArithmeticProblem(N_("it cannot be read as arithmetic"), min(position, len(text) - 1)) from None
    except (ValueError, RecursionError, MemoryError):
        raise ArithmeticProblem(N_("it cannot be read as arithmetic")) from None


def _deepest(text: str) -> int:
    depth = deepest = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        deepest = max(deepest, depth)
    return deepest


class _Evaluation:
    def __init__(self, names: Mapping[str, float]) -> None:
        self.names = names
        self.nodes = 0

    def value(self, node: ast.expr, depth: int) -> float:
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            raise ArithmeticProblem(N_("it is too long a calculation"), node.col_offset)
        match node:
            case ast.Constant(value=bool() | complex() | str() | bytes() | None):
                pass
            case ast.Constant(value=int() | float() as number):
                return _finite(_as_float(number, node.col_offset), node.col_offset)
            case ast.Name(id=name):
                return self.named(name, node.col_offset)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -self.value(inner, depth + 1)
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return self.value(inner, depth + 1)
            case ast.BinOp(left=left, op=operator, right=right):
                return self.operation(operator, self.value(left, depth + 1), self.value(right, depth + 1), node)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self.call(name, [self.value(argument, depth + 1) for argument in arguments], node)
        raise ArithmeticProblem(N_("only numbers, names, + - * / ** and brackets are read"), node.col_offset)

    def named(self, name: str, position: int) -> float:
        if name in self.names:
            return _finite(float(self.names[name]), position)
        if name in CONSTANTS:
            return CONSTANTS[name]
        raise ArithmeticProblem(N_("“{name}” is not known here"), position, name=name)

    def operation(self, operator: ast.operator, left: float, right: float, node: ast.expr) -> float:
        position = node.col_offset
        try:
            match operator:
                case ast.Add():
                    return _finite(left + right, position)
                case ast.Sub():
                    return _finite(left - right, position)
                case ast.Mult():
                    return _finite(left * right, position)
                case ast.Div():
                    return _finite(left / right, position)
                case ast.Pow() if abs(right) <= MAX_EXPONENT:
                    return _finite(left**right, position)
                case ast.Pow():
                    raise ArithmeticProblem(N_("the exponent is too large"), position)
        except ZeroDivisionError:
            raise ArithmeticProblem(N_("it divides by zero"), position) from None
        except OverflowError:
            raise ArithmeticProblem(N_("it is too large a number"), position) from None
        raise ArithmeticProblem(N_("only numbers, names, + - * / ** and brackets are read"), position)

    def call(self, name: str, arguments: list[float], node: ast.expr) -> float:
        position = node.col_offset
        if name not in FUNCTIONS:
            raise ArithmeticProblem(N_("“{name}” is not known here"), position, name=name)
        least, most = _ARITIES[name]
        if not least <= len(arguments) <= most:
            raise ArithmeticProblem(N_("“{name}” takes another number of values"), position, name=name)
        try:
            return _finite(FUNCTIONS[name](*arguments), position)
        except OverflowError:
            raise ArithmeticProblem(N_("it is too large a number"), position) from None
        except ValueError:
            raise ArithmeticProblem(N_("“{name}” has no value there"), position, name=name) from None


def _as_float(number: float, position: int) -> float:
    try:
        return float(number)
    except OverflowError:
        raise ArithmeticProblem(N_("it is too large a number"), position) from None


def _finite(value: float | complex, position: int | None) -> float:
    if isinstance(value, complex) or math.isnan(value):
        raise ArithmeticProblem(N_("it has no value among the real numbers"), position)
    if math.isinf(value):
        raise ArithmeticProblem(N_("it is too large a number"), position)
    return value
