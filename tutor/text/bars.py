"""Small charts of text: bars over days, and a calendar of weeks. Blocks of a terminal's cell, no colours."""

from __future__ import annotations

from collections.abc import Sequence

EIGHTHS = " ▁▂▃▄▅▆▇█"
SHADES = "·░▒▓█"


def bars(values: Sequence[int], labels: Sequence[str], *, height: int = 4, column: int = 5) -> tuple[str, ...]:
    """A bar for each value with the value above it and its label below; every row has the same width."""
    most = max([*values, 1])
    rows = []
    for level in range(height, 0, -1):
        cells = []
        for value in values:
            eighths = round(8 * height * value / most)
            filled = min(8, max(0, eighths - 8 * (level - 1)))
            # However small it is, what is there is seen.
            cells.append(EIGHTHS[max(filled, 1) if value and level == 1 else filled] * (column - 2))
        rows.append("".join(f"{cell:^{column}}" for cell in cells))
    above = "".join(f"{value or '':^{column}}" for value in values)
    below = "".join(f"{label:^{column}.{column}}" for label in labels)
    return (above, *rows, below)


def shade(value: float, most: float) -> str:
    """How much a value is of the most there is: a point for none, then four shades."""
    if value <= 0 or most <= 0:
        return SHADES[0]
    return SHADES[min(len(SHADES) - 1, 1 + int((len(SHADES) - 2) * value / most))]


def weeks(values: Sequence[float], labels: Sequence[str]) -> tuple[str, ...]:
    """A calendar: `values` of whole weeks, a row for each day of the week named by `labels`, a column a week."""
    most = max([*values, 0.0])
    width = max(map(len, labels))
    return tuple(
        f"{label:{width}}  " + " ".join(shade(value, most) for value in values[day :: len(labels)])
        for day, label in enumerate(labels)
    )


def share(known: int, shaky: int, total: int, width: int = 10) -> str:
    """A bar of what is known, what is shaky and what is unseen, of `total`."""
    if total <= 0:
        return "▱" * width
    first = round(width * known / total)
    second = round(width * (known + shaky) / total) - first
    if shaky and not second:
        first, second = (first - 1, 1) if first else (0, 1)
    return "▰" * first + "▨" * second + "▱" * (width - first - second)
