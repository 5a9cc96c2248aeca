"""Grading: one module a question kind, each turning an answer into a `Verdict` with its reasons."""

from __future__ import annotations

from collections.abc import Mapping

from tutor.course.model import (
    ChoiceStep,
    Concept,
    FlowStep,
    FormulaStep,
    Lang,
    MultiStep,
    NumberStep,
    OrderStep,
    PredictStep,
    Question,
    ShortStep,
)
from tutor.course.vary import instance
from tutor.grading.say import say
from tutor.grading.verdict import Verdict
from tutor.text.i18n import N_

__all__ = ["Verdict", "grade"]


def grade(
    step: Question,
    answer: str,
    *,
    lang: Lang,
    glossary: Mapping[str, Concept],
    evidence: Mapping[str, str] | None = None,
    seed: int | None = None,
) -> Verdict:
    """The verdict on `answer`, said in `lang`. Never raises for what a learner types.

    `evidence` holds what a run measured (`Finished.values`) for a prediction, `seed` says how a varying question was
    asked. A fault of ours or of the question becomes `not-graded`, which never counts against the learner.
    """
    try:
        return _dispatch(step, answer, lang, glossary, evidence, seed)
    except Exception as error:
        reason = say(lang, N_("The grader failed ({name}). This does not count."), name=type(error).__name__)
        return Verdict(step=step.id, verdict="not-graded", feedback=reason)


def _dispatch(
    step: Question,
    answer: str,
    lang: Lang,
    glossary: Mapping[str, Concept],
    evidence: Mapping[str, str] | None,
    seed: int | None,
) -> Verdict:
    # Each kind is imported where it is needed: the app starts without the graders.
    step = instance(step, seed)
    match step:
        case ChoiceStep():
            from tutor.grading import choice

            return choice.grade(step, answer, lang)
        case MultiStep():
            from tutor.grading import multi

            return multi.grade(step, answer, lang)
        case OrderStep():
            from tutor.grading import order

            return order.grade(step, answer, lang, seed)
        case FlowStep():
            from tutor.grading import flow

            return flow.grade(step, answer, lang)
        case FormulaStep():
            from tutor.grading import formula

            return formula.grade(step, answer, lang)
        case NumberStep():
            from tutor.grading import number

            return number.grade(step, answer, lang, seed)
        case PredictStep():
            from tutor.grading import predict

            return predict.grade(step, answer, lang, evidence)
        case ShortStep():
            from tutor.grading import short

            return short.grade(step, answer, lang, glossary)
    raise TypeError(f"a {type(step).__name__} is no question")
