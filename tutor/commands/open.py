"""`normtutor open ID`: the app, at a lesson or a step. Without an id, as plain `normtutor` does: where it was left."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from tutor.commands.support import WrongUseError, unknown_id
from tutor.text.i18n import _

if TYPE_CHECKING:
    from tutor.memory.quiz import Choice


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `open` to the command line."""
    parser = subparsers.add_parser("open", help=_("open the app at a lesson or a step"))
    parser.add_argument("id", metavar="ID", help=_("a lesson or a step, as `normtutor list` names them"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Opens the app at `args.id`."""
    _need_a_terminal()
    from tutor.memory.kept_course import read_course

    course = read_course()
    if course.find(args.id) is None:
        raise unknown_id(
            course, args.id, (id for lesson in course.lessons for id in (lesson.id, *(s.id for s in lesson.steps)))
        )
    return open_app(args.id)


def open_app(start: str | None, *, review: tuple[Choice, float | None] | None = None) -> int:
    """Runs the app until the learner leaves; `start` is a lesson or a step, None for where they were.

    `review` opens the quiz instead, with the cards of that choice and for so many minutes.
    """
    _need_a_terminal()
    from tutor.commands.guardian import guarded

    def app(orphaned: int) -> int:
        from tutor.ui.app import run_app

        return run_app(start, orphaned, review)

    return guarded(app)


def _need_a_terminal() -> None:
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        raise WrongUseError(_("The app needs a terminal. `normtutor --help` lists the commands that do not."))
    if (term := os.environ.get("TERM", "")) in ("", "dumb", "unknown"):
        raise WrongUseError(
            _(
                "The app cannot draw on this terminal (TERM={term}). `normtutor --help` lists the commands that need "
                "no screen: list, run, grade, review --inline, lab."
            ).format(term=term)
        )
