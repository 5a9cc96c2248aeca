"""LaTeX, Unicode and Python spellings of a formula, brought to one plain form: `sqrt(x^2 + eps)`, `d(F)/d(x)`."""

from __future__ import annotations

import re
import unicodedata

_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋ₐₑₕₖₗₘₙₒₚₛₜᵢⱼₓ", "0123456789+-aehklmnopstijx")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUBSCRIPT_RUN = re.compile(r"[₀-₉₊₋ₐₑₕₖₗₘₙₒₚₛₜᵢⱼₓ]+")
_SUPERSCRIPT_RUN = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_LETTERS = {
    "γ": "gamma", "β": "beta", "α": "alpha", "δ": "delta", "Δ": "delta", "ε": "eps", "ϵ": "eps", "μ": "mu", "µ": "mu",
    "σ": "sigma", "λ": "lambda", "θ": "theta", "φ": "phi", "𝔼": "E", "ℒ": "L", "𝓛": "L",
}  # fmt: skip
_SIGNS = {
    "−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "∗": "*", "⊙": "*", "∘": "*", "•": "*", "÷": "/", "∕": "/",
    "⁄": "/", "√": " sqrt ", "Σ": " Sum ", "∑": " Sum ", "∂": " ∂", "ᵀ": "^T", "⊤": "^T", "′": "'", "’": "'", "‖": "||",
    "∥": "||", "@": "*", "≈": "=",
    "≔": "=", "←": "=", "π": " pi ",
    "⟨": "(", "⟩": ")", "½": "(1/2)", "¼": "(1/4)",
}  # fmt: skip
_COMMANDS = {
    "cdot": "*", "times": "*", "odot": "*", "ast": "*", "circ": "*", "star": "*", "div": "/", "sum": " Sum ",
    "top": "T", "intercal": "T", "prime": "'", "Vert": "||", "lVert": "||", "rVert": "||", "|": "||", "vert": "|",
    "epsilon": "eps", "varepsilon": "eps", "varsigma": "sigma", "Delta": "delta", "nabla": "nabla", "lbrack": "[",
    "rbrack": "]", "langle": "(", "rangle": ")", "ell": "l", "approx": "=", "leftarrow": "=", "gets": "=",
    "equiv": "=", "coloneqq": "=", "dots": "…",
}  # fmt: skip
_PLAIN_LETTERS = {ord(letter): plain for letter, plain in (_LETTERS | _SIGNS).items()}
_LAYOUT = "left right big Big bigg Bigg bigl bigr Bigl Bigr displaystyle textstyle limits nolimits quad qquad"
_IGNORED = frozenset(_LAYOUT.split())
_WRAPPERS = (
    r"text|mathrm|mathit|mathbf|mathsf|mathcal|mathbb|boldsymbol|bm|operatorname\*?|textbf|textit|vec|hat|tilde|mathop"
)
_FRACTION = re.compile(r"\\[dtc]?frac\s*")
_KEYWORD = re.compile(r"(?:,\s*)?\b(?:dim|axis|keepdim|keepdims|unbiased|correction|ddof|dtype)\s*=\s*[-\w.()]*\w")
_METHOD_PREFIX = re.compile(r"\b(?:self|torch|np|numpy|math|tf|jnp|nn\.functional)\s*\.\s*(?=[a-z])")


def plain(text: str) -> str:
    """The plain form of `text`. What has no plain form stays as it is, for the parser to point at."""
    text = unicodedata.normalize("NFC", text).strip().strip("`").strip()
    text = re.sub(r"\\\(|\\\)|\\\[|\\\]|\$\$?|\\[,;:!> ]|~", " ", text)
    text = re.sub(r"([A-Za-z])\u0304|\\(?:bar|overline)\s*\{?\s*([A-Za-z])\s*\}?", r" mean(\1\2) ", text)
    text = _SUBSCRIPT_RUN.sub(lambda run: "_{" + run[0].translate(_SUBSCRIPTS) + "}", text)
    text = _SUPERSCRIPT_RUN.sub(lambda run: "^(" + run[0].translate(_SUPERSCRIPTS) + ")", text)
    text = unicodedata.normalize("NFKC", text.translate(_PLAIN_LETTERS))
    text = text.translate(_PLAIN_LETTERS)
    text = _METHOD_PREFIX.sub("", text)
    text = re.sub(rf"\\(?:{_WRAPPERS})\s*\{{([^{{}}]*)\}}", r"\1", text)
    text = _fractions(text)
    text = re.sub(r"\\sqrt\s*\[[^\]]*\]", "…", text)
    text = re.sub(r"\\sqrt\s*\{", " sqrt{", text)
    text = re.sub(r"\\([A-Za-z]+|\|)", _command, text)
    text = re.sub(r"(?<=\d),(?=\d)", ".", text)
    text = _KEYWORD.sub("", text)
    text = text.replace("**", "^").replace(":=", "=").replace("==", "=")
    # A plain sum with its limits: what it runs over does not matter here.
    text = re.sub(r"\b(?:Sum|sum)\s*_\s*(?:\{[^{}]*\}|\w)\s*(?:\^\s*(?:\{[^{}]*\}|\([^()]*\)|\w))?", " Sum ", text)
    text = re.sub(r"(?:∇|\bnabla\b)\s*(?:_\s*(?:\{[^{}]*\}|\w)\s*)?([A-Z]\w*)", r"\1'", text)
    text = re.sub(r"\^\s*\{\s*T\s*\}|\^\s*\(\s*T\s*\)", "^T", text)
    return _brackets(text).strip()


def _command(match: re.Match[str]) -> str:
    name = match[1]
    if name in _IGNORED:
        return ""
    return f" {_COMMANDS.get(name, name)} " if name != "partial" else " ∂"


def _fractions(text: str) -> str:
    r"""`\frac{a}{b}` and `\frac12` as quotients, from the innermost outwards."""
    for _ in range(40):
        places = list(_FRACTION.finditer(text))
        if not places:
            return text
        place = places[-1]
        above, end = _group(text, place.end())
        below, end = _group(text, end)
        text = f"{text[: place.start()]}(({above})/({below})){text[end:]}"
    return text


def _group(text: str, at: int) -> tuple[str, int]:
    """The argument that begins at `at`: a group in braces, or one sign."""
    while at < len(text) and text[at].isspace():
        at += 1
    if at >= len(text):
        return "", at
    if text[at] != "{":
        command = re.compile(r"\\[A-Za-z]+|.", re.DOTALL).match(text, at)
        assert command is not None
        return command[0], command.end()
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] == "{") - (text[end] == "}")
        if depth == 0:
            return text[at + 1 : end], end + 1
    return text[at + 1 :], len(text)


def _brackets(text: str) -> str:
    """Braces as round brackets, except those of an index, which stay for the lexer."""
    result: list[str] = []
    stack: list[str] = []
    for at, letter in enumerate(text):
        if letter == "{":
            index = text[:at].rstrip().endswith("_")
            stack.append("}" if index else ")")
            result.append("{" if index else "(")
        elif letter == "}":
            result.append(stack.pop() if stack else ")")
        else:
            result.append(letter)
    return "".join(result)
