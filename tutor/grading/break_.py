"""Breaks: the learner finds an input on which a faulty kernel is wrong; the break is verified against float64."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from tutor.course.code_rules import bound
from tutor.course.model import BreakStep, Lang
from tutor.grading import problems
from tutor.grading.say import paragraphs, say, text
from tutor.grading.verdict import Check, Verdict
from tutor.text.i18n import N_

_BETWEEN = re.compile(r"[\s,;\[\]()]+")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def order(step: BreakStep, answer: str) -> dict[str, Any]:
    """What the grader process is to try. A bare list of numbers is taken for the one input that there is."""
    source = answer
    values = [part for part in _BETWEEN.split(answer) if part]
    if len(step.input) == 1 and values and all(map(_NUMBER.fullmatch, values)):
        source = f"{next(iter(step.input))} = [{', '.join(values)}]"
    return {"op": "break", "faulty": step.faulty, "names": list(step.input), "source": source}


def verdict(step: BreakStep, result: Mapping[str, Any], lang: Lang) -> Verdict:
    """Whether the input breaks the kernel, with both results."""
    if result.get("unreadable") is not None:
        return Verdict(step=step.id, verdict="unreadable", feedback=problems.unreadable(result["unreadable"], lang))
    if result.get("ended") is not None:
        return Verdict(step=step.id, verdict="unreadable", feedback=problems.ended(result["ended"], lang))
    if result.get("problem") is not None:
        return Verdict(step=step.id, verdict="unreadable", feedback=_unfit(result["problem"], lang))
    limit = bound(step)
    if limit is None:
        raise ValueError(f"broken_if of {step.id} cannot be read")
    measure, least = limit
    found = result["result"]
    error = float(found[measure])
    broken = error > least
    told = say(
        lang,
        N_("The kernel gives `{got}`, float64 gives `{want}`: {kind} {error}, and {least} is asked for."),
        got=_shown(found["got"]),
        want=_shown(found["want"]),
        kind=say(lang, N_("a relative error of") if measure == "relative_error" else N_("an error of")),
        error=_shown(error),
        least=f"> {least:g}",
    )
    return Verdict(
        step=step.id,
        verdict="right" if broken else "wrong",
        score=1.0 if broken else 0.0,
        checks=(Check("broken", broken, told),),
        feedback=paragraphs(
            say(lang, N_("You broke it.") if broken else N_("The kernel survives this input.")),
            told,
            text(step.why, lang) if broken else "",
        ),
    )


_UNFIT = {
    "empty": N_("{name} has no values."),
    "not-a-size": N_("{name} must be a whole number from 0 to 2^40."),
    "not-finite": N_("{name} has values that the kernel's dtype cannot hold."),
}


def _unfit(found: Mapping[str, Any], lang: Lang) -> str:
    message = _UNFIT.get(str(found.get("kind")))
    if message is not None:
        return say(lang, message, name=f"`{found.get('output')}`")
    return problems.problem(found, None, lang)


def _shown(value: Any) -> str:
    number = float(value)
    return f"{number:.6g}" if math.isfinite(number) else str(number)
