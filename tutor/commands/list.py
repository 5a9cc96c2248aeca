"""`normtutor list`: the lessons, their steps, what is done and how much is due for review."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from tutor.commands.support import FINE, FOUND, add_output_options, kind_of, open_course, print_json, report, say
from tutor.course.model import AnyStep, Course
from tutor.text.i18n import _, language, ngettext


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `list` to the command line."""
    parser = subparsers.add_parser("list", help=_("show lessons, steps, progress and what is due"))
    add_output_options(parser, json_help=_("one JSON document: lessons, steps, done, due"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the course and the learner's progress; exit code 1 when a part of the course could not be loaded."""
    from tutor.memory import journal, progress, schedule

    course = open_course()
    history = journal.read(journal.state_directory())
    done = progress.fold(history.events).done
    due = sum(course.find(card.step) is not None for card in schedule.due(history.events))
    if args.json:
        print_json(document(course, done, due))
    else:
        say(*table(course, done, due))
    report(course.findings)
    say(*(f"{problem.file}:{problem.line}: {problem.detail}" for problem in history.problems), error=True)
    return FOUND if course.findings else FINE


def document(course: Course, done: Callable[[AnyStep], bool], due: int) -> dict[str, Any]:
    """What `--json` prints."""
    lang = language()
    return {
        "lessons": [
            {
                "id": lesson.id,
                "title": lesson.title.get(lang),
                "minutes": lesson.minutes,
                "steps": [
                    {"id": step.id, "kind": kind_of(step), "claims": list(step.claims), "done": done(step)}
                    for step in lesson.steps
                ],
            }
            for lesson in course.lessons
        ],
        "due": due,
    }


def table(course: Course, done: Callable[[AnyStep], bool], due: int) -> list[str]:
    """The same for a reader: a line a lesson, below it a line a step."""
    lang = language()
    lines = []
    for lesson in course.lessons:
        finished = sum(done(step) for step in lesson.steps)
        count = _("{done} of {all} steps").format(done=finished, all=len(lesson.steps))
        time = ngettext("{n} minute", "{n} minutes", lesson.minutes).format(n=lesson.minutes)
        lines += [f"{lesson.id}: {lesson.title.get(lang)} ({count}, {time})"]
        width = max((len(step.id) for step in lesson.steps), default=0)
        for step in lesson.steps:
            claims = "  ".join(step.claims)
            lines.append(f"  {'✓' if done(step) else '·'} {step.id:{width}}  {kind_of(step):7}  {claims}".rstrip())
        lines.append("")
    if not course.lessons:
        lines += [_("There are no lessons."), ""]
    lines.append(ngettext("{n} answer is due for review.", "{n} answers are due for review.", due).format(n=due))
    return lines
