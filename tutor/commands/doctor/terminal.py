"""The terminal: what it says of itself, and how wide it really draws the characters that the app uses."""

from __future__ import annotations

import codecs
import locale
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tutor.commands.doctor.report import Finding, ok, problem, warning
from tutor.text.i18n import _

WIDTH, HEIGHT = 80, 24
ANSWER_WITHIN = 1.0
"""Seconds for a terminal to say where its cursor is; a slow SSH link needs some."""

SAMPLES = {"Vietnamese": "ếẫộữ", "braille": "⡠⠤⠒⣿", "lines": "│└▰✓"}
"""Characters of one column each, by what the app needs them for."""


def terminal_findings(environ: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """What can be said of the terminal, or that there is none."""
    yield _term(environ)
    yield _colours(environ)
    yield _encoding()
    yield from _multiplexer(environ)
    if "SSH_CONNECTION" in environ:
        yield ok("ssh", _("over SSH; `ssh -C` makes the app send 50 times less"))
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        yield ok("terminal.size", _("not a terminal here, so its size and its characters were not measured"))
        return
    yield _size()
    yield _widths()


def _term(environ: Mapping[str, str]) -> Finding:
    term = environ.get("TERM", "")
    if term in ("", "dumb", "unknown"):
        return problem(
            "terminal.type",
            f"TERM={term}",
            _("The app cannot draw on this terminal. In a real one: export TERM=xterm-256color"),
        )
    if term == "linux":
        return warning(
            "terminal.type",
            "TERM=linux",
            _("The Linux console has no braille: plots use blocks instead. SSH in for finer ones."),
        )
    return ok("terminal.type", f"TERM={term}")


def _colours(environ: Mapping[str, str]) -> Finding:
    what = "terminal.colours"
    if environ.get("NO_COLOR"):
        return ok(what, _("none, because NO_COLOR is set"))
    if environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return ok(what, _("16 million (COLORTERM)"))
    if "256" in environ.get("TERM", "") or "direct" in environ.get("TERM", ""):
        return ok(what, _("256; SSH does not pass COLORTERM on. If your terminal has more: export COLORTERM=truecolor"))
    return warning(what, _("16 or fewer"), _("If your terminal has more: export TERM=xterm-256color"))


def _encoding() -> Finding:
    name = locale.getpreferredencoding(False)
    if codecs.lookup(name).name == "utf-8":
        return ok("terminal.encoding", "UTF-8")
    return warning("terminal.encoding", name, _("Vietnamese and plots need UTF-8: export LC_ALL=C.UTF-8"))


def _multiplexer(environ: Mapping[str, str]) -> Iterator[Finding]:
    if "TMUX" not in environ:
        return
    term = environ.get("TERM", "")
    if not term.startswith(("tmux", "screen")):
        yield warning(
            "tmux", f"TERM={term}", _("Inside tmux TERM should be tmux-256color: set -g default-terminal tmux-256color")
        )
    delay = _tmux("show-options", "-gqsv", "escape-time")
    if delay.isdecimal() and int(delay) > 100:
        yield warning("tmux", f"escape-time {delay}", _("Esc answers late. In ~/.tmux.conf: set -sg escape-time 10"))
    elif term.startswith(("tmux", "screen")):
        yield ok("tmux", _tmux("-V") or "tmux")


def _tmux(*arguments: str) -> str:
    try:
        done = subprocess.run(["tmux", *arguments], capture_output=True, text=True, timeout=2, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def _size() -> Finding:
    columns, lines = os.get_terminal_size(sys.stdout.fileno())  # not what COLUMNS and LINES say
    found = f"{columns}x{lines}"
    if columns < WIDTH or lines < HEIGHT:
        return warning(
            "terminal.size",
            found,
            _("The screens are made for 80x24 and more: enlarge the window, or zoom the tmux pane."),
        )
    return ok("terminal.size", found)


def _widths() -> Finding:
    what = "terminal.characters"
    try:
        if _columns_of("") is None:
            return ok(what, _("not measured: the terminal does not say where its cursor is"))
        wrong = [name for name, text in SAMPLES.items() if _columns_of(text) not in (None, len(text))]
    except OSError as error:
        return ok(what, _("not measured ({why})").format(why=error))
    if wrong:
        return warning(
            what,
            _("drawn with the wrong width: {which}").format(which=", ".join(wrong)),
            _(
                "Lines will not align. Choose a font with these characters, "
                "and no “ambiguous characters are wide” setting."
            ),
        )
    return ok(what, _("Vietnamese, braille and lines are one column each"))


def _columns_of(text: str) -> int | None:
    """How many columns the terminal draws `text` over, by asking it for its cursor; None if it does not answer."""
    with _raw_terminal() as terminal:
        os.write(terminal, f"\r{text}\x1b[6n".encode())
        answer = b""
        end = time.monotonic() + ANSWER_WITHIN
        while (left := end - time.monotonic()) > 0 and not answer.endswith(b"R"):
            if not select.select([terminal], [], [], left)[0]:
                break
            answer += os.read(terminal, 64)
        os.write(terminal, b"\r\x1b[K")
    position = re.search(rb"\x1b\[\d+;(\d+)R", answer)
    return int(position[1]) - 1 if position else None


@contextmanager
def _raw_terminal() -> Iterator[int]:
    """The controlling terminal, unbuffered and without echo; what it sends too late is dropped."""
    import termios
    import tty

    terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    try:
        if os.tcgetpgrp(terminal) != os.getpgrp():  # changing the terminal from the background would stop us
            raise OSError(_("running in the background"))
        before = termios.tcgetattr(terminal)
        try:
            tty.setcbreak(terminal)
            yield terminal
        finally:
            termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
    finally:
        os.close(terminal)
