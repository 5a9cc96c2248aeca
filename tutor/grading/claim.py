"""Claims: the learner says whether a property holds, a search for a counterexample decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tutor.course.model import ClaimStep, Lang
from tutor.grading.say import code, paragraphs, say, text
from tutor.grading.verdict import Check, Verdict
from tutor.text.fold import fold
from tutor.text.i18n import N_

HOLDS, FAILS = "holds", "fails"
"""What is written down for the two answers that can be picked."""
_YES = {"yes", "y", "true", HOLDS, "it holds", "1", "co", "dung", "luon dung", "dung vay"}
_NO = {"no", "n", "false", FAILS, "it fails", "does not hold", "it does not hold", "0", "khong", "sai", "khong dung"}


def order(step: ClaimStep, seed: int | None = None) -> dict[str, Any]:
    """What the grader process is to look for."""
    search = step.search
    return {
        "op": "search",
        "inputs": dict(search.inputs),
        "left": search.left,
        "right": search.right,
        "within": search.within,
        "seed": seed,
    }


def says(answer: str) -> bool | None:
    """Whether an answer says that the property holds; None where it says neither."""
    word = " ".join(fold(answer).split()).strip(" .!")
    return True if word in _YES else False if word in _NO else None


def unreadable(step: ClaimStep, answer: str, lang: Lang) -> Verdict | None:
    """A verdict that says what can be answered; None where the answer can be judged."""
    if says(answer) is not None:
        return None
    feedback = say(lang, N_("{answer} is neither yes nor no: does it hold for every input?"), answer=code(answer))
    return Verdict(step=step.id, verdict="unreadable", feedback=feedback)


def verdict(step: ClaimStep, answer: str, result: Mapping[str, Any], lang: Lang) -> Verdict:
    """The verdict by what was found. A search that contradicts the lesson decides nothing about the learner."""
    found = result.get("counterexample")
    evidence = _evidence(found, result, lang)
    if step.holds != (found is None):
        trouble = say(lang, N_("The search does not agree with the lesson, so this does not count."))
        return Verdict(step=step.id, verdict="not-graded", feedback=paragraphs(trouble, evidence))
    right = says(answer) == step.holds
    truth = say(lang, N_("It holds.") if step.holds else N_("It does not hold."))
    return Verdict(
        step=step.id,
        verdict="right" if right else "wrong",
        score=1.0 if right else 0.0,
        checks=(Check("search", found is None, truth),),
        feedback=paragraphs(truth, evidence, text(step.why, lang)),
    )


def _evidence(found: Mapping[str, Any] | None, result: Mapping[str, Any], lang: Lang) -> str:
    if found is None:
        return say(lang, N_("{n} inputs were tried, random ones and hard ones, and none breaks it."), n=result["tried"])
    values = "\n".join(f"{name} = {_shown(value)}" for name, value in found.items())
    sides = f"{_shown(result['left'])}\n{_shown(result['right'])}"
    return paragraphs(
        say(lang, N_("A counterexample, the smallest that was found:")),
        f"```\n{values}\n```",
        say(lang, N_("The left side and the right side:")),
        f"```\n{sides}\n```",
    )


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_shown(part) for part in value) + "]"
    return f"{value:.6g}" if isinstance(value, int | float) else str(value)
