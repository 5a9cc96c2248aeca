"""LaTeX maths -> a tree, for the part of LaTeX that the course uses.

Everything that is not known here is refused with its name, so that no formula is shown with a part missing.
"""

from __future__ import annotations

import re
import unicodedata

from rich.cells import cell_len

from tutor.text.latex_symbols import (
    ACCENTS,
    CHARACTERS,
    DELIMITERS,
    GRIDS,
    IGNORED,
    NEGATED,
    SPACES,
    SYMBOLS,
    VARIANTS,
)
from tutor.text.latex_tree import Atom, Fenced, Fraction, Grid, Group, MathsError, Node, Root, Script

# Course formulas stay under 200 characters; the limits only have to end hostile input at once.
LONGEST = 2000
DEEPEST = 24

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\d+(?:\.\d+|,\d{3}(?!\d))*|\s+|.", re.DOTALL)
_FONTS = {"mathrm", "mathbf", "mathit", "mathsf", "mathtt", "mathnormal", "mathcal", "mathscr", "boldsymbol", "bm"}
_TEXTS = {"text", "textrm", "textbf", "textit", "textsf", "texttt", "mbox"}
_OPERATORS = {"operatorname", "operatorname*", "DeclareMathOperator"}
_BLACKBOARD = dict(zip("CNPQRZ", "ℂℕℙℚℝℤ", strict=True))
_BIG = re.compile(r"[bB]ig{1,2}[lrm]?")


def parse(source: str) -> Group:
    """The tree of a formula. Raises `MathsError` for what LaTeX would refuse, what is unknown, and what is hostile."""
    if len(source) > LONGEST:
        raise MathsError(f"a formula of {len(source)} characters; at most {LONGEST} are read")
    source = unicodedata.normalize("NFC", source).translate(VARIANTS)
    for char in source:
        if not char.isspace() and (not char.isprintable() or ord(char) > 0xFFFF or cell_len(char) != 1):
            raise MathsError(f"the character U+{ord(char):04X} cannot stand in a formula")
    tree = _Parser(source).formula()
    if not tree.items:
        raise MathsError("an empty formula")
    return tree


