"""Writes the settings: one value changes, every comment stays; a file that is not there yet explains itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from tutor.memory.places import settings_file
from tutor.memory.settings import FIELDS, Settings
from tutor.memory.whole_file import replace

TEMPLATE = """\
# Settings of normtutor. The app changes them too; your comments stay.
# A value that cannot be used is named when the app starts, and the default is taken.

language = "auto"       # "vi", "en", or "auto": what your locale says
theme = "auto"          # a theme that ctrl+p lists, such as "textual-light"
screen-reader = false   # true: lines to be read aloud; no columns, boxes or drawings
device = "auto"         # "auto": the GPU with the most free memory; "cpu"; or a GPU's number, as nvidia-smi has it: "3"
idle-minutes = 30       # without a run, until a GPU is given back, and Python's variables with it; 0: never

[review]
daily-limit = 20        # cards a day; what is left waits for the next
minutes = 10            # what a review takes before it asks whether to go on
rollover = 4            # the hour at which a new day begins
time-zone = "auto"      # where you are, such as "Asia/Ho_Chi_Minh"; "auto": where the machine is

[keys]
# Other keys for what the app does, several with commas; "?" in the app lists what there is.
# "lesson.next" = "right_square_bracket,n"
"""


class NotWrittenError(Exception):
    """The settings could not be written; the message says why."""


def change(attribute: str, value: Any, *, path: Path | None = None, first: Mapping[str, Any] | None = None) -> None:
    """Sets one field of `Settings` in the file; NotWrittenError where that cannot be.

    A file that is not there is made, with `first` for the fields that were set elsewhere before there was one.
    """
    path = path if path is not None else settings_file()
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        text = None
    except (OSError, UnicodeDecodeError) as error:
        raise NotWrittenError(f"{path}: {error}") from error
    try:
        document = tomlkit.parse(TEMPLATE if text is None else text)
        for name, given in {**((first or {}) if text is None else {}), attribute: value}.items():
            _set(document, name, given)
    except (TOMLKitError, TypeError) as error:
        raise NotWrittenError(f"{path}: {error}") from error
    _write(path, tomlkit.dumps(document))


def _set(document: tomlkit.TOMLDocument, attribute: str, value: Any) -> None:
    if attribute == "keys":
        document["keys"] = dict(value)
        return
    field = next(field for field in FIELDS if field.attribute == attribute)
    section: tomlkit.TOMLDocument | Table = document
    if field.section:
        if field.section not in document:
            document[field.section] = tomlkit.table()
        found = document[field.section]
        if not isinstance(found, Table):
            raise TypeError(f"[{field.section}] is no section")
        section = found
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    section[field.key] = field.read(value) if value != getattr(Settings(), attribute) else value


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # What a link leads to is replaced, not the link: some keep their settings in a repository.
        replace(path.resolve(), text.encode())
    except OSError as error:
        raise NotWrittenError(f"{path}: {error.strerror or error}") from error
