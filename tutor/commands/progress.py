"""`normtutor progress`: what is known, what is shaky, what comes, and what to do next."""

from __future__ import annotations

import argparse
import shutil
from typing import TYPE_CHECKING, Any

from tutor.commands.support import FINE, FOUND, add_output_options, open_course, print_json, report, say
from tutor.text.i18n import _, language

if TYPE_CHECKING:
    from tutor.course.model import Course
    from tutor.memory.events import Event
    from tutor.memory.reviews import Reviews

WIDEST = 100


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `progress` to the command line."""
    parser = subparsers.add_parser("progress", help=_("what you know, what is shaky, what comes, what to do next"))
    add_output_options(parser, json_help=_("one JSON document: claims, lessons, retention, forecast, next"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints where the learner stands; 1 when a part of the course could not be loaded."""
    from tutor.memory import journal, settings
    from tutor.memory.cards import cards_of
    from tutor.memory.progress import fold
    from tutor.memory.reviews import Reviews

    course = open_course()
    history = journal.read(journal.state_directory())
    reviews = Reviews(cards_of(course), fold(history.events), settings.load().settings)
    if args.json:
        print_json(document(course, reviews, history.events))
    else:
        say(*_lines(course, reviews, history.events))
    report(course.findings)
    return FOUND if course.findings else FINE


def document(course: Course, reviews: Reviews, history: tuple[Event, ...]) -> dict[str, Any]:
    """What `--json` prints."""
    from tutor.memory.advice import advice
    from tutor.memory.mistaken import mistaken
    from tutor.memory.standing import seconds_by_day, standing

    found = standing(course, reviews)
    return {
        "next": advice(course, reviews, found, language()).text,
        "due": len(reviews.due),
        "claims": found.claims,
        "cards": found.cards,
        "lessons": {
            lesson: {mark: counts[mark] for mark in ("known", "shaky", "unseen")}
            for lesson, counts in found.lessons.items()
        },
        "retention": found.retention._asdict(),
        "forecast": found.forecast,
        "misconceptions": [one._asdict() for one in mistaken(course, reviews, language())],
        "seconds": {day.isoformat(): round(spent) for day, spent in sorted(seconds_by_day(history, reviews).items())},
    }


def _lines(course: Course, reviews: Reviews, history: tuple[Event, ...]) -> list[str]:
    from tutor.memory.advice import advice
    from tutor.memory.report import report as sections
    from tutor.memory.standing import standing

    found = standing(course, reviews)
    width = min(shutil.get_terminal_size().columns, WIDEST)
    rows = [advice(course, reviews, found, language()).text]
    for section in sections(course, reviews, found, history, language(), width - 2):
        rows += ["", section.title, *(f"  {line}".rstrip() for line in section.lines)]
    return rows
