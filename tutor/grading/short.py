"""Grades an answer in the learner's own words: what the rubric engine found, put into a verdict and into words."""

from __future__ import annotations

from collections.abc import Mapping, Set

from tutor.course.model import Concept, Lang, ShortStep
from tutor.grading.say import paragraphs, say, text
from tutor.grading.text import rubric
from tutor.grading.text.rubric import Judgement
from tutor.grading.text.words import MAX_CHARACTERS
from tutor.grading.verdict import Named, PointFound, Verdict, Word
from tutor.text.i18n import N_

_WORDS: dict[str, Word] = {
    "right": "right",
    "partly": "partly",
    "wrong": "wrong",
    "unsure": "unsure",
    "orders": "wrong",
    "unknown": "wrong",
    "empty": "unreadable",
    "repeats": "unreadable",
    "terms": "unreadable",
}


def grade(step: ShortStep, answer: str, lang: Lang, glossary: Mapping[str, Concept]) -> Verdict:
    """Judges `answer` in either language; what is said about it is in `lang`."""
    judged = rubric.judge(step, answer, glossary)
    word = _WORDS[judged.outcome]
    named = judged.misconception if word == "wrong" else None
    return Verdict(
        step=step.id,
        verdict=word,
        score=None if word in ("unsure", "unreadable") else round(judged.score, 3),
        points=_points(step, judged.found, lang) if word != "unreadable" else (),
        misconception=Named(named.id, named.say.get(lang)) if named else None,
        feedback=paragraphs(_about(judged, word, lang), _about_length(step, judged, lang)),
    )


def after_ticks(step: ShortStep, ticked: Set[str], lang: Lang) -> Verdict:
    """The verdict of the learner's own ticks, after the rubric was not sure: this is what counts."""
    points = [point for point in step.points if not point.only_if_none]
    found = frozenset(point.id for point in points if point.id in ticked)
    score = rubric.score(step, found)
    word: Word = "right" if rubric.complete(step, found) else "partly" if found else "wrong"
    return Verdict(step=step.id, verdict=word, score=round(score, 3), points=_points(step, found, lang))


def _points(step: ShortStep, found: frozenset[str], lang: Lang) -> tuple[PointFound, ...]:
    return tuple(
        PointFound(point.id, point.id in found, text(point.says, lang), text(point.hint, lang))
        for point in step.points
        if not point.only_if_none
    )


def _about(judged: Judgement, word: Word, lang: Lang) -> str:
    match judged.outcome:
        case "empty":
            return say(lang, N_("There is no answer yet. One or two sentences are enough, in Vietnamese or English."))
        case "repeats":
            return say(lang, N_("This only repeats the question. Say the answer in your own words."))
        case "terms":
            return say(lang, N_("These are terms, but no sentence. Say how they belong together."))
        case "unknown":
            return say(
                lang, N_("Not known yet: that is what this is for. The hints show where to look; then try again.")
            )
        case "orders":
            return say(lang, N_("That speaks to the grader and not about the subject."))
    if word != "unsure":
        return ""
    doubt = ""
    if judged.misconception is not None:
        doubt = say(lang, N_("One part could be read wrongly: {message}"), message=judged.misconception.say.get(lang))
    elif judged.contradicts:
        doubt = say(lang, N_("One part seems to take back what another says."))
    elif judged.screened.orders:
        doubt = say(lang, N_("What speaks to the grader is left out."))
    return paragraphs(doubt, say(lang, N_("Rules find only the ways to say it that they know, so you decide.")))


def _about_length(step: ShortStep, judged: Judgement, lang: Lang) -> str:
    if not judged.screened.cut:
        return ""
    return say(
        lang,
        N_("Only the beginning counts: {words} words, at most {characters} characters."),
        words=step.max_words,
        characters=MAX_CHARACTERS,
    )
