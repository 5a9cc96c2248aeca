"""What `normtutor check` proves of a course beyond its structure: that formulas and flows can be shown, and that
questions are graded as their author says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import msgspec

from tutor.course.locate import Places
from tutor.course.model import LANGS, AnyStep, Course, Finding, Lesson, NumberStep, ShortStep, Text, TextStep

TEXT_WIDTH = 72
"""Columns that a formula may take: what the app leaves for text in a terminal of 80."""

Path = tuple[str | int, ...]
Issue = tuple[Path, int | None, str]
"""The way from the step to something to mend, the line within it where that is known, and what to say."""

_HTML = re.compile(
    r"</?(?:a|b|br|code|div|em|i|img|li|ol|p|pre|span|strong|sub|sup|table|td|tr|u|ul)\b[^>]*>", re.IGNORECASE
)


def verify(course: Course) -> Iterator[Finding]:
    """The findings about the lessons that could be loaded, each with its line."""
    places = Places(course)
    for lesson in course.lessons:
        for path, text in texts(lesson, but=("steps",)):
            for issue in prose_issues(text, path, {}):
                yield _finding(places, lesson, None, issue)
        for step in lesson.steps:
            for issue in step_issues(step, course):
                yield _finding(places, lesson, step, issue)


def _finding(places: Places, lesson: Lesson, step: AnyStep | None, issue: Issue) -> Finding:
    path, row, message = issue
    return places.finding(lesson, step, message, *path, row=row)


def texts(part: Any, path: Path = (), but: tuple[str, ...] = ()) -> Iterator[tuple[Path, Text]]:
    """Every text below a part of a lesson, with the way to it."""
    if isinstance(part, Text):
        yield path, part
    elif isinstance(part, msgspec.Struct):
        for name in part.__struct_fields__:
            if name not in but:
                yield from texts(getattr(part, name), (*path, name))
    elif isinstance(part, tuple):
        for index, value in enumerate(part):
            yield from texts(value, (*path, index))


def step_issues(step: AnyStep, course: Course) -> Iterator[Issue]:
    """What is wrong with one step."""
    values = next(combinations(step)) if isinstance(step, NumberStep) else {}
    for path, text in texts(step):
        yield from prose_issues(text, path, values)
    if isinstance(step, TextStep):
        yield from _flows(step)
    elif isinstance(step, NumberStep):
        yield from _number(step)
    elif isinstance(step, ShortStep):
        yield from _short(step, course)


# Prose


def prose_issues(text: Text, path: Path, values: dict[str, float]) -> Iterator[Issue]:
    """Formulas that cannot be shown, and marks that are shown because they mark nothing."""
    for lang in LANGS:
        if lang != "vi" and text.en == text.vi:
            continue
        markdown = text.get(lang)
        for name, value in values.items():
            markdown = markdown.replace(f"{{{name}}}", f"{value:g}")
        for row, message in markdown_issues(markdown):
            yield (*path, lang), row, message


def markdown_issues(markdown: str) -> Iterator[tuple[int, str]]:
    """The issues of one Markdown text with their lines in it."""
    from tutor.text.markdown import pieces

    if sum(line.lstrip().startswith("```") for line in markdown.split("\n")) % 2:
        yield 1, "a block of code (```) is not closed"
    for kind, content, line in pieces(markdown):
        if kind == "text":
            yield from ((line, message) for message in _stray(content, markdown))
        else:
            message = _formula(content, display=kind == "display")
            if message:
                yield line, message


def _formula(latex: str, *, display: bool) -> str:
    from tutor.text import maths

    short = " ".join(latex.split())
    try:
        maths.on_one_row(latex)
        if display and maths.fit(latex, TEXT_WIDTH) is None:
            return f"the formula `{short}` is wider than {TEXT_WIDTH} columns and cannot be broken"
        maths.render(latex)
    except maths.MathsError as error:
        return f"the formula `{short}` cannot be shown: {error}"
    return ""


def _stray(text: str, markdown: str) -> Iterator[str]:
    if "$" in text and r"\$" not in markdown:
        yield "a `$` is shown as it is: it begins no formula (no space after the first `$` or before the second), or is alone"
    if "**" in text:
        yield "`**` is shown as it is: bold needs it on both sides, without spaces inside"
    if "![" in text:
        yield "an image cannot be shown in a terminal"
    if found := _HTML.search(text):
        yield f"HTML is shown as it is: `{found[0]}`"
    if text.lstrip().startswith("|"):
        yield "a line begins with `|` and is no table: a table needs a line such as `|---|---|` below its head"


# Flows


def _flows(step: TextStep) -> Iterator[Issue]:
    from tutor.text import flow

    many = not isinstance(step.flow, str)
    for index, one in enumerate(step.flow if not isinstance(step.flow, str) else (step.flow,) if step.flow else ()):
        source, path = (one, ("flow",)) if isinstance(one, str) else (one.flow, ("flow", index, "flow"))
        try:
            flow.draw(flow.parse(source))
        except flow.FlowError as error:
            yield path if many else ("flow",), None, f"the flow `{source}` cannot be read: {error}"


# Numbers


def combinations(step: NumberStep) -> Iterator[dict[str, float]]:
    """Every choice of values for the names that vary; one empty choice where none does."""
    for chosen in product(*step.vary.values()):
        yield dict(zip(step.vary, chosen, strict=True))
