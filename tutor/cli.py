"""The `normtutor` command: hands over to one module of `tutor.commands`, one for each of `COMMANDS`.

Each of those has `add_parser(subparsers)` and `run(args) -> int`, and imports what it needs when it runs:
`normtutor --help` and `list` answer at once because they load no Textual, no Jupyter and no torch.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

COMMANDS = (
    "open",
    "review",
    "due",
    "progress",
    "list",
    "run",
    "grade",
    "lab",
    "bench",
    "export",
    "import",
    "reset",
    "new",
    "claims",
    "check",
    "schema",
    "doctor",
    "completion",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line and returns its exit code; see `tutor.commands.support` for the codes."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments[:1] == ["due"] and set(arguments[1:]) <= {"--quiet"}:
        # It stands in people's prompts: reading a command line would take longer than the answer.
        from tutor.commands.due import at_once

        return at_once(quiet="--quiet" in arguments)
    if arguments == ["--version"]:  # as installers and scripts ask, often: nothing to read here either
        from tutor import __version__

        print(f"normtutor {__version__}", flush=True)
        return 0
    from tutor.commands.command_line import run

    return run(arguments, COMMANDS)
