"""Which answers in words a learner lets the author of a course see, and whether they have agreed to that."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from tutor.memory.answer import Answer
from tutor.memory.events import word_of
from tutor.memory.progress import Progress
from tutor.text.sanitize import sanitize

SETTING = "share-answers"
"""The setting that says so: "on", or anything else for no."""


class SharedAnswer(msgspec.Struct, frozen=True):
    """One answer as an author gets it: no name, time, machine or journal id is in it.

    `verdict`, `points` (the ids found) and `misconception` are the grader's; `ticked` and `overruled` are what the
    learner said to it, None where they said nothing.
    """

    question: str
    lang: str
    text: str
    verdict: str
    points: list[str]
    misconception: str | None
    ticked: list[str] | None
    overruled: str | None


def agreed(settings: Mapping[str, Any]) -> bool:
    """Whether the learner has agreed: not unless they said so."""
    return settings.get(SETTING) == "on"


def answers(progress: Progress) -> list[SharedAnswer]:
    """The answers in words that were not sure or were overruled, question by question, each once."""
    found: dict[str, SharedAnswer] = {}
    for step in progress.answered_steps:
        for answer in progress.answers(step):
            if answer.answered.kind == "short" and _teaches(answer):
                shared = _shared(answer)
                found.setdefault(line(shared), shared)
    return list(found.values())


def line(answer: SharedAnswer) -> str:
    """An answer as a line of JSON."""
    return json.dumps(msgspec.to_builtins(answer), ensure_ascii=False)


def _teaches(answer: Answer) -> bool:
    return word_of(answer.answered.verdict) == "unsure" or answer.overruled


def _shared(answer: Answer) -> SharedAnswer:
    said = answer.answered
    named = said.verdict.get("misconception")
    return SharedAnswer(
        question=said.step,
        lang=said.lang,
        text=sanitize(str(said.answer)),
        verdict=word_of(said.verdict),
        points=[str(point.get("id")) for point in _mappings(said.verdict.get("points")) if point.get("found")],
        misconception=str(named.get("id")) if isinstance(named, dict) else None,
        ticked=list(answer.ticked) if answer.ticking is not None else None,
        overruled=word_of(answer.overruling.verdict) if answer.overruling is not None else None,
    )


def _mappings(value: Any) -> list[dict[str, Any]]:
    """The mappings in a list that another version of the program may have written."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list | tuple) else []
