"""Grades ticks: every option counts, ticked or left, and each one that is wrong is explained."""

from __future__ import annotations

import re

from tutor.course.model import Lang, MultiStep, Option
from tutor.grading.choice import not_an_option, picked
from tutor.grading.say import paragraphs, reason, say, text
from tutor.grading.verdict import Check, Verdict
from tutor.text.i18n import N_

PARTLY = 0.5
_BETWEEN = re.compile(r"\s*[,;\n]\s*|\s+(?:and|và)\s+|\s+")


def grade(step: MultiStep, answer: str, lang: Lang) -> Verdict:
    """Judges ids, numbers from 1 or letters from a, in any order."""
    ticked = ticks(step, answer)
    if ticked is None:
        return Verdict(step=step.id, verdict="unreadable", feedback=not_an_option(step.options, answer, lang))
    wanted = {option.id for option in step.options if option.right}
    # A wrong tick takes back what a right one gave, so that ticking everything is worth nothing.
    score = max(0.0, (len(wanted & ticked) - len(ticked - wanted)) / len(wanted))
    checks = tuple(
        Check(option.id, option.right == (option.id in ticked), option.text.get(lang)) for option in step.options
    )
    extra = [option for option in step.options if option.id in ticked - wanted]
    missed = [option for option in step.options if option.id in wanted - ticked]
    return Verdict(
        step=step.id,
        verdict="right" if ticked == wanted else ("partly" if score >= PARTLY else "wrong"),
        score=round(score, 2),
        checks=checks,
        feedback=paragraphs(
            _listed(say(lang, N_("Ticked, but not so:")), extra, lang),
            _listed(say(lang, N_("Also true:")), missed, lang),
            text(step.why, lang),
        ),
    )


def ticks(step: MultiStep, answer: str) -> set[str] | None:
    """The ids of the options that an answer names; None if it names none, or something else."""
    found = set()
    for name in filter(None, _BETWEEN.split(answer.strip())):
        at = picked(step.options, name)
        if at is None:
            return None
        found.add(step.options[at].id)
    return found or None


def _listed(title: str, options: list[Option], lang: Lang) -> str:
    if not options:
        return ""
    lines = [reason(option.text.get(lang), text(option.why, lang)) for option in options]
    return "\n".join([title, "", *lines])
