"""Reads what is typed at a prompt of the inline review: a line, one of its own words, or a line broken off."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tutor.text.sanitize import sanitize

try:
    import readline
except ImportError:  # a Python without it: then what is half typed cannot be seen, and not be kept
    readline = None  # type: ignore[assignment]

LONGEST = 4000
"""Characters of a line; whoever sends more has pasted the wrong thing."""


class Typed(NamedTuple):
    """A line: an answer in `text`, or a command, such as `f` with the note in `text`."""

    text: str
    command: str = ""


class Typist:
    """Asks for lines. What is half typed when the learner leaves goes to `keep`."""

    def __init__(self, keep: Callable[[str], None] = lambda _text: None) -> None:
        self.keep = keep
        self._plain = not sys.stdin.isatty()

    def line(self, prompt: str, commands: Mapping[str, str], *, draft: str = "") -> Typed:
        """The next line, with `draft` typed already. EOFError and KeyboardInterrupt when the learner leaves.

        A line that begins with a colon and a letter of `commands` is a command; two colons begin an answer with one.
        """
        if readline is not None and not self._plain:
            readline.set_startup_hook(lambda: readline.insert_text(draft) if draft else None)
        try:
            text = sanitize(input(prompt), limit=LONGEST, newlines=False).strip()
        except (KeyboardInterrupt, EOFError):
            if readline is not None and not self._plain:
                self.keep(sanitize(readline.get_line_buffer(), limit=LONGEST, newlines=False).strip())
            raise
        finally:
            if readline is not None and not self._plain:
                readline.set_startup_hook(None)
        if self._plain:  # what was typed is not on the screen, and the next line would go on after the prompt
            print(flush=True)
        if text.startswith("::"):
            return Typed(text[1:])
        letter, _space, rest = text[1:].partition(" ")
        if text.startswith(":") and letter in commands:
            return Typed(rest.strip(), letter)
        return Typed(text)
