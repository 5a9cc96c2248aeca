"""Reads a number as people type it: decimal commas, powers of ten in any notation, fractions, percent, a unit."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import msgspec

from tutor.course.model import Lang
from tutor.grading.arithmetic import CONSTANTS, FUNCTIONS, ArithmeticProblem, evaluate
from tutor.text.i18n import N_

MAX_LENGTH = 200

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUPERSCRIPT_RUN = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_SIGNS = str.maketrans(
    {
        "−": "-",
        "–": "-",
        "—": "-",
        "‒": "-",
        "×": "*",
        "·": "*",
        "⋅": "*",
        "∙": "*",
        "÷": "/",
        "∕": "/",
        "⁄": "/",
        "π": " pi ",
        "^": "**",
    }
)
_ROOT = re.compile(r"√\s*(\([^()]*\)|[\d.,]+|[a-z]+)")
_ABOUT = re.compile(
    r"^\s*(?:about|approximately|approx\.?|around|roughly|khoảng|xấp xỉ|tầm|cỡ|khoang|xap xi|[≈~=])\s*", re.IGNORECASE
)
_GROUP_SPACE = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f'_](?=\d{3}(?:\D|$))")
_DIGITS = re.compile(r"\d[\d.,]*\d|\d")
_TIMES_TEN = re.compile(r"(?<![\d.,])((?:[1-9]\d*|\d+,\d+))\s*[.x]\s*(10\s*\*\*)", re.IGNORECASE)
_TIMES_X = re.compile(r"(?<=[\d)])\s*[xX]\s*(?=[\d(])")
_BEFORE_BRACKET = re.compile(r"((?<![\w.])\d[\d.]*|\))\s*(?=\()")
_BEFORE_NAME = re.compile(r"(?<=[\d)])\s*(?=(?:pi|sqrt|exp|log2|log10|log|abs)\b)")
_UNIT = re.compile(r"(?P<number>.*?[\d).%]|.*?\b(?:pi|e))\s*(?P<unit>[^\W\d_][^\d=+*()]{0,20})$", re.DOTALL)
_COUNTED = frozenset(("lần", "lan", "times", "x", "fold", "-fold", "lớp", "tầng", "layer", "layers"))
"""Words after a pure number that say nothing more about it."""


class Typed(msgspec.Struct, frozen=True):
    """A number as it was understood. `other` is the second reading of an ambiguous one such as 1,000."""

    value: float
    other: float | None = None
    unit: str = ""
    percent: bool = False
    figures: int = 0
    """Significant figures of a plain decimal number, 0 for anything else."""


def read(text: str, lang: Lang, unit: str = "") -> Typed:
    """The number in `text`, for a question whose answer is in `unit`; ArithmeticProblem where there is none.

    A comma between digits is a decimal comma, except where English readers group by three; both readings are kept.
    """
    plain = _plain(text)
    if not plain:
        raise ArithmeticProblem(N_("nothing is written"))
    plain, found_unit, percent = _without_unit(plain, unit)
    ambiguous: list[str] = []
    value = evaluate(_expression(plain, lang, ambiguous, second=False))
    other = evaluate(_expression(plain, lang, [], second=True)) if ambiguous else None
    if percent and unit != "%":
        value, other = value / 100, None if other is None else other / 100
    return Typed(value, other, found_unit, percent, _figures(plain))


def _plain(text: str) -> str:
    if len(text) > MAX_LENGTH:
        raise ArithmeticProblem(N_("it is longer than {n} characters"), n=MAX_LENGTH)
    # Superscripts first: the compatibility form would turn 10² into 102.
    text = _SUPERSCRIPT_RUN.sub(lambda run: f"**({run[0].translate(_SUPERSCRIPTS)})", text)
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS).strip()
    text = text.rpartition("=")[2] if "=" in text.strip("=") else text
    text = text.strip().strip("$`").rstrip(".;").strip()
    return _ROOT.sub(lambda root: f"sqrt({root[1].strip('()')})", _ABOUT.sub("", text))


def _without_unit(text: str, unit: str) -> tuple[str, str, bool]:
    """The number, the unit behind it, and whether it is in percent. `1e-3` and `2pi` end in no unit."""
    folded, wanted = text.casefold(), unit.casefold()
    if wanted and wanted != "%" and folded.endswith(wanted) and folded != wanted:
        head = text[: -len(unit)].rstrip()
        if not wanted[0].isalpha() or not head[-1:].isalpha():
            return head, unit, False
    if text.endswith("%"):
        return text[:-1].rstrip(), "%", True
    match = _UNIT.fullmatch(text)
    if match is None:
        return text, "", False
    word = match["unit"].strip()
    name = word.casefold()
    if name in CONSTANTS or name in FUNCTIONS:
        return text, "", False
    if name in ("percent", "phần trăm", "phan tram", "pct"):
        return match["number"], "%", True
    if name in _COUNTED or unit:
        return match["number"].rstrip("-"), word, False
    raise ArithmeticProblem(N_("“{name}” is not known here"), None, name=word)


def _expression(text: str, lang: Lang, ambiguous: list[str], *, second: bool) -> str:
    text = _GROUP_SPACE.sub("", text)
    text = _TIMES_TEN.sub(r"\1*\2", text)
    text = _TIMES_X.sub("*", text)
    if "min" not in text and "max" not in text:
        text = _DIGITS.sub(lambda number: _decimal(number[0], lang, ambiguous, second=second), text)
    return _BEFORE_NAME.sub("*", _BEFORE_BRACKET.sub(r"\1*", text))


def _decimal(number: str, lang: Lang, ambiguous: list[str], *, second: bool) -> str:
    """A number in the notation of Python. Ambiguous ones are noted, and `second` gives their other reading."""
    commas, dots = number.count(","), number.count(".")
    if commas and dots:
        decimal = max(",.", key=number.rfind)
        group = "." if decimal == "," else ","
        whole, _, fraction = number.rpartition(decimal)
        if decimal in whole or not _grouped(whole, group):
            raise ArithmeticProblem(N_("the commas and points in {number} fit no number"), None, number=number)
        return f"{whole.replace(group, '')}.{fraction}"
    sign = "," if commas else "."
    if commas + dots > 1:
        if not _grouped(number, sign):
            raise ArithmeticProblem(N_("the commas and points in {number} fit no number"), None, number=number)
        return number.replace(sign, "")
    if commas + dots == 1 and _grouped(number, sign) and not number.startswith("0") and (sign == "," or lang == "vi"):
        ambiguous.append(number)
        groups = lang == "en" and sign == ","
        return number.replace(sign, "" if groups != second else ".")
    return number.replace(",", ".")


def _grouped(number: str, sign: str) -> bool:
    return re.fullmatch(rf"\d{{1,3}}(?:{re.escape(sign)}\d{{3}})+", number) is not None


def _figures(plain: str) -> int:
    if re.fullmatch(r"[-+]?[\d.,]+(?:[eE][-+]?\d+)?", plain) is None:
        return 0
    digits = re.sub(r"[^\d]", "", re.split("[eE]", plain)[0]).lstrip("0")
    return len(digits)


def best(typed: Typed, fits: Callable[[float], bool]) -> tuple[float, bool]:
    """The reading that counts, the first one unless only the other fits; and whether it fits."""
    if fits(typed.value):
        return typed.value, True
    if typed.other is not None and fits(typed.other):
        return typed.other, True
    return typed.value, False


def shown(value: float, lang: Lang = "en") -> str:
    """A number for a reader: up to six significant digits, whole numbers whole, in Vietnamese a decimal comma."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return _localised(f"{value:.6g}", lang)


def rounded(value: float, lang: Lang) -> str:
    """Something measured, for a reader: three significant digits, and a decimal comma in Vietnamese."""
    if 1e-4 <= abs(value) < 1e6:
        digits = f"{value:.3g}"
        return _localised(f"{float(digits):.0f}" if "e" in digits else digits, lang)
    return shown(float(f"{value:.2e}"), lang)


def _localised(number: str, lang: Lang) -> str:
    return number.replace(".", ",") if lang == "vi" else number
