"""A question of the inline review as lines of text, and the verdict on what was typed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from tutor.course.model import (
    CODE_QUESTIONS,
    BreakStep,
    ChoiceStep,
    ClaimStep,
    Course,
    ExerciseStep,
    FlowStep,
    FormulaStep,
    Lang,
    Lesson,
    MultiStep,
    NumberStep,
    OrderStep,
    Point,
    PredictStep,
    Question,
    ShortStep,
)
from tutor.course.quotes import with_note
from tutor.course.vary import in_lesson
from tutor.grading.verdict import Verdict
from tutor.text.i18n import _, language
from tutor.text.prose import plain


def needs_the_screen(step: Question) -> bool:
    """Whether a line of text can be no answer to it: code to write, a curve to sketch."""
    return isinstance(step, ExerciseStep | BreakStep) or (isinstance(step, PredictStep) and step.ask.curve is not None)


def lines(step: Question, lang: Lang, seed: int, width: int) -> list[str]:
    """The question as it is put, with what may be typed."""
    from tutor.grading import number, order, predict_curve

    match step:
        case NumberStep():
            unit = f" ({step.unit})" if step.unit else ""
            return [*_text(number.prompt(step, lang, seed), width), "", _("A number{unit}:").format(unit=unit)]
        case ChoiceStep():
            return [
                *_text(step.prompt.get(lang), width),
                "",
                *_numbered([o.text.get(lang) for o in step.options], width),
            ]
        case MultiStep():
            options = _numbered([option.text.get(lang) for option in step.options], width)
            return [*_text(step.prompt.get(lang), width), "", *options, _("All numbers that are right, such as 1 3:")]
        case OrderStep():
            items = _numbered([item.text.get(lang) for item in order.shuffled(step, seed)], width)
            return [*_text(step.prompt.get(lang), width), "", *items, _("The numbers in order, such as 2 1 3:")]
        case ClaimStep():
            options = [_("It always holds."), _("There is a counterexample.")]
            return [*_text(step.statement.get(lang), width), "", *_numbered(options, width)]
        case PredictStep():
            cell = _text(f"```python\n{step.cell.rstrip()}\n```", width)
            asked = _numbered([option.text.get(lang) for option in step.ask.choice], width)
            if step.ask.number is not None:
                unit = f" ({step.ask.number.unit})" if step.ask.number.unit else ""
                asked = [_("A number{unit}:").format(unit=unit)]
            if step.ask.curve is not None:
                asked = [predict_curve.not_a_sketch(step.ask.curve, lang)]
            note = _("Predict first; then the cell below runs and decides.")
            return [*_text(step.prompt.get(lang), width), "", *asked, note, "", *cell]
        case FlowStep():
            return [*_text(step.prompt.get(lang), width), "", _("Blocks and arrows, such as x -> F -> +; x -> +:")]
        case FormulaStep():
            return [*_text(step.prompt.get(lang), width), "", _("A formula, as plain text or LaTeX:")]
        case ShortStep():
            return [*_text(step.prompt.get(lang), width), "", _("In your own words, Vietnamese or English:")]
        case ExerciseStep() | BreakStep():
            return _text(step.prompt.get(lang), width)


def named(step: Question, typed: str, seed: int) -> str:
    """What was typed, with ids in place of numbers and letters, which depend on how the question was put."""
    from tutor.grading import choice, claim, multi, order

    match step:
        case ChoiceStep(options=options):
            at = choice.picked(options, typed)
            return options[at].id if at is not None else typed
        case PredictStep() if step.ask.choice:
            at = choice.picked(step.ask.choice, typed)
            return step.ask.choice[at].id if at is not None else typed
        case MultiStep():
            ticked = multi.ticks(step, typed)
            return ", ".join(option.id for option in step.options if option.id in ticked) if ticked else typed
        case OrderStep():
            items = order.arranged(step, typed, seed)
            return ", ".join(item.id for item in items) if items is not None else typed
        case ClaimStep():
            return {"1": claim.HOLDS, "2": claim.FAILS}.get(typed.strip(" .)("), typed)
    return typed


def judge(course: Course, lesson: Lesson, step: Question, answer: str, lang: Lang, seed: int) -> Verdict:
    """The verdict on an answer. A prediction runs its cell, and a claim is searched for a counterexample."""
    from tutor.grading import grade, predict

    if isinstance(step, CODE_QUESTIONS):
        from tutor.commands.code import grade_once

        return asyncio.run(grade_once(step, answer, lang, seed=seed, public=False))
    evidence = None
    if isinstance(step, PredictStep) and predict.unreadable(step, answer, lang) is None:
        from tutor.commands.cells import run_alone

        result = asyncio.run(run_alone(in_lesson(lesson, step), step))
        if not result.ok:
            feedback = _("The cell failed: {why}").format(why=result.trouble)
            return Verdict(step=step.id, verdict="not-graded", feedback=feedback)
        evidence = result.finished.values
    return grade(step, answer, lang=lang, glossary=course.glossary, evidence=evidence, seed=seed)


def model_answer(step: Question, lang: Lang, width: int) -> list[str]:
    """A full answer, for the kinds whose verdict does not give it; else nothing."""
    from tutor.grading.flow import answers

    match step:
        case ShortStep():
            return _text(step.model_answer.get(lang), width)
        case FormulaStep():
            return [step.accept[0]]
        case FlowStep():
            return [answers(step)[0]]
    return []


def points(step: ShortStep, found: set[str], lang: Lang, width: int) -> list[str]:
    """The points of a rubric to tick, those that were found ticked already."""
    rows = []
    for number, point in enumerate(tickable(step), start=1):
        says = " ".join(_text((point.says or point.hint or step.prompt).get(lang), 2 * width))
        rows.append(f"  {number}. [{'x' if point.id in found else ' '}] {says}")
    return rows


def tickable(step: ShortStep) -> list[Point]:
    """The points that an answer can be said to make."""
    return [point for point in step.points if not point.only_if_none]


def _text(markdown: str, width: int) -> list[str]:
    return plain(with_note(markdown, language()), width).split("\n")


def _numbered(texts: Sequence[str], width: int) -> list[str]:
    rows = []
    for number, text in enumerate(texts, start=1):
        first, *more = _text(text, width - 6)
        rows += [f"  {number}. {first}", *(f"     {line}" for line in more)]
    return rows
