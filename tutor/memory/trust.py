"""Whether the code of a course may run here: the project's own may, any other once the learner has agreed to it.

Agreement is to a content: the learner is asked again when a file of the course has changed. It is kept on this machine,
beside the journal and not in it, so that it does not travel with exported progress.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from tutor.course.load import course_root, is_own, shown
from tutor.memory.places import state_directory

VARIABLE = "NORMTUTOR_TRUST"
"""Set to 1, it agrees to every course as long as it is set; `--trust` sets it. Nothing is remembered."""
DIRECTORY = "trusted-courses"


def trusted(root: Path | None = None) -> bool:
    """Whether cells and exercises of the course in `root` (by default the one in use) may run without asking."""
    root = course_root() if root is None else root
    if is_own(root) or os.environ.get(VARIABLE) == "1":
        return True
    try:
        return (state_directory() / DIRECTORY / fingerprint(root)).is_file()
    except OSError:
        return False


def remember(root: Path | None = None) -> None:
    """Keeps that the learner has agreed to what is in `root` now, readable by them alone. OSError as storage fails."""
    root = course_root() if root is None else root
    directory = state_directory() / DIRECTORY
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    # One file a course, so that two sessions at once lose nothing; what it says is for whoever looks.
    with suppress(FileExistsError):
        handle = os.open(directory / fingerprint(root), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"{shown(root.absolute())}\n")
            file.flush()
            os.fsync(file.fileno())


def fingerprint(root: Path) -> str:
    """SHA-256 over the names and contents of all that is read as a course; of one file also what lies beside it."""
    directory = root if root.is_dir() else root.parent
    paths = sorted(path for path in directory.glob("*.yaml") if path.is_file())
    if root.is_file() and root not in paths:
        paths.append(root)
    whole = hashlib.sha256()
    for path in paths:
        name, data = os.fsencode(path.name), path.read_bytes()
        # Lengths go first, so that no two courses spell the same bytes.
        whole.update(b"%d %d\n" % (len(name), len(data)) + name + data)
    return whole.hexdigest()
