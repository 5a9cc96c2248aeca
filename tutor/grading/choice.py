"""Grades the pick of one option, with the reason that belongs to the option picked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from tutor.course.model import ChoiceStep, Lang, Text
from tutor.grading.say import code, paragraphs, say, text
from tutor.grading.verdict import Check, Named, Verdict
from tutor.text.i18n import N_

_NUMBERED = re.compile(r"\(?([0-9]{1,2}|[a-z])[).:]?")


class Pickable(Protocol):
    """What options of any kind have in common."""

    @property
    def id(self) -> str:
        """The option's name."""

    @property
    def text(self) -> Text:
        """What it says."""


def grade(step: ChoiceStep, answer: str, lang: Lang) -> Verdict:
    """Judges an option's id, its number from 1, or its letter from a."""
    at = picked(step.options, answer)
    if at is None:
        return Verdict(step=step.id, verdict="unreadable", feedback=not_an_option(step.options, answer, lang))
    option = step.options[at]
    check = Check(option.id, option.right, option.text.get(lang))
    why = text(option.why, lang)
    if option.right:
        return Verdict(
            step=step.id,
            verdict="right",
            score=1.0,
            checks=(check,),
            feedback=paragraphs(why, text(step.why, lang)),
        )
    right = next((each for each in step.options if each.right), None)
    solution = say(lang, N_("The right answer: {text}"), text=right.text.get(lang)) if right else ""
    return Verdict(
        step=step.id,
        verdict="wrong",
        score=0.0,
        checks=(check,),
        misconception=Named(option.id, why) if why else None,
        feedback=paragraphs(solution, text(step.why or (right.why if right else None), lang)),
    )


def picked(options: Sequence[Pickable], answer: str) -> int | None:
    """Which option is meant, by id, then by number or letter; None where it is none of them."""
    wanted = answer.strip().casefold()
    for at, option in enumerate(options):
        if option.id.casefold() == wanted:
            return at
    numbered = _NUMBERED.fullmatch(wanted)
    if numbered is None:
        return None
    mark = numbered[1]
    at = int(mark) - 1 if mark.isdigit() else ord(mark) - ord("a")
    return at if 0 <= at < len(options) else None


def not_an_option(options: Sequence[Pickable], answer: str, lang: Lang) -> str:
    """Says what was typed, and what there is to pick from."""
    listed = "\n".join(f"{at}. `{option.id}`: {option.text.get(lang)}" for at, option in enumerate(options, start=1))
    if not answer.strip():
        return paragraphs(say(lang, N_("Pick one of these, by its number or its name:")), listed)
    return paragraphs(say(lang, N_("{answer} is none of these:"), answer=code(answer)), listed)
