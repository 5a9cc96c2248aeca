"""Where an axis begins and ends, which of its values are labelled, and how numbers and names are written beside it."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass

FLAT = 0.1
"""A linear axis spans at least this share of its values' size, so that rounding noise looks as flat as it is."""


@dataclass(frozen=True)
class Axis:
    """An axis in drawing coordinates (log10 already taken on a log axis) with its labelled values."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]


def short(value: float) -> str:
    """Three significant digits: 48.6, 1.00, 12345, 2.4e-25, 1e20, nan, inf."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    if 1e-3 <= abs(value) < 1e5:
        exponent = int(f"{value:.2e}".split("e")[1])  # of the rounded value: 0.9999 is written like 1
        return f"{value:.{max(0, 2 - exponent)}f}"
    mantissa, power = f"{value:.1e}".split("e")
    return f"{mantissa.removesuffix('.0')}e{int(power)}"


def linear_axis(low: float, high: float, most: int, *, snap: bool) -> Axis:
    """An axis over [low, high] with at most `most` neat ticks; `snap` widens it to ticks at both ends."""
    size = max(abs(low), abs(high)) or 1.0
    if snap and high - low < FLAT * size:
        middle = (low + high) / 2
        low, high = middle - FLAT * size / 2, middle + FLAT * size / 2
    if high <= low:
        low, high = low - 0.5 * size, high + 0.5 * size
    if not snap and low == int(low) and high == int(high) and (high - low) % 4 == 0 and most >= 5:
        step = (high - low) / 4  # a range that halves twice, like 0 to 48 layers, is labelled at both ends
        return Axis(low, high, tuple((low + i * step, _plain(low + i * step, step)) for i in range(5)))
    step = _neat_step((high - low) / max(1, most - 1))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    if snap:
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        while last - first + 1 > max(most, 3):  # an axis across 0 has at least three
            step = _neat_step(step * 1.01)
            first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        low, high = first * step, last * step
    return Axis(low, high, tuple((i * step, _plain(i * step, step)) for i in range(first, last + 1)))


def log_axis(low: float, high: float, most: int) -> Axis:
    """An axis over [10^low, 10^high], widened to whole powers, with at most `most` of them labelled."""
    bottom, top = math.floor(low + 0.05), math.ceil(high - 0.05)
    if top <= bottom:  # flat at a power of ten: in the middle of two decades
        bottom, top = bottom - 1, bottom + 1
    step = max(1, math.ceil((top - bottom) / max(1, most - 1)))
    powers = range(math.ceil(bottom / step) * step, top + 1, step)
    ticks = [(float(power), f"1e{power}") for power in powers]
    if top - bottom == 1 and most >= 4:
        ticks[1:1] = [(bottom + math.log10(m), f"{m}e{bottom}") for m in (2, 5)]
    return Axis(bottom, top, tuple(ticks))


def tight_log_axis(values: list[float], most: int) -> Axis:
    """An axis from the least to the greatest of `values` (logarithms); labelled at each if few, like 6 12 24 48."""
    low, high = values[0], values[-1]
    if high <= low:
        return log_axis(low, high, most)
    if len(values) <= 3 * most and all(abs(10**value) < 1e6 for value in values) and low >= -3:
        some = values[:: math.ceil(len(values) / most)]
        return Axis(low, high, tuple((value, _value(10**value)) for value in some))
    for multiples in ((1, 2, 5), (1,)):
        powers = range(math.floor(low), math.ceil(high) + 1)
        ticks = [(power + math.log10(m), f"{m}e{power}") for power in powers for m in multiples]
        ticks = [tick for tick in ticks if low - 1e-9 <= tick[0] <= high + 1e-9]
        if len(ticks) <= most:
            break
    else:
        ticks = ticks[:: math.ceil(len(ticks) / most)]
    return Axis(low, high, tuple(ticks))


def window_axis(low: float, high: float, most: int, *, log: bool) -> Axis:
    """An axis that ends exactly at `low` and `high`, in drawing coordinates, with the neat values between them."""
    if high <= low:
        low, high = low - 0.5, high + 0.5
    if not log:
        return linear_axis(low, high, most, snap=False)
    if high - low < 0.5 and low > -300 and high < 300:  # no power of ten may be in there
        ticks = linear_axis(10**low, 10**high, most, snap=False).ticks
        return Axis(low, high, tuple((math.log10(value), text) for value, text in ticks if value > 0))
    return tight_log_axis([low, *[low + (high - low) * k / (4 * most) for k in range(1, 4 * most)], high], most)


def _value(value: float) -> str:
    """A value of a logarithmic axis: whole numbers in full, others to three digits."""
    near = round(value)
    return str(near) if near and abs(value - near) < 1e-6 * near and near < 1e5 else f"{float(f'{value:.3g}'):g}"


def _neat_step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is at least `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next((m * power for m in (1, 2, 5) if m * power >= least * (1 - 1e-9)), 10 * power)


def _plain(value: float, step: float) -> str:
    """A tick's value with the decimals that its step has; powers beyond what fits beside an axis."""
    if value == 0:
        return "0"
    if not 1e-3 <= step <= 1e5 or abs(value) >= 1e6:
        return short(value)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:.{decimals}f}"


def clean(text: str) -> str:
    """Composed, on one line, and without the control and format characters that a terminal would act on."""
    return "".join(c if unicodedata.category(c)[0] != "C" else " " for c in unicodedata.normalize("NFC", text)).strip()


def cells(text: str) -> int:
    """How many columns a terminal gives the text."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def fit(text: str, width: int, ellipsis: str = "…") -> str:
    """The text, cut to `width` columns with an ellipsis if it is longer."""
    if cells(text) <= width:
        return text
    kept, used = "", 1
    for character in text:
        used += _columns(character)
        if used > width:
            break
        kept += character
    return (kept + ellipsis)[: max(width, 0)]


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
