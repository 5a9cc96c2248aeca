"""`normtutor due`: how much there is to review, in one line, for a shell's prompt or a login message."""

from __future__ import annotations

import os
import sys
from datetime import date
from typing import TYPE_CHECKING, Any

from tutor.text.i18n import _, ngettext, set_language

if TYPE_CHECKING:
    import argparse

    from tutor.memory.snapshot import Snapshot


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `due` to the command line."""
    from tutor.commands.support import add_output_options

    parser = subparsers.add_parser(
        "due",
        help=_("how much is due for review, in one line"),
        epilog=_("In a shell's start-up file: normtutor due --quiet"),
    )
    parser.add_argument("--quiet", action="store_true", help=_("print nothing when nothing is due"))
    add_output_options(parser, json_help=_("one JSON document: due, minutes, next"))
    parser.set_defaults(run=run)


def at_once(*, quiet: bool) -> int:
    """`run` without a parser: prints the line in the learner's language, and never fails a shell that starts."""
    from tutor.memory import refresh

    found = refresh.current()
    if not os.environ.get("NORMTUTOR_LANG") and found.language in ("vi", "en"):
        set_language("vi" if found.language == "vi" else "en")
    if text := line(found, quiet=quiet):
        # What a terminal cannot show, as in the C locale, is no reason to fail.
        sys.stdout.buffer.write(f"{text}\n".encode())
        sys.stdout.flush()
    return 0


def run(args: argparse.Namespace) -> int:
    """Prints the line; always 0."""
    from tutor.commands.support import FINE, print_json
    from tutor.memory import refresh

    found = refresh.current()
    if args.json:
        print_json(document(found))
    elif text := line(found, quiet=args.quiet):
        print(text)
    return FINE


def document(found: Snapshot) -> dict[str, Any]:
    """What `--json` prints."""
    from tutor.memory import due

    cards = due.due(found.states, _today(found), found.limit)
    following = due.next_day(found.states, _today(found))
    return {
        "due": len(cards),
        "minutes": due.minutes(cards),
        "next": None if following is None else {"date": following[0].isoformat(), "cards": following[1]},
    }


def line(found: Snapshot, *, quiet: bool = False) -> str:
    """One line for a reader; with `quiet`, none where nothing is due."""
    from tutor.memory import due

    today = _today(found)
    cards = due.due(found.states, today, found.limit)
    if cards:
        count = ngettext("{n} question is due", "{n} questions are due", len(cards)).format(n=len(cards))
        minutes = due.minutes(cards)
        return f"{count} · " + ngettext("about {n} min", "about {n} min", minutes).format(n=minutes)
    if quiet:
        return ""
    following = due.next_day(found.states, today)
    if following is None:
        return _("Nothing is due: reviews begin when you have answered questions in a lesson.")
    return _("Nothing is due; the next review is {when}.").format(when=when(following[0], today))


def when(day: date, today: date) -> str:
    """A day to come, in words."""
    days = (day - today).days
    return _("tomorrow") if days == 1 else ngettext("in {n} day", "in {n} days", days).format(n=days)


def _today(found: Snapshot) -> date:
    from tutor.memory.days import Days

    return Days(found.rollover, found.zone).today()
