"""Search through a course, and looking a term up: by words in either language, with or without Vietnamese marks.

Searched are terms, titles, texts and questions, claims and code; never answers and their explanations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from tutor.course.model import AnyStep, CellStep, Course, Lang, Lesson, NumberStep, PredictStep, Term, Text
from tutor.course.vary import filled, instance, values
from tutor.text.fold import fold

MOST = 60
"""Hits that are given; whoever gets as many types another word."""
_SHOWN = ("body", "about", "prompt", "statement")
"""The fields of steps that a learner reads before answering."""
_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"\w+")
_PARAGRAPHS = re.compile(r"\n\s*\n")
_LATEX = re.compile(r"\\[A-Za-z]+")

Kind = Literal["term", "lesson", "title", "claim", "text", "code"]
_RANK: dict[Kind, int] = {"term": 0, "lesson": 1, "title": 2, "claim": 3, "text": 4, "code": 5}
_OTHER_LANGUAGE = 10
"""How far behind a hit is whose words are in the language that the learner does not read."""


class Hit(NamedTuple):
    """Something found: what it is called, its lesson, the step that it leads to (empty for none), and Markdown."""

    kind: Kind
    title: str
    lesson: str
    step: str
    about: str


class _Entry(NamedTuple):
    hit: Hit
    words: tuple[str, ...]
    """The words that it is found by, folded: in the language of the interface, and in the other."""
    names: frozenset[str] = frozenset()
    """What a term is called, folded: whoever types just that gets it first."""


class Index:
    """What can be found in a course, in one language of the interface. `fill` puts figures into the texts of a step."""

    def __init__(self, course: Course, lang: Lang, fill: Callable[[AnyStep], AnyStep] = lambda step: step) -> None:
        self._course, self._lang = course, lang
        self._entries = [self._term(term) for term in course.terms]
        for lesson in course.lessons:
            self._entries += self._lesson(lesson)
            for step in lesson.own_steps:
                self._entries += self._step(lesson, fill(step))
        self._entries += self._claims()

    def find(self, query: str) -> tuple[Hit, ...]:
        """What holds every word of the query, the best first and each step once; all terms where nothing is asked."""
        asked = [fold(word) for word in _WORD.findall(query)]
        if not asked:
            terms = [entry.hit for entry in self._entries if entry.hit.kind == "term"]
            return tuple(sorted(terms, key=lambda hit: fold(hit.title)))
        # A word may be typed to its middle; `\b` is where one begins.
        patterns = [re.compile(rf"\b{re.escape(word)}") for word in asked]
        found = []
        for order, entry in enumerate(self._entries):
            place = next((at for at, words in enumerate(entry.words) if _all_in(patterns, words)), None)
            if place is not None:
                rank = -1 if " ".join(asked) in entry.names else _RANK[entry.hit.kind] + _OTHER_LANGUAGE * place
                found.append((rank, order, entry.hit))
        found.sort(key=lambda each: each[:2])
        best: dict[tuple[str, str], Hit] = {}
        for _rank, _order, hit in found:
            own = hit.about if hit.kind in ("term", "claim") else ""
            best.setdefault((hit.step, own), hit)
        return tuple(_cut(hit, patterns[0]) for hit in list(best.values())[:MOST])

    # What there is to find

    def _term(self, term: Term) -> _Entry:
        name = term.name.get(self._lang)
        names = [term.name.vi, term.name.en, *term.also]
        taught = self._course.find(term.step) if term.step else None
        others = ", ".join(dict.fromkeys(each for each in names if each.lower() != name.lower()))
        about = f"**{name}**{f' ({others})' if others else ''}\n\n{term.about.get(self._lang)}"
        lesson = taught[0].title.get(self._lang) if taught is not None else ""
        called = [_folded(each) for each in names]
        hit = Hit("term", name, lesson, term.step if taught is not None else "", about)
        return _Entry(hit, (" ".join(called), *self._both(term.about)), frozenset(called))

    def _lesson(self, lesson: Lesson) -> Iterator[_Entry]:
        title = lesson.title.get(self._lang)
        goals = "\n".join(f"- {goal.get(self._lang)}" for goal in lesson.goals)
        first = lesson.steps[0].id if lesson.steps else ""
        yield _Entry(Hit("lesson", title, title, first, goals), self._both(lesson.title))

    def _step(self, lesson: Lesson, step: AnyStep) -> Iterator[_Entry]:
        title, of = _title(step, self._lang), lesson.title.get(self._lang)
        texts = list(_texts(step))
        about = texts[0].get(self._lang) if texts else ""
        name = step.title or Text(vi=step.id, en=step.id)
        yield _Entry(Hit("title", title, of, step.id, about), self._both(name))
        for text in texts:
            yield _Entry(Hit("text", title, of, step.id, text.get(self._lang)), self._both(text))
        code = step.code if isinstance(step, CellStep) else step.cell if isinstance(step, PredictStep) else ""
        if code:
            yield _Entry(Hit("code", title, of, step.id, code), (_folded_code(code),))

    def _claims(self) -> Iterator[_Entry]:
        own = [(lesson, step) for lesson in self._course.lessons for step in lesson.own_steps]
        taught = {claim: (lesson, step) for lesson, step in reversed(own) for claim in step.claims}
        for id, claim in self._course.claims.items():
            if id in taught:
                lesson, step = taught[id]
                title, of = _title(step, self._lang), lesson.title.get(self._lang)
                yield _Entry(Hit("claim", title, of, step.id, claim.claim.get(self._lang)), self._both(claim.claim))

    def _both(self, text: Text) -> tuple[str, str]:
        other: Lang = "en" if self._lang == "vi" else "vi"
        return _folded(text.get(self._lang)), _folded(text.get(other))


def _title(step: AnyStep, lang: Lang) -> str:
    return step.title.get(lang) if step.title is not None else step.id


def _texts(step: AnyStep) -> Iterator[Text]:
    """What a learner reads of a step before they answer, with the first of its varying values."""
    step = instance(step, None)
    numbers = {}
    if isinstance(step, NumberStep):
        numbers = {name: f"{value:g}" for name, value in values(step, None).items() if not isinstance(value, str)}
    for name in _SHOWN:
        text = getattr(step, name, None)
        if isinstance(text, Text):
            yield Text(vi=filled(text.vi, numbers), en=filled(text.en, numbers))


def _folded(text: str) -> str:
    return " ".join(fold(word) for word in _WORD.findall(_LATEX.sub(" ", text)))


def _folded_code(code: str) -> str:
    """Names in code are found whole and by their parts."""
    return " ".join([*_NAME.findall(code.lower()), _folded(code)])


def _all_in(patterns: list[re.Pattern[str]], words: str) -> bool:
    return all(pattern.search(words) for pattern in patterns)


def _cut(hit: Hit, pattern: re.Pattern[str]) -> Hit:
    """The hit with as much as is to be shown: the paragraph or the lines that have the word, else the first."""
    if hit.kind in ("title", "text"):
        parts = _PARAGRAPHS.split(hit.about.strip())
        return hit._replace(about=next((part for part in parts if pattern.search(_folded(part))), parts[0]))
    if hit.kind == "code":
        lines = hit.about.rstrip().split("\n")
        at = next((n for n, line in enumerate(lines) if pattern.search(_folded_code(line))), 0)
        return hit._replace(about="\n".join(["```python", *lines[max(0, at - 1) : at + 3], "```"]))
    return hit
