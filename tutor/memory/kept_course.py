"""A course as it was read the last time, kept by the content of its files: reading YAML takes twenty times as long.

Only a course without findings is kept, whole: what is wrong with a file is told anew each time. The key is a hash of
the files' contents and names, of the program's version and of the modules that read them, so that no stale course is
ever taken; times and sizes of the course's files are not trusted. A kept file that is broken, another's or open to
others is as good as none.
"""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from tutor import __version__
from tutor.course import load
from tutor.course.model import Course, Text
from tutor.memory.places import cache_directory
from tutor.memory.whole_file import replace

FILE = "course.msgpack"
MAX_BYTES = 32 * 2**20
"""Of a kept course; the project's own takes one megabyte."""
HASH = hashlib.sha256
SIZE = HASH().digest_size


def read_course(root: Path | None = None) -> Course:
    """What `load_course` gives, from the kept file where that is of these very contents; it is kept anew if not."""
    root = Path(root) if root is not None else load.course_root()
    key = _key(root)
    if key is not None and (kept := _kept(key)) is not None:
        return kept
    course = load.load_course(root)
    # A file that was changed while it was read is of no known content.
    if key is not None and not course.findings and _key(root) == key:
        _keep(key, course)
    return course


def _kept(key: bytes) -> Course | None:
    data = _read_ours(cache_directory() / FILE)
    if data is None or data[:SIZE] != key or data[SIZE : 2 * SIZE] != HASH(data[2 * SIZE :]).digest():
        return None
    try:
        return msgspec.msgpack.decode(data[2 * SIZE :], type=Course, dec_hook=_from_builtins)
    except (msgspec.DecodeError, ValueError, TypeError, RecursionError):
        return None


def _keep(key: bytes, course: Course) -> None:
    try:
        data = msgspec.msgpack.encode(course, enc_hook=_to_builtins)
    except (UnicodeEncodeError, msgspec.EncodeError):
        return
    with suppress(OSError):  # a full disk, or one that is only read: the next start is slower, no more
        directory = cache_directory()
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace(directory / FILE, key + HASH(data).digest() + data)


def _read_ours(path: Path) -> bytes | None:
    """The bytes of a regular file that only we can have written."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            ours = status.st_uid == os.geteuid() and not status.st_mode & 0o022
            if not stat.S_ISREG(status.st_mode) or not ours or status.st_size > MAX_BYTES:
                return None
            return file.read(MAX_BYTES)
    except (OSError, ValueError):
        return None


def _key(root: Path) -> bytes | None:
    """A hash of all that a course is made from; None where that is not a directory of plain files."""
    made_from = HASH(repr((__version__, str(root), _reader())).encode())
    try:
        names = sorted(entry.name for entry in os.scandir(root) if entry.name.endswith((".yaml", ".yml")))
        paths = [root / name for name in names]
        # What a course lacks is taken from elsewhere.
        paths += [place / name for place in (load.course_root(), load.own_root()) for name in load.BESIDE_LESSONS]
        for path in dict.fromkeys(paths):
            try:
                status = path.stat()
            except FileNotFoundError:
                continue
            if not stat.S_ISREG(status.st_mode) or status.st_size > load.MAX_BYTES:
                return None
            content = HASH(path.read_bytes()).digest()
            made_from.update(repr((str(path), content)).encode("utf-8", "surrogatepass"))
    except (OSError, ValueError):
        return None
    return made_from.digest()


def _reader() -> list[tuple[str, int, int]]:
    """The modules that read a course: in a checkout they change without a new version."""
    found = []
    for entry in os.scandir(Path(load.__file__).parent):
        if entry.name.endswith(".py"):
            status = entry.stat()
            found.append((entry.name, status.st_size, status.st_mtime_ns))
    return sorted(found)


def _to_builtins(value: Any) -> Any:
    if not isinstance(value, Text):
        raise NotImplementedError(f"no way to keep {type(value)}")
    return value.vi, value.en


def _from_builtins(type: Any, value: Any) -> Any:
    if type is not Text or not isinstance(value, list) or [str, str] != [part.__class__ for part in value]:
        raise ValueError("not what was kept")
    return Text(*value)