class _Parser:
    def __init__(self, source: str) -> None:
        self.tokens = _TOKEN.findall(source)
        self.at = 0
        self.depth = 0

    def formula(self) -> Group:
        rows = self.rows(stop=None)
        if len(rows) == 1 and len(rows[0]) == 1:
            return rows[0][0]
        return Group((Grid("aligned", rows),))

    def rows(self, stop: str | None) -> tuple[tuple[Group, ...], ...]:
        rows: list[tuple[Group, ...]] = []
        cells: list[Group] = []
        while True:
            cells.append(self.items(until={"&", "\\\\", stop}))
            token = self.take()
            if token == "&":
                continue
            # A row break at the very end makes no row of its own.
            if token == stop and rows and cells == [Group()]:
                return tuple(rows)
            rows.append(tuple(cells))
            cells = []
            if token == stop:
                return tuple(rows)

    def peek(self) -> str | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self) -> str | None:
        token = self.peek()
        self.at += 1
        return token

    def skip_spaces(self) -> None:
        while (token := self.peek()) is not None and token.isspace():
            self.at += 1

    def items(self, until: set[str | None]) -> Group:
        self.depth += 1
        if self.depth > DEEPEST:
            raise MathsError(f"nested more than {DEEPEST} deep")
        found: list[Node] = []
        while (token := self.peek()) not in until:
            if token is None:
                wanted = " or ".join(sorted(word for word in until if word is not None and word not in ("&", "\\\\")))
                raise MathsError(f"{wanted} is missing at the end")
            self.at += 1
            if token in ("^", "_"):
                self.script(found, token)
            elif (node := self.node(token)) is not None:
                found.append(node)
        self.depth -= 1
        return Group(tuple(found))

    def script(self, found: list[Node], token: str) -> None:
        base = found.pop() if found else Group()
        content = self.argument(token)
        sub, sup = (content, None) if token == "_" else (None, content)
        if isinstance(base, Script):
            if (base.sub if sub is not None else base.sup) is not None:
                raise MathsError(f"two scripts with {token} on one base")
            found.append(Script(base.base, sub or base.sub, sup or base.sup))
        else:
            found.append(Script(base, sub, sup))

    def argument(self, of: str) -> Group:
        self.skip_spaces()
        token = self.take()
        if token is None or token in ("}", "&", "^", "_", "\\\\", "\\right"):
            raise MathsError(f"{of} wants an argument")
        if token == "{":
            group = self.items(until={"}"})
            self.at += 1
            return group
        # LaTeX takes one digit, not the number: \frac12.
        if len(token) > 1 and token[0].isdigit():
            self.at -= 1
            self.tokens[self.at] = token[1:]
            return Group((Atom(token[0], "num"),))
        self.depth += 1
        if self.depth > DEEPEST:
            raise MathsError(f"nested more than {DEEPEST} deep")
        node = self.node(token)
        self.depth -= 1
        return Group((node,)) if node is not None else Group()

    def raw(self, of: str) -> str:
        self.skip_spaces()
        if self.take() != "{":
            raise MathsError(f"{of} wants braces")
        found, level = "", 1
        while (token := self.take()) is not None:
            level += (token == "{") - (token == "}")
            if not level:
                return re.sub(r"\s+", " ", found)
            if token[0] == "\\" and token[1:] not in SPACES and token[1:].isalpha():
                raise MathsError(f"{token} inside {of}")
            found += "" if token in "{}" else SPACES.get(token[1:], token[1:]) if token[0] == "\\" else token
        raise MathsError(f"}} is missing after {of}")

    def node(self, token: str) -> Node | None:
        if token[0] == "\\":
            return self.command(token[1:])
        if token == "{":
            group = self.items(until={"}"})
            self.at += 1
            return group
        if token.isspace():
            return None
        if token == "'":
            return Atom("′", "post")
        if token in "}$&#":
            raise MathsError(f"{token} out of place")
        if token == ":" and self.peek() == "=":
            self.at += 1
            return Atom(":=", "rel")
        if token[0].isdigit():
            return Atom(token, "num")
        return Atom(" " if token == "~" else token, CHARACTERS.get(token, "ord"))

    def command(self, name: str) -> Node | None:
        if name in SYMBOLS:
            return Atom(*SYMBOLS[name])
        if name in SPACES:
            return Atom(SPACES[name], "space") if SPACES[name] else None
        if name in IGNORED:
            return None
        if name in ("frac", "dfrac", "tfrac", "cfrac"):
            return Fraction(self.argument("\\" + name), self.argument("\\" + name))
        if name == "sqrt":
            return self.root()
        if name in _TEXTS:
            return Atom(self.raw("\\" + name), "word")
        if name in _OPERATORS:
            return Atom(self.raw("\\" + name), "limit" if name.endswith("*") else "fun")
        if name in _FONTS:
            return _word(self.argument("\\" + name))
        if name == "mathbb":
            word = _word(self.argument("\\mathbb"))
            return Atom(_BLACKBOARD.get(word.text, word.text), "ord") if isinstance(word, Atom) else word
        if name in ACCENTS:
            return self.accent(name)
        if name == "not":
            return self.negated()
        if name == "left":
            return self.fenced()
        if _BIG.fullmatch(name):
            char = self.delimiter(name)
            return Atom(
                char, "open" if name[-1] == "l" else "close" if name[-1] == "r" else CHARACTERS.get(char, "ord")
            )
        if name == "begin":
            return self.grid()
        raise MathsError(f"\\{name} is not known")

    def root(self) -> Root:
        self.skip_spaces()
        degree = None
        if self.peek() == "[":
            self.at += 1
            degree = self.items(until={"]"})
            self.at += 1
        return Root(self.argument("\\sqrt"), degree)

    def accent(self, name: str) -> Atom:
        body = _word(self.argument("\\" + name))
        if not isinstance(body, Atom) or len(body.text) != 1:
            raise MathsError(f"\\{name} over more than one letter")
        return Atom(unicodedata.normalize("NFC", body.text + ACCENTS[name]), "ord")

    def negated(self) -> Atom:
        self.skip_spaces()
        token = self.take() or "the end"
        known = SYMBOLS[token[1:]][0] if token[1:] in SYMBOLS else token
        if known not in NEGATED:
            raise MathsError(f"\\not before {token}")
        return Atom(NEGATED[known], "rel")

    def delimiter(self, of: str) -> str:
        self.skip_spaces()
        token = self.take()
        if token is None or token.lstrip("\\") not in DELIMITERS:
            raise MathsError(f"\\{of} before {token or 'the end'}")
        # \| is a double bar, | a single one.
        return "‖" if token == "\\|" else DELIMITERS[token.lstrip("\\")]

    def fenced(self) -> Fenced:
        left = self.delimiter("left")
        body = self.items(until={"\\right"})
        self.at += 1
        return Fenced(left, body, self.delimiter("right"))

    def grid(self) -> Grid:
        name = self.raw("\\begin")
        if name.rstrip("*") not in GRIDS:
            raise MathsError(f"\\begin{{{name}}} is not known")
        if name == "array":
            self.raw("\\begin{array}")
        rows = self.rows(stop="\\end")
        if self.raw("\\end") != name:
            raise MathsError(f"\\begin{{{name}}} ends with another name")
        return Grid(name.rstrip("*"), rows)


def _word(group: Group) -> Node:
    r"""`\mathrm{LN}` is one word, `\mathbf{x}` the letter; anything richer stays as it is: there is one font."""
    letters = [item.text for item in group.items if isinstance(item, Atom) and item.text.isalnum()]
    if not letters or len(letters) != len(group.items):
        return group
    text = "".join(letters)
    return Atom(text, "word" if len(text) > 1 else "ord")
