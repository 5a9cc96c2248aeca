"""`normtutor review`: the quiz, on the screen or in the shell's own lines."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tutor.commands.consent import add_trust_option, need_consent
from tutor.commands.support import (
    FINE,
    WrongUseError,
    add_output_options,
    did_you_mean,
    kind_of,
    open_course,
    print_json,
    report,
    say,
)
from tutor.text.i18n import _

if TYPE_CHECKING:
    from tutor.course.model import Course
    from tutor.memory.progress import Progress
    from tutor.memory.quiz import Choice
    from tutor.memory.reviews import Reviews


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `review` to the command line."""
    parser = subparsers.add_parser(
        "review",
        help=_("answer what is due, in ten minutes"),
        epilog=_("ctrl+c and ctrl+d pause at any moment and lose nothing; the same command goes on."),
    )
    parser.add_argument("--limit", type=int, metavar="N", help=_("at most so many questions"))
    parser.add_argument("--minutes", type=float, metavar="M", help=_("ask whether to go on after so many minutes"))
    parser.add_argument("--lesson", metavar="ID", help=_("only the questions of this lesson, also those not due"))
    parser.add_argument("--weak", action="store_true", help=_("what went wrong before, also what is not due"))
    parser.add_argument("--ahead", action="store_true", help=_("what is not due yet"))
    parser.add_argument("--inline", action="store_true", help=_("in the shell's own lines, without taking the screen"))
    add_trust_option(parser)
    flags = parser.add_mutually_exclusive_group()
    flags.add_argument(
        "--flags", action="store_true", help=_("list the questions that you have flagged, and your notes")
    )
    flags.add_argument("--unflag", metavar="STEP", help=_("ask a flagged question again"))
    add_output_options(parser, json_help=_("one JSON document of what would be asked, and ask nothing"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Holds the review; 0 however it ends."""
    from tutor.memory.quiz import Choice

    if args.limit is not None and args.limit < 1:
        raise WrongUseError(_("--limit must be 1 or more."))
    if args.minutes is not None and not 0 < args.minutes <= 24 * 60:
        raise WrongUseError(_("--minutes must be more than 0, and less than a day."))
    if args.weak and args.ahead:
        raise WrongUseError(_("Give one of --weak and --ahead."))
    choice = Choice(args.lesson, args.weak, args.ahead, args.limit)
    if args.json or args.inline or args.flags or args.unflag or args.lesson:
        course = open_course()
        report(course.findings)
        if args.lesson is not None and course.lesson(args.lesson) is None:
            known = [lesson.id for lesson in course.lessons]
            message = _("There is no lesson “{id}”.").format(id=args.lesson)
            raise WrongUseError(message + did_you_mean(args.lesson, known))
        if args.flags or args.unflag:
            return _flags(course, args)
        if args.json:
            print_json(document(_reviews(course)[0], course, choice))
            return FINE
        if args.inline:
            from tutor.commands.inline import hold
            from tutor.course.code import has_code

            if has_code(course):
                need_consent(course)
            return hold(course, choice, args.minutes)
    from tutor.commands.open import open_app

    return open_app(None, review=(choice, args.minutes))


def document(reviews: Reviews, course: Course, choice: Choice) -> dict[str, Any]:
    """What `--json` prints: the cards in the order in which they would be asked."""
    chosen = reviews.chosen(lesson=choice.lesson, weak=choice.weak, ahead=choice.ahead)[: choice.limit]
    kinds = {step.id: kind_of(step) for lesson in course.lessons for step in lesson.own_steps}
    return {
        "due": len(reviews.due),
        "cards": [
            {
                "card": state.card,
                "lesson": state.topic,
                "steps": [
                    {"id": asked.id, "kind": kinds.get(asked.id, "")} for asked in reviews.cards[state.card].questions
                ],
                "due": state.due.isoformat(),
                "overdueness": round(state.overdueness(reviews.today), 3),
                "shaky": state.shaky,
            }
            for state in chosen
        ],
    }


def _reviews(course: Course) -> tuple[Reviews, Progress]:
    from tutor.memory import journal, progress, settings
    from tutor.memory.cards import cards_of
    from tutor.memory.reviews import Reviews

    learned = progress.fold(journal.read(journal.state_directory()).events)
    return Reviews(cards_of(course), learned, settings.load().settings), learned


def _flags(course: Course, args: argparse.Namespace) -> int:
    from tutor.memory import events, journal, progress

    with journal.Journal() as run:
        flags = progress.fold(run.read().events).flags
        if args.unflag is not None:
            if args.unflag not in flags:
                message = _("“{id}” is not flagged.").format(id=args.unflag)
                raise WrongUseError(message + did_you_mean(args.unflag, flags))
            run.record(events.Flagged(step=args.unflag, note=""))
            say(_("“{id}” is asked again.").format(id=args.unflag))
            return FINE
    if args.json:
        print_json({"flags": [{"step": id, "note": flag.note, "seed": flag.seed} for id, flag in flags.items()]})
        return FINE
    for id, flag in flags.items():
        found = course.find(id)
        where = found[0].id if found is not None else _("no longer in the course")
        say(f"{id} ({where}): {flag.note}")
    if not flags:
        say(_("No question is flagged."))
    return FINE
