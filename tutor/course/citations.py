"""Papers named in texts, by author and year, and the sources that a lesson lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tutor.course.issues import Issue
from tutor.course.model import LANGS, AnyStep, Lesson, Source
from tutor.course.texts import texts

_NAME = r"[A-ZÀ-Ỹ][\w’'-]+"
_CITATION = re.compile(
    rf"({_NAME})\s+(?:et\s+al\.?,?|và\s+cộng\s+sự,?|(?:và|and|&)\s+{_NAME},?)\s*(?:\(\s*)?((?:19|20)\d\d)(?!\d)\)?"
)
"""Two names, or one and the rest, and a year: “Xiong et al. 2020”, “Zhang và Sennrich (2019)”."""


def citation_issues(lesson: Lesson, step: AnyStep) -> Iterator[Issue]:
    """What a text cites by author and year is among the sources of its lesson."""
    for path, text in texts(step):
        for lang in LANGS[:1] if text.vi == text.en else LANGS:
            words = text.get(lang)
            for found in _CITATION.finditer(words):
                if not any(_is(source, found[1], int(found[2])) for source in lesson.sources):
                    cited = " ".join(found[0].split())
                    row = words.count("\n", 0, found.start()) + 1
                    yield Issue((*path, lang), f"“{cited}” is not among the lesson's `sources`", row)


def cites(lesson: Lesson, step: AnyStep) -> bool:
    """Whether the texts of a step name a source of its lesson, by an author and the year, or by its title."""
    return all(
        any(_named(source, text.get(lang)) for _, text in texts(step) for source in lesson.sources) for lang in LANGS
    )


def named(source: Source, step: AnyStep) -> bool:
    """Whether a text of the step names the source, in any language."""
    return any(_named(source, words) for _, text in texts(step) for words in (text.vi, text.en))


def _is(source: Source, author: str, year: int) -> bool:
    return source.year == year and re.search(rf"\b{re.escape(author)}\b", source.authors) is not None


def _named(source: Source, words: str) -> bool:
    words = " ".join(words.split())
    if source.title in words:
        return True
    surname = re.match(r"[\w’'-]+(?: [\w’'-]+)*?(?=,| and | et al| và |$)", source.authors)
    return surname is not None and surname[0] in words and str(source.year) in words
