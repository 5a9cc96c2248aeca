"""The source of what a cell uses of the `kernels` package, read from its files: nothing of it is imported.

A learner who meets `hidden_variance(Stack("pre", depth=48))` can look at what it does with one key.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = "kernels"
MOST = 20
"""Names shown for one cell: those it uses, and the functions and classes that these use."""
PICTURES = ("kernels.display", "kernels.curve")
"""What draws: it comes last, and what it uses is not shown, for it teaches nothing about networks."""


class Found(NamedTuple):
    """A function, class or constant: its name, its file as `kernels/stack.py`, its first line, and its source."""

    name: str
    file: str
    line: int
    source: str
    direct: bool = True
    """Whether the cell names it itself, and not what it uses."""


class _Module(NamedTuple):
    file: str
    lines: tuple[str, ...]
    defined: dict[str, ast.stmt]
    imported: dict[str, tuple[str, str]]
    """The names that come from elsewhere in the package: the module that has them, and what they are called there."""


@lru_cache(maxsize=64)
def used(code: str) -> tuple[Found, ...]:
    """What a cell uses of the package, in the order of use, and then what those use. () where it is no Python yet."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    named = [place for module, name in _named(tree) if (place := _place(module, name)) is not None]
    named = sorted(dict.fromkeys(named), key=lambda place: place[0] in PICTURES)
    below = [inner for place in named if place[0] not in PICTURES for inner in _inside(place, set(named))]
    places = [*named, *(place for place in dict.fromkeys(below) if place not in named)]
    return tuple(_found(*place, direct=place in named) for place in places[:MOST])


def _named(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What code names of the package, as (module, name): its public names are there without being imported."""
    top = _module(PACKAGE)
    own = {name for node in tree.body for name in _bound(node)}
    aliases: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == PACKAGE:
            aliases |= {(each.asname or each.name): (node.module, each.name) for each in node.names}
    for node in sorted(_located(tree), key=lambda each: (each.lineno, each.col_offset)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == PACKAGE:
            yield PACKAGE, node.attr
        elif isinstance(node, ast.Name) and node.id in aliases:
            yield aliases[node.id]
        elif isinstance(node, ast.Name) and node.id not in own and top is not None and node.id in top.imported:
            yield PACKAGE, node.id


def _located(tree: ast.AST) -> list[ast.Name | ast.Attribute]:
    return [
        node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
    ]


def _names(node: ast.AST) -> Iterator[str]:
    for each in sorted(_located(node), key=lambda found: (found.lineno, found.col_offset)):
        if isinstance(each, ast.Name):
            yield each.id


def _place(module_name: str, name: str) -> tuple[str, str] | None:
    """The module that defines a name, and its name there; follows imports inside the package."""
    for _hop in range(8):
        module = _module(module_name)
        if module is None:
            return None
        if name in module.defined:
            return module_name, name
        if name not in module.imported:
            return None
        module_name, name = module.imported[name]
    return None


def _inside(place: tuple[str, str], seen: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The functions and classes that a definition uses, also those that it finds in a table of the module."""
    node = _definition(place)
    for name in _names(node):
        inner = _place(place[0], name)
        if inner is None or inner in seen or inner[0] in PICTURES:
            continue
        if isinstance(_definition(inner), ast.FunctionDef | ast.ClassDef):
            yield inner
        else:
            yield from _inside(inner, seen | {inner})


def _definition(place: tuple[str, str]) -> ast.stmt:
    module = _module(place[0])
    assert module is not None
    return module.defined[place[1]]


def _found(module_name: str, name: str, *, direct: bool) -> Found:
    module, node = _module(module_name), _definition((module_name, name))
    assert module is not None
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
    first = min([node.lineno, *(each.lineno for each in decorators)])
    source = "\n".join(module.lines[first - 1 : node.end_lineno])
    return Found(name, module.file, first, source, direct)


def _bound(node: ast.stmt) -> Iterator[str]:
    """The names that a statement at the top of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))


@cache
def _module(name: str) -> _Module | None:
    """One file of the package, taken apart; None for what is no file of it."""
    parts = name.split(".")
    if parts[0] != PACKAGE or not all(part.isidentifier() for part in parts):
        return None
    path = _root().joinpath(*parts[1:])
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError):
        return None
    package = parts if path.name == "__init__.py" else parts[:-1]
    defined = {bound: node for node in tree.body for bound in _bound(node)}
    imported = {
        (each.asname or each.name): (module, each.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (module := _absolute(node, package))
        for each in node.names
    }
    return _Module(path.relative_to(_root().parent).as_posix(), tuple(text.split("\n")), defined, imported)


def _absolute(node: ast.ImportFrom, package: list[str]) -> str:
    """The module of the package that an import is from; empty for another."""
    if node.level:
        return ".".join([*package[: len(package) - node.level + 1], *([node.module] if node.module else [])])
    return node.module if node.module and node.module.split(".")[0] == PACKAGE else ""


def _root() -> Path:
    """The directory of the package; it loads none of its modules, and no torch, until one of its names is used."""
    import kernels

    return Path(kernels.__file__).resolve().parent
