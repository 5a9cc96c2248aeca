"""Where progress is kept: can it be written, by whom can it be read, on what does it lie."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tutor.commands.doctor.report import Finding, ok, problem, warning
from tutor.text.i18n import _

LITTLE, NOTHING = 100 << 20, 5 << 20
"""Bytes of free space that deserve a warning, and that are too few to go on."""

NETWORK = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "lustre", "gpfs", "beegfs", "ceph", "afs", "9p", "fuse.sshfs")


def storage_findings(directory: Path) -> Iterator[Finding]:
    """What can be said of the directory of the journal; it is not created by asking."""
    existing = next((d for d in (directory, *directory.parents) if d.exists()), Path("/"))
    trouble = _cannot_write(existing)
    if trouble:
        yield problem(
            "storage.writable",
            f"{existing}: {trouble}",
            _(
                "Progress cannot be saved. Make it yours: chown -R $USER {directory}, "
                "or choose another place: export XDG_STATE_HOME=…"
            ).format(directory=existing),
        )
    else:
        yield ok("storage.writable", str(directory))
    if directory.exists():
        yield _private(directory)
    kind = filesystem(existing)
    if kind in NETWORK:
        yield ok("storage.filesystem", _("{kind}, a network file system: the journal is made for it").format(kind=kind))
    elif kind in ("tmpfs", "ramfs"):
        yield warning(
            "storage.filesystem",
            kind,
            _("Progress is lost when this machine restarts. Choose a disk: export XDG_STATE_HOME=…"),
        )
    else:
        yield ok("storage.filesystem", kind or _("unknown"))
    yield _space(existing)


def _cannot_write(directory: Path) -> str:
    """Why a file there cannot be created, written and synced; empty when it can."""
    try:
        with tempfile.NamedTemporaryFile(dir=directory, prefix=".normtutor-doctor-") as file:
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _private(directory: Path) -> Finding:
    status = directory.stat()
    mode = f"{stat.S_IMODE(status.st_mode):04o}"
    if status.st_uid != os.geteuid():
        return warning(
            "storage.mode",
            _("belongs to user {uid}").format(uid=status.st_uid),
            _("Progress is in another user's directory (sudo?). Choose your own: export XDG_STATE_HOME=…"),
        )
    if status.st_mode & 0o077:
        return warning(
            "storage.mode",
            mode,
            _("Other users can look into your answers: chmod 700 {directory}").format(directory=directory),
        )
    return ok("storage.mode", mode)


def _space(directory: Path) -> Finding:
    free = shutil.disk_usage(directory).free
    found = _("{megabytes} MB free").format(megabytes=free >> 20)
    advice = _("Free some space there, or choose another place: export XDG_STATE_HOME=…")
    if free < NOTHING:
        return problem("storage.space", found, advice)
    return warning("storage.space", found, advice) if free < LITTLE else ok("storage.space", found)


def filesystem(path: Path, mounts: Path = Path("/proc/self/mounts")) -> str:
    """The type of the file system that holds `path`, as the kernel names it; empty where that is not told (macOS)."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    resolved = path.resolve()
    found, length = "", -1
    for line in lines:
        _device, point, kind, *_options = line.split(" ")
        where = Path(point.replace("\\040", " ").replace("\\011", "\t"))
        # Of two mounts at one place the later one is what is seen.
        if resolved.is_relative_to(where) and len(where.parts) >= length:
            found, length = kind, len(where.parts)
    return found
