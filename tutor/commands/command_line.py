"""Reads a command line and hands over to one module of `tutor.commands`; what the exit codes and signals are."""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import pairwise
from keyword import iskeyword
from pathlib import Path
from types import FrameType
from typing import NoReturn

from tutor import __version__
from tutor.commands.device_option import RUN_CODE, add_device_option, use_device
from tutor.commands.environment import epilog
from tutor.commands.parser_words import translate_argparse
from tutor.commands.support import FOUND, WRONG_USE, FoundWrongError, WrongUseError, did_you_mean, say
from tutor.memory.places import settings_file
from tutor.text import aloud
from tutor.text.i18n import _, set_language
from tutor.text.sanitize import sanitize

INTERRUPTED = 130
BROKEN_PIPE = 141
"""What a shell reports for a program that SIGINT or SIGPIPE ended."""


def run(arguments: Sequence[str], commands: Sequence[str]) -> int:
    """Runs one command line and returns its exit code; see `tutor.commands.support` for the codes.

    `commands` are the names of the modules that there are, each of which is a command.
    """
    write_utf8()
    signals: list[int] = []
    try:
        _use_settings()
        _choose_language(arguments)
        args = _parse(arguments, commands)
        _use_course(args)
        use_device(args)
        if args.screen_reader:
            os.environ[aloud.VARIABLE] = "1"
        with _ended_by_signals() as signals:
            args.commands = commands
            code = int(args.run(args))
        sys.stdout.flush()
    except WrongUseError as error:
        say(f"normtutor: {error}", error=True)
        return WRONG_USE
    except FoundWrongError as error:
        say(f"normtutor: {error}", error=True)
        return FOUND
    except KeyboardInterrupt:
        if signals:  # the terminal may be gone
            return 128 + signals[0]
        say("", _("Stopped."), error=True)
        return INTERRUPTED
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.ENOSPC):
            raise
        # The reader has gone, as in `normtutor list | head`, or the disk is full. Python flushes once more at its end:
        # let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno == errno.EPIPE:
            return BROKEN_PIPE
        say(f"normtutor: {error.strerror}", error=True)
        return FOUND
    return code


class _Parser(argparse.ArgumentParser):
    """Repeats what it was given only in a form that is safe to show."""

    def error(self, message: str) -> NoReturn:
        """Prints the usage and `message`; exit code 2."""
        super().error(sanitize(message))


def _parse(arguments: Sequence[str], commands: Sequence[str]) -> argparse.Namespace:
    """The arguments, with optional files taken wherever they stand.

    argparse settles an optional positional at the first one that it meets, so that in `grade ID --json FILE` it has
    none left to take FILE. A command that has such a one names it as `late`; a list of them takes all.
    """
    first = _first_word(arguments)
    parser = parser_of((first,) if first in commands else commands)
    if first and not first.startswith("-") and first not in commands:
        parser.error(_("there is no command “{name}”.").format(name=first) + did_you_mean(first, commands))
    args, rest = parser.parse_known_args(arguments)
    late = str(getattr(args, "late", ""))
    words = [word for word in rest if word == "-" or not word.startswith("-")] if late else []
    before = getattr(args, late, None)
    if isinstance(before, list):
        setattr(args, late, before + words)
    elif words and before is None:
        words = words[:1]
        setattr(args, late, words[0])
    else:
        words = []
    for word in words:
        rest.remove(word)
    if rest:
        parser.error(_("unknown arguments: {words}").format(words=" ".join(rest)))
    return args


def parser_of(commands: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of the command line with these commands: loading all of them takes longer than one."""
    translate_argparse()
    parser = _Parser(
        prog="normtutor",
        description=_("A tutor in the terminal: why deep networks train, measured on your own machine."),
        epilog=epilog(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version",
        action="version",
        version=f"normtutor {__version__}",
        help=_("show program's version number and exit"),
    )
    parser.add_argument(
        "--course", metavar="DIR", help=_("another course; it asks before code of it runs here for the first time")
    )
    parser.add_argument(
        "--trust", action="store_true", help=_("run the code of a course that is not normtutor's own without asking")
    )
    parser.add_argument(
        "--screen-reader", action="store_true", help=_("lines to be read aloud: no columns, boxes or drawings")
    )
    add_device_option(parser, default=None)
    parser.set_defaults(run=_open_app)
    subparsers = parser.add_subparsers(title=_("commands"), metavar="COMMAND")
    for name in commands:
        module = f"{name}_" if iskeyword(name) else name
        import_module(f"tutor.commands.{module}").add_parser(subparsers)
        if name in ("review", "lab", "open"):
            subparsers.choices[name].add_argument(
                "--screen-reader", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
            )
        if name in RUN_CODE:
            add_device_option(subparsers.choices[name])
    return parser


def _open_app(_args: argparse.Namespace) -> int:
    from tutor.commands.open import open_app

    return open_app(None)


def _first_word(arguments: Sequence[str]) -> str:
    """The first argument behind the options that stand before a command."""
    rest = iter(arguments)
    for word in rest:
        if word in ("--course", "--device"):
            next(rest, "")
        elif word not in ("--trust", "--screen-reader") and not word.startswith(("--course=", "--device=")):
            return word
    return ""


def _use_course(args: argparse.Namespace) -> None:
    """The course and the consent that the command line names, as the environment would."""
    if args.course is not None:
        from tutor.course.load import COURSE_VARIABLE

        try:
            there = Path(args.course).exists()
        except (OSError, ValueError):
            there = False
        if not there:
            raise WrongUseError(_("There is no file or directory “{path}”.").format(path=args.course))
        os.environ[COURSE_VARIABLE] = str(Path(args.course).absolute())
    if args.trust:
        from tutor.memory.trust import VARIABLE

        os.environ[VARIABLE] = "1"


def _use_settings() -> None:
    """The language and the device that the learner has set, unless the environment says otherwise."""
    if not settings_file().exists():
        return
    from tutor.memory.settings import load

    settings = load().settings
    aloud.use(settings.screen_reader)
    if not os.environ.get("NORMTUTOR_LANG") and settings.language in ("vi", "en"):
        set_language("vi" if settings.language == "vi" else "en")
    # Where a scheduler has said which GPUs are ours, the one of the settings may be somebody else's.
    if settings.device == "cpu" or (settings.device != "auto" and "CUDA_VISIBLE_DEVICES" not in os.environ):
        os.environ.setdefault("NORMTUTOR_DEVICE", settings.device)


def _choose_language(arguments: Sequence[str]) -> None:
    """Takes `--lang` before anything is parsed: help and error messages of the parser are in it too."""
    for option, following in pairwise([*arguments, ""]):
        name, _equals, value = option.partition("=")
        if name == "--lang" and (value or following) in ("vi", "en"):
            set_language("vi" if (value or following) == "vi" else "en")


def write_utf8() -> None:
    """Writes UTF-8 whatever the locale says, and never fails at a character: LANG=C is common on servers."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[list[int]]:
    """Makes SIGTERM and SIGHUP interrupt a command as ctrl+c does, so that it ends the processes that it started.

    Raising something else from a signal's handler would leave asyncio with a task that nobody has asked about. Gives
    the list of the signals that came.
    """
    came: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells start what runs in the background
            raise KeyboardInterrupt
        signal.raise_signal(signal.SIGINT)

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is not signal.SIG_IGN:  # the app, which has only to end by then
                signal.signal(number, handler)
