"""What a sound step looks like beyond its types: one function a kind, each giving the issues that it finds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from tutor.course.code_rules import break_step, claim_step, exercise_step
from tutor.course.figure_rules import figures
from tutor.course.formula_rules import formula_step
from tutor.course.issues import Issue, Path, name_of, positive, python
from tutor.course.layout_rules import flow_step, multi_step, order_step
from tutor.course.model import (
    AnyStep,
    BreakStep,
    CellStep,
    ChoiceStep,
    ClaimStep,
    Concept,
    ExerciseStep,
    FlowStep,
    FormulaStep,
    MultiStep,
    NumberStep,
    OrderStep,
    Point,
    PredictCurve,
    PredictStep,
    ShortStep,
    Text,
    TextStep,
)
from tutor.course.vary_rules import varied
from tutor.course.yaml_lines import quoted, suggestion

MOST_POINTS = 12
"""Points of a sketched curve: each has to be moved by keys."""
BODY_LIMIT = 2048
"""Characters of a `text` step in one language: about what fits on two screens of 80x24."""


def text_step(step: TextStep) -> Iterator[Issue]:
    """A step is at most about two screens."""
    for path, body in _languages(step.body, "body"):
        if len(body) > BODY_LIMIT:
            yield Issue(
                path, f"{name_of(path)} has {len(body)} characters: make two steps of it (at most {BODY_LIMIT})"
            )


def cell_step(step: CellStep) -> Iterator[Issue]:
    """The code is Python, and its figures can be measured."""
    yield from python(step.code, "code")
    yield from positive(step.finishes_within, "finishes_within")
    yield from figures(step)


def choice_step(step: ChoiceStep) -> Iterator[Issue]:
    """One right option, and a reason for each wrong one."""
    if len(step.options) < 2:
        yield Issue(("options",), "`options` needs at least two")
    right = sum(option.right for option in step.options)
    if right != 1:
        yield Issue(("options",), f"exactly one option must be `right: true`, not {right}")
    for index, option in enumerate(step.options):
        if not option.right and option.why is None:
            yield Issue(
                ("options", index), f"option {quoted(option.id)} is wrong and has no `why`: say why to who picks it"
            )


def number_step(step: NumberStep) -> Iterator[Issue]:
    """Tolerance, varying values and placeholders fit together. What the arithmetic gives is for `check` to see."""
    yield from _tolerance(step.within, "within")
    if isinstance(step.answer, str) and not step.answer.strip():
        yield Issue(("answer",), "`answer` is empty")
    for name, values in step.vary.items():
        if not name.isidentifier():
            yield Issue(("vary", name), f"the name {quoted(name)} in `vary` must be a word")
        if not values:
            yield Issue(("vary", name), f"{quoted(name)} in `vary` has no values")
    for path, prompt in _languages(step.prompt, "prompt"):
        used = set(_PLACEHOLDER.findall(prompt))
        # LaTeX has braces of its own: there, only names of `vary` are placeholders.
        for name in sorted(set(_PLACEHOLDER.findall(_MATHS.sub("", prompt))) - step.vary.keys()):
            yield Issue(path, f"{name_of(path)}: `{{{name}}}` is not in `vary`{suggestion(name, step.vary)}")
        for name in sorted(step.vary.keys() - used):
            yield Issue(path, f"{name_of(path)} does not show `{{{name}}}`, which `vary` varies")


def predict_step(step: PredictStep) -> Iterator[Issue]:
    """One thing to predict, and Python that settles it."""
    yield from python(step.cell, "cell")
    yield from positive(step.finishes_within, "finishes_within")
    yield from figures(step)
    yield from varied(step)
    choice, number, curve = step.ask.choice, step.ask.number, step.ask.curve
    if bool(choice) + (number is not None) + (curve is not None) != 1:
        yield Issue(("ask",), "`ask` must have exactly one of `choice`, `number` and `curve`")
    if len(choice) == 1:
        yield Issue(("ask", "choice"), "`ask.choice` needs at least two options")
    for index, option in enumerate(choice):
        yield from python(option.true_if, "ask", "choice", index, "true_if", expression=True)
    if number is not None:
        yield from python(number.value, "ask", "number", "value", expression=True)
        yield from _tolerance(number.within, "ask", "number", "within")
    if curve is not None:
        yield from _curve(curve)


def _curve(curve: PredictCurve) -> Iterator[Issue]:
    """An axis on which there are points to move, and a tolerance that is one."""
    yield from python(curve.value, "ask", "curve", "value", expression=True)
    if not MOST_POINTS >= curve.points >= 3:
        yield Issue(("ask", "curve", "points"), f"`points` must be from 3 to {MOST_POINTS}")
    if curve.x and not (len(curve.x) == 2 and curve.x[0] < curve.x[1]):
        yield Issue(("ask", "curve", "x"), "`x` must be two numbers, the smaller one first")
    if curve.log_x and (not curve.x or curve.x[0] <= 0):
        yield Issue(("ask", "curve", "log_x"), "`log_x` needs an `x` above 0")
    if not curve.within > 1:
        yield Issue(("ask", "curve", "within"), "`within` is a factor, and must be above 1")


def short_step(step: ShortStep, glossary: dict[str, Concept] | None) -> Iterator[Issue]:
    """A rubric that an answer can meet, in concepts that the glossary has, with samples on both sides."""
    if not step.points:
        yield Issue(("points",), "`points` is empty")
    elif not any(point.required for point in step.points):
        yield Issue(("points",), "no point is `required: true`: an answer would be right without any of them")
    if step.points and all(point.only_if_none for point in step.points):
        yield Issue(("points",), "every point is `only_if_none`: no answer could be right")
    for index, topic in enumerate(step.topics):
        if glossary is not None and topic not in glossary:
            yield Issue(("topics", index), f"the glossary has no {quoted(topic)}{suggestion(topic, glossary)}")
    for index, point in enumerate(step.points):
        yield from _patterns(("points", index), point.id, point.any, step, glossary)
        yield from _weight(index, point)
    for index, wrong in enumerate(step.misconceptions):
        yield from _patterns(("misconceptions", index), wrong.id, wrong.any, step, glossary)
        if not 0 <= wrong.cap <= 1:
            yield Issue(("misconceptions", index, "cap"), "`cap` must lie in 0 to 1")
    ids = [point.id for point in step.points]
    for index, sample in enumerate(step.samples):
        for place, id in enumerate(sample.points or ()):
            if id not in ids:
                path = ("samples", index, "points", place)
                yield Issue(path, f"{quoted(id)} is no point of this question{suggestion(id, ids)}")
    verdicts = {sample.verdict for sample in step.samples}
    if "right" not in verdicts or not verdicts - {"right"}:
        yield Issue(("samples",), "`samples` needs at least one answer that is right and one that is not")
    if step.max_words < 1:
        yield Issue(("max_words",), "`max_words` must be at least 1")


_RULES: dict[type, Callable[[Any], Iterator[Issue]]] = {
    TextStep: text_step,
    CellStep: cell_step,
    ChoiceStep: choice_step,
    NumberStep: number_step,
    PredictStep: predict_step,
    MultiStep: multi_step,
    OrderStep: order_step,
    FlowStep: flow_step,
    FormulaStep: formula_step,
    ExerciseStep: exercise_step,
    ClaimStep: claim_step,
    BreakStep: break_step,
}


def issues(step: AnyStep, glossary: dict[str, Concept] | None) -> Iterator[Issue]:
    """Everything that is wrong with a step on its own. Without a glossary the names of concepts are not looked up."""
    yield from clean(step)
    yield from short_step(step, glossary) if isinstance(step, ShortStep) else _RULES[type(step)](step)


def clean(part: Any, path: Path = ()) -> Iterator[Issue]:
    """No text below `part` holds characters that do not belong on a screen."""
    if isinstance(part, str):
        yield from _clean_string(part, path, prose=False)
    elif isinstance(part, Text):
        for place, text in _languages(part, *path):
            yield from _clean_string(text, place, prose=True)
    elif isinstance(part, msgspec.Struct):
        for name in part.__struct_fields__:
            yield from clean(getattr(part, name), (*path, name))
    elif isinstance(part, dict):
        for name, value in part.items():
            yield from clean(value, (*path, name))
    elif isinstance(part, tuple):
        for index, value in enumerate(part):
            yield from clean(value, (*path, index))


# C0 and C1 controls but for the line break and the tab, separators, and what changes the direction of writing or shows
# nothing at all.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_EATEN = re.compile(r"\$[^$]*\n(?:abla|eq|eg|ot)\b")
_MATHS = re.compile(r"\$\$.*?\$\$|\$.*?\$", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
_LATEX = r"in \"…\" YAML reads \t, \f, \b and others as escapes: write LaTeX in '…' or in a block (`|`)".replace(
    '\\"', '"'
)


def _clean_string(text: str, path: Path, *, prose: bool) -> Iterator[Issue]:
    where = name_of(path)
    found = _CONTROL.search(text)
    if found is None and prose:
        found = re.search("\t", text) or _EATEN.search(text)
    if found is not None:
        char = found[0][0] if found[0][0] != "$" else "\n"
        name = {"\t": "a tab", "\n": "a line break in the middle of a formula"}.get(
            char, f"the control character U+{ord(char):04X}"
        )
        escape = prose and char in "\t\n\f\b\r\v\a\x1b"
        yield Issue(path, f"{where} holds {name}" + (f"; {_LATEX}" if escape else ""), _row(text, found.start()))
    if not unicodedata.is_normalized("NFC", text):
        yield Issue(path, f"{where} is not in Unicode form NFC: its accents are typed as separate characters")


def _languages(text: Text, *path: str | int) -> Iterator[tuple[Path, str]]:
    """The place and the words of a text in each language, once where they are the same."""
    if text.vi == text.en:
        yield path, text.vi
    else:
        yield (*path, "vi"), text.vi
        yield (*path, "en"), text.en


def _row(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _tolerance(within: str | float, *path: str | int) -> Iterator[Issue]:
    number = within[:-1] if isinstance(within, str) and within.endswith("%") else within
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        yield Issue(
            path, f"`within` must be a percentage such as 1%, or a number of at least 0, not {quoted(str(within))}"
        )


def _weight(index: int, point: Point) -> Iterator[Issue]:
    if not 0 < point.weight < float("inf"):
        yield Issue(("points", index, "weight"), f"the weight of point {quoted(point.id)} must be more than 0")


_NAME = r"[A-Z][A-Z0-9_]*"
_PATTERN = re.compile(rf"\s*(?:({_NAME})\s*:)?\s*!?{_NAME}(?:(?:\s+|\s*&\s*|[+>])!?{_NAME})*\s*")


def _patterns(
    path: Path, id: str, patterns: Iterable[str], step: ShortStep, glossary: dict[str, Concept] | None
) -> Iterator[Issue]:
    patterns = list(patterns)
    if not patterns:
        yield Issue((*path, "any"), f"{quoted(id)}: `any` is empty, so nothing is ever found")
    for index, pattern in enumerate(patterns):
        here = (*path, "any", index)
        parsed = _PATTERN.fullmatch(pattern)
        if parsed is None:
            yield Issue(
                here,
                f"{quoted(pattern)} is no pattern: "
                "it takes `A & B`, `A B`, `A+B`, `A>B`, `!A` and `T: …`, names in capitals",
            )
            continue
        for name in dict.fromkeys(re.findall(_NAME, pattern)):
            if glossary is not None and name not in glossary:
                yield Issue(here, f"{quoted(pattern)}: the glossary has no {quoted(name)}{suggestion(name, glossary)}")
        if parsed[1] is not None and parsed[1] not in step.topics:
            yield Issue(
                here, f"{quoted(pattern)}: {quoted(parsed[1])} is not in `topics`{suggestion(parsed[1], step.topics)}"
            )
