"""How a process ended, in words."""

from __future__ import annotations

import re
import signal
from pathlib import Path

from tutor.text.i18n import _


def out_of_memory_kills() -> int:
    """How often this system has killed a process for lack of memory; 0 where it does not tell."""
    try:
        counters = Path("/proc/vmstat").read_text()
    except OSError:
        return 0
    found = re.search(r"^oom_kill (\d+)$", counters, re.MULTILINE)
    return int(found[1]) if found else 0


def ending(code: int, *, out_of_memory: bool = False) -> str:
    """What an exit code says, in words; `out_of_memory` if the system has killed something for lack of memory."""
    if code >= 0:
        return _("It ended by itself, with exit code {code}.").format(code=code)
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    if code == -signal.SIGKILL and out_of_memory:
        return _("The machine ran out of memory, and the system ended it ({signal}).").format(signal=name)
    if code == -signal.SIGKILL:
        return _("It was killed ({signal}). Most often the machine ran out of memory.").format(signal=name)
    if -code in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL):
        return _("It crashed in native code ({signal}).").format(signal=name)
    return _("It was ended by a signal ({signal}).").format(signal=name)
