"""How a text quotes a figure: references found in Markdown, and numbers written for prose, formulas and code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from tutor.course.parts import Figure, Lang
from tutor.text.i18n import N_, translate

REFERENCE = re.compile(r"\{\{[ \t]*([a-z0-9-]+)\.([A-Za-z_]\w*)[ \t]*\}\}")
MEANT = re.compile(r"\{\{[^{}\n]*\}\}")
"""What looks like a reference in prose. In a formula, braces are LaTeX's own."""

Place = Literal["prose", "maths", "code"]

STAR = r"\*"
"""Behind a number that was measured on this machine, as Markdown."""
_STARRED = re.compile(r"(?<=\d)\\\*(?![\w(])")

_SPANS = re.compile(
    r"(?P<code>^[ \t]*```.*?(?:^[ \t]*```|\Z)|(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<maths>(?<!\\)\$\$.+?\$\$|(?<!\\)\$(?:\\.|[^$\\])+?\$)",
    re.DOTALL | re.MULTILINE,
)
_GROUPED_FROM = 10_000
_LARGEST_PLAIN, _SMALLEST_PLAIN = 6, -4
"""Powers of ten from which on, and below which, a number is written with its power."""


class Quote(NamedTuple):
    """A reference in a text, with its line (1-based) in it."""

    step: str
    name: str
    place: Place
    row: int


def quotes(markdown: str) -> Iterator[Quote]:
    """The references of a text, in order."""
    for place, start, end in _places(markdown):
        for found in REFERENCE.finditer(markdown, start, end):
            yield Quote(found[1], found[2], place, markdown.count("\n", 0, found.start()) + 1)


def malformed(markdown: str) -> Iterator[tuple[str, int]]:
    """What was meant as a reference and is none, with its line."""
    for place, start, end in _places(markdown):
        for found in MEANT.finditer(markdown, start, end) if place == "prose" else ():
            if not REFERENCE.fullmatch(found[0]):
                yield found[0], markdown.count("\n", 0, found.start()) + 1


def substituted(markdown: str, quote: Callable[[str, str, Place], str | None]) -> str:
    """The text with each reference replaced by what `quote(step, name, place)` gives, or left where that is None."""
    return "".join(_replaced(markdown[start:end], place, quote) for place, start, end in _places(markdown))


def worded(figure: Figure, here: float | None, lang: Lang, place: Place) -> str:
    """A figure as a reader of `lang` meets it: what was measured here, else the range of its author.

    In prose a star says that it was measured here; `with_note` explains the star.
    """
    if here is None:
        low, high = (written(end, figure.digits, lang, place) for end in (figure.low, figure.high))
        if low == high:
            return low
        to = translate(N_("{low} to {high}"), lang)
        if place == "maths":
            return to.format(low=low + r"\text{", high="}" + high)
        return to.format(low=low, high=high)
    return written(here, figure.digits, lang, place) + (STAR if place == "prose" else "")


def with_note(markdown: str, lang: Lang) -> str:
    """A text that is to be shown, with a last paragraph that explains its stars where it has any."""
    if not _STARRED.search(markdown):
        return markdown
    measured = translate(N_("measured on this machine"), lang)
    return f"{markdown.rstrip()}\n\n_{STAR} {measured}_"


def written(value: float, digits: int, lang: Lang, place: Place) -> str:
    """A number with so many significant digits; with a decimal comma in Vietnamese prose."""
    digits = max(digits, 1)
    if value == 0:
        return "0"
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    exponent = int(power)
    if _SMALLEST_PLAIN <= exponent < _LARGEST_PLAIN:
        rounded = float(f"{mantissa}e{power}")
        grouped = "," if place == "prose" and abs(rounded) >= _GROUPED_FROM else ""
        number = f"{rounded:{grouped}.{max(0, digits - 1 - exponent)}f}"
    elif place == "maths":
        return rf"{mantissa} \times 10^{{{exponent}}}"
    else:
        number = f"{mantissa}e{exponent}"
    if lang == "vi" and place == "prose":
        return number.translate(str.maketrans(".,", ",."))
    return number


def _places(markdown: str) -> Iterator[tuple[Place, int, int]]:
    """The stretches of a text by what they are, one after another, from its beginning to its end."""
    at = 0
    for span in _SPANS.finditer(markdown):
        if at < span.start():
            yield "prose", at, span.start()
        yield "code" if span["code"] else "maths", span.start(), span.end()
        at = span.end()
    if at < len(markdown):
        yield "prose", at, len(markdown)


def _replaced(stretch: str, place: Place, quote: Callable[[str, str, Place], str | None]) -> str:
    def replaced(found: re.Match[str]) -> str:
        words = quote(found[1], found[2], place)
        return found[0] if words is None else words

    return REFERENCE.sub(replaced, stretch)


def prose(markdown: str) -> Iterator[tuple[int, int]]:
    """Where the stretches of a text begin and end that are neither formulas nor code."""
    return ((start, end) for place, start, end in _places(markdown) if place == "prose")
