"""Grades a curve that was sketched before the cell ran, by the curve that the cell then measured."""

from __future__ import annotations

import ast
import json
import re

from kernels.curve import Curve
from tutor.course.model import Lang, PredictCurve
from tutor.grading.say import code, paragraphs, say, text
from tutor.grading.sketch import SHAPES, Distance, Sketch, distance, places, shaped
from tutor.grading.typed_number import rounded
from tutor.grading.verdict import Word
from tutor.text.i18n import N_

_BAD = (AttributeError, KeyError, TypeError, ValueError, SyntaxError, MemoryError, RecursionError)


def expression(asked: PredictCurve) -> str:
    """What must be evaluated after the cell has run: the curve as JSON, whose NaN a `repr` would not bring back."""
    return f'__import__("json").dumps(({asked.value.strip()}).to_dict())'


def measured(evidence: str | None) -> Curve | None:
    """The curve that the evidence holds; None for anything else, and for one without points."""
    try:
        curve = Curve.from_dict(json.loads(ast.literal_eval(evidence or "")))
    except _BAD:
        return None
    return curve if curve.x else None


def axis(asked: PredictCurve) -> tuple[float, float]:
    """Where the sketch begins and ends; from 0 to 1, as a share of the way, where the step does not say."""
    return (asked.x[0], asked.x[1]) if asked.x else (0.0, 1.0)


def written(sketch: Sketch) -> str:
    """The sketch as an answer: the factors at its points."""
    return " ".join(f"{factor:.4g}" for factor in sketch.factors)


def sketch_of(asked: PredictCurve, answer: str) -> Sketch | None:
    """The sketch of an answer: as many factors as there are points, or the name of a shape. None for anything else."""
    low, high = axis(asked)
    words = [word for word in re.split(r"[\s;]+", answer.strip()) if word]
    if len(words) == 1 and not words[0][0].isdigit():
        names = [id for id, _name, _factor in SHAPES]
        return (
            shaped(names.index(words[0]), low, high, log=asked.log_x, count=asked.points) if words[0] in names else None
        )
    try:
        factors = tuple(float(word.replace(",", ".")) for word in words)
    except ValueError:
        return None
    if len(factors) != asked.points or not all(1e-40 <= factor <= 1e40 for factor in factors):
        return None
    return Sketch(places(low, high, log=asked.log_x, count=asked.points), tuple(each / factors[0] for each in factors))


def not_a_sketch(asked: PredictCurve, lang: Lang) -> str:
    """Why an answer is no sketch, and what would be one."""
    names = ", ".join(code(id) for id, _name, _factor in SHAPES)
    words = N_(
        "A sketch is {n} numbers, by what factor it changes against the first, such as {example}; or one of {names}."
    )
    example = " ".join(str(i + 1) for i in range(asked.points))
    return say(lang, words, n=asked.points, example=code(example), names=names)


def on_axis(asked: PredictCurve, curve: Curve) -> tuple[float, ...]:
    """The curve's x on the sketch's axis, which goes from the curve's start to its end where the step names none."""
    x = curve.x
    if not asked.x and x[-1] > x[0]:
        return tuple((value - x[0]) / (x[-1] - x[0]) for value in x)
    return x


def apart(asked: PredictCurve, sketch: Sketch, curve: Curve) -> Distance | None:
    """How far they are from each other."""
    return distance(sketch, on_axis(asked, curve), curve.y)


def judged(asked: PredictCurve, sketch: Sketch, curve: Curve, lang: Lang) -> tuple[Word, float, str] | None:
    """The verdict's word, the score and what is said; None where nothing can be compared."""
    found = apart(asked, sketch, curve)
    if found is None:
        return None
    near = found.mean <= asked.within
    nearly = found.mean <= asked.within**2
    word: Word = "right" if near else "partly" if nearly else "wrong"
    score = 1.0 if near else 0.5 if nearly else 0.0
    told = say(
        lang,
        N_("Your curve is off by a factor of {mean} on average, by {most} at {x}; {within} would be near enough."),
        mean=rounded(found.mean, lang),
        most=rounded(found.most, lang),
        x=rounded(found.at, lang),
        within=rounded(asked.within, lang),
    )
    growth = say(
        lang,
        N_("Measured here: from {first} to {last}."),
        first=code(rounded(curve.first, lang)),
        last=code(rounded(curve.last, lang)),
    )
    return word, score, paragraphs(f"{told} {growth}", text(asked.why, lang))
