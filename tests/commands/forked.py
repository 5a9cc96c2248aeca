"""`normtutor` in a fork of the tests' own process, which has loaded it already: as real, and half a second sooner.

Only what is loaded is inherited. Environment, directory, standard streams, language and warnings are those of a start.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from tutor.cli import main
from tutor.commands import command_line  # noqa: F401 - loaded once, for all forks
from tutor.text import i18n


def run(
    arguments: Sequence[str], environment: Mapping[str, str], directory: Path, given: str
) -> subprocess.CompletedProcess[str]:
    """What `subprocess.run` would give."""
    with tempfile.TemporaryFile() as put_in, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        put_in.write(given.encode())
        put_in.seek(0)
        child = os.fork()
        if child == 0:
            _be(arguments, environment, directory, (put_in, out, err))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode())
    return subprocess.CompletedProcess(list(arguments), code, *texts)


def _be(
    arguments: Sequence[str], environment: Mapping[str, str], directory: Path, streams: tuple[IO[bytes], ...]
) -> None:
    """The child: never returns."""
    code = 70
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        for number, file in enumerate(streams):
            os.dup2(file.fileno(), number)
        sys.stdin, sys.stdout, sys.stderr = (  # for as long as the process lives
            os.fdopen(number, mode, encoding="utf-8", closefd=False) for number, mode in ((0, "r"), (1, "w"), (2, "w"))
        )
        sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
        sys.argv = ["normtutor", *arguments]
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(directory)
        i18n._current = None
        try:
            code = main(list(arguments))
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
        code = 1
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)
