"""`--device`: where code runs. Used before any process starts, because none can change it afterwards."""

from __future__ import annotations

import argparse
import os

from tutor.commands.support import WrongUseError
from tutor.text.i18n import _

RUN_CODE = frozenset({"bench", "check", "doctor", "export", "grade", "open", "review", "run"})
"""The commands that run code, or open the app. `lab` does too, and adds the option itself."""


def add_device_option(parser: argparse._ActionsContainer, *, default: str | None = argparse.SUPPRESS) -> None:
    """Adds it. Behind a command it has no default, so that what is given before the command stays."""
    words = _(
        "where code runs: auto (the GPU with the most free memory), cpu, a GPU's number as nvidia-smi shows it, "
        "0:1 for a part of one (MIG), or a UUID; also {variable}"
    )
    parser.add_argument("--device", metavar="DEVICE", default=default, help=words.format(variable="NORMTUTOR_DEVICE"))


def use_device(args: argparse.Namespace) -> None:
    """The device that the command line names, as the environment would. Raises WrongUseError where there is none."""
    name = getattr(args, "device", None)
    if name is None:
        return
    from tutor.runtime.device import refused
    from tutor.runtime.wish import VARIABLE

    if why := refused(name):
        raise WrongUseError(_("--device {device}: {why}").format(device=name, why=why))
    os.environ[VARIABLE] = name
