"""Reads a formula in its plain form: a recursive descent with hard caps, over the names of the question only.

Nothing is ever executed: what comes out is a tree of `tree.Node`.
"""

from __future__ import annotations

import math
import re

from tutor.grading.formula.lexer import ENDS_EARLY, Cursor, FormulaProblem, Token, tokens
from tutor.grading.formula.tree import Binary, Call, Derivative, Differential, Negative, Node, Number, Symbol, Transpose
from tutor.grading.formula.vocabulary import Vocabulary
from tutor.text.i18n import N_

MAX_DEPTH = 40

_CONSTANTS = {"e": math.e, "pi": math.pi}
_NOTHING = Symbol("")
"""Stands for what an operator such as d/dx is applied to, until that is read."""


def parse(plain: str, vocabulary: Vocabulary) -> Node:
    """One formula in its plain form."""
    return _Parser(tokens(plain), vocabulary).whole()


class _Parser(Cursor):
    def __init__(self, tokens: list[Token], vocabulary: Vocabulary) -> None:
        super().__init__(tokens)
        self.known = vocabulary
        self.depth = 0
        self.norms = 0

    def whole(self) -> Node:
        if not self.tokens:
            raise FormulaProblem(N_("nothing is written"))
        tree = self.sum()
        if self.at < len(self.tokens):
            self.fail(N_("“{sign}” is not expected here"), sign=self.tokens[self.at].text)
        return tree

    def sum(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise FormulaProblem(N_("the brackets are nested too deeply"))
        left = self.product()
        while self.sign() in ("+", "-"):
            sign = self.sign()
            self.at += 1
            left = Binary(sign, left, self.product())
        self.depth -= 1
        return left

    def product(self) -> Node:
        left = self.unary()
        while True:
            if self.sign() in ("*", "/"):
                sign = self.sign()
                self.at += 1
                left = self.joined(sign, left, self.unary())
            elif self.begins_factor():
                right = self.power()
                if isinstance(left, Derivative) and left.of == _NOTHING:
                    left = Derivative(right, left.by)
                else:
                    left = Binary("*", left, right)
            else:
                return left

    def joined(self, sign: str, left: Node, right: Node) -> Node:
        """A quotient of differentials is a derivative; everything else is what it says."""
        if sign == "/" and isinstance(right, Differential):
            if isinstance(left, Differential):
                return Derivative(left.inner, right.inner)
            if isinstance(left, Binary) and left.sign == "*" and isinstance(left.right, Differential):
                return Binary("*", left.left, Derivative(left.right.inner, right.inner))
        return Binary(sign, left, right)

    def begins_factor(self) -> bool:
        """Whether what comes next is multiplied without a sign."""
        if self.at >= len(self.tokens):
            return False
        if self.tokens[self.at].kind != "sign":
            return True
        return self.sign() in ("(", "[", "∂") or (self.sign() == "||" and not self.norms)

    def unary(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise FormulaProblem(N_("the brackets are nested too deeply"))
        node: Node
        if self.take("-"):
            node = Negative(self.unary())
        elif self.take("+"):
            node = self.unary()
        else:
            node = self.power()
        self.depth -= 1
        return node

    def power(self) -> Node:
        node = self.postfix(self.atom())
        while self.take("^"):
            if self.at < len(self.tokens) and self.tokens[self.at].text == "T":
                self.at += 1
                node = Transpose(node)
                continue
            exponent = Negative(self.atom()) if self.take("-") else self.atom()
            if self.sign() == "^":
                exponent = Binary("^", exponent, self.exponent())
            node = self.postfix(Binary("^", node, exponent))
        return node

    def exponent(self) -> Node:
        """What stands above an exponent: powers group from the right."""
        self.at += 1
        return self.unary()

    def postfix(self, node: Node) -> Node:
        while True:
            if self.take("%"):
                node = Binary("/", node, Number(100, "100"))
            elif self.take("'"):
                node = Derivative(node, None)
                if self.sign() in ("(", "["):
                    self.bracketed()  # where it is taken
            elif self.sign() == "." and self.at + 1 < len(self.tokens):
                self.at += 1
                node = self.method(node)
            else:
                return node

    def method(self, node: Node) -> Node:
        """`J.T`, `x.mean()`, `x.pow(2)`, as they are written in code."""
        name = self.tokens[self.at].text
        self.at += 1
        if name in ("T", "t", "mT"):
            if self.take("("):
                self.close(")")
            return Transpose(node)
        arguments = self.arguments() if self.take("(") else []
        if name in ("pow", "power") and arguments:
            return Binary("^", node, arguments[0])
        if name == "square":
            return Binary("^", node, Number(2, "2"))
        if name in self.known.functions:
            return Call(self.known.functions[name], node)
        raise FormulaProblem(N_("“{name}” is not known here"), None, name=name)

    def arguments(self) -> list[Node]:
        """The arguments of a call in code; axes and keywords are read and left out by whoever asked."""
        found: list[Node] = []
        while self.at < len(self.tokens) and self.sign() != ")":
            start = self.at
            if self.tokens[self.at].kind == "name" and self.sign(1) == "=":
                self.at += 2
                self.at += self.sign() == "-"
                self.at += 1
            else:
                found.append(self.sum())
            if not self.take(",") and self.sign() != ")" and self.at == start:
                break
        self.close(")")
        return found

    def atom(self) -> Node:
        if self.at >= len(self.tokens):
            raise FormulaProblem(ENDS_EARLY)
        token = self.tokens[self.at]
        if token.kind == "number":
            self.at += 1
            return Number(float(token.text), token.text)
        if token.kind == "name":
            return self.name(token)
        self.at += 1
        if token.text in ("(", "["):
            inner = self.sum()
            self.close(")" if token.text == "(" else "]")
            return inner
        if token.text == "∂":
            return self.differential()
        if token.text == "||":
            self.norms += 1
            inner = self.sum()
            self.close("||")
            self.norms -= 1
            self.index_of_norm()
            return Call("norm", inner)
        self.at -= 1
        raise FormulaProblem(N_("“{sign}” is not expected here"), token.start, sign=token.text)

    def differential(self) -> Node:
        """D of what follows; of nothing yet in `d/dx F(x)`."""
        return Differential(_NOTHING if self.sign() in ("/", ")") else self.atom())

    def index_of_norm(self) -> None:
        """The 2 of a 2-norm says nothing more."""
        if self.at < len(self.tokens) and self.tokens[self.at].text.replace(" ", "") in ("_2", "_{2}"):
            self.at += 1

    def name(self, token: Token) -> Node:
        known = self.known
        spelt = token.text
        self.at += 1
        opens = self.sign() in ("(", "[")
        name = known.find(spelt)
        function = known.functions.get(spelt.partition("_")[0])
        if name is not None and (function is None or not opens or known.is_map(name)):
            return self.named(name, opens)
        if function is not None:
            return self.called(function, spelt, opens)
        if spelt[0] == "d" and len(spelt) > 1 and known.find(spelt[1:]) is not None:
            inner = known.find(spelt[1:])
            assert inner is not None
            return Differential(self.named(inner, opens))
        if spelt == "d" and self.at < len(self.tokens):
            return self.differential()
        if spelt == "pow" and opens:
            return self.power_in_code()
        if spelt in _CONSTANTS:
            return Number(_CONSTANTS[spelt], spelt)
        return self.split(token, opens)

    def power_in_code(self) -> Node:
        """`pow(a, b)`."""
        self.at += 1
        arguments = self.arguments()
        if len(arguments) != 2:
            raise FormulaProblem(N_("“{name}” is not known here"), None, name="pow")
        return Binary("^", *arguments)

    def named(self, name: str, opens: bool) -> Node:
        if self.known.is_map(name) and opens:
            return Call(name, self.bracketed())
        if opens and self.known.takes_place(name) and self._is_place():
            self.bracketed()
        return Symbol(name)

    def _is_place(self) -> bool:
        """Whether a bracket only says where something is taken: `J_F(x)` or `Var(x)`, not `J_F (I + J_G)`."""
        after = self.tokens[self.at + 1 : self.at + 3]
        if len(after) < 2 or after[0].kind != "name" or after[1].text not in (")", "]", "(", "["):
            return False
        name = self.known.find(after[0].text)
        return name is not None and self.known.names[name].kind in ("vector", "map")

    def called(self, function: str, spelt: str, opens: bool) -> Node:
        if spelt == "Sum" or (function == "sum" and not opens):
            return Call("sum", self.term_of_sum())
        if opens and not (spelt == "sum" and self.tokens[self.at].spaced):
            return Call(function, self.bracketed())
        if function == "sum":
            return Call("sum", self.term_of_sum())
        return Call(function, self.power())

    def term_of_sum(self) -> Node:
        """What a big sum runs over: the product behind it, up to the next +, - or division."""
        node = self.power()
        while self.sign() == "*" or self.begins_factor():
            self.take("*")
            node = Binary("*", node, self.power())
        return node

    def bracketed(self) -> Node:
        opening = self.sign()
        self.at += 1
        if opening == "[":
            inner = self.sum()
            self.close("]")
            return inner
        arguments = self.arguments()
        if not arguments:
            raise FormulaProblem(N_("the brackets are empty"))
        return arguments[0]

    def split(self, token: Token, opens: bool) -> Node:
        """A run of letters as a product of names, `gammax` or `gJ1`; the last one may be called."""
        following = self.tokens[self.at] if self.at < len(self.tokens) else None
        if following is not None and following.kind == "name" and not following.spaced:
            name = self.known.find(token.text + following.text)
            if name is not None:
                self.at += 1
                return self.named(name, self.sign() in ("(", "["))
        run = _LETTERS.fullmatch(token.text)
        parts = self.known.split(run[1], run[2]) if run is not None and len(run[1]) <= 12 else None
        if (not parts or len(parts) < 2) and not self.known.names:
            raise FormulaProblem(
                N_("“{name}” is no number: nothing has a name here, so only numbers are expected"),
                token.start,
                name=token.text,
            )
        if not parts or len(parts) < 2:
            raise FormulaProblem(
                N_("“{name}” is not among the given names: {names}"),
                token.start,
                name=token.text,
                names=self.known.listed(),
            )
        *first, last = parts
        node: Node | None = None
        for part in first:
            name = self.known.find(part)
            if name is None:
                raise FormulaProblem(N_("“{name}” is not known here"), token.start, name=token.text)
            node = Symbol(name) if node is None else Binary("*", node, Symbol(name))
        name = self.known.find(last)
        factor = self.called(self.known.functions[last], last, opens) if name is None else self.named(name, opens)
        assert node is not None
        return Binary("*", node, factor)


_LETTERS = re.compile(r"([^\W\d_]+)(\d*(?:\s*_.*)?)")
