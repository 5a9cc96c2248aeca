"""What a lesson becomes in a notebook: prose, code, and questions whose answers are folded away below them."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tutor.commands.support import kind_of
from tutor.course.figures import Figures
from tutor.course.model import (
    AnyStep,
    BreakStep,
    CellStep,
    ChoiceStep,
    ClaimStep,
    Course,
    ExerciseStep,
    FlowStep,
    Lang,
    Lesson,
    MultiStep,
    NumberStep,
    Option,
    OrderStep,
    PredictStep,
    ShortStep,
    Text,
    TextStep,
)
from tutor.course.vary import instance
from tutor.runtime.prelude import PRELUDE
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize

FLOWS_WIDTH = 96
"""Columns for data flows side by side."""
LONGEST_ID = 64
"""Characters of a cell's id, by the notebook format."""

_BEFORE = """\
import math
import os

import torch
from torch import Tensor

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # before Triton is loaded
"""
_TRITON = """\
import triton
import triton.language as tl
"""


class Cell(NamedTuple):
    """A cell of the notebook, before it has an id: `kind` is "markdown" or "code"."""

    kind: str
    source: str


def notebook(course: Course, lesson: Lesson, lang: Lang) -> Any:
    """The lesson as a notebook (nbformat 4) in `lang`; references to figures have the ranges of their author.

    The interface language must be `lang` too: headings and notes come from there.
    """
    from nbformat import v4

    figures = Figures(course)
    made = v4.new_notebook(
        metadata={
            "title": sanitize(lesson.title.get(lang), newlines=False),
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        }
    )
    made.cells += _cells(lesson.id, [_head(lesson, lang), Cell("code", _prelude(lesson))])
    stale: set[str] = set()
    for step in lesson.steps:
        step = instance(figures.fill(step), None)
        cells = list(_of(step, lang, _read_later(lesson, step)))
        made.cells += _cells(step.id, _with_own_names(cells, step, stale))
    if lesson.sources:
        made.cells += _cells(f"{lesson.id}-sources", [_sources(lesson)])
    return made


def _cells(id: str, cells: Sequence[Cell]) -> Iterator[Any]:
    """The cells with ids that stay the same from one export to the next."""
    from nbformat import v4

    for number, cell in enumerate(cells):
        make = v4.new_markdown_cell if cell.kind == "markdown" else v4.new_code_cell
        suffix = f"_{number}" if number else ""
        yield make(sanitize(cell.source).strip("\n"), id=id[: LONGEST_ID - len(suffix)] + suffix)


def _prelude(lesson: Lesson) -> str:
    """What every cell may use, as in the tutor: exercises count on some more names than cells."""
    triton = any(isinstance(step, ExerciseStep) and step.triton for step in lesson.steps)
    return f"{_BEFORE}\n{PRELUDE}" + (_TRITON if triton else "")


def _head(lesson: Lesson, lang: Lang) -> Cell:
    goals = "\n".join(f"- {goal.get(lang)}" for goal in lesson.goals)
    note = _("Made by `normtutor export notebook {lesson}`. Predict before you run a cell; answers are folded away.")
    return _markdown(f"# {lesson.title.get(lang)}", goals, f"_{note.format(lesson=lesson.id)}_")


def _sources(lesson: Lesson) -> Cell:
    rows = [f"- {source.authors} ({source.year}): *{source.title}*. {source.where}" for source in lesson.sources]
    return _markdown("## " + _("Sources"), "\n".join(rows))


# One step


