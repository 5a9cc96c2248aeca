"""What sound variations of a prediction look like: the cell sets each name, and the prompt shows it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tutor.course.issues import Issue, name_of
from tutor.course.model import LANGS, PredictStep
from tutor.course.vary import assigned
from tutor.course.yaml_lines import quoted


def varied(step: PredictStep) -> Iterator[Issue]:
    """Each name is set once in the cell, to its first value, and shown by the prompt in both languages."""
    for name, values in step.vary.items():
        path = ("vary", name)
        if not name.isidentifier():
            yield Issue(path, f"the name {quoted(name)} in `vary` must be a word")
            continue
        if len(values) < 2:
            yield Issue(path, f"{quoted(name)} in `vary` needs at least two values")
            continue
        lines = list(assigned(name).finditer(step.cell))
        if len(lines) != 1:
            message = f"the cell must set {quoted(name)} on one line of its own, `{name} = {values[0]!r}`"
            yield Issue(("cell",), message, step.cell.count("\n", 0, lines[1].start()) + 1 if lines else None)
        elif _literal(lines[0][2]) != values[0]:
            row = step.cell.count("\n", 0, lines[0].start()) + 1
            yield Issue(("cell",), f"the cell must set {quoted(name)} to its first value in `vary`, {values[0]!r}", row)
        for lang in LANGS:
            if f"{{{name}}}" not in step.prompt.get(lang):
                where = ("prompt", lang)
                yield Issue(where, f"{name_of(where)} does not show `{{{name}}}`, which `vary` varies")


def _literal(written: str) -> object:
    try:
        return ast.literal_eval(written)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
