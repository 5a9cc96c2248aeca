"""The real program with a learner's Python that does without torch, which takes seconds.

    python -m tests.ui.light open read

Faults that a test cannot cause from outside are switched on by files in `$NORMTUTOR_TEST_FAULTS`: while `full` is there
the disk is full, while `memory` is there the journal's writer gets none.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tutor.cli import main
from tutor.runtime import session

FAULTS = "NORMTUTOR_TEST_FAULTS"


def failing(call: Callable[..., Any], switches: Path) -> Callable[..., Any]:
    """The call, which fails while a switch is there."""

    def instead(*arguments: Any, **options: Any) -> Any:
        if (switches / "full").exists():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if (switches / "memory").exists():
            raise MemoryError
        return call(*arguments, **options)

    return instead


if __name__ == "__main__":
    session.PRELUDE = "1"
    if FAULTS in os.environ:
        for name in ("pwrite", "fsync"):  # what the journal and whole files are written with
            setattr(os, name, failing(getattr(os, name), Path(os.environ[FAULTS])))
    sys.exit(main())
