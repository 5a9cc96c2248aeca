"""What to do next, in one sentence."""

from __future__ import annotations

from typing import Literal, NamedTuple

from tutor.course.model import Course, Lang, Lesson
from tutor.memory import due
from tutor.memory.progress import Progress
from tutor.memory.reviews import Reviews
from tutor.memory.standing import Standing
from tutor.text.i18n import _, ngettext


class Advice(NamedTuple):
    """A sentence, and where it leads: a review, a review of what is weak, or a lesson by its id; or to nothing."""

    text: str
    leads: Literal["review", "weak", "lesson", ""] = ""
    lesson: str = ""


def advice(course: Course, reviews: Reviews, standing: Standing, lang: Lang) -> Advice:
    """What is due first, then the lesson that was begun, then what is shaky, then the next lesson."""
    progress = reviews.progress
    if reviews.due:
        minutes = due.minutes(reviews.due)
        text = ngettext(
            "Review the {n} question that is due; that takes about {minutes} min.",
            "Review the {n} questions that are due; that takes about {minutes} min.",
            len(reviews.due),
        )
        return Advice(text.format(n=len(reviews.due), minutes=minutes), "review")
    begun = _begun(course, progress)
    if begun is not None:
        done = sum(progress.done(step) for step in begun.steps)
        text = _("Go on with “{lesson}”: {done} of {total} steps are done.")
        title = begun.title.get(lang)
        return Advice(text.format(lesson=title, done=done, total=len(begun.steps)), "lesson", begun.id)
    shaky = sum(mark == "shaky" for mark in standing.cards.values())
    if shaky:
        text = ngettext(
            "Nothing is due, and {n} question is shaky: practise what went wrong.",
            "Nothing is due, and {n} questions are shaky: practise what went wrong.",
            shaky,
        )
        return Advice(text.format(n=shaky), "weak")
    fresh = _fresh(course, progress)
    if fresh is not None:
        text = ngettext("Begin “{lesson}”, {n} minute.", "Begin “{lesson}”, {n} minutes.", fresh.minutes)
        return Advice(text.format(lesson=fresh.title.get(lang), n=fresh.minutes), "lesson", fresh.id)
    following = due.next_day(reviews.states.values(), reviews.today)
    if following is None:
        return Advice(_("There is nothing to do: the course has no questions yet."))
    days = (following[0] - reviews.today).days
    text = ngettext(
        "All lessons are done and all that is known is fresh; the next review is in {n} day.",
        "All lessons are done and all that is known is fresh; the next review is in {n} days.",
        days,
    )
    return Advice(text.format(n=days))


def _begun(course: Course, progress: Progress) -> Lesson | None:
    """The lesson in which something was done last, unless it is done, else the first that was begun."""
    last = progress.recent[0] if progress.recent is not None else None
    lessons = sorted(course.lessons, key=lambda lesson: lesson.id != last)
    return next((lesson for lesson in lessons if 0 < _done(lesson, progress) < len(lesson.steps)), None)


def _fresh(course: Course, progress: Progress) -> Lesson | None:
    return next((lesson for lesson in course.lessons if not _done(lesson, progress)), None)


def _done(lesson: Lesson, progress: Progress) -> int:
    return sum(progress.done(step) for step in lesson.steps)
