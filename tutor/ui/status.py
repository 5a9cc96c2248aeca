"""The state of things in a few words, for the first line of every screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from tutor.text.aloud import aloud
from tutor.text.i18n import _

if TYPE_CHECKING:
    from tutor.ui.app import TutorApp


def machine_text(app: TutorApp) -> Text:
    """The device, and how Triton kernels run on it."""
    device = app.python.device
    if device is None:
        return Text(_("looking for a GPU …"), "dim")
    triton = {
        "compiled": _("Triton compiled"),
        "interpreted": _("Triton interpreted"),
        "missing": _("no Triton"),
    }[device.triton]
    if device.kind == "cuda":
        free = _("{gb:.0f} GB free").format(gb=device.free_bytes / 1e9)
        return Text(f"{device.name} #{device.index} · {free} · {triton}")
    return Text(f"CPU · {triton}")


def kernel_text(app: TutorApp) -> Text:
    """Whether cells can run."""
    session = app.python.session
    if session is None:
        return Text(_("Python is starting …"), "dim")
    from tutor.runtime.session import State

    words = {
        State.OFF: (_("Python off"), "dim"),
        State.STARTING: (_("Python is starting …"), "dim"),
        State.READY: (_("Python ready"), ""),
        State.BUSY: (_("Python busy"), "bold"),
        State.DEAD: (_("Python ended · F4"), "bold"),
        State.FAILED: (_("no Python · F4"), "bold"),
    }
    return Text(*words[session.state])


def saved_text(app: TutorApp) -> Text:
    """Whether everything is on disk."""
    study = app.study
    if study is None:
        return Text("")
    if study.trouble:
        return Text(_("NOT SAVED"), "bold")
    if aloud():
        return Text("")  # it would be read out at every pause in the typing
    return Text(_("saving …") if study.saving else _("saved"), "dim")
