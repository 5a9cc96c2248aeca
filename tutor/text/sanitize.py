r"""Makes text that is not ours safe to show.

Textual and Rich hand most control characters through to the terminal, so whatever a cell prints, a learner types, or a
file, a device or the environment is called could set the clipboard, rename the window or draw over the screen.
Everything of that kind passes through here once, at the boundary where it enters.

What stays is text: letters, marks, symbols, spaces, `\n` and `\t`. Tabs stay because source code goes through here too
and must come out as it was written; `Transcript` expands them where columns are known. Every sequence of ECMA-48 goes,
colours included.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from itertools import chain

MAX_MARKS = 4
"""Combining marks in a row. Vietnamese needs two, Hebrew with its accents four; towers of hundreds hide other rows."""

# A control string (OSC, DCS, APC, PM, SOS, and the window title that screen and tmux read after ESC k) also ends at the
# end of the line, or one that is never closed would swallow everything after it. ESC and C1 always begin anew, so the
# terminators ST and BEL need no mention: they are removed as the controls that they are.
_STRING = r"(?:\x1b[\]PX^_k]|[\x90\x98\x9d-\x9f])[^\x07\x18\x1a\x1b\x80-\x9f\r\n]*"
_CSI = r"(?:\x1b\[|\x9b)[\x20-\x3f]*"
_ESCAPE = r"\x1b[\x20-\x2f]*"

# Not \b \t \n \r, which the callers below treat each in its own way, and not ESC and the C1 controls that begin a
# sequence: a run of others must not take them along and leave their sequences as text.
_CONTROLS_ASCII = r"\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f"
_CONTROLS = _CONTROLS_ASCII + r"\x80-\x8f\x91-\x97\x99\x9a\x9c"
# What Unicode calls default-ignorable (joiners, fillers, direction, variation selectors, tags), and all of category Cf.
_INVISIBLE = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Private use and noncharacters: their meaning is ours to give (placeholders), never foreign text's.
_PRIVATE = "\ue000-\uf8ff\ufdd0-\ufdef\ufffe\uffff\U000f0000-\U0010ffff" + "".join(
    f"{chr(plane | 0xFFFE)}{chr(plane | 0xFFFF)}" for plane in range(0x10000, 0xF0000, 0x10000)
)

_SEQUENCE = rf"{_STRING}|{_CSI}[\x40-\x7e]?|{_ESCAPE}[\x30-\x7e]?"
_REMOVED = re.compile(rf"{_SEQUENCE}|[{_CONTROLS}{_INVISIBLE}{_PRIVATE}]+")
_REMOVED_ASCII = re.compile(rf"{_SEQUENCE}|[{_CONTROLS_ASCII}]+")
_SURROGATES = re.compile("[\ud800-\udfff]")
_INTRODUCERS = "\x1b\x90\x98\x9b\x9d\x9e\x9f"
_OPEN = re.compile(rf"(?:(?P<string>{_STRING})|(?P<csi>{_CSI})|(?P<escape>{_ESCAPE}))\Z")
_CARRY = {"string": "\x9d", "csi": "\x9b"}
# The stretches of Unicode that hold all combining marks, without the big scripts and the symbols that hold none.
_WITH_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u1dff\u20d0-\u20ff\u2cef-\u2dff\u302a-\u302f\u3099-\u309a\ua66f-\uabff"
    "\ufb1e-\ufb1e\ufe20-\ufe2f"
)
_WITH_MARKS_ASTRAL = "\U000101fd-\U00016fff\U0001bc9d-\U0001bc9e\U0001cf00-\U0001d244\U0001da00-\U0001e94a"
_MAYBE_MARKS = re.compile(f"[{_WITH_MARKS}{_WITH_MARKS_ASTRAL}]")
_MAYBE_ASTRAL_MARKS = re.compile(f"[{_WITH_MARKS_ASTRAL}]")
_MAYBE_TOO_MANY = re.compile(f"[{_WITH_MARKS}{_WITH_MARKS_ASTRAL}]{{{MAX_MARKS + 1},}}")

# Each begins where a run begins, or a long run would be looked at once from every place in it.
_RETURNS_AT_END = re.compile(r"(?<!\r)\r++(?=\n)")
_RETURNS_AT_START = re.compile(r"(?:(?<=\n)|\A)\r+")
_RETURNS = re.compile(r"\r+")


def sanitize(text: str, *, limit: int | None = None, newlines: bool = True) -> str:
    r"""`text` without anything that a terminal would act upon or that cannot be seen.

    Every kind of line end becomes `\n`; a lone carriage return too, so that no text overprints another. Without
    `newlines` the result is one line (for names and titles). Beyond `limit` characters it ends in `…`. What is not
    Unicode (lone surrogates) becomes U+FFFD. Letters keep their normal form. Idempotent; time is linear in the length.
    """
    cut = False
    if limit is not None and len(text) > 16 * limit + 1024:
        text, cut = text[: 16 * limit + 1024], True
    text = _strip(text).replace("\b", "")
    if "\r" in text:
        text = _RETURNS_AT_END.sub("", text)
        text = _RETURNS_AT_START.sub("", text)
        text = _RETURNS.sub("\n", text)
    text = cap_marks(text)
    if not newlines:
        text = text.replace("\n", " ").replace("\t", " ")
    if limit is not None and (cut or len(text) > limit):
        text = text[: max(limit - 1, 0)] + "…"[:limit]
    return text


def pasted(text: str, *, newlines: bool = True) -> str:
    """`sanitize` for what a terminal pastes: it sends a carriage return for each end of a line."""
    return sanitize(text.replace("\r\n", "\n").replace("\r", "\n"), newlines=newlines)


def spelt_out(text: str) -> str:
    """`text` with everything that does not print as an escape: for names, in which every character counts."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


