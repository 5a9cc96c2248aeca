"""What the commands share: languages, messages, the course, JSON, and the right exit code for a wrong use."""

from __future__ import annotations

import argparse
import difflib
import json
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tutor.course.model import Course, Finding, Step

FINE, FOUND, WRONG_USE = 0, 1, 2
"""The exit codes: fine; something is wrong with what was looked at; the command was used wrongly."""


class WrongUseError(Exception):
    """The command cannot be done as asked; the message says why and what would work. Exit code 2."""


class FoundWrongError(Exception):
    """The command was used rightly and what it looked at is broken. Exit code 1."""


def add_output_options(parser: argparse.ArgumentParser, *, json_help: str | None = None) -> None:
    """Adds `--lang` and, where the command has a document, `--json`."""
    from tutor.text.i18n import _

    parser.add_argument("--lang", choices=("vi", "en"), help=_("language of the output"))
    if json_help is not None:
        parser.add_argument("--json", action="store_true", help=json_help)


def say(*texts: str, error: bool = False) -> None:
    """Prints lines to standard output (or error) with every control sequence in them made harmless.

    What the commands print comes from course files, from learners' code and from the command line.
    """
    from tutor.text.sanitize import sanitize

    stream = sys.stderr if error else sys.stdout
    for text in texts:
        print(sanitize(text), file=stream)


def status(text: str) -> None:
    """Shows what is under way on one line of standard error, if that is a terminal; an empty text removes it."""
    from tutor.text.sanitize import sanitize

    if sys.stderr is not None and sys.stderr.isatty():
        columns = shutil.get_terminal_size().columns
        print(f"\r{sanitize(text, limit=columns - 1, newlines=False)}\x1b[K", end="", file=sys.stderr, flush=True)


def print_json(document: Any) -> None:
    """Prints one JSON document; Vietnamese stays readable in it, and what does not print is an escape."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    print("".join(c if c == "\n" or c.isprintable() else _escaped(c) for c in text))


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of an error message: the known words that look like `word`, or nothing."""
    from tutor.text.i18n import _

    near = difflib.get_close_matches(word, list(known), n=3, cutoff=0.6)
    return " " + _("Did you mean {words}?").format(words=", ".join(near)) if near else ""


def open_course(path: Path | None = None) -> Course:
    """The course, with the findings about what could not be loaded in `course.findings`."""
    from tutor.course.load import load_course

    return load_course(path)


def kind_of(step: Step) -> str:
    """The `kind` of a step as lesson files spell it."""
    return str(type(step).__struct_config__.tag)


def report(findings: Iterable[Finding]) -> None:
    """Prints findings to standard error, one a line, as compilers do."""
    say(*(str(finding) for finding in findings), error=True)


def unknown_id(course: Course, id: str, known: Iterable[str]) -> Exception:
    """The error for an id that the course does not have.

    When a part of the course could not be loaded the id may be in there: then it is the course that is wrong.
    """
    from tutor.text.i18n import _

    message = _("There is no lesson or step “{id}”.").format(id=id) + did_you_mean(id, known)
    if course.findings:
        report(course.findings)
        return FoundWrongError(message + " " + _("A part of the course could not be loaded."))
    return WrongUseError(message + " " + _("`normtutor list` shows all of them."))
