"""What runs before the first cell, and whether the cells of a lesson need it at all."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import kernels

PRELUDE = """\
import torch
from torch import nn
import torch.nn.functional as F
from kernels import *
"""
"""Every lesson may use these names, and torch takes seconds to load."""

NOTHING = "pass\n"
"""The prelude of cells that use none of it."""

PROVIDED = frozenset({"torch", "nn", "F", *kernels.__all__})
LOADED = frozenset({"torch", "kernels", "triton"})
"""Whoever imports them pays for torch, which the prelude does before the clock of a cell runs."""
OPAQUE = frozenset({"exec", "eval", "compile", "globals", "locals", "vars", "dir", "__import__", "importlib"})
"""With these a cell may use any name without writing it."""


def prelude_for(cells: Iterable[str]) -> str:
    """`PRELUDE`, or `NOTHING` where these cells plainly use no name that it provides."""
    return PRELUDE if any(map(_uses, cells)) else NOTHING


def _uses(code: str) -> bool:
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError):  # IPython's own syntax, or a cell that will fail: as the learner meets it
        return True
    for node in nodes:
        names: list[str] = []
        if isinstance(node, ast.Name):
            names = [node.id]
        elif isinstance(node, ast.Import):
            names = [alias.name.partition(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [(node.module or "").partition(".")[0]]
        if not (PROVIDED | LOADED | OPAQUE).isdisjoint(names):
            return True
    return False