class StreamSanitizer:
    r"""`sanitize` for text that arrives in chunks: however it is split, the chunks' results add up to the same text.

    `\r` and `\b` stay in it, for a `Transcript` to resolve. Of an unfinished sequence only its kind is remembered, so
    memory does not grow with it.
    """

    def __init__(self) -> None:
        self._carry = ""
        self._marks = 0

    def feed(self, chunk: str) -> str:
        """What can be shown of the next chunk."""
        if not chunk:
            return ""
        text = self._carry + chunk
        self._carry = _open_sequence(text)
        text = _strip(text)
        shown = cap_marks(text, self._marks)
        self._marks = _trailing_marks(text, self._marks)
        return shown

    def flush(self) -> str:
        """Ends the text: an unfinished sequence is dropped, and the next chunk begins anew."""
        self._carry = ""
        self._marks = 0
        return ""


def _strip(text: str) -> str:
    r"""`text` without sequences, controls (but \b \t \n \r) and what is invisible; separators become line ends."""
    if text.isascii():
        return _REMOVED_ASCII.sub("", text)
    text = _REMOVED.sub("", text)
    text = text.replace("\u2028", "\n").replace("\u2029", "\n")
    return _SURROGATES.sub("\ufffd", text)


def _open_sequence(text: str) -> str:
    """The shortest text that continues the sequence in which `text` ends, "" where it ends in none."""
    start = max(text.rfind(introducer) for introducer in _INTRODUCERS)
    found = _OPEN.match(text, start) if start >= 0 else None
    if found is None:
        return ""
    kind = str(found.lastgroup)
    return _CARRY.get(kind) or ("\x1b " if found.end() - start > 1 else "\x1b")


@functools.cache
def _too_many_marks() -> re.Pattern[str]:
    """A run of too many combining marks. 3 ms to make, so only when a text may hold some; in the BMP, which is fast."""
    stretches = (range(ord(first), ord(last) + 1) for first, last in re.findall("(.)-(.)", _WITH_MARKS))
    return re.compile(
        f"[{''.join(chr(code) for code in chain(*stretches) if _is_mark(chr(code)))}]{{{MAX_MARKS + 1},}}"
    )


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


def cap_marks(text: str, run: int = 0) -> str:
    """`text` with at most `MAX_MARKS` combining marks in a row, when it follows `run` of them (no more than that).

    Also for texts that are put together of sanitised ones, where a row may go on.
    """
    if text.isascii() or not _MAYBE_MARKS.search(text):
        return text
    text = _too_many_marks().sub(lambda found: found.group()[:MAX_MARKS], "\u0301" * run + text)
    if _MAYBE_ASTRAL_MARKS.search(text):
        text = _MAYBE_TOO_MANY.sub(_cap_run, text)
    return text[run:]


def _cap_run(found: re.Match[str]) -> str:
    kept: list[str] = []
    run = 0
    for character in found.group():
        run = run + 1 if _is_mark(character) else 0
        if run <= MAX_MARKS:
            kept.append(character)
    return "".join(kept)


def _trailing_marks(text: str, run: int) -> int:
    """How many marks are at the end of `text` when it follows `run` of them; at most `MAX_MARKS`."""
    end = ("\u0301" * run + text[-MAX_MARKS:])[-MAX_MARKS:]
    return next((count for count, character in enumerate(reversed(end)) if not _is_mark(character)), len(end))
