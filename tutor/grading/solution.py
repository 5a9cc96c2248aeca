"""What is right, for whoever gives up: the answer itself, and why, as Markdown."""

from __future__ import annotations

from tutor.course.model import (
    BreakStep,
    ChoiceStep,
    ClaimStep,
    ExerciseStep,
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
from tutor.grading.say import code, paragraphs, say, text
from tutor.grading.verdict import Verdict
from tutor.text.i18n import N_


def given_up(step: Question, lang: Lang, seed: int | None = None) -> Verdict:
    """The verdict on an answer that was not tried: wrong, with what would have been right."""
    feedback = paragraphs(say(lang, N_("You gave up on this one.")), solution(step, lang, seed))
    return Verdict(step=step.id, verdict="wrong", score=0.0, feedback=feedback)


def solution(step: Question, lang: Lang, seed: int | None = None) -> str:
    """The right answer to the question as `seed` puts it. A prediction has none before its cell has run."""
    step = instance(step, seed)
    match step:
        case ChoiceStep(options=options) | MultiStep(options=options):
            right = "\n".join(f"- {option.text.get(lang)}" for option in options if option.right)
            whys = [text(option.why, lang) for option in options if option.right]
            return paragraphs(right, *whys, text(step.why, lang))
        case OrderStep():
            return paragraphs(" → ".join(item.text.get(lang) for item in step.items), text(step.why, lang))
        case NumberStep():
            from tutor.grading import number
            from tutor.grading.arithmetic import evaluate
            from tutor.grading.typed_number import shown

            value = f"{shown(evaluate(step.answer, number.values(step, seed)), lang)} {step.unit}".strip()
            return paragraphs(say(lang, N_("The answer is {value}."), value=code(value)), text(step.why, lang))
        case ShortStep():
            return step.model_answer.get(lang)
        case FormulaStep():
            return paragraphs(f"`{step.accept[0]}`", text(step.why, lang))
        case FlowStep():
            from tutor.grading.flow import answers

            return paragraphs(f"`{answers(step)[0]}`", text(step.why, lang))
        case ClaimStep():
            return paragraphs(
                say(lang, N_("It holds.") if step.holds else N_("It does not hold.")), text(step.why, lang)
            )
        case ExerciseStep() | BreakStep():
            return paragraphs(f"```python\n{step.solutions[0].rstrip()}\n```", text(step.why, lang))
        case PredictStep():
            return say(lang, N_("Run the cell: what it measures is the answer."))
