"""`normtutor import progress FILE`: the history of another machine, added to the one that is here."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from tutor.commands.support import FINE, FOUND, FoundWrongError, WrongUseError, add_output_options, print_json, say
from tutor.text.i18n import _, ngettext


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `import` and what can be imported to the command line."""
    parser = subparsers.add_parser("import", help=_("take in what another machine exported"))
    parser.set_defaults(run=_say_what)
    subjects = parser.add_subparsers(title=_("what to import"), metavar="WHAT")
    progress = subjects.add_parser(
        "progress",
        help=_("a history, merged with the one that is here"),
        description=_(
            "Adds the events that are not here yet, and changes none of those that are: doing it twice adds nothing. "
            "FILE is what `normtutor export progress` wrote, or the directory of another journal; - is standard input."
        ),
    )
    progress.add_argument("files", metavar="FILE", nargs="+", help=_("an export, a directory, or -"))
    add_output_options(progress, json_help=_("one JSON document: added, known, damaged"))
    progress.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Adds what is new; 1 when some of it was damaged, or could not be written."""
    from tutor.memory import transfer
    from tutor.memory.places import state_directory

    try:
        done = transfer.import_from(_contents(args.files), state_directory())
    except OSError as error:
        raise FoundWrongError(f"{error.filename or state_directory()}: {error.strerror or error}") from error
    if args.json:
        print_json(done._asdict())
    else:
        say(ngettext("{n} event was added.", "{n} events were added.", done.added).format(n=done.added))
        if done.known:
            say(ngettext("{n} was here already.", "{n} were here already.", done.known).format(n=done.known))
    if done.damaged:
        message = ngettext("{n} damaged line was left out.", "{n} damaged lines were left out.", done.damaged)
        say(message.format(n=done.damaged), error=True)
        return FOUND
    return FINE


def _contents(names: list[str]) -> Iterator[bytes]:
    from tutor.memory import transfer

    for name in names:
        if name == "-":
            if sys.stdin is None:
                raise WrongUseError(_("There is no standard input."))
            yield sys.stdin.buffer.read()
            continue
        path = Path(name)
        if not path.exists():
            raise WrongUseError(_("There is no {file}.").format(file=name))
        yield from transfer.contents([path])


def _say_what(_args: argparse.Namespace) -> int:
    raise WrongUseError(_("Say what to import: {subjects}.").format(subjects="progress"))
