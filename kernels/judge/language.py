"""The language of claims: arithmetic over float64 tensors and a few norms. Parsed, never executed.

Numbers, names, `+ - * / **`, brackets and the functions in `FUNCTIONS`; everything else is refused.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from kernels.reference import layer_norm_ref, rms_norm_ref

LONGEST = 500
DEEPEST = 40
Value = Tensor | float


class LanguageError(ValueError):
    """An expression that the language does not have; says what of it."""


def _batch_norm(x: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(0, keepdim=True)
    return centred * torch.rsqrt(centred.square().mean(0, keepdim=True) + eps)


def _batch_norm_eval(x: Tensor, eps: float) -> Tensor:
    """Statistics that training left behind, any fixed ones: no row tells anything about another."""
    features = torch.arange(x.shape[-1], dtype=torch.float64)
    return (x - torch.sin(features)) * torch.rsqrt(1 + 0.5 * torch.cos(features) + eps)


def _others(x: Tensor, y: Tensor) -> Tensor:
    return torch.cat([x[:1], y[1:]])


def _tensor(function: Callable[[Tensor], Tensor]) -> Callable[[Value], Value]:
    return lambda value: function(torch.as_tensor(value, dtype=torch.float64))


FUNCTIONS: dict[str, tuple[int, Callable[..., Value]]] = {
    "layer_norm": (2, lambda x, eps: layer_norm_ref(x, None, None, float(eps))),
    "rms_norm": (2, lambda x, eps: rms_norm_ref(x, None, float(eps))),
    "batch_norm": (2, lambda x, eps: _batch_norm(x, float(eps))),
    "batch_norm_eval": (2, lambda x, eps: _batch_norm_eval(x, float(eps))),
    "first": (1, lambda x: x[:1]),
    "others": (2, _others),
    "swap": (1, lambda x: x.flip(0)),
    "mean": (1, lambda x: x.mean(-1, keepdim=True)),
    "var": (1, lambda x: x.var(-1, unbiased=False, keepdim=True)),
    "std": (1, lambda x: x.var(-1, unbiased=False, keepdim=True).sqrt()),
    "sum": (1, lambda x: x.sum(-1, keepdim=True)),
    "sqrt": (1, _tensor(torch.sqrt)),
    "abs": (1, _tensor(torch.abs)),
    "exp": (1, _tensor(torch.exp)),
    "log": (1, _tensor(torch.log)),
}
_BINARY: dict[type[ast.operator], Callable[[Value, Value], Value]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def parse(text: str, names: Mapping[str, object]) -> ast.expr:
    """The expression, if the language has it and it uses no other names. Raises LanguageError."""
    if len(text) > LONGEST:
        raise LanguageError(f"longer than {LONGEST} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise LanguageError(f"{text!r} cannot be read: {error}") from error
    _check(tree, names, DEEPEST)
    return tree


def _check(node: ast.expr, names: Mapping[str, object], depth: int) -> None:
    if depth == 0:
        raise LanguageError("too many brackets in each other")
    match node:
        case ast.Constant(value=bool()):
            raise LanguageError("true and false are no numbers")
        case ast.Constant(value=int() | float()):
            return
        case ast.Name(id=name):
            if name not in names:
                raise LanguageError(f"{name!r} is no input; known: {', '.join(names)}")
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=inner):
            _check(inner, names, depth - 1)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            _check(left, names, depth - 1)
            _check(right, names, depth - 1)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            if len(args) != FUNCTIONS[name][0]:
                raise LanguageError(f"{name} takes {FUNCTIONS[name][0]} arguments, not {len(args)}")
            for arg in args:
                _check(arg, names, depth - 1)
        case _:
            raise LanguageError(f"{ast.unparse(node)!r} is not part of the language")


def evaluate(node: ast.expr, values: Mapping[str, Value]) -> Tensor:
    """The value of a parsed expression; inf and NaN where arithmetic gives them."""
    return torch.as_tensor(_value(node, values), dtype=torch.float64)


def _value(node: ast.expr, values: Mapping[str, Value]) -> Value:
    match node:
        case ast.Constant(value=value):
            return float(value)  # type: ignore[arg-type]
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(op=op, operand=inner):
            operand = _value(inner, values)
            return -operand if isinstance(op, ast.USub) else operand
        case ast.BinOp(left=left, op=op, right=right):
            a, b = (torch.as_tensor(_value(side, values), dtype=torch.float64) for side in (left, right))
            return _BINARY[type(op)](a, b)
        case ast.Call(func=ast.Name(id=name), args=args):
            return FUNCTIONS[name][1](*(_value(arg, values) for arg in args))
    raise LanguageError(f"{ast.unparse(node)!r} is not part of the language")
