"""Cuts a formula in its plain form into numbers, names with their indices, and signs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tutor.text.i18n import N_

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)"
    r"|(?P<name>[^\W\d_]+\d*)(?P<index>\s*_\s*(?:\{[^{}]*\}|\d+|[^\W\d_]+\d*(?:[+-]1(?!\d))?)(?:_[^\W_]+)?)?"
    r"|(?P<sign>\|\||[-+*/^()\[\],='∂.|%]))"
)


ENDS_EARLY = N_("the formula ends too early")


class FormulaProblem(ValueError):  # noqa: N818 - what somebody typed is no error of the program
    """Why a formula cannot be read: a message id with its values, and the place in the plain form.

    It is `unfinished` where only its end is missing, as while it is typed.
    """

    def __init__(self, message: str, position: int | None = None, **values: object) -> None:
        super().__init__(message.format(**values))
        self.message = message
        self.values = values
        self.position = position
        self.unfinished = message == ENDS_EARLY


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a formula; `spaced` where a space stands before it."""

    kind: str
    text: str
    start: int
    spaced: bool


def tokens(text: str) -> list[Token]:
    """The pieces of `text`; FormulaProblem for a sign that means nothing."""
    found: list[Token] = []
    at = 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            place = at + len(text[at:]) - len(text[at:].lstrip())
            raise FormulaProblem(N_("“{sign}” has no meaning here"), place, sign=text[place : place + 1])
        kind = match.lastgroup or "sign"
        start = at + len(match[0]) - len(match[0].lstrip())
        kind = "name" if kind == "index" else kind
        found.append(Token(kind, match[0].strip(), start, spaced=start > at))
        at = match.end()
    return found


class Cursor:
    """Walks along the tokens of a formula."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def sign(self, ahead: int = 0) -> str:
        """The sign that comes next, or nothing where it is a name or number or the end."""
        at = self.at + ahead
        return self.tokens[at].text if at < len(self.tokens) and self.tokens[at].kind == "sign" else ""

    def take(self, sign: str) -> bool:
        """Goes past `sign` where it comes next."""
        if self.sign() != sign:
            return False
        self.at += 1
        return True

    def fail(self, message: str, **values: object) -> None:
        """Raises FormulaProblem for the token that comes next."""
        place = self.tokens[self.at].start if self.at < len(self.tokens) else None
        raise FormulaProblem(message, place, **values)

    def close(self, sign: str) -> None:
        """The closing bracket; forgotten ones at the very end are forgiven."""
        if not self.take(sign) and self.at < len(self.tokens):
            self.fail(N_("“{sign}” is missing"), sign=sign)
