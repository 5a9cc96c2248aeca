"""Figures: numbers that a cell measures, and that any text quotes as `{{cell.name}}`.

A text shows what the cell measured on this machine, marked as that; before it has run here, the range of its author.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from tutor.course.model import AnyStep, CellStep, Course, Figure, Lang, PredictStep, Text
from tutor.course.quotes import REFERENCE, Place, substituted, worded
from tutor.course.texts import texts, with_texts

Measured = Mapping[str, float]
Part = TypeVar("Part")

_KEY = "figure."
"""Before the name of a figure among the expressions of a run; an id of an option holds no point."""


def declared(step: AnyStep) -> dict[str, Figure]:
    """The figures that a step's cell measures, by name."""
    return step.figures if isinstance(step, CellStep | PredictStep) else {}


def expressions(step: AnyStep) -> dict[str, str]:
    """What to evaluate after the step's cell has run, to know its figures; as `predict.expressions` does."""
    return {_KEY + name: f"float(({figure.value.strip()}))" for name, figure in declared(step).items()}


def measured(step: AnyStep, values: Mapping[str, str]) -> dict[str, float]:
    """The figures in the values of a run (`Finished.values`); none for those that gave no finite number."""
    found = {}
    for name in declared(step):
        try:
            value = float(values.get(_KEY + name, ""))
        except ValueError:
            continue
        if math.isfinite(value):
            found[name] = value
    return found


def troubles(step: AnyStep, errors: Mapping[str, str]) -> dict[str, str]:
    """Why figures could not be evaluated, by name, of the errors of a run (`Finished.errors`)."""
    return {name: errors[_KEY + name] for name in declared(step) if _KEY + name in errors}


def contradicts(figure: Figure, value: float) -> bool:
    """Whether a measured value lies outside the range, also when it is rounded as it is shown."""
    shown = float(f"{value:.{max(figure.digits, 1) - 1}e}")
    return not (figure.low <= value <= figure.high or figure.low <= shown <= figure.high)


def fingerprint(step: AnyStep) -> str:
    """What a measurement belongs to: another cell, or another expression, makes an older one void."""
    code = step.cell if isinstance(step, PredictStep) else step.code if isinstance(step, CellStep) else ""
    parts = [code, *(f"{name}={figure.value}" for name, figure in sorted(declared(step).items()))]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


class Figures:
    """All figures of a course, and what of them was measured here."""

    def __init__(self, course: Course) -> None:
        self.steps = {step.id: step for lesson in course.lessons for step in lesson.steps if declared(step)}
        """The steps whose cells have figures, by id."""
        self.measured: dict[str, Measured] = {}
        """What was measured here, by step."""

    def fill(self, part: Part) -> Part:
        """`part` with numbers where its texts have references; the same object where there are none.

        A reference to nothing stays as it is written.
        """
        return with_texts(part, self._text)

    def quoted_by(self, part: Any) -> bool:
        """Whether any text of `part` quotes a figure."""
        return any(REFERENCE.search(words) for _, text in texts(part) for words in (text.vi, text.en))

    def _text(self, text: Text) -> Text:
        if "{{" not in text.vi and "{{" not in text.en:
            return text
        return Text(vi=substituted(text.vi, self._quoting("vi")), en=substituted(text.en, self._quoting("en")))

    def _quoting(self, lang: Lang) -> Callable[[str, str, Place], str | None]:
        """What a reference in a text is replaced by."""

        def quote(step: str, name: str, place: Place) -> str | None:
            figure = declared(self.steps[step]).get(name) if step in self.steps else None
            if figure is None:
                return None
            return worded(figure, self.measured.get(step, {}).get(name), lang, place)

        return quote
