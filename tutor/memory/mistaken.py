"""Wrong ideas that showed in the learner's answers, and which of them have been put right since."""

from __future__ import annotations

from typing import NamedTuple

from tutor.course.model import (
    ChoiceStep,
    Course,
    ExerciseStep,
    FormulaStep,
    Lang,
    NumberStep,
    PredictStep,
    Question,
    ShortStep,
    Text,
)
from tutor.memory.answer import Answer
from tutor.memory.reviews import Reviews


class Mistaken(NamedTuple):
    """A wrong idea in answers to one question: what was said to it, how often it showed, and whether it is cleared.

    It is cleared by a right answer to the same card after it showed last.
    """

    step: str
    id: str
    says: str
    times: int
    cleared: bool


def mistaken(course: Course, reviews: Reviews, lang: Lang) -> list[Mistaken]:
    """The wrong ideas, those that are not cleared first, otherwise in the order of the course."""
    found = []
    for card in reviews.cards.values():
        answers = [(asked.id, answer) for asked in card.questions for answer in reviews.progress.answers(asked.id)]
        answers.sort(key=lambda pair: (pair[1].time, pair[1].event))
        shown: dict[tuple[str, str], list[int]] = {}
        for place, (step, answer) in enumerate(answers):
            if name := _named(answer):
                shown.setdefault((step, name), []).append(place)
        for (step, name), places in shown.items():
            cleared = any(answer.verdict == "right" for _step, answer in answers[places[-1] + 1 :])
            says = _says(course, step, name, answers[places[-1]][1], lang)
            found.append(Mistaken(step, name, says, len(places), cleared))
    return sorted(found, key=lambda one: one.cleared)


def _named(answer: Answer) -> str:
    if answer.verdict != "wrong":
        return ""
    named = answer.shown.get("misconception")
    id = named.get("id") if isinstance(named, dict) else None
    return id if isinstance(id, str) else ""


def _says(course: Course, step: str, name: str, answer: Answer, lang: Lang) -> str:
    """What the course says to it now, in this language; else what was said then."""
    place = course.find(step)
    text = _text(place[0].steps[place[1]], name) if place is not None else None  # type: ignore[arg-type]
    if text is not None:
        return text.get(lang)
    named = answer.shown.get("misconception")
    return str(named.get("message", "")) if isinstance(named, dict) else ""


def _text(step: Question, name: str) -> Text | None:
    match step:
        case ShortStep():
            return next((one.say for one in step.misconceptions if one.id == name), None)
        case ExerciseStep():
            return next((one.say for one in step.mutants if one.id == name), None)
        case ChoiceStep():
            return next((one.why for one in step.options if one.id == name), None)
        case PredictStep():
            return next((one.why for one in step.ask.choice if one.id == name), None)
        case NumberStep(wrong=values):
            return {f"wrong-{number}": one.say for number, one in enumerate(values, start=1)}.get(name)
        case FormulaStep(wrong=forms):
            return {f"wrong-{number}": one.say for number, one in enumerate(forms, start=1)}.get(name)
    return None
