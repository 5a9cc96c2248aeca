"""Asks on the terminal before code of a course that is not the project's own runs for the first time."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tutor.commands.support import WrongUseError, say
from tutor.text.i18n import _

if TYPE_CHECKING:
    from tutor.course.model import Course

YES = ("y", "yes", "c", "có", "co")


def add_trust_option(parser: argparse.ArgumentParser) -> None:
    """Adds `--trust` to a command that runs code of the course; the same flag may stand before the command."""
    parser.add_argument(
        "--trust",
        action="store_true",
        default=argparse.SUPPRESS,
        help=_("run the code of a course that is not normtutor's own without asking, this time"),
    )


def need_consent(course: Course, root: Path | None = None) -> None:
    """Returns when the code of the course may run; WrongUseError where the learner says no, or cannot be asked."""
    from tutor.course.load import course_root, shown
    from tutor.memory import trust

    root = course_root() if root is None else root
    if trust.trusted(root):
        return
    where = shown(root.absolute())
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr and sys.stderr.isatty()):
        raise WrongUseError(
            _(
                "The code of the course in {directory} would run here, and you have not agreed to that; there is no "
                "terminal to ask at. Look at it, then use --trust, or open the course once in the app."
            ).format(directory=where)
        )
    say(*question(course, where), error=True)
    print(_("Run it here? [y/N]"), end=" ", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in YES:
        raise WrongUseError(_("Nothing was run."))
    try:
        trust.remember(root)
    except OSError as error:
        say(_("This could not be saved: {why}").format(why=error.strerror or error), error=True)


def question(course: Course, where: str) -> list[str]:
    """What would run, and with what rights."""
    from tutor.course.code import counted

    return [
        _("This course does not come with normtutor: {directory}").format(directory=where),
        _("Its Python would run on this machine, with your rights: {what}.").format(what=counted(course)),
        _("Agree only if you trust whoever wrote it. You are asked again when a file of it changes."),
    ]