def _of(step: AnyStep, lang: Lang, read_later: set[str]) -> Iterator[Cell]:
    title = f"## {step.title.get(lang)}" if step.title is not None else ""
    match step:
        case TextStep():
            yield _markdown(title, step.body.get(lang), _fence(_drawn(step, lang), ""))
        case CellStep():
            if title or step.about is not None:
                yield _markdown(title, _text(step.about, lang))
            yield Cell("code", step.code)
        case PredictStep():
            yield from _prediction(step, lang, title)
        case ExerciseStep() | BreakStep():
            hints = [_folded(_("Hint"), hint.get(lang)) for hint in step.hints]
            yield _markdown(title, step.prompt.get(lang), _graded(step), *hints)
            # A name that a later cell needs from an earlier one must not be lost to the exercise.
            clash = _bound(step.starter) & (read_later - _kernels_names())
            yield _markdown(_fence(step.starter)) if clash else Cell("code", step.starter)
            yield _markdown(_folded(_("Solution"), _solution(step, lang)))
        case _:
            whys = _whys(step, lang)
            answer = "\n\n".join(part for part in (_solution(step, lang), whys) if part)
            yield _markdown(title, *_question(step, lang), _folded(_("Answer"), answer))


def _question(step: AnyStep, lang: Lang) -> Iterator[str]:
    """What is asked, with what there is to choose from."""
    match step:
        case ChoiceStep(options=options):
            yield step.prompt.get(lang)
            yield _items([option.text.get(lang) for option in options])
        case MultiStep(options=options):
            yield step.prompt.get(lang)
            yield "\n".join(f"- [ ] {option.text.get(lang).strip()}" for option in options)
        case OrderStep():
            from tutor.grading import order

            yield step.prompt.get(lang)
            yield _items([item.text.get(lang) for item in order.shuffled(step)])
        case NumberStep():
            from tutor.grading import number

            yield number.prompt(step, lang) + (f" ({step.unit})" if step.unit else "")
        case ClaimStep():
            yield step.statement.get(lang)
            yield _("Does it always hold, or is there a counterexample?")
        case ShortStep():
            yield step.prompt.get(lang)
            yield _graded(step)
        case _:
            prompt = getattr(step, "prompt", None)
            yield prompt.get(lang) if isinstance(prompt, Text) else ""


def _prediction(step: PredictStep, lang: Lang, title: str) -> Iterator[Cell]:
    """The question, the cell, and a cell in which what was measured decides."""
    from tutor.text.prose import plain

    options, number, curve = step.ask.choice, step.ask.number, step.ask.curve
    asked = _items([option.text.get(lang) for option in options])
    if number is not None:
        asked = _("A number{unit}:").format(unit=f" ({number.unit})" if number.unit else "")
    elif curve is not None:
        asked = _("Sketch it: by what factor does it change along the way?")
    order = _("Predict first; then the cell below runs and decides.")
    yield _markdown(title, step.prompt.get(lang), asked, f"_{order}_")
    yield Cell("code", step.cell)
    if number is not None:
        unit = f", {json.dumps(number.unit, ensure_ascii=False)}" if number.unit else ""
        yield Cell("code", f'print(format(float({number.value.strip()}), ".4g"){unit})')
        whys = _text(number.why, lang)
    elif curve is not None:
        yield Cell(
            "code", f"predicted = {curve.value.strip()}\nshow(predicted)\nprint(predicted.first, predicted.last)"
        )
        whys = _text(curve.why, lang)
    else:
        rows = []
        for option in options:
            said = json.dumps(" ".join(plain(option.text.get(lang), 1000).split()), ensure_ascii=False)
            rows.append(f'print("✓" if ({option.true_if.strip()}) else "✗", {said})')
        yield Cell("code", "\n".join(rows))
        whys = "\n".join(f"- {option.text.get(lang)}: {option.why.get(lang)}" for option in options if option.why)
    explained = "\n\n".join(part for part in (_text(step.why, lang), whys) if part)
    if explained:
        yield _markdown(_folded(_("Why"), explained))


def _whys(step: AnyStep, lang: Lang) -> str:
    """Why the wrong options are wrong."""
    options: Sequence[Option] = step.options if isinstance(step, ChoiceStep | MultiStep) else ()
    return "\n".join(
        f"- {option.text.get(lang).strip()}: {option.why.get(lang).strip()}"
        for option in options
        if not option.right and option.why is not None
    )


