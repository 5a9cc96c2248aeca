"""Which device is asked for: by `--device`, by `NORMTUTOR_DEVICE`, or by the settings. All three are the same words.

`auto` (or nothing) leaves it to us, `cpu` is the CPU. A GPU is named by its number as nvidia-smi shows it (`1`), a part
of one by the GPU's number and its own (`0:2`, MIG), each by its UUID or by as much of that as names only one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tutor.text.i18n import _
from tutor.text.sanitize import sanitize

if TYPE_CHECKING:
    from tutor.runtime.device import Device

VARIABLE = "NORMTUTOR_DEVICE"
CPU = "cpu"
_ANY = ("", "auto", "cuda")


def wish_of(environ: Mapping[str, str]) -> str:
    """What the environment asks for: `cpu`, the name of a GPU, or nothing."""
    wish = environ.get(VARIABLE, "").strip()
    if wish.lower() in _ANY:
        return ""
    return CPU if wish.lower() == CPU else wish.removeprefix("cuda:")


def named(found: Sequence[Device], wish: str) -> list[Device]:
    """Those of the GPUs that the name means: the parts of one that is divided, else one at most."""
    if place := re.fullmatch(r"(\d{1,4})(?::(\d{1,4}))?", wish, re.ASCII):
        part = int(place[2]) if place[2] else None
        return [each for each in found if each.index == int(place[1]) and part in (None, each.part)]
    begin = wish.lower()
    if not begin.startswith(("gpu-", "mig-")) or len(begin) == len("gpu-"):
        return []
    whole = [each for each in found if each.parent.lower() == begin]
    one = [each for each in found if each.uuid.lower().startswith(begin)]
    return whole or (one if len(one) == 1 else [])


def none_named(found: Sequence[Device], wish: str) -> str:
    """That there is no such GPU, and which there are."""
    there = "; ".join(f"{name(each)} {each.name} ({each.uuid})" for each in found[:16])
    return _("“{wish}” names no GPU here. There are: auto, cpu; {gpus}").format(
        wish=sanitize(wish, limit=80, newlines=False), gpus=there
    )


def name(device: Device) -> str:
    """The shortest name that `named` takes."""
    return f"{device.index}:{device.part}" if device.part >= 0 else str(device.index)
