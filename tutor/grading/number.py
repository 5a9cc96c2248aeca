"""Grades a typed number: within tolerance, a named wrong value, or a slip that the numbers give away."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import msgspec

from tutor.course import vary
from tutor.course.model import LANGS, Lang, NumberStep, Text
from tutor.grading.arithmetic import ArithmeticProblem, evaluate
from tutor.grading.say import SHOWN, code, paragraphs, say, text
from tutor.grading.typed_number import Typed, best, read, shown
from tutor.grading.verdict import Named, Verdict
from tutor.text.i18n import N_
from tutor.text.sanitize import sanitize

_ROUNDING = 1e-9
_WORDS = re.compile(r"[^\W\d_]{2,}(?:[\s-]+[^\W\d_]+)*")


def grade(step: NumberStep, answer: str, lang: Lang, seed: int | None = None) -> Verdict:
    """Judges `answer` to the question as `seed` varies it."""
    step = _with_values(step, seed)
    try:
        typed = read(answer, lang, step.unit)
    except ArithmeticProblem as problem:
        return Verdict(step=step.id, verdict="unreadable", feedback=not_a_number(problem, answer, lang))
    names = values(step, seed)
    right = evaluate(step.answer, names)
    value, fits = best(typed, lambda candidate: within(candidate, right, step.within))
    understood = _understood(answer, value, typed, lang)
    if fits:
        return _right(step, typed, understood, lang)
    named = _named(step, value, right, names, typed, lang)
    rounded = _only_rounded(typed, value, right)
    return Verdict(
        step=step.id,
        verdict="partly" if rounded and named is None else "wrong",
        score=0.5 if rounded and named is None else 0.0,
        misconception=named,
        feedback=paragraphs(
            say(lang, N_("That is the right value, rounded too far.")) if rounded and named is None else "",
            understood,
            say(lang, N_("The answer is {value}."), value=_with_unit(right, step.unit, lang)),
            text(step.why, lang),
        ),
    )


def values(step: NumberStep, seed: int | None) -> dict[str, float]:
    """One value for each name in `vary`, as `course.vary.values` chooses them."""
    return {name: value for name, value in vary.values(step, seed).items() if not isinstance(value, str)}


def _with_values(step: NumberStep, seed: int | None) -> NumberStep:
    """The step with the values of `seed` in what it says about an answer, as they are in its question."""
    if not step.vary:
        return step
    known = {name: shown(value) for name, value in values(step, seed).items()}

    def filled(text: Text) -> Text:
        return Text(*(vary.filled(text.get(lang), known) for lang in LANGS))

    return msgspec.structs.replace(
        step,
        why=None if step.why is None else filled(step.why),
        wrong=tuple(msgspec.structs.replace(wrong, say=filled(wrong.say)) for wrong in step.wrong),
    )


def prompt(step: NumberStep, lang: Lang, seed: int | None = None) -> str:
    """The question with its values. Only names of `vary` are filled in: LaTeX has braces of its own."""
    return vary.filled(step.prompt.get(lang), {name: shown(value) for name, value in values(step, seed).items()})


def within(value: float, right: float, tolerance: str | float) -> bool:
    """Whether `value` is close enough to `right`: "1%" is relative to the right value, a number is absolute.

    A percentage of zero is no room at all: then only zero itself, up to rounding, is close enough.
    """
    if isinstance(tolerance, str) and tolerance.strip().endswith("%"):
        room = abs(right) * evaluate(tolerance.strip()[:-1]) / 100
    else:
        room = evaluate(tolerance)
    return abs(value - right) <= max(room * (1 + _ROUNDING), abs(right) * _ROUNDING, 1e-12 if right == 0 else 0.0)


def not_a_number(problem: ArithmeticProblem, answer: str, lang: Lang) -> str:
    """Says why no number could be read, and how one may be typed."""
    why = say(lang, problem.message, **{name: _visible(value) for name, value in problem.values.items()})
    examples = say(lang, N_("Type a number such as `0.25`, `0,25`, `1/4`, `25%` or `2.5e-1`."))
    if not answer.strip():
        return examples
    if _WORDS.fullmatch(answer.strip()):
        told = sanitize(answer, limit=SHOWN, newlines=False).strip()
        return paragraphs(say(lang, N_("“{answer}” is not a number yet."), answer=told), examples)
    return paragraphs(
        say(lang, N_("{answer} is not a number I can read: {why}."), answer=code(answer), why=why), examples
    )


def _visible(value: object) -> str:
    """Something typed, named by its code point where it cannot be seen."""
    written = str(value)
    if len(written) == 1 and not written.isprintable():
        return f"U+{ord(written):04X}"
    return sanitize(written, limit=SHOWN, newlines=False)


def _right(step: NumberStep, typed: Typed, understood: str, lang: Lang) -> Verdict:
    other_unit = _other_unit(step, typed)
    if not other_unit:
        return Verdict(step=step.id, verdict="right", score=1.0, feedback=paragraphs(understood, text(step.why, lang)))
    message = say(
        lang, N_("The number is right, but in {asked}, not in {typed}."), asked=code(step.unit), typed=code(typed.unit)
    )
    return Verdict(
        step=step.id,
        verdict="partly",
        score=0.5,
        misconception=Named("unit", message),
        feedback=paragraphs(understood, text(step.why, lang)),
    )


def _other_unit(step: NumberStep, typed: Typed) -> bool:
    return bool(step.unit and typed.unit) and typed.unit.casefold() != step.unit.casefold()


def _understood(answer: str, value: float, typed: Typed, lang: Lang) -> str:
    """How the answer was read, where that is not plain to see."""
    written = shown(value)
    if answer.strip().replace(",", ".") in (written, f"+{written}") and typed.other is None:
        return ""
    return say(lang, N_("Read as {value}."), value=_with_unit(value, "" if typed.percent else typed.unit, lang))


def _named(
    step: NumberStep, value: float, right: float, names: Mapping[str, float], typed: Typed, lang: Lang
) -> Named | None:
    for index, wrong in enumerate(step.wrong, start=1):
        if within(value, evaluate(wrong.value, names), step.within):
            return Named(f"wrong-{index}", wrong.say.get(lang))
    slip = _slip(step, value, right, typed, lang)
    if slip is None and _other_unit(step, typed):
        message = say(
            lang,
            N_("The answer is asked in {asked}, and you wrote {typed}."),
            asked=code(step.unit),
            typed=code(typed.unit),
        )
        return Named("unit", message)
    return slip


def _slip(step: NumberStep, value: float, right: float, typed: Typed, lang: Lang) -> Named | None:
    if right == 0 or value == 0:
        return None
    if within(-value, right, step.within):
        return Named("sign", say(lang, N_("The size is right, the sign is not.")))
    ratio = value / right
    power = round(math.log10(abs(ratio))) if math.isfinite(ratio) and ratio else 0
    if ratio > 0 and power and within(value / 10.0**power, right, step.within):
        if abs(power) == 2 and (typed.percent or step.unit == "%"):
            return Named("percent", say(lang, N_("You are off by a factor of 100: mind what is a percentage here.")))
        return Named("power-of-ten", say(lang, N_("You are off by a factor of 10^{power}."), power=power))
    if within(1 / value, right, step.within):
        return Named("reciprocal", say(lang, N_("That is one divided by the right value.")))
    return None


def _only_rounded(typed: Typed, value: float, right: float) -> bool:
    """Whether the right value, rounded to the figures that were typed, is what was typed."""
    if not typed.figures or right == 0:
        return False
    return math.isclose(float(f"{right:.{typed.figures - 1}e}"), value, rel_tol=_ROUNDING)


def _with_unit(value: float, unit: str, lang: Lang) -> str:
    return code(f"{shown(value, lang)} {unit}".strip())
