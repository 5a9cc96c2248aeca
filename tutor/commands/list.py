"""`normtutor list`: the lessons, their steps, what is done and how much is due for review."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tutor.commands.support import FINE, FOUND, add_output_options, kind_of, open_course, print_json, report, say
from tutor.course.model import AnyStep, Course
from tutor.course.teaching import taught_in
from tutor.text.i18n import _, language, ngettext

if TYPE_CHECKING:
    from tutor.memory.progress import Progress

MARKS = {"right": "✓", "partly": "~", "wrong": "✗", "unsure": "?"}
"""What stands before a step that was answered, as in the app's list of steps."""
_NOT_RIGHT = ("partly", "wrong", "unsure")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `list` to the command line."""
    parser = subparsers.add_parser("list", help=_("show lessons, steps, progress and what is due"))
    parser.add_argument("--claims", action="store_true", help=_("the ids of the claims that each step is about, too"))
    parser.add_argument("--ids", action="store_true", help=_("only the ids of lessons and steps, one a line"))
    add_output_options(parser, json_help=_("one JSON document: lessons, steps, done, due"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the course and the learner's progress; exit code 1 when a part of the course could not be loaded."""
    from tutor.memory import journal, progress, settings
    from tutor.memory.cards import cards_of
    from tutor.memory.reviews import Reviews

    course = open_course()
    if args.ids:
        ids = (id for lesson in course.lessons for id in (lesson.id, *(step.id for step in lesson.steps)))
        say(*dict.fromkeys(ids))
        return FOUND if course.findings else FINE
    history = journal.read(journal.state_directory())
    learned = progress.fold(history.events)
    due = len(Reviews(cards_of(course), learned, settings.load().settings).due)
    if args.json:
        print_json(document(course, learned, due))
    else:
        say(*table(course, learned, due, claims=args.claims))
    report(course.findings)
    say(*(f"{problem.file}:{problem.line}: {problem.detail}" for problem in history.problems), error=True)
    return FOUND if course.findings else FINE


def document(course: Course, learned: Progress, due: int) -> dict[str, Any]:
    """What `--json` prints."""
    lang = language()
    return {
        "lessons": [
            {
                "id": lesson.id,
                "title": lesson.title.get(lang),
                "minutes": lesson.minutes,
                "steps": [
                    {
                        "id": step.id,
                        "kind": kind_of(step),
                        "claims": list(step.claims),
                        "done": learned.done(step),
                        "given_up": learned.gave_up(step),
                        "verdict": learned.verdict(step.id),
                        "revisit": _revisit(step, course, learned),
                    }
                    for step in lesson.steps
                ],
            }
            for lesson in course.lessons
        ],
        "due": due,
    }


def table(course: Course, learned: Progress, due: int, *, claims: bool = False) -> list[str]:
    """The same for a reader: a line a lesson, below it a line a step."""
    lang = language()
    lines = []
    for lesson in course.lessons:
        finished = sum(learned.done(step) for step in lesson.steps)
        count = _("{done} of {all} steps").format(done=finished, all=len(lesson.steps))
        time = ngettext("{n} minute", "{n} minutes", lesson.minutes).format(n=lesson.minutes)
        lines += [f"{lesson.id}: {lesson.title.get(lang)} ({count}, {time})"]
        width = max((len(step.id) for step in lesson.steps), default=0)
        for step in lesson.steps:
            back = _revisit(step, course, learned)
            about = "  ".join([*(step.claims if claims else ()), *(["→ " + ", ".join(back)] if back else [])])
            lines.append(f"  {_mark(step, learned)} {step.id:{width}}  {kind_of(step):8}  {about}".rstrip())
        lines.append("")
    if not course.lessons:
        lines += [_("There are no lessons."), ""]
    lines.append(ngettext("{n} answer is due for review.", "{n} answers are due for review.", due).format(n=due))
    return lines


def _revisit(step: AnyStep, course: Course, learned: Progress) -> list[str]:
    """The ids of the steps that teach a question which was answered and is not right; none for any other step."""
    if learned.verdict(step.id) not in _NOT_RIGHT:
        return []
    return [taught.step.id for taught in taught_in(course, step)]


def _mark(step: AnyStep, learned: Progress) -> str:
    if learned.gave_up(step):
        return "–"
    return MARKS.get(learned.verdict(step.id) or "", "✓" if learned.done(step) else "·")
