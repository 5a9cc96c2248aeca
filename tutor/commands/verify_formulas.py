"""What `normtutor check` proves of a question that asks for a formula."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tutor.course.model import FormulaName, FormulaStep
from tutor.grading import formula, grade
from tutor.grading.verdict import Verdict
from tutor.text import maths

Path = tuple[str | int, ...]
Issue = tuple[Path, int | None, str]


def formula_issues(step: FormulaStep) -> Iterator[Issue]:
    """Every form can be read and drawn; accepted ones are right, no two alike; wrong ones get their own messages."""
    unsound = list(_unread(step)) or list(_accepted(step))
    yield from unsound
    if not unsound:
        for index, wrong in enumerate(step.wrong):
            yield from _wrong(step, index, _graded(step, wrong.form))


def _accepted(step: FormulaStep) -> Iterator[Issue]:
    for index, form in enumerate(step.accept):
        verdict = _graded(step, form)
        if verdict.verdict != "right":
            yield ("accept", index), None, f"the accepted `{form}` is graded {verdict.verdict}: {verdict.feedback}"
        others = step.accept[:index]
        if others and _graded(msgspec.structs.replace(step, accept=others), form).verdict == "right":
            yield ("accept", index), None, f"`{form}` is the same formula as one before it"


def _wrong(step: FormulaStep, index: int, verdict: Verdict) -> Iterator[Issue]:
    form = step.wrong[index].form
    shown = verdict.misconception.id if verdict.misconception is not None else ""
    if verdict.verdict != "wrong":
        yield ("wrong", index), None, f"the wrong form `{form}` is graded {verdict.verdict}"
    elif not shown:
        yield ("wrong", index), None, f"the wrong form `{form}` is not recognised: {verdict.feedback}"
    elif shown != f"wrong-{index + 1}":
        yield ("wrong", index), None, f"the wrong form `{form}` gets the message of {shown}, not its own"


def _unread(step: FormulaStep) -> Iterator[Issue]:
    forms: list[tuple[Path, str]] = [(("accept", index), form) for index, form in enumerate(step.accept)]
    forms += [(("wrong", index, "form"), wrong.form) for index, wrong in enumerate(step.wrong)]
    forms += [
        (("symbols", name, "is"), described.is_)
        for name, described in step.symbols.items()
        if isinstance(described, FormulaName) and described.is_
    ]
    for path, form in forms:
        try:
            maths.render(formula.read(step, form).latex)
        except formula.FormulaProblem as problem:
            yield path, None, f"the formula `{form}` cannot be read: {problem}"
        except maths.MathsError as error:
            yield path, None, f"the formula `{form}` cannot be shown: {error}"


def _graded(step: FormulaStep, form: str) -> Verdict:
    # By the door that every answer takes: a question that makes the grader fail is a finding and no traceback.
    return grade(step, form, lang="en", glossary={})
