"""A fault of ours: the learner gets two plain lines, the traceback goes to a file for a report."""

from __future__ import annotations

import os
import time
import traceback
from pathlib import Path

from rich.text import Text
from textual.worker import WorkerFailed

from tutor.course.load import shown
from tutor.memory.journal import state_directory
from tutor.text.i18n import _


def write_report(error: BaseException | None) -> Path | None:
    """Write the traceback beside the journal; None if even that cannot be done."""
    if isinstance(error, WorkerFailed):  # it says which worker; what happened in there is the error it holds
        error = error.error
    path = state_directory() / f"fault-{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}.log"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(traceback.format_exception(error) if error is not None else ["unknown\n"])
    except OSError:
        return None
    return path


def reported(error: BaseException) -> str:
    """Write the report, and say where it is: for a fault after which the app goes on."""
    report = write_report(error)
    return _("A fault of normtutor's own; details: {path}").format(path=shown(report) if report is not None else "—")


def message(report: Path | None) -> Text:
    """What is said when the app must end."""
    text = Text(_("normtutor had to stop because of a fault of its own. What you typed and answered is kept."))
    if report is not None:
        text.append("\n" + _("Details for a report: {path}").format(path=shown(report)))
    return text
