"""Grades a prediction by what the cell measured here, never by a value that an author typed."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any

from kernels.curve import Curve
from tutor.course.model import Lang, PredictCurve, PredictNumber, PredictOption, PredictStep
from tutor.grading import choice, predict_curve
from tutor.grading.arithmetic import ArithmeticProblem
from tutor.grading.number import not_a_number, within
from tutor.grading.say import code, paragraphs, say, text
from tutor.grading.typed_number import best, read, rounded, shown
from tutor.grading.verdict import Check, Verdict
from tutor.text.i18n import N_

VALUE = "value"
"""The name under which a predicted number's measurement is asked for."""


def expressions(step: PredictStep) -> dict[str, str]:
    """What must be evaluated after the cell has run, by name: the evidence is the `repr` of each."""
    if step.ask.number is not None:
        return {VALUE: f"float(({step.ask.number.value.strip()}))"}
    if step.ask.curve is not None:
        return {VALUE: predict_curve.expression(step.ask.curve)}
    return {option.id: f"bool(({option.true_if.strip()}))" for option in step.ask.choice}


def outcome(step: PredictStep, evidence: Mapping[str, str]) -> list[str] | float | dict[str, Any] | None:
    """What a run says: the options that came true, the number, or the curve; None where it could not be told."""
    if step.ask.curve is not None:
        curve = predict_curve.measured(evidence.get(VALUE))
        return curve.to_dict() if curve is not None else None
    if step.ask.number is not None:
        return _number(evidence.get(VALUE))
    truths = {option.id: evidence.get(option.id) for option in step.ask.choice}
    if any(value not in ("True", "False") for value in truths.values()):
        return None
    return [id for id, value in truths.items() if value == "True"]


def unreadable(step: PredictStep, answer: str, lang: Lang) -> Verdict | None:
    """A verdict that says why `answer` is no prediction; None where it is one and the cell can be run."""
    if step.ask.curve is not None:
        if predict_curve.sketch_of(step.ask.curve, answer) is None:
            feedback = predict_curve.not_a_sketch(step.ask.curve, lang)
            return Verdict(step=step.id, verdict="unreadable", feedback=feedback)
        return None
    if step.ask.number is None:
        if choice.picked(step.ask.choice, answer) is None:
            feedback = choice.not_an_option(step.ask.choice, answer, lang)
            return Verdict(step=step.id, verdict="unreadable", feedback=feedback)
        return None
    try:
        read(answer, lang, step.ask.number.unit)
    except ArithmeticProblem as problem:
        return Verdict(step=step.id, verdict="unreadable", feedback=not_a_number(problem, answer, lang))
    return None


def grade(step: PredictStep, answer: str, lang: Lang, evidence: Mapping[str, str] | None) -> Verdict:
    """Judges a prediction by the `evidence` of a run (`Finished.values`)."""
    refused = unreadable(step, answer, lang)
    if refused is not None:
        return refused
    if not evidence:
        return _not_graded(step, say(lang, N_("The cell has not been run to its end, so nothing decides this yet.")))
    measured = outcome(step, evidence)
    if measured is None:
        return _not_graded(step, say(lang, N_("The cell ran, but what it should have measured is not there.")))
    if isinstance(measured, float):
        assert step.ask.number is not None
        return _grade_number(step, step.ask.number, answer, measured, lang)
    if isinstance(measured, dict):
        assert step.ask.curve is not None
        return _grade_curve(step, step.ask.curve, answer, Curve.from_dict(measured), lang)
    return _grade_choice(step, answer, measured, lang)


def _grade_curve(step: PredictStep, asked: PredictCurve, answer: str, curve: Curve, lang: Lang) -> Verdict:
    sketch = predict_curve.sketch_of(asked, answer)
    assert sketch is not None
    found = predict_curve.judged(asked, sketch, curve, lang)
    if found is None:
        return _not_graded(step, say(lang, N_("The cell ran, but nothing of its curve can be compared.")))
    word, score, told = found
    feedback = paragraphs(told, text(step.why, lang))
    return Verdict(step=step.id, verdict=word, score=score, feedback=feedback)


def _grade_choice(step: PredictStep, answer: str, true: list[str], lang: Lang) -> Verdict:
    options = step.ask.choice
    at = choice.picked(options, answer)
    assert at is not None
    mine = options[at]
    if len(true) != 1:
        came = ", ".join(code(id) for id in true) or say(lang, N_("none"))
        why = say(lang, N_("This run does not decide between the options (true here: {came})."), came=came)
        return _not_graded(step, paragraphs(why, text(step.why, lang)))
    happened = next(option for option in options if option.id == true[0])
    checks = tuple(Check(option.id, option.id == happened.id, option.text.get(lang)) for option in options)
    if mine is happened:
        return Verdict(
            step=step.id,
            verdict="right",
            score=1.0,
            checks=checks,
            feedback=paragraphs(
                say(lang, N_("You predicted what happened here: {text}"), text=mine.text.get(lang)),
                *_whys(happened, None, step, lang),
            ),
        )
    return Verdict(
        step=step.id,
        verdict="wrong",
        score=0.0,
        checks=checks,
        feedback=paragraphs(
            say(lang, N_("You predicted: {text}"), text=mine.text.get(lang)),
            say(lang, N_("What happened here: {text}"), text=happened.text.get(lang)),
            *_whys(happened, mine, step, lang),
        ),
    )


def _whys(happened: PredictOption, mine: PredictOption | None, step: PredictStep, lang: Lang) -> tuple[str, ...]:
    return (text(mine.why if mine else None, lang), text(happened.why, lang), text(step.why, lang))


def _grade_number(step: PredictStep, asked: PredictNumber, answer: str, measured: float, lang: Lang) -> Verdict:
    typed = read(answer, lang, asked.unit)
    value, fits = best(typed, lambda candidate: within(candidate, measured, asked.within))
    told = say(
        lang,
        N_("You predicted {predicted}; measured here: {measured}."),
        predicted=code(f"{shown(value, lang)} {asked.unit}".strip()),
        measured=code(f"{rounded(measured, lang)} {asked.unit}".strip()),
    )
    return Verdict(
        step=step.id,
        verdict="right" if fits else "wrong",
        score=1.0 if fits else 0.0,
        feedback=paragraphs(
            told, "" if fits else _how_far(value, measured, lang), text(asked.why, lang), text(step.why, lang)
        ),
    )


def _how_far(value: float, measured: float, lang: Lang) -> str:
    if value == 0 or measured == 0 or (value < 0) != (measured < 0):
        return say(lang, N_("The difference is {difference}."), difference=code(rounded(value - measured, lang)))
    ratio = value / measured
    if ratio > 1:
        return say(lang, N_("That is {ratio} times too large."), ratio=rounded(ratio, lang))
    return say(lang, N_("That is {ratio} times too small."), ratio=rounded(1 / ratio, lang))


def _number(evidence: str | None) -> float | None:
    """The number that a `repr` of a float spells; None for anything else, nan and inf included."""
    if evidence is None:
        return None
    try:
        value = ast.literal_eval(evidence)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _not_graded(step: PredictStep, reason: str) -> Verdict:
    return Verdict(step=step.id, verdict="not-graded", feedback=reason)
