"""Questions made afresh from a seed: other values, options in another order. The same seed gives the same question.

Without a seed, as in a lesson, a question has the first of its values and the order in which it is written.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar, cast

import msgspec

from tutor.course.model import AnyStep, ChoiceStep, Lesson, MultiStep, NumberStep, PredictStep, Text
from tutor.course.texts import with_texts

Value = float | int | str


class _Named(Protocol):
    @property
    def id(self) -> str: ...


Item = TypeVar("Item", bound=_Named)
Asked = TypeVar("Asked", bound=AnyStep)


def instance(step: Asked, seed: int | None) -> Asked:
    """The step as `seed` has it; an instance of an instance is the same again.

    The values of a `number` are filled in by its grader, which computes what is right from them.
    """
    match step:
        case ChoiceStep() | MultiStep() if seed:
            return cast("Asked", msgspec.structs.replace(step, options=shuffled(step.options, step.id, seed)))
        case PredictStep() if seed or step.vary:
            return cast("Asked", _predict(step, seed))
    return step


def in_lesson(lesson: Lesson, step: AnyStep) -> Lesson:
    """The lesson with an instance of one of its steps in the step's place."""
    return msgspec.structs.replace(lesson, steps=tuple(step if own.id == step.id else own for own in lesson.steps))


def values(step: NumberStep | PredictStep, seed: int | None) -> dict[str, Value]:
    """One value for each name in `vary`: the first of each without a seed or with seed 0, else as the seed decides."""
    if not seed:
        return {name: listed[0] for name, listed in step.vary.items()}
    chosen = random.Random(f"{step.id}:{seed}")
    return {name: chosen.choice(cast("Sequence[Value]", listed)) for name, listed in step.vary.items()}


def shuffled(items: Iterable[Item], step: str, seed: int) -> tuple[Item, ...]:
    """The items in the order that the seed gives them, whatever their order was."""
    ordered = sorted(items, key=lambda item: item.id)
    random.Random(f"{step}:{seed}:order").shuffle(ordered)
    return tuple(ordered)


def filled(text: str, written: Mapping[str, str]) -> str:
    """`text` with the values of these names. Only they are filled in: LaTeX and code have braces of their own."""
    if not written:
        return text
    pattern = re.compile(r"\{(" + "|".join(map(re.escape, written)) + r")\}")
    return pattern.sub(lambda match: written[match[1]], text)


def assigned(name: str) -> re.Pattern[str]:
    """The line of a cell that sets a name of `vary`, at the left margin; its value is the second group."""
    return re.compile(rf"^({re.escape(name)} *= *)([^\s#][^#\n]*?)( *(?:#.*)?)$", re.MULTILINE)


def variations(step: PredictStep) -> list[tuple[dict[str, Value], PredictStep]]:
    """The prediction with each value that a review may set, one name at a time, the others as they are written."""
    first = values(step, None)
    return [
        ({name: value}, _with_values(step, first | {name: value}))
        for name, listed in step.vary.items()
        for value in listed[1:]
    ]


def _predict(step: PredictStep, seed: int | None) -> PredictStep:
    step = _with_values(step, values(step, seed))
    if seed and step.ask.choice:
        ask = msgspec.structs.replace(step.ask, choice=shuffled(step.ask.choice, step.id, seed))
        step = msgspec.structs.replace(step, ask=ask)
    return step


def _with_values(step: PredictStep, chosen: Mapping[str, Value]) -> PredictStep:
    cell = step.cell
    for name, value in chosen.items():
        cell = assigned(name).sub(lambda match, value=value: f"{match[1]}{value!r}{match[3]}", cell, count=1)  # type: ignore[misc]
    written = {name: value if isinstance(value, str) else f"{value:g}" for name, value in chosen.items()}
    step = with_texts(step, lambda text: Text(vi=filled(text.vi, written), en=filled(text.en, written)))
    if cell != step.cell:
        # Its figures are of the cell as it is written, and so are the ranges that the author gives for them.
        step = msgspec.structs.replace(step, cell=cell, figures={})
    return step
