"""`normtutor export answers`: the answers in words that the grader was not sure of or that were overruled.

For the author of a course, whose glossary grows from them; only where the learner has agreed, and only by hand.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tutor.commands.support import FINE, FoundWrongError, WrongUseError, add_output_options, say
from tutor.text.i18n import _, ngettext

if TYPE_CHECKING:
    from tutor.memory.progress import Progress


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `export answers` to the command line."""
    parser = subparsers.add_parser(
        "answers",
        help=_("answers in your own words that the grader was not sure of, or that you overruled"),
        description=_(
            "Writes JSON, one answer a line: the question, what you wrote, what the grader found and what you said to "
            "it. No name, time or machine is in it, and nothing is sent: whom you give it to is up to you. "
            "It needs your consent, which is off until you give it."
        ),
    )
    parser.add_argument("--output", "-o", metavar="FILE", help=_("where to write it; standard output if not given"))
    parser.add_argument("--consent", choices=("on", "off"), help=_("agree, or no longer, and export nothing"))
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the answers; 2 without the learner's consent, 1 when something cannot be written."""
    from tutor.memory import journal, progress, sharing

    if args.consent is not None:
        if args.output is not None:
            raise WrongUseError(_("--consent changes the setting and exports nothing; then export without it."))
        return _agree(args.consent)
    history = journal.read(journal.state_directory())
    say(*(f"{problem.file}:{problem.line}: {problem.detail}" for problem in history.problems), error=True)
    learned = progress.fold(history.events)
    if not sharing.agreed(learned.settings):
        raise WrongUseError(
            _("You have not agreed to share answers. `normtutor export answers --consent on` does that.")
        )
    return _write(learned, args.output)


def _agree(consent: str) -> int:
    from tutor.memory import events, sharing
    from tutor.memory.journal import Journal

    with Journal() as journal:
        journal.read()  # so that this counts after everything that is there
        journal.append(events.SETTING, name=sharing.SETTING, value=consent)
        if journal.trouble:
            raise FoundWrongError(_("The setting could not be saved: {why}").format(why=journal.detail))
    if consent == "on":
        say(_("`normtutor export answers` now writes your answers for a course's author. Nothing is sent by itself."))
    else:
        say(_("`normtutor export answers` no longer writes your answers."))
    return FINE


def _write(learned: Progress, output: str | None) -> int:
    from tutor.memory import sharing
    from tutor.memory.whole_file import export

    shared = sharing.answers(learned)
    lines = [sharing.line(answer) for answer in shared]
    if output is None:
        say(*lines)
    else:
        try:
            export(Path(output), "".join(f"{line}\n" for line in lines).encode())
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise FoundWrongError(f"{output}: {reason}") from error
    say(ngettext("{n} answer.", "{n} answers.", len(lines)).format(n=len(lines)), error=True)
    return FINE
