"""The state of things in a few words, for the first line of every screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from tutor.text.aloud import aloud
from tutor.text.i18n import _

if TYPE_CHECKING:
    from tutor.ui.app import TutorApp

WIDE = 110
"""Columns from which on a line has room for more than the shortest form."""


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
        brief = app.size.width < WIDE
        words = gpu_words(app, brief=brief)
        return Text(words if brief and device.triton == "compiled" else f"{words} · {triton}")
    return Text(f"CPU · {triton}")


def gpu_words(app: TutorApp, *, brief: bool) -> str:
    """The GPU and who holds how much of it; empty on a CPU."""
    device = app.python.device
    if device is None or device.kind != "cuda":
        return ""
    from tutor.ui import gpu

    return gpu.words(device, app.python.gpu.holding, brief=brief)


def kernel_text(app: TutorApp) -> Text:
    """Whether cells can run."""
    session = app.python.session
    if session is None:
        return Text(_("Python is starting …"), "dim")
    from tutor.runtime.session import State

    if app.python.gpu.rests:
        return Text(_("GPU given back"), "dim")
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
