"""Cuts a line of text at separators and brackets, remembering where each part stood."""

from __future__ import annotations

_OPEN, _CLOSE = "([{", ")]}"


def trimmed(text: str, start: int, end: int) -> tuple[str, int]:
    """The part from `start` to `end` without the blanks around it, and its place."""
    piece = text[start:end]
    return piece.strip(), start + len(piece) - len(piece.lstrip())


def enclosed(name: str) -> bool:
    """Whether one pair of brackets holds all of it."""
    if len(name) < 2 or name[0] not in _OPEN or name[-1] not in _CLOSE:
        return False
    depth = 0
    for place, char in enumerate(name):
        depth += (char in _OPEN) - (char in _CLOSE)
        if depth == 0:
            return place == len(name) - 1
    return False


def split(text: str, separators: str) -> list[tuple[str, int]]:
    """The parts between separators that stand in no brackets and no quotes, each with its place."""
    parts, start, depth, quoted = [], 0, 0, False
    for place, char in enumerate(text):
        quoted ^= char == '"'
        depth = max(0, depth + (char in _OPEN) - (char in _CLOSE))
        if char in separators and not depth and not quoted:
            parts.append(trimmed(text, start, place))
            start = place + 1
    return [*parts, trimmed(text, start, len(text))]
