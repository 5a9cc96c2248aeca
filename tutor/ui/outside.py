"""The learner's own editor for a cell, an exercise or an answer: the app steps aside, and takes the text back."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
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


@contextmanager
def _stopped_with_the_editor() -> Iterator[None]:
    """Lets ctrl+z in the editor stop this process too: the event loop, which else answers it, waits for the editor."""
    before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)


def edit(app: App[Any], text: str, suffix: str) -> str:
    """The text as the learner leaves it in their editor, cleaned of control characters. Raises OutsideError."""
    command = editor()
    try:
        with tempfile.TemporaryDirectory(prefix="normtutor-edit-") as directory:
            path = Path(directory) / f"normtutor{suffix}"
            path.write_text(text + "\n", encoding="utf-8")
            path.chmod(0o600)
            with app.suspend(), _stopped_with_the_editor():
                ended = subprocess.run([*command, str(path)], check=False)
            if ended.returncode:
                message = _("{editor} ended with {code}; nothing was changed.")
                raise OutsideError(message.format(editor=command[0], code=ended.returncode))
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
