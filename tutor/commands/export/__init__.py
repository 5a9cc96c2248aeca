"""`normtutor export WHAT`: what the tutor gives to other programs and people. One module a WHAT, as one a command.

Each has `add_parser(subparsers)`, and imports what it needs when it runs. Nothing leaves the machine by itself: an
export is a file, or lines on standard output, that the learner passes on if they like.
"""

from __future__ import annotations

import argparse
from importlib import import_module

from tutor.commands.support import WrongUseError
from tutor.text.i18n import _

SUBJECTS = ("answers", "notebook", "progress")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `export` and what can be exported to the command line."""
    parser = subparsers.add_parser("export", help=_("write something for other programs and people"))
    parser.set_defaults(run=_say_what)
    subjects = parser.add_subparsers(title=_("what to export"), metavar="WHAT")
    for name in SUBJECTS:
        import_module(f"tutor.commands.export.{name}").add_parser(subjects)


def _say_what(_args: argparse.Namespace) -> int:
    raise WrongUseError(_("Say what to export: {subjects}.").format(subjects=", ".join(SUBJECTS)))
