"""The app steps aside: for the learner's own editor, whose text it takes back, or for the shell."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from textual.app import App, SuspendNotSupported

from tutor.text.i18n import _
from tutor.text.sanitize import sanitize

MOST = 200_000
"""Characters taken back."""


class OutsideError(Exception):
    """It did not work; says why in words. Nothing was changed."""


def editor(environ: Mapping[str, str] = os.environ) -> list[str]:
    """The command: `$VISUAL`, `$EDITOR`, else vi."""
    chosen = environ.get("VISUAL") or environ.get("EDITOR") or "vi"
    try:
        words = shlex.split(chosen)
    except ValueError as error:
        raise OutsideError(_("$EDITOR cannot be read: {why}").format(why=error)) from error
    return words or ["vi"]


def to_the_shell(app: App[Any]) -> None:
    """Stop, as ctrl+z stops any program; the shell's `fg` goes on."""
    if os.getpgrp() == os.getsid(0):  # what a shell starts has a group of its own
        app.notify(_("There is no shell to go to: nothing could bring normtutor back."))
        return
    app.app_suspend_signal.publish(app)
    # To the whole group, as the terminal itself would: whatever started this process and waits for it must stop too.
    os.killpg(0, signal.SIGTSTP)


@contextmanager
def _for(editor: subprocess.Popen[bytes]) -> Iterator[list[int]]:
    """Answers signals while the event loop waits for the editor; gives those that ended it.

    Ctrl+z in the editor stops this process too. What ends this process ends the editor first: the loop learns of the
    signal afterwards, and leaves.
    """
    came: list[int] = []

    def pass_on(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        editor.send_signal(number)

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGTERM, signal.SIGHUP)}
    before[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def edit(app: App[Any], text: str, suffix: str) -> str:
    """The text as the learner leaves it in their editor, cleaned of control characters. Raises OutsideError."""
    command = editor()
    try:
        with tempfile.TemporaryDirectory(prefix="normtutor-edit-") as directory:
            path = Path(directory) / f"normtutor{suffix}"
            path.write_text(text + "\n", encoding="utf-8")
            path.chmod(0o600)
            with app.suspend():
                process = subprocess.Popen([*command, str(path)])
                with _for(process) as came:
                    code = process.wait()
            if code and not came:  # what it had saved when it was ended is kept
                message = _("{editor} ended with {code}; nothing was changed.")
                raise OutsideError(message.format(editor=command[0], code=code))
            edited = path.read_bytes().decode("utf-8")
    except SuspendNotSupported as error:
        raise OutsideError(_("Another editor cannot be opened from here.")) from error
    except UnicodeDecodeError as error:
        raise OutsideError(
            _("What {editor} wrote is not UTF-8; nothing was changed.").format(editor=command[0])
        ) from error
    except OSError as error:
        message = _("{editor} cannot be started ({why}). $EDITOR chooses another.")
        raise OutsideError(message.format(editor=command[0], why=error.strerror)) from error
    if len(edited) > MOST:
        raise OutsideError(_("That is too long: {n} characters; nothing was changed.").format(n=len(edited)))
    return sanitize(edited).rstrip("\n")
