"""Block formulas inside a sentence, recognised as concepts: `y = x + Sub(LN(x))` says what Pre-Norm is.

A small parser of its own over three kinds of names: the stream (x, h), a sublayer (F, Sub, attention, FFN) and a norm.
What it recognises is replaced by a pseudo word, which the rest of the engine treats like a phrase of the glossary.
"""

from __future__ import annotations

import re

Tree = tuple[object, ...]

_NAMES = {
    "x": "x h input inp xl hl xt x_l x_t h_l x_in hidden",
    "S": "sublayer sub f fn g attn attention selfattention mha mhsa sa ffn feedforward mlp ff",
    "N": "ln layernorm layernormalization layernormalisation norm rmsnorm normalize normalise",
    "a": "alpha α",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}

_PIECE = re.compile(
    r"(?P<name>α|\\?(?:layer|sub|self|feed)[ _-](?:norm(?:ali[sz]ation)?|layer|attention|forward)\b|\\?[^\W\d]\w*)"
    r"|(?P<sign>[+()\[\]{}·⋅*])"
)
_SUBSCRIPT = re.compile(r"(?:_\{?\w+\}?|[₀-₉ₖₗᵢₙₜ₊₋]+|_?\d+)$")
_LATEX_TEXT = re.compile(r"\\(?:text|mathrm|mathit|operatorname)\s*\{([^{}]*)\}|\\(?:left|right)(?=[()\[\]])")
_AFTER_A_TOPIC = re.compile(r"(?:pre|post)[ _-]?$", re.IGNORECASE)

_BEGINNINGS = frozenset("xSNa(")
_TRIES = 60
"""Places where a formula is looked for: each may cost a whole reading, and no answer has so many."""

_MEANINGS: dict[Tree, str] = {
    ("N", ("+", ("S", "x"), "x")): "F_POST",
    ("+", ("S", ("N", "x")), "x"): "F_PRE",
    ("+", ("S", "x"), "x"): "F_SUM",
    ("S", ("N", "x")): "F_SUBNORM",
    ("N", ("+", ("S", "x"), ("a", "x"))): "F_DEEP",
    ("+", ("N", ("S", "x")), "x"): "F_OUTPUTNORM",
    ("+", ("N", ("S", ("N", "x"))), "x"): "F_SANDWICH",
    ("+", ("N", "x"), ("S", ("N", "x"))): "F_NORMBOTH",
}
NAMES = frozenset(_MEANINGS.values())
"""The concepts that a formula in an answer can stand for; patterns speak of them like any other."""


def mark(text: str) -> str:
    """`text` with every block formula replaced by its name as a pseudo word, `⟪F_PRE⟫`."""
    text = text.replace("⟪", " ").replace("⟫", " ")
    if "+" not in text and "(" not in text:
        return text
    text = _LATEX_TEXT.sub(r"\1", text)
    pieces = _pieces(text)
    result, at, index, tries = [], 0, 0, 0
    while index < len(pieces) and tries < _TRIES:
        tries += pieces[index][0] in _BEGINNINGS
        meaning, following = _formula(text, pieces, index)
        if meaning is None:
            index = max(index + 1, following)
            continue
        start = pieces[index][1]
        end = pieces[following - 1][2]
        result += [text[at:start], f" ⟪{meaning}⟫ "]
        at, index = end, following
    return "".join(result) + text[at:]


def _pieces(text: str) -> list[tuple[str, int, int]]:
    """Kind, start and end of each name or sign; anything else between two of them stands as a piece `?`."""
    found: list[tuple[str, int, int]] = []
    end = 0
    for match in _PIECE.finditer(text):
        if text[end : match.start()].strip():
            found.append(("?", end, match.start()))
        piece = match.group()
        kind = _kind(piece) if match.lastgroup == "name" else {"[": "(", "{": "(", "]": ")", "}": ")"}.get(piece, piece)
        found.append((kind, match.start(), match.end()))
        end = match.end()
    return found


def _kind(name: str) -> str:
    plain = name.lstrip("\\").lower()
    for candidate in (plain, _SUBSCRIPT.sub("", plain), re.sub(r"[ _-]", "", plain)):
        if candidate in _KINDS:
            return _KINDS[candidate]
    return "?"


def _formula(text: str, pieces: list[tuple[str, int, int]], index: int) -> tuple[str | None, int]:
    kind, start, _ = pieces[index]
    if kind not in _BEGINNINGS or (kind == "N" and _AFTER_A_TOPIC.search(text, 0, start)):
        return None, index
    tree, following = _sum(pieces, index, 0)
    if not isinstance(tree, tuple):
        return None, index
    return _MEANINGS.get(tree), following


def _sum(pieces: list[tuple[str, int, int]], index: int, depth: int) -> tuple[object, int]:
    terms = []
    while True:
        term, index = _term(pieces, index, depth)
        if term is None:
            return None, index
        terms.append(term)
        if _at(pieces, index) != "+":
            break
        index += 1
    if len(terms) == 1:
        return terms[0], index
    # A sublayer without its argument, as in x + F, is applied to the stream.
    terms = [("S", "x") if term == "S" else term for term in terms]
    return ("+", *sorted(terms, key=_order)), index


def _term(pieces: list[tuple[str, int, int]], index: int, depth: int) -> tuple[object, int]:
    if depth > 8:
        return None, index
    kind = _at(pieces, index)
    if kind == "x":
        return "x", index + 1
    if kind == "(":
        return _closed(pieces, *_sum(pieces, index + 1, depth + 1))
    if kind == "a":
        index += 1
        while _at(pieces, index) in ("*", "·", "⋅"):
            index += 1
        inner, index = _term(pieces, index, depth + 1)
        return (None if inner is None else ("a", inner)), index
    if kind in ("S", "N"):
        if _at(pieces, index + 1) != "(":
            return ("S" if kind == "S" else None), index + 1
        inner, index = _closed(pieces, *_sum(pieces, index + 2, depth + 1))
        return (None if inner is None else (kind, inner)), index
    return None, index


def _closed(pieces: list[tuple[str, int, int]], tree: object, index: int) -> tuple[object, int]:
    """Takes the closing bracket; one that is forgotten at the very end is forgiven."""
    if _at(pieces, index) == ")":
        return tree, index + 1
    return (tree if index >= len(pieces) else None), index


def _at(pieces: list[tuple[str, int, int]], index: int) -> str:
    return pieces[index][0] if index < len(pieces) else ""


def _order(term: object) -> tuple[int, str]:
    """Sums are compared without regard to order: applied terms first, by name, then the stream."""
    return (1, "") if term == "x" else (0, str(term))
