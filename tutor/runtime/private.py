"""A directory that nobody else can look into, with a path short enough for sockets."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tutor.text.i18n import _

MOST_SOCKET_PATH = 107 if os.uname().sysname == "Linux" else 103
"""Bytes of the path of a Unix socket, without the NUL that ends it: unix(7)."""
_LONGEST_NAME = len("/normtutor-12345678/k-5")


def private_directory(environ: Mapping[str, str] = os.environ) -> Path:
    """Makes a new directory with mode 0700, in `$XDG_RUNTIME_DIR` where that is fit, else where temporary files go.

    Raises OSError, with what to do about it, when there is no place for one.
    """
    trouble = ""
    for parent in _parents(environ):
        if len(os.fsencode(parent)) + _LONGEST_NAME > MOST_SOCKET_PATH:
            trouble = trouble or _("{directory} is too long a path for sockets").format(directory=parent)
            continue
        try:
            return Path(tempfile.mkdtemp(prefix="normtutor-", dir=parent))
        except OSError as error:
            trouble = f"{parent}: {error.strerror}"
    raise OSError(_("no place for private files ({trouble}); set TMPDIR").format(trouble=trouble))


def _parents(environ: Mapping[str, str]) -> Iterator[str]:
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    if runtime and _is_ours(runtime):
        yield str(Path(runtime).absolute())
    yield str(Path(environ.get("TMPDIR") or tempfile.gettempdir()).absolute())
    yield "/tmp"


def _is_ours(directory: str) -> bool:
    """Whether it is what the XDG specification promises: there, ours, and closed to others."""
    try:
        status = Path(directory).stat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077
