"""What sound figures look like, and texts that quote them; whether a cell measures them is for `check --run`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tutor.course.issues import Issue, Path, name_of, python
from tutor.course.model import LANGS, AnyStep, CellStep, Figure, PredictStep
from tutor.course.quotes import malformed, quotes
from tutor.course.texts import texts
from tutor.course.yaml_lines import quoted, suggestion

MOST_DIGITS = 15
"""More than these a float64 does not hold."""
_NAME = re.compile(r"[A-Za-z_]\w*")


def figures(step: CellStep | PredictStep) -> Iterator[Issue]:
    """Each figure can be quoted and measured, and has a range."""
    for name, figure in step.figures.items():
        if not _NAME.fullmatch(name):
            yield Issue(("figures", name), f"the figure {quoted(name)} must be a word: letters, digits and _")
        yield from python(figure.value, "figures", name, "value", expression=True)
        if figure.low > figure.high:
            message = f"`low` of {quoted(name)} is above `high`: {figure.low:g} > {figure.high:g}"
            yield Issue(("figures", name, "low"), message)
        if not 1 <= figure.digits <= MOST_DIGITS:
            yield Issue(("figures", name, "digits"), f"`digits` of {quoted(name)} must be 1 to {MOST_DIGITS}")


def references(
    part: Any,
    known: Mapping[str, Mapping[str, Figure]],
    cells: Mapping[str, AnyStep],
    *,
    complete: bool = True,
    but: tuple[str, ...] = (),
) -> Iterator[Issue]:
    """What the texts of `part` quote is there: `known` are the figures of each step, `cells` all steps with a cell.

    Where those are not `complete`, an unknown cell may be in a lesson that could not be loaded.
    """
    for path, text in texts(part, but=but):
        # A text that is the same in both languages stands in the file once.
        for lang in LANGS[:1] if text.vi == text.en else LANGS:
            here: Path = (*path, lang)
            words = text.get(lang)
            for meant, row in malformed(words):
                yield Issue(here, f"{quoted(meant)} quotes no figure: write `{{{{cell-id.name}}}}`", row)
            for quote in quotes(words):
                if quote.step not in cells and not complete:
                    continue
                if message := _unknown(quote.step, quote.name, known, cells):
                    yield Issue(here, message, quote.row)
                elif path[-1:] == ("title",) or path[:1] == ("goals",):
                    where = name_of(path)
                    yield Issue(here, f"{where} is shown before anything has been measured: it quotes no figure")


def _unknown(step: str, name: str, known: Mapping[str, Mapping[str, Figure]], cells: Mapping[str, AnyStep]) -> str:
    written = quoted(f"{{{{{step}.{name}}}}}")
    if step in known:
        of = known[step]
        return "" if name in of else f"{written}: the cell {quoted(step)} has no such figure{suggestion(name, of)}"
    if step in cells:
        return f"{written}: the cell {quoted(step)} declares no `figures`"
    return f"{written}: there is no cell {quoted(step)}{suggestion(step, known)}"
