"""What `normtutor check` proves of a course beyond its structure: it can be shown, and is graded as its author says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, product

from tutor.course.figures import Figures
from tutor.course.locate import Places
from tutor.course.model import (
    LANGS,
    AnyStep,
    Course,
    Finding,
    FlowStep,
    FormulaStep,
    Lesson,
    NumberStep,
    ShortStep,
    Text,
    TextStep,
)
from tutor.course.quotes import prose
from tutor.course.texts import texts

TEXT_WIDTH = 72
"""Columns that a formula may take: what the app leaves for text in a terminal of 80."""

MOST_COMBINATIONS = 10_000

Path = tuple[str | int, ...]
Issue = tuple[Path, int | None, str]
"""The way from the step to something to mend, the line within it where that is known, and what to say."""

_HTML = re.compile(
    r"</?(?:a|b|br|code|div|em|i|img|li|ol|p|pre|span|strong|sub|sup|table|td|tr|u|ul)\b[^>]*>", re.IGNORECASE
)

_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(\s*([^)\s]*)")


def verify(course: Course, lessons: Iterable[Lesson] | None = None) -> Iterator[Finding]:
    """The findings about all lessons that could be loaded, or about some, each with its line."""
    places, figures = Places(course), Figures(course)
    for lesson in course.lessons if lessons is None else lessons:
        for path, text in texts(lesson, but=("steps",)):
            for issue in prose_issues(text, path):
                yield _finding(places, lesson, None, issue)
        for step in lesson.own_steps:
            for issue in step_issues(figures.fill(step), course):
                yield _finding(places, lesson, step, issue)


def verify_claims(course: Course) -> Iterator[Finding]:
    """The findings about the texts of the course's own claims."""
    places, figures = Places(course), Figures(course)
    for id, claim in course.claims.items():
        for path, text in texts(figures.fill(claim)):
            for where, row, message in prose_issues(text, path):
                yield places.of_claim(id, message, *where, row=row)


def _finding(places: Places, lesson: Lesson, step: AnyStep | None, issue: Issue) -> Finding:
    path, row, message = issue
    return places.finding(lesson, step, message, *path, row=row)


def step_issues(step: AnyStep, course: Course) -> Iterator[Issue]:
    """What is wrong with one step."""
    for path, text in texts(step):
        if isinstance(step, NumberStep) and path == ("prompt",):
            text = _prompt(step)
        yield from prose_issues(text, path)
    if isinstance(step, TextStep):
        yield from _flows(step)
    elif isinstance(step, FlowStep):
        from tutor.commands.verify_flows import flow_issues

        yield from flow_issues(step)
    elif isinstance(step, FormulaStep):
        from tutor.commands.verify_formulas import formula_issues

        yield from formula_issues(step)
    elif isinstance(step, NumberStep):
        yield from _number(step)
    elif isinstance(step, ShortStep):
        from tutor.commands.verify_short import short_issues

        yield from short_issues(step, course.glossary)


# Prose


def _prompt(step: NumberStep) -> Text:
    """The question with its first values, as a learner may see it."""
    from tutor.grading import number

    return Text(*(number.prompt(step, lang) for lang in LANGS))


def prose_issues(text: Text, path: Path) -> Iterator[Issue]:
    """Formulas that cannot be shown, and marks that are shown because they mark nothing."""
    for lang in LANGS:
        if lang != "vi" and text.en == text.vi:
            continue
        for row, message in markdown_issues(text.get(lang)):
            yield (*path, lang), row, message


def markdown_issues(markdown: str) -> Iterator[tuple[int, str]]:
    """The issues of one Markdown text with their lines in it."""
    from tutor.text.markdown import pieces

    if sum(line.lstrip().startswith("```") for line in markdown.split("\n")) % 2:
        yield 1, "a block of code (```) is not closed"
    for found in re.finditer(r"!\[[^\]]*\]\(", markdown):
        yield markdown.count("\n", 0, found.start()) + 1, "an image cannot be shown in a terminal"
    for start, end in prose(markdown):
        for link in _LINK.finditer(markdown, start, end):
            if not link[1].startswith(("https://", "http://")):
                row = markdown.count("\n", 0, link.start()) + 1
                yield row, f"the link leads nowhere: `{link[1]}` is no address that begins with https://"
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
        yield "a `$` is shown as it is: a formula needs two, without a space after the first or before the second"
    if "**" in text:
        yield "`**` is shown as it is: bold needs it on both sides, without spaces inside"
    if found := _HTML.search(text):
        yield f"HTML is shown as it is: `{found[0]}`"
    if text.lstrip().startswith("|"):
        yield "a line begins with `|` and is no table: a table needs a line such as `|---|---|` below its head"


# Flows


def _flows(step: TextStep) -> Iterator[Issue]:
    from tutor.text import flow

    if isinstance(step.flow, str):
        sources: list[tuple[Path, str]] = [(("flow",), step.flow)] if step.flow else []
    else:
        sources = [(("flow", index, "flow"), named.flow) for index, named in enumerate(step.flow)]
    for path, source in sources:
        try:
            flow.draw(flow.parse(source))
        except flow.FlowError as error:
            yield path, None, f"the flow `{source}` cannot be read: {error}"


# Numbers


def combinations(step: NumberStep) -> Iterator[dict[str, float]]:
    """Every choice of values for the names that vary; one empty choice where none does."""
    for chosen in product(*step.vary.values()):
        yield dict(zip(step.vary, chosen, strict=True))


def _number(step: NumberStep) -> Iterator[Issue]:
    """The answer and the wrong values have a value for every choice, and never the same one.

    Of two wrong values that are the same, the second one's message can never be shown.
    """
    from tutor.grading import number
    from tutor.grading.arithmetic import ArithmeticProblem, evaluate

    said: set[Path] = set()
    for values in islice(combinations(step), MOST_COMBINATIONS):
        where = " for " + ", ".join(f"{name} = {value:g}" for name, value in values.items()) if values else ""
        path: Path = ("answer",)
        try:
            right = evaluate(step.answer, values)
            before: list[float] = []
            for index, wrong in enumerate(step.wrong):
                path = ("wrong", index, "value")
                value = evaluate(wrong.value, values)
                same = next((i for i, other in enumerate(before) if number.within(value, other, step.within)), None)
                before.append(value)
                if path in said:
                    continue
                if number.within(value, right, step.within):
                    said.add(path)
                    yield path, None, f"the wrong value `{wrong.value}` is right{where}: {value:g}"
                elif same is not None:
                    said.add(path)
                    message = f"the wrong value `{wrong.value}` is also `{step.wrong[same].value}`{where}"
                    yield path, None, f"{message}, whose message is shown instead"
        except ArithmeticProblem as error:
            if path not in said:
                said.add(path)
                yield (
                    path,
                    None,
                    f"`{step.answer if path == ('answer',) else wrong.value}` has no value{where}: {error}",
                )
