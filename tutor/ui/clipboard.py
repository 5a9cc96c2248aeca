"""Copies text to the learner's clipboard, by their own key only: over SSH that is a sequence which the terminal obeys.

The text is sanitised and goes as base64, so that nothing in it can end the sequence or begin another.
"""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tutor.memory.places import state_directory
from tutor.memory.whole_file import replace
from tutor.text.i18n import _, ngettext
from tutor.text.sanitize import sanitize

if TYPE_CHECKING:
    from tutor.ui.app import TutorApp

MOST = 74_994
"""Bytes: with the base64 and the frame around it 100,000, beyond which terminals drop the sequence whole."""
MOST_KEPT = 5_000_000
"""Characters that the file takes."""
FILE = "copied.txt"
SCREEN_PART = 700
"""Characters of a device control string that GNU screen passes on (it takes 768)."""
TMUX_PATIENCE = 2.0
"""Seconds."""


class Thing(NamedTuple):
    """Something that can be copied, and what it is called."""

    name: str
    text: str


def sequence(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """What makes the terminal take `text`, wrapped for the multiplexer that it has to pass through."""
    plain = f"\x1b]52;c;{base64.b64encode(text.encode('utf-8', 'replace')).decode()}\x07"
    term = environ.get("TERM", "")
    if environ.get("TMUX") or term.startswith("tmux"):
        # The one for `set-clipboard on`, the other for `allow-passthrough on`: either may be off.
        doubled = plain.replace("\x1b", "\x1b\x1b")
        return f"{plain}\x1bPtmux;{doubled}\x1b\\"
    if environ.get("STY") or term.startswith("screen"):
        parts = (plain[start : start + SCREEN_PART] for start in range(0, len(plain), SCREEN_PART))
        return "".join(f"\x1bP{part}\x1b\\" for part in parts)
    return plain


async def copy(app: TutorApp, thing: Thing) -> None:
    """Copy it, keep it in a file too, and say what was done and what to do where the terminal does not obey."""
    text = sanitize(thing.text)[:MOST_KEPT].rstrip("\n")
    count = ngettext("{n} character", "{n} characters", len(text)).format(n=len(text))
    kept = await asyncio.to_thread(_keep, text)
    where = _("It is also in {path}.").format(path=kept) if kept is not None else ""
    if len(text.encode("utf-8", "replace")) > MOST:
        message = _("{what}: {count} are more than terminals copy ({most} kB).").format(
            what=thing.name, count=count, most=MOST // 1000
        )
        app.notify(f"{message} {where}".strip(), severity="warning", markup=False, timeout=10)
        return
    in_tmux = await _told_tmux(text)
    if not in_tmux:
        send(app, text)
    message = _("Copied: {what}, {count}.").format(what=thing.name, count=count)
    if in_tmux:
        where = " ".join((_("tmux pastes it too, with prefix ]."), where))
    else:
        where = " ".join((_("If nothing can be pasted, your terminal does not take OSC 52."), where))
    app.notify(f"{message} {where}".strip(), markup=False, timeout=10)


def send(app: TutorApp, text: str) -> None:
    """Send the sequence to the terminal."""
    if app._driver is not None:
        app._driver.write(sequence(sanitize(text)))


def _keep(text: str) -> str | None:
    """The file that the text was written to; None where that cannot be."""
    path: Path = state_directory() / FILE
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace(path, (text + "\n").encode("utf-8", "replace"))
    except OSError:
        return None
    return sanitize(str(path), newlines=False)


async def _told_tmux(text: str) -> bool:
    """Whether tmux took it by its own command, which works as tmux is set up by default; its sequences then do not."""
    if not os.environ.get("TMUX"):
        return False
    pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    try:
        tmux = await asyncio.create_subprocess_exec(
            "tmux", "load-buffer", "-w", "-", stdin=pipe, stdout=null, stderr=null
        )
    except OSError:
        return False
    try:
        async with asyncio.timeout(TMUX_PATIENCE):
            await tmux.communicate(text.encode("utf-8", "replace"))
    except TimeoutError:
        with suppress(ProcessLookupError):
            tmux.kill()
        await tmux.wait()
        return False
    return tmux.returncode == 0
