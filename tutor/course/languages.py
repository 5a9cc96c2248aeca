"""Texts that are given in both languages and say the same in the same words: one of them was left untranslated."""

from __future__ import annotations

from collections.abc import Iterator

from tutor.course.issues import Path, name_of
from tutor.course.locate import Places
from tutor.course.model import AnyStep, Course, Finding, Lesson
from tutor.course.texts import texts


def untranslated(lesson: Lesson, step: AnyStep | None, places: Places) -> Iterator[Finding]:
    """Texts of a lesson, or of a step of it, whose `vi` and `en` are alike."""
    for path, text in texts(lesson if step is None else step, but=("steps",) if step is None else ()):
        if text.vi == text.en and places.is_mapping(lesson, step, *path):
            yield places.finding(lesson, step, _message(path), *path)


def untranslated_claims(course: Course, places: Places) -> Iterator[Finding]:
    """The same of the claims."""
    for id, claim in course.claims.items():
        for path, text in texts(claim):
            name: Path = ("from",) if path == ("source",) else path
            if text.vi == text.en and places.claim_is_mapping(id, *name):
                yield places.of_claim(id, _message(name), *name)


def _message(path: Path) -> str:
    return f"{name_of(path)} is the same in both languages: translate it, or write it once without `vi` and `en`"
