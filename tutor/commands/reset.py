"""`normtutor reset [LESSON]`: begin a lesson, or everything, once more. It asks first, and deletes nothing."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tutor.commands.support import (
    FINE,
    FoundWrongError,
    WrongUseError,
    add_output_options,
    did_you_mean,
    open_course,
    say,
)
from tutor.text.i18n import _, language, ngettext

if TYPE_CHECKING:
    from tutor.course.model import Course, Lesson
    from tutor.memory.progress import Progress


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `reset` to the command line."""
    parser = subparsers.add_parser(
        "reset",
        help=_("begin a lesson, or everything, once more"),
        epilog=_("Your history is kept; it only counts no more. Settings stay as they are."),
    )
    parser.add_argument("lesson", metavar="LESSON", nargs="?", help=_("the lesson's id; everything if not given"))
    parser.add_argument("--yes", action="store_true", help=_("do not ask"))
    add_output_options(parser)
    parser.set_defaults(run=run, late="lesson")


def run(args: argparse.Namespace) -> int:
    """Asks, then writes the reset down; 0 also when the learner would rather not."""
    from tutor.memory.events import Reset
    from tutor.memory.journal import Journal
    from tutor.memory.progress import fold

    course = open_course()
    lesson = course.lesson(args.lesson) if args.lesson is not None else None
    if args.lesson is not None and lesson is None:
        message = _("There is no lesson “{id}”.").format(id=args.lesson)
        raise WrongUseError(message + did_you_mean(args.lesson, [known.id for known in course.lessons]))
    with Journal() as journal:
        learned = fold(journal.read().events)
        if not args.yes and not _agreed(_question(course, lesson, learned)):
            say(_("Nothing was changed."))
            return FINE
        steps = None if lesson is None else tuple(step.id for step in lesson.own_steps)
        journal.record(Reset(steps=steps, lesson=None if lesson is None else lesson.id))
        if journal.trouble:
            raise FoundWrongError(_("This could not be saved: {why}").format(why=journal.detail))
    say(_("Done. What was before is kept in your history, and counts no more."))
    return FINE


def _question(course: Course, lesson: Lesson | None, learned: Progress) -> str:
    lessons = course.lessons if lesson is None else (lesson,)
    own = {step.id for each in lessons for step in each.own_steps}
    answered = sum(step in own or lesson is None for step in learned.answered_steps)
    if lesson is None:
        what = _("Begin the whole course once more?")
    else:
        what = _("Begin “{lesson}” once more?").format(lesson=lesson.title.get(language()))
    count = ngettext(
        "{n} question that you answered will count as new, in reviews too.",
        "{n} questions that you answered will count as new, in reviews too.",
        answered,
    ).format(n=answered)
    return f"{what} {count}"


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise WrongUseError(_("This asks first, and there is no terminal to ask at. --yes does it without asking."))
    say(question)
    word = _("yes")
    typed = input(_("Type “{word}” to do that: ").format(word=word))
    return typed.strip().casefold() in (word, "yes")
