"""`normtutor export progress`: everything that was done, to take to another machine."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tutor.commands.support import FINE, FoundWrongError, WrongUseError, add_output_options, say
from tutor.text.i18n import _, ngettext


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `export progress` to the command line."""
    parser = subparsers.add_parser(
        "progress",
        help=_("your whole history, for `normtutor import progress` on another machine"),
        description=_(
            "Writes every answer, draft and setting of the journal, one event a line with its checksum. It holds what "
            "you typed: whom you give it to is up to you."
        ),
    )
    parser.add_argument("--output", "-o", metavar="FILE", help=_("where to write it; standard output if not given"))
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the history; 1 when a part of it cannot be read or written."""
    from tutor.memory import transfer
    from tutor.memory.places import state_directory

    if args.output is None and sys.stdout.isatty():
        raise WrongUseError(_("This is for a file: --output FILE, or > FILE."))
    directory = state_directory()
    try:
        found = transfer.exported(directory) if directory.is_dir() else transfer.Collected((), 0)
    except OSError as error:
        raise FoundWrongError(f"{error.filename or directory}: {error.strerror or error}") from error
    data = b"".join(line.data + b"\n" for line in found.lines)
    if args.output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        _write(Path(args.output), data)
    count = len(found.lines)
    say(ngettext("{n} event.", "{n} events.", count).format(n=count), error=True)
    if found.damaged:
        message = ngettext(
            "{n} damaged line was left out; `normtutor doctor` says where.",
            "{n} damaged lines were left out; `normtutor doctor` says where.",
            found.damaged,
        )
        raise FoundWrongError(message.format(n=found.damaged))
    return FINE


def _write(path: Path, data: bytes) -> None:
    from tutor.memory.whole_file import export

    try:
        export(path, data)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FoundWrongError(f"{path}: {reason}") from error
