"""Vietnamese spelling, made comparable: marks folded away, the tone in one place, raw Telex keystrokes decoded.

Comparing is by `key`, which keeps every mark but not the place of the tone, so `hoá` equals `hóa`. Folding the marks
away loses meaning (`sâu` deep, `sau` after), so it is only for words that were typed without any.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_TONES = frozenset("\u0300\u0301\u0303\u0309\u0323")
"""Grave, acute, tilde, hook above, dot below, as combining marks. The other marks (circumflex, breve, horn) make a
different vowel and stay on their letter."""

_TELEX_TONES = {"s": "\u0301", "f": "\u0300", "r": "\u0309", "x": "\u0303", "j": "\u0323"}
_TELEX_DOUBLED = {"a": "â", "e": "ê", "o": "ô"}

_ONSET = r"(?:ngh|ng|nh|ch|gh|gi|kh|ph|th|tr|qu|[bcdđghklmnprstvx])?"
_OPEN = "uây|ươi|ươu|iêu|yêu|oai|oay|oao|oeo|uao|uôi|uya|uyu|ai|ao|au|ay|âu|ây|eo|êu|ia|iu|oi|ôi|ơi|ua|ui|uơ|ưa|ưi|ưu"
"""Vowels that end a syllable."""
_CLOSED = "uyê|iê|yê|uô|ươ|oa|oă|oe|oo|uâ|uê|uy|[aăâeêioôơuưy]"
"""Vowels that a final consonant may follow."""
_CODA = r"(?:ch|ng|nh|[cmnpt])?"
_SYLLABLE = re.compile(f"{_ONSET}(?:{_OPEN}|(?:{_CLOSED}){_CODA})")


def nfc(text: str) -> str:
    """`text` in Unicode normalisation form C, in which one Vietnamese letter is one character."""
    return unicodedata.normalize("NFC", text)


@lru_cache(maxsize=8192)
def fold(word: str) -> str:
    """`word` in lower case without any mark: `Chuẩn` and `chuan` both give `chuan`."""
    if word.isascii():
        return word.lower()
    letters = unicodedata.normalize("NFD", word.lower()).replace("đ", "d")
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


@lru_cache(maxsize=8192)
def key(word: str) -> str:
    """`word` in lower case with its tone moved to the end: equal for the old and the new way to place it."""
    if word.isascii():
        return word.lower()
    letters = unicodedata.normalize("NFD", word.lower())
    tones = "".join(letter for letter in letters if letter in _TONES)
    return nfc("".join(letter for letter in letters if letter not in _TONES)) + tones


def is_syllable(word: str) -> bool:
    """Whether `word`, typed with or without its marks, can be one Vietnamese syllable."""
    return len(word) <= 8 and _FOLDED_SYLLABLE.fullmatch(fold(word)) is not None


@lru_cache(maxsize=8192)
def telex(word: str) -> str | None:
    """The `key` of what raw Telex keystrokes spell (`chuaanr` -> chuẩn), None where they spell no marked syllable.

    Marks may be typed inside the syllable or at its end (`ddinhj`, `dinhdj`), as input methods allow.
    """
    if not word.isascii() or not word.isalpha() or not 2 <= len(word) <= 10:
        return None
    letters: list[str] = []
    tone = ""
    for letter in word.lower():
        if letter in _TELEX_TONES and any(each in "aăâeêioôơuưy" for each in letters):
            if tone == _TELEX_TONES[letter]:
                return None  # typed twice, the key stands for itself
            tone = _TELEX_TONES[letter]
        elif letter == "w":
            if not _horn(letters):
                return None
        elif letter == "d" and "d" in letters:
            letters[letters.index("d")] = "đ"
        elif letter in _TELEX_DOUBLED and letter in letters and _one_nucleus(letters, letter):
            letters[letters.index(letter)] = _TELEX_DOUBLED[letter]
        else:
            letters.append(letter)
    spelt = "".join(letters)
    if (spelt.isascii() and not tone) or not _SYLLABLE.fullmatch(spelt):
        return None
    # A syllable that ends in a stop has the acute tone or the dot below, as in `một` and `nhất`.
    if tone and tone not in "\u0301\u0323" and spelt.endswith(("c", "ch", "p", "t")):
        return None
    return spelt + tone


_FOLDED_SYLLABLE = re.compile(f"{_ONSET}(?:{fold(_OPEN)}|(?:{fold(_CLOSED)}){_CODA})".replace("đ", ""))


def _horn(letters: list[str]) -> bool:
    """Puts the mark of the key w on the last vowels that take it; a w alone is ư."""
    text = "".join(letters)
    at = text.rfind("uo")
    if at >= 0:
        letters[at : at + 2] = ["ư", "ơ"]
        return True
    for index in range(len(letters) - 1, -1, -1):
        if letters[index] in "aou":
            letters[index] = {"a": "ă", "o": "ơ", "u": "ư"}[letters[index]]
            return True
        if letters[index] == "ơ" and index and letters[index - 1] == "u":
            letters[index - 1] = "ư"
            return True
    if letters and letters[-1] == "ư":
        return True
    if not any(letter in "aăâeêioôơuưy" for letter in letters):
        letters.append("ư")
        return True
    return False


def _one_nucleus(letters: list[str], vowel: str) -> bool:
    """Whether a second `vowel` marks the first: between them stand only letters that may follow it in a syllable."""
    between = "".join(letters[letters.index(vowel) + 1 :])
    return re.fullmatch(r"[aeiouyâêôăơư]?(?:ch|ng|nh|[cmnpt])?", between) is not None
