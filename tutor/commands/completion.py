"""`normtutor completion SHELL`: a script that lets the shell complete commands, options, and the ids of the course."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from tutor.commands.support import FINE
from tutor.text.i18n import _

SHELLS = ("bash", "zsh", "tcsh")
IDS = {"LESSON", "ID"}
"""What an argument that takes an id is called in the help."""
# `list --ids` reads the course each time, so that ids of another course are completed too.
_ASK = {
    "bash": '_normtutor_ids() { compgen -W "$(normtutor list --ids 2>/dev/null)" -- "$1"; }\n'
    '_normtutor_devices() { compgen -W "auto cpu $(nvidia-smi --query-gpu=index --format=csv,noheader 2>/dev/null)" '
    '-- "$1"; }',
    "zsh": '_normtutor_ids() { compadd -- ${(f)"$(normtutor list --ids 2>/dev/null)"} }\n'
    "_normtutor_devices() { compadd -- auto cpu "
    '${(f)"$(nvidia-smi --query-gpu=index --format=csv,noheader 2>/dev/null)"} }',
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `completion` to the command line."""
    parser = subparsers.add_parser(
        "completion",
        help=_("print a script for the shell's completion"),
        description=_(
            'In bash: eval "$(normtutor completion bash)"; in zsh: normtutor completion zsh > a file in $fpath.'
        ),
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the script."""
    import shtab

    from tutor.commands.command_line import parser_of

    parser = parser_of(args.commands)
    for action in _actions(parser):
        if action.metavar in IDS:
            action.complete = dict.fromkeys(("bash", "zsh"), "_normtutor_ids")  # type: ignore[attr-defined]
        elif action.metavar in ("FILE", "PATH"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar == "DEVICE":
            action.complete = dict.fromkeys(("bash", "zsh"), "_normtutor_devices")  # type: ignore[attr-defined]
        elif action.metavar == "DIR":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    print(shtab.complete(parser, shell=args.shell, preamble=_ASK.get(args.shell, "")))
    return FINE


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)