def _solution(step: AnyStep, lang: Lang) -> str:
    from tutor.grading.solution import solution

    assert not isinstance(step, TextStep | CellStep)
    drawn = ""
    if isinstance(step, FlowStep):
        drawn = _fence(_flow(step.answer if isinstance(step.answer, str) else step.answer[0]), "")
    return "\n\n".join(part for part in (solution(step, lang), drawn) if part)


def _graded(step: AnyStep) -> str:
    what = "FILE.py" if kind_of(step) in ("exercise", "break") else "-"
    return _("Graded by `normtutor grade {id} {file}`.").format(id=step.id, file=what)


# Data flows


def _drawn(step: TextStep, lang: Lang) -> str:
    from tutor.text import flow

    if isinstance(step.flow, str):
        return _flow(step.flow) if step.flow else ""
    titled = [(sanitize(named.title.get(lang)), _flow(named.flow).split("\n")) for named in step.flow]
    return "\n".join(flow.side_by_side(titled, FLOWS_WIDTH))


def _flow(source: str) -> str:
    from tutor.text import flow

    try:
        return "\n".join(flow.draw(flow.parse(source)))
    except flow.FlowError:
        return source


# Names: an exercise's starter must not take the place of what later cells use


def _with_own_names(cells: list[Cell], step: AnyStep, stale: set[str]) -> list[Cell]:
    """The cells, after one that fetches again what the starter of an exercise has hidden and the step's cell uses."""
    made: list[Cell] = []
    starter = step.starter if isinstance(step, ExerciseStep | BreakStep) else None
    for cell in cells:
        if cell.kind == "code" and starter is not None:
            stale |= _bound(cell.source) & _kernels_names()
        elif cell.kind == "code" and (hidden := sorted(stale & _read(cell.source))):
            comment = _("# The lesson's own again, in the place of what the exercise has defined.")
            made.append(Cell("code", f"{comment}\nfrom kernels import {', '.join(hidden)}"))
            stale.difference_update(hidden)
        made.append(cell)
    return made


def _read_later(lesson: Lesson, step: AnyStep) -> set[str]:
    at = [own.id for own in lesson.steps].index(step.id)
    later = (own for own in lesson.steps[at + 1 :] if isinstance(own, CellStep | PredictStep))
    # A name that a later cell sets before it reads it is its own.
    read, bound = set[str](), set[str]()
    for own in later:
        code = own.code if isinstance(own, CellStep) else own.cell
        read |= _read(code) - bound - _bound(code)
        bound |= _bound(code)
    return read


def _bound(code: str) -> set[str]:
    """The names that code defines at its top."""
    names = set()
    for node in _parsed(code).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        else:
            names |= {
                each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            }
    return names


def _read(code: str) -> set[str]:
    names = (node for node in ast.walk(_parsed(code)) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Load)}


def _parsed(code: str) -> ast.Module:
    """The code's tree; an empty one where it is no Python, which `normtutor check` says and whoever runs it sees."""
    try:
        return ast.parse(sanitize(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _kernels_names() -> set[str]:
    import kernels

    return set(kernels.__all__)


# Markdown


def _markdown(*parts: str) -> Cell:
    return Cell("markdown", "\n\n".join(part.strip("\n") for part in parts if part.strip()))


def _text(text: Text | None, lang: Lang) -> str:
    return text.get(lang).strip() if text is not None else ""


def _items(texts: Sequence[str]) -> str:
    return "\n".join(f"{number}. {text.strip()}" for number, text in enumerate(texts, start=1))


def _fence(code: str, language: str = "python") -> str:
    return f"```{language}\n{code.rstrip()}\n```" if code.strip() else ""


def _folded(summary: str, markdown: str) -> str:
    """Markdown that a click opens. The empty lines make it Markdown again inside HTML."""
    return f"<details><summary>{summary}</summary>\n\n{markdown.strip()}\n\n</details>"
