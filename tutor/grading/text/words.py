"""An answer as tokens: words with the forms they are compared by, and the marks that structure a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from tutor.text import fold

MAX_CHARACTERS = 1000
"""More than this is not read: a rubric is for short answers, and time must not depend on what is pasted."""

_ARROW = "->"
_TOKEN = re.compile(
    r"(?P<word>[^\W_]+(?:['’][^\W_]+)*)"
    r"|(?P<arrow>--?>|==?>|→|⟶|⇒|↦|➔|➜)"
    r"|(?P<pseudo>⟪\w+⟫)"
    r"|(?P<end>[.!?…](?=\s|$|[^\w\s])|\n|;)"
    r"|(?P<symbol>[+=&≠≈×*])"
    r"|(?P<pause>[,:()\[\]{}|]|\s[-–—]+\s|[–—])"
)
_SHORTENED = re.compile(r"^(do|does|did|is|are|was|were|wo|ca|can|could|should|would|has|have|had|must|need)n['’]?t$")
_FILLER_WORDS = (
    "the a an simply also still always usually often typically really very quite basically mostly mainly both these "
    "those some các những sẽ đã đang được bị rất luôn thường cũng vẫn cứ"
)
_FILLERS = frozenset(_FILLER_WORDS.split())
_MISLEADING = frozenset(("những",))
"""Fillers that are too often something else without their marks: `nhung` is nhưng."""
_FOLDED_FILLERS = frozenset(fold.fold(word) for word in _FILLERS - _MISLEADING)


@dataclass(frozen=True, slots=True)
class Token:
    """One word or sign.

    `kind` is `word`, `filler` (a word that carries no meaning here, and over which phrases reach), `end` (of a
    sentence), `pause` (comma, colon, bracket, dash) or `pseudo` (a formula that was recognised, `text` being its name).
    Signs that mean something, such as `+` and `->`, are words.
    """

    text: str
    kind: str
    key: str
    folded: str
    stem: str
    start: int

    @property
    def ascii(self) -> bool:
        """Whether it was typed without marks."""
        return self.text.isascii()


def tokens(text: str) -> list[Token]:
    """The tokens of `text`, which is in NFC."""
    fillers = _FILLERS if marks_typed(text) else _FILLERS | _FOLDED_FILLERS
    found = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "word"
        piece = match.group()
        if kind == "arrow":
            found.append(_word(_ARROW, match.start()))
        elif kind == "symbol":
            found.append(_word(piece, match.start()))
        elif kind == "word":
            found += [
                _word(part, match.start(), "filler" if part in fillers else "word") for part in _split(piece.lower())
            ]
        else:
            piece = "\n" if piece == "\n" else piece.strip()
            found.append(Token(piece.strip("⟪⟫"), kind, piece, piece, piece, match.start()))
    return found


def count(text: str) -> int:
    """How many words a learner would count in `text`."""
    return len(text.split())


def marks_typed(text: str) -> bool:
    """Whether whoever wrote this types Vietnamese with its marks, so that a word without any was meant so.

    Two marked words, or one in a very short answer: one alone may come from a name or a pasted term.
    """
    words = text.split()
    marked = sum(1 for word in words if any("\u00c0" <= letter <= "\u1ef9" for letter in word))
    return marked >= (2 if len(words) > 4 else 1)


def _split(word: str) -> tuple[str, ...]:
    """Contractions opened up: `doesn't` is `does not`, `it's` is `it is`; a possessive loses its s."""
    word = word.replace("’", "'")
    if word in ("cannot", "can't", "cant"):
        return ("can", "not")
    shortened = _SHORTENED.match(word)
    if shortened:
        return (shortened[1], "not")
    if "'" in word:
        head, _, tail = word.partition("'")
        if tail == "s":
            return (head, "is") if head in ("it", "that", "what", "there") else (head,)
        if tail in ("re", "ll", "ve", "d", "m"):
            return (head,)
        return (head, tail) if tail else (head,)
    return (word,)


@lru_cache(maxsize=4096)
def _forms(word: str) -> tuple[str, str, str]:
    return fold.key(word), fold.fold(word), stem(word)


def _word(word: str, start: int, kind: str = "word") -> Token:
    key, folded, stemmed = _forms(word)
    return Token(word, kind, key, folded, stemmed, start)


_UNINFLECTED = frozenset(("fixed", "means", "during", "being", "does"))


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """An English word without its inflection and in American spelling; other words as they are.

    Only endings that never change what a concept means: `normalises`, `normalised` and `normalizing` become one,
    `normalization` stays apart.
    """
    if len(word) < 4 or word in _UNINFLECTED or not word.isascii() or not word.isalpha():
        return word
    word = word.replace("isation", "ization").replace("ise", "ize") if len(word) > 6 else word
    for ending in ("ings", "ing", "ies", "ied", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith(("ss", "us", "is")):
            root = word[: -len(ending)]
            if ending in ("ies", "ied"):
                return root + "y"
            if ending in ("ed", "ing", "ings") and not any(letter in "aeiouy" for letter in root):
                return word
            if ending in ("ed", "ing", "ings") and len(root) > 3 and root[-1] == root[-2] and root[-1] not in "sl":
                root = root[:-1]
            return root[:-1] if root.endswith("e") and len(root) > 3 else root
    return word[:-1] if word.endswith("e") and len(word) > 4 else word
