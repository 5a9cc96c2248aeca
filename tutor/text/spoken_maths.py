"""A formula in words, for a screen reader: `gamma times x minus mu over square root of sigma squared plus epsilon`.

Symbols are said, because most readers skip them, and what has an inside is said to end, because nobody hears where it
does: the idea of MathSpeak (A. Nemeth), in fewer words.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from tutor.text.i18n import N_, Lang, language, translate
from tutor.text.latex import parse
from tutor.text.latex_tree import Atom, Fenced, Fraction, Group, Node, Root, Script

_WORDS = {
    "+": N_("plus"), "-": N_("minus"), "−": N_("minus"), "±": N_("plus or minus"), "·": N_("times"),
    "×": N_("times"), "∗": N_("times"), "*": N_("times"), "÷": N_("divided by"), "/": N_("over"),
    "⊙": N_("elementwise times"), "⊗": N_("tensor product"), "⊕": N_("direct sum"), "∘": N_("composed with"),
    "=": N_("equals"), "≠": N_("is not equal to"), "<": N_("is less than"), ">": N_("is greater than"),
    "≤": N_("is at most"), "≥": N_("is at least"), "≪": N_("is much less than"), "≫": N_("is much greater than"),
    "≈": N_("is about"), "~": N_("is distributed as"), "∼": N_("is distributed as"), "≃": N_("is about"),
    "≡": N_("is defined as"), ":=": N_("is defined as"), "∝": N_("is proportional to"), "∈": N_("in"),
    "∉": N_("not in"), "→": N_("goes to"), "←": N_("is set to"), "⇒": N_("implies"), "⇔": N_("if and only if"),
    "↦": N_("is mapped to"), "∞": N_("infinity"), "∂": N_("partial d"), "∇": N_("gradient of"),
    "∑": N_("sum"), "∏": N_("product"), "∫": N_("integral"), "…": N_("and so on"), "⋯": N_("and so on"),
    "‖": N_("norm bar"), "∥": N_("norm bar"), "|": N_("bar"), "⊤": N_("transpose"), "′": N_("prime"),
    "(": N_("open parenthesis"), ")": N_("close parenthesis"), "[": N_("open bracket"), "]": N_("close bracket"),
    "{": N_("open brace"), "}": N_("close brace"), "⌊": N_("floor of"), "⌋": N_("end floor"),
    "⌈": N_("ceiling of"), "⌉": N_("end ceiling"), "⟨": N_("open angle"), "⟩": N_("close angle"),
    "∀": N_("for all"), "∃": N_("there is"), "ℝ": N_("the real numbers"), "𝔼": N_("expectation"), "!": N_("factorial"),
    "%": N_("percent"), "°": N_("degrees"), "ℓ": "l", "ℒ": "L",
}  # fmt: skip
_ACCENTS = {"\u0302": N_("hat"), "\u0304": N_("bar above"), "\u0303": N_("tilde"), "\u0307": N_("dot above"),
            "\u0308": N_("two dots above"), "\u20d7": N_("vector")}  # fmt: skip

_PARTS = re.compile(r"[A-Za-z0-9]+(?:\.[0-9]+)*|.", re.DOTALL)


@lru_cache(maxsize=2048)
def spoken(latex: str, lang: Lang | None = None) -> str:
    """The formula in words of `lang`, by default the language in use. Raises `MathsError`."""
    speaker = _Speaker(lang or language())
    words = " ".join(speaker.node(parse(latex)).split())
    return re.sub(r",+ *(?=,)", "", re.sub(r" (?=[,;])", "", words)).rstrip(",")


def say(latex: str) -> str:
    """The formula in words of the language in use. Raises `MathsError`."""
    return spoken(latex, language())


class _Speaker:
    def __init__(self, lang: Lang) -> None:
        self._lang = lang

    def _(self, message: str) -> str:
        return translate(message, self._lang)

    def node(self, node: Node) -> str:
        if isinstance(node, Atom):
            return self.symbol(node.text)
        if isinstance(node, Group):
            return self.row(node)
        if isinstance(node, Fraction):
            return self.fraction(node)
        if isinstance(node, Root):
            return self.root(node)
        if isinstance(node, Script):
            return self.script(node)
        if isinstance(node, Fenced):
            return f"{self.symbol(node.left)} {self.node(node.body)} {self.symbol(node.right)}"
        rows = ["; ".join(self.node(cell) for cell in row) for row in node.rows]
        return ", ".join(self._(N_("row {n}:")).format(n=n) + f" {row}" for n, row in enumerate(rows, 1))

    def row(self, group: Group) -> str:
        words: list[str] = []
        digits = ""
        for given in group.items:
            item = given.items[0] if isinstance(given, Group) and len(given.items) == 1 else given  # 65{,}504
            if isinstance(item, Atom) and (item.text.isdigit() or (digits and item.text in ".,")):
                digits += item.text  # 65,504 is one number, however many atoms it is made of
                continue
            if digits:
                words.append(digits)
                digits = ""
            words.append(self.node(item))
        return " ".join(filter(None, [*words, digits]))

    def fraction(self, node: Fraction) -> str:
        top, bottom = self.node(node.top), self.node(node.bottom)
        if _short(node.top) and _short(node.bottom):
            return self._(N_("{top} over {bottom}")).format(top=top, bottom=bottom)
        whole = self._(N_("fraction, {top}, over {bottom}, end of fraction,"))
        return whole.format(top=top, bottom=bottom)

    def root(self, node: Root) -> str:
        body = self.node(node.body)
        if node.degree is not None and self.node(node.degree) != "2":
            return self._(N_("root of degree {n} of {body}, end of root,")).format(n=self.node(node.degree), body=body)
        if _short(node.body):
            return self._(N_("square root of {body}")).format(body=body)
        return self._(N_("square root of {body}, end of root,")).format(body=body)

    def script(self, node: Script) -> str:
        base = self.node(node.base)
        sub = self.node(node.sub) if node.sub is not None else ""
        sup = self.node(node.sup) if node.sup is not None else ""
        if isinstance(node.base, Atom) and node.base.kind in ("big", "integral", "limit"):
            if sub:
                base += " " + self._(N_("over {limits}") if not sup else N_("from {limits}")).format(limits=sub)
            if sup:
                base += " " + self._(N_("to {limit}")).format(limit=sup)
            return base + " " + self._(N_("of"))
        if sub:
            base += " " + self._(N_("sub {index}") if _short(node.sub) else N_("sub {index}, end of sub,")).format(
                index=sub
            )
        if sup:
            base += " " + self.power(node.sup, sup)
        return base

    def power(self, group: Group | None, sup: str) -> str:
        written = group.items[0].text if group and len(group.items) == 1 and isinstance(group.items[0], Atom) else ""
        if written == "2":
            return self._(N_("squared"))
        if written in ("⊤", "T", "′", "*", "∗"):
            return {"⊤": self._(N_("transpose")), "T": self._(N_("transpose")), "′": self._(N_("prime"))}.get(
                written, self._(N_("star"))
            )
        if _short(group):
            return self._(N_("to the power {power}")).format(power=sup)
        return self._(N_("to the power {power}, end of power,")).format(power=sup)

    def symbol(self, text: str) -> str:
        if text in _WORDS:
            return self._(_WORDS[text])
        return " ".join(filter(None, (self.character(char) for char in _in_words(text))))

    def character(self, text: str) -> str:
        if text in _ACCENTS:
            return self._(_ACCENTS[text])
        if text in _WORDS:
            return self._(_WORDS[text])
        name = unicodedata.name(text[0], "") if len(text) == 1 else ""
        if name.startswith("GREEK"):
            letter = name.split(" LETTER ")[-1].split()[-1].lower().replace("lamda", "lambda")
            return self._(N_("capital {letter}")).format(letter=letter) if "CAPITAL" in name else letter
        return text.strip()


def _in_words(text: str) -> list[str]:
    """Runs of plain letters and digits stay together; every other character is a symbol of its own."""
    accented = any(accent in text for accent in _ACCENTS)
    return _PARTS.findall(unicodedata.normalize("NFD", text) if accented else text)


def _short(group: Group | None) -> bool:
    """Whether a part is heard as one thing, so that nobody must say where it ends."""
    if group is None or len(group.items) != 1:
        return (
            group is None
            or not group.items
            or all(isinstance(item, Atom) and item.kind == "num" for item in group.items)
        )
    item = group.items[0]
    return isinstance(item, Atom) or (isinstance(item, Script) and isinstance(item.base, Atom))
