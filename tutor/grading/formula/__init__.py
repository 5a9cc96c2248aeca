"""Grades formulas by what they are worth: equal on random numbers, vectors and matrices, however they are written.

No computer algebra and no `eval`: what is typed is parsed by a small grammar with hard caps over the names of the
question, and both sides are evaluated in plain Python. What cannot be read is a free retry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tutor.course.model import FormulaStep, Lang, WrongForm
from tutor.grading.formula import spelling
from tutor.grading.formula.evaluate import World
from tutor.grading.formula.lexer import FormulaProblem
from tutor.grading.formula.names import names
from tutor.grading.formula.parser import parse
from tutor.grading.formula.tree import Node, latex, names_in
from tutor.grading.formula.values import (
    NoNumberProblem,
    NotGivenProblem,
    Value,
    ValueProblem,
    close,
    multiply,
    scalar,
    transpose,
)
from tutor.grading.formula.vocabulary import Vocabulary
from tutor.grading.say import code, paragraphs, say, text
from tutor.grading.verdict import Named, Verdict
from tutor.text.i18n import N_

__all__ = ["FormulaProblem", "grade", "read"]

TRIALS = 4
"""Random worlds to compare in: one chance agreement in four is out of the question."""
MAX_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class Understood:
    """A formula as it was read: the tree of its last side, all sides, and LaTeX to draw it."""

    tree: Node
    sides: tuple[Node | None, ...]
    latex: str


def read(step: FormulaStep, text: str) -> Understood:
    """Reads what a learner typed; FormulaProblem says what cannot be read, and where."""
    vocabulary = Vocabulary(step)
    sides = _sides(text, vocabulary)
    tree = sides[-1]
    assert tree is not None
    return Understood(tree, tuple(sides), latex(tree))


def _sides(text: str, vocabulary: Vocabulary) -> list[Node | None]:
    """The formulas between the equals signs of `text`; a left side that cannot be read is None.

    The last one is the answer and must be read: FormulaProblem says why it cannot.
    """
    if len(text) > MAX_CHARACTERS:
        raise FormulaProblem(N_("it is longer than {n} characters"), n=MAX_CHARACTERS)
    parts = spelling.plain(text).split("=")
    while len(parts) > 1 and not parts[-1].strip():
        parts.pop()
    read: list[Node | None] = []
    for part in parts[:-1]:
        try:
            read.append(parse(part, vocabulary))
        except FormulaProblem:
            read.append(None)
    return [*read, parse(parts[-1], vocabulary)]


def grade(step: FormulaStep, answer: str, lang: Lang) -> Verdict:
    """The verdict on a typed formula."""
    try:
        understood = read(step, answer)
    except FormulaProblem as problem:
        return _unreadable(step.id, answer, say(lang, problem.message, **problem.values), lang)
    shown = say(lang, N_("Read as {formula}"), formula=f"${understood.latex}$")
    why = text(step.why, lang)
    judged = _Judge(step)
    try:
        found = judged.identity(understood) if step.identity else judged.value(understood.tree)
    except NotGivenProblem as problem:
        return _unreadable(
            step.id, answer, say(lang, N_("“{name}” is not among what is given"), name=str(problem)), lang
        )
    except NoNumberProblem:
        return _unreadable(step.id, answer, say(lang, N_("it has no finite value")), lang)
    except ValueProblem:
        reason = say(lang, N_("Its parts do not fit together: check shapes, orders and what is a function of what."))
        return Verdict(step=step.id, verdict="wrong", score=0.0, feedback=paragraphs(reason, shown, why))
    if found is True:
        return Verdict(step=step.id, verdict="right", score=1.0, feedback=paragraphs(shown, why))
    named: Named | None = None
    if isinstance(found, WrongForm):
        named = Named(f"wrong-{step.wrong.index(found) + 1}", found.say.get(lang))
    elif isinstance(found, str):
        named = Named(found, say(lang, _SLIPS[found]))
    return Verdict(step=step.id, verdict="wrong", score=0.0, misconception=named, feedback=paragraphs(shown, why))


_SLIPS = {
    "sign": N_("The sign is the other way round."),
    "transposed": N_("That is the transpose of what is asked."),
}


def _unreadable(step: str, answer: str, why: str, lang: Lang) -> Verdict:
    if not answer.strip():
        feedback = say(lang, N_("Type a formula, in plain text or LaTeX: `x + F(LN(x))`, `sqrt(a^2 + b^2)`."))
    else:
        feedback = say(lang, N_("{answer} is not a formula I can read: {why}."), answer=code(answer), why=why)
    return Verdict(step=step, verdict="unreadable", feedback=feedback)


class _Judge:
    """Compares formulas in several random worlds."""

    def __init__(self, step: FormulaStep) -> None:
        self.step = step
        self.vocabulary = Vocabulary(step)
        self.trees: Mapping[str, Node] = {
            name: self.tree(described.is_) for name, described in names(step).items() if described.is_
        }
        self.worlds = [World(step, self.trees, seed) for seed in range(TRIALS)]

    def tree(self, form: str) -> Node:
        return _last(_sides(form, self.vocabulary))

    def values(self, tree: Node) -> list[Value | None]:
        """The value in each world, None where it has none; NoNumberProblem where it has none in any."""
        found: list[Value | None] = []
        for world in self.worlds:
            try:
                found.append(world.value(tree))
            except NoNumberProblem:
                found.append(None)
        if all(value is None for value in found):
            raise NoNumberProblem
        return found

    def equal(self, mine: list[Value | None], form: str) -> bool:
        theirs = self.values(self.tree(form))
        within = self.step.within
        return all(
            one is not None and other is not None and close(one, other, within)
            for one, other in zip(mine, theirs, strict=True)
        )

    def value(self, tree: Node) -> bool | str | WrongForm:
        """True where it equals an accepted form; the wrong form or the slip that it shows; False for anything else."""
        mine = self.values(tree)
        if any(self.equal(mine, form) for form in self.step.accept):
            return self._uses(tree)
        for wrong in self.step.wrong:
            if self.equal(mine, wrong.form):
                return wrong
        negative = [multiply(scalar(-1.0), one) if one else None for one in mine]
        if any(self.equal(negative, form) for form in self.step.accept):
            return "sign"
        turned = [transpose(one) if one else None for one in mine]
        if any(self.equal(turned, form) for form in self.step.accept):
            return "transposed"
        return False

    def identity(self, understood: Understood) -> bool | str | WrongForm:
        """Whether an equation holds by the definitions and would not hold without them.

        One side alone is taken as the right side of the first accepted form.
        """
        if len(understood.sides) < 2 or understood.sides[-2] is None:
            return self.value(understood.tree)
        left = understood.sides[-2]
        assert left is not None
        if not self._same(left, understood.tree, self.worlds):
            return self._wrong_equation(left, understood.tree)
        free = [World(self.step, self.trees, seed, free=True) for seed in range(TRIALS)]
        return self._uses(left, understood.tree) and not self._same(left, understood.tree, free)

    def _uses(self, *trees: Node) -> bool:
        """Whether the formula speaks of everything that it must, by any of the names for it."""
        written = {name for tree in trees for name in names_in(tree)}
        return all(written.intersection(group.split()) for group in self.step.uses)

    def _wrong_equation(self, left: Node, right: Node) -> bool | WrongForm:
        for wrong in self.step.wrong:
            sides = _sides(wrong.form, self.vocabulary)
            if len(sides) == 2 and all(
                other is not None and self._same(one, other, self.worlds)
                for one, other in zip((left, right), sides, strict=True)
            ):
                return wrong
        return False

    def _same(self, left: Node, right: Node, worlds: list[World]) -> bool:
        return all(close(world.value(left), world.value(right)) for world in worlds)


def _last(sides: list[Node | None]) -> Node:
    tree = sides[-1]
    assert tree is not None
    return tree
