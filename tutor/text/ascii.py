"""For terminals that know no UTF-8: every character becomes ASCII of the same width, so columns stay where they are.

Vietnamese loses its marks, lines and bars become `-`, `|` and `+`, Greek letters the Latin ones they are read as.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from rich.cells import cell_len

_NAMED = {
    **dict.fromkeys("─━╌╍┄┅┈┉═╴╶╸╺⎯‾‐‑‒–—―−▁▔", "-"),
    **dict.fromkeys("│┃╎╏┆┇┊┋║╵╷╹╻⎜⎟⎢⎥⎪⎸⎹▏▕", "|"),
    **dict.fromkeys("▰█▉▊▋▇▆▅▓■●◆▮⬤", "#"),
    **dict.fromkeys("▱░▒▄▃▂▌▐▀□○◇▯·•∙⋅", "."),
    **dict.fromkeys("→⇒⟶▶▸►›»", ">"),
    **dict.fromkeys("←⇐⟵◀◂◄‹«", "<"),
    **dict.fromkeys("↑⇑▲△ˆ", "^"),
    **dict.fromkeys("↓⇓▼▽", "v"),
    **dict.fromkeys("⎛⎝⎞⎠⎧⎨⎩⎫⎬⎭", "|"),
    **dict.fromkeys("⎡⎣⎤⎦", "|"),
    **dict.fromkeys("“”„″", '"'),
    **dict.fromkeys("‘’‚′", "'"),
    "▨": "=",
    "✓": "v",
    "✔": "v",
    "✗": "x",
    "✘": "x",
    "×": "x",
    "⊗": "x",
    "÷": "/",
    "…": "~",
    **dict.fromkeys("⋯⋮⋱", "."),
    "∫": "S",
    "∮": "S",
    "∬": "S",
    "ϑ": "h",
    "ϱ": "r",
    "ℏ": "h",
    "⊙": "o",
    "⊖": "-",
    "∘": "o",
    "∗": "*",
    "⋆": "*",
    "∓": "+",
    "≪": "<",
    "≫": ">",
    "≃": "~",
    "≅": "~",
    "∀": "A",
    "∃": "E",
    "∅": "0",
    "⊤": "T",
    "⊥": "_",
    "∉": "E",
    "∋": "3",
    "⊂": "c",
    "⊆": "c",
    "⊃": "3",
    "⊇": "3",
    "∥": "|",
    "‖": "|",
    "⇔": "=",
    "↔": "=",
    "↦": ">",
    "∩": "n",
    "∪": "u",
    "∧": "^",
    "∨": "v",
    "⟨": "<",
    "⟩": ">",
    "⌊": "[",
    "⌋": "]",
    "⌈": "[",
    "⌉": "]",
    "∠": "<",
    "°": "o",
    "ı": "i",
    "∛": "V",
    "∜": "V",
    "⌫": "<",
    "√": "V",
    "∑": "S",
    "∏": "P",
    "∂": "d",
    "∇": "D",
    "∞": "8",
    "≈": "~",
    "∼": "~",
    "≤": "<",
    "≥": ">",
    "≠": "#",
    "≡": "=",
    "∝": "~",
    "±": "+",
    "⊕": "+",
    "∈": "E",
    "ℒ": "L",
    "ℝ": "R",
    "đ": "d",
    "Đ": "D",
    "⚠": "!",
}
_GREEK = dict(zip("αβγδεζηθικλμνξοπρςστυφχψωϵϕ", "abgdezhqiklmnxoprsstufcywef", strict=True))
_GREEK |= dict(zip("ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ", "ABGDEZHQIKLMNXOPRSTUFCYW", strict=True))
_CROSSINGS = range(0x250C, 0x254C), range(0x2552, 0x256D), range(0x256D, 0x2571)
_BRAILLE = range(0x2800, 0x2900)
_OTHER = re.compile(r"[^\x00-\x7f]")


def ascii_only(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the locale names an encoding other than UTF-8; `NORMTUTOR_ASCII=1` or `0` says so outright.

    Where no locale is set at all, as in many containers, the terminal is taken to know UTF-8: nearly all do.
    """
    if chosen := environ.get("NORMTUTOR_ASCII", ""):
        return chosen not in ("0", "no", "off", "false")
    named = environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or ""
    return bool(named) and not re.search(r"utf-?8", named, re.IGNORECASE)


def to_ascii(text: str) -> str:
    """The text in ASCII, each character as many columns wide as it was."""
    return text if text.isascii() else _OTHER.sub(lambda found: _one(found[0]), text)


@lru_cache(maxsize=4096)
def _one(char: str) -> str:
    width = cell_len(char)
    if char in _NAMED or char in _GREEK:
        plain = _NAMED.get(char) or _GREEK[char]
    elif any(ord(char) in crossings for crossings in _CROSSINGS):
        plain = "+"
    elif ord(char) in _BRAILLE:
        plain = " " if char == "\u2800" else "*"
    else:
        parts = (_NAMED.get(part, part) for part in unicodedata.normalize("NFKD", char) if part != char)
        plain = "".join(part for part in parts if part.isascii() and part.isprintable())
    return (plain or "?" * width)[:width].ljust(width)
