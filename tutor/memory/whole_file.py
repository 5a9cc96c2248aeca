"""Puts a whole file in the place of an old one: whoever reads meanwhile sees the one or the other."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path


def export(path: Path, data: bytes) -> None:
    """`replace` for a path that the learner gave: a link stays one, and what is no file is written into.

    OSError as storage fails, ValueError for what can be no path.
    """
    if path.exists() and not path.is_file():  # such as /dev/stdout: there is nothing to put in its place
        with path.open("wb") as file:
            file.write(data)
    else:
        replace(Path(os.path.realpath(path)), data)


def replace(path: Path, data: bytes) -> None:
    """Writes `data` to `path`, readable by its owner alone, and on disk when this returns. OSError as storage fails."""
    # Beside it, for a rename does not cross file systems.
    beside = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
