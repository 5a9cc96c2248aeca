"""What sound steps that ask for code look like beyond their types; what they compute is for `check` to run."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Sequence

from tutor.course.entry import Entry, code_of, entries, parse
from tutor.course.issues import Issue, Path, positive, python
from tutor.course.model import BreakStep, ClaimStep, CodeCheck, ExerciseStep, Text
from tutor.course.yaml_lines import quoted, suggestion

MOST_HINTS = 3
MOST_CASES = 24
"""Combinations that one check may try: a report waits for all of them."""
MOST_ELEMENTS = 1_000_000
IMPLICIT_CHECKS = frozenset({"inputs-unchanged", "own-kernel", "allowed-calls"})
"""Checks that the grader adds by itself, where they apply."""
_BROKEN_IF = re.compile(r"(relative_error|absolute_error)\s*>\s*([0-9.]+(?:e[-+]?[0-9]+)?)")


def exercise_step(step: ExerciseStep) -> Iterator[Issue]:
    """Something to define, checks that try it, and code that can be read as Python and defines it."""
    texts = (step.entry,) if isinstance(step.entry, str) else step.entry
    for index, text in enumerate(texts):
        if parse(text) is None:
            path: Path = ("entry",) if isinstance(step.entry, str) else ("entry", index)
            yield Issue(path, f"{quoted(text)} must be as it is called: `name(x, eps)` or `class Name(x)`")
    if not texts:
        yield Issue(("entry",), "`entry` is empty")
    if not step.solutions:
        yield Issue(("solutions",), "`solutions` is empty")
    if not step.hints:
        yield Issue(("hints",), "`hints` is empty: give at least one")
    if not step.mutants:
        yield Issue(("mutants",), "`mutants` is empty: give at least one mistake a name")
    yield from _hints(step.hints)
    yield from positive(step.seconds, "seconds")
    wanted = entries(step)
    for path, code in _codes(step):
        issues = list(python(code, *path))
        yield from issues or _undefined(code, path, wanted)
    yield from _checks(step.checks)
    known = {check.id for check in step.checks} | IMPLICIT_CHECKS
    for index, mutant in enumerate(step.mutants):
        for place, id in enumerate(mutant.fails):
            if id not in known:
                message = f"there is no check {quoted(id)}{suggestion(id, known)}"
                yield Issue(("mutants", index, "fails", place), message)
        if mutant.code and mutant.change:
            yield Issue(("mutants", index, "change"), "a mutant has `code` or `change`, not both")
    yield from _changes(step)
    for index, name in enumerate(step.forbid):
        if not name.isidentifier():
            yield Issue(("forbid", index), f"{quoted(name)} must be the bare name of a function, such as layer_norm")


def _changes(step: ExerciseStep) -> Iterator[Issue]:
    for index, mutant in enumerate(step.mutants):
        code = step.solutions[0] if step.solutions else ""
        for place, change in enumerate(mutant.change):
            if not change.old or change.old not in code:
                message = f"the first solution does not have {quoted(change.old.strip())}"
                if place:
                    message += ", as it is after the changes before"
                yield Issue(("mutants", index, "change", place, "old"), message)
            elif change.old == change.new:
                yield Issue(("mutants", index, "change", place, "new"), "`new` is the same as `old`")
            code = code.replace(change.old, change.new)


def claim_step(step: ClaimStep) -> Iterator[Issue]:
    """Names to draw, and two expressions that use all of them."""
    if not step.search.inputs:
        yield Issue(("search", "inputs"), "`inputs` is empty: there is nothing to search")
    if not 0 < step.search.within < 1:
        yield Issue(("search", "within"), "`within` must be more than 0 and less than 1")
    used: set[str] = set()
    for name, code in (("left", step.search.left), ("right", step.search.right)):
        issues = list(python(code, "search", name, expression=True))
        yield from issues
        if not issues:
            tree = ast.parse(code.strip(), mode="eval")
            used |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for name in sorted(step.search.inputs.keys() - used):
        yield Issue(("search", "inputs", name), f"neither `left` nor `right` uses {quoted(name)}")


def break_step(step: BreakStep) -> Iterator[Issue]:
    """A bound that can be read, and at least one answer that breaks the kernel."""
    if not step.input:
        yield Issue(("input",), "`input` is empty: say what the answer sets")
    if bound(step) is None:
        yield Issue(("broken_if",), "`broken_if` must be `relative_error > NUMBER` or `absolute_error > NUMBER`")
    if not step.solutions:
        yield Issue(("solutions",), "`solutions` is empty")
    yield from _hints(step.hints)
    for index, code in enumerate(step.solutions):
        yield from python(code, "solutions", index)
    if step.starter.strip():
        yield from python(step.starter, "starter")


def bound(step: BreakStep) -> tuple[str, float] | None:
    """The measure and the number of `broken_if`; None where it is not of that form."""
    found = _BROKEN_IF.fullmatch(step.broken_if.strip())
    if found is None:
        return None
    try:
        return found[1], float(found[2])
    except ValueError:
        return None


def _hints(hints: Sequence[Text]) -> Iterator[Issue]:
    if len(hints) > MOST_HINTS:
        yield Issue(("hints", MOST_HINTS), f"`hints` has {len(hints)} entries: at most {MOST_HINTS}")


def _codes(step: ExerciseStep) -> Iterator[tuple[Path, str]]:
    yield ("starter",), step.starter
    for index, solution in enumerate(step.solutions):
        yield ("solutions", index), solution
    for index, mutant in enumerate(step.mutants):
        yield ("mutants", index, "change" if mutant.change else "code"), code_of(step, mutant)


def _undefined(code: str, path: Path, wanted: Sequence[Entry]) -> Iterator[Issue]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    for entry in wanted:
        if entry.name not in names:
            yield Issue(path, f"it does not define {quoted(entry.name)}{suggestion(entry.name, names)}")


def _checks(checks: Sequence[CodeCheck]) -> Iterator[Issue]:
    if not checks:
        yield Issue(("checks",), "`checks` is empty")
    elif not any(check.public for check in checks):
        yield Issue(("checks",), "no check is `public: true`: the learner could try nothing before handing in")
    for index, check in enumerate(checks):
        path: Path = ("checks", index)
        if not check.shapes and not check.probe:
            yield Issue(path, f"check {quoted(check.id)} has no `shapes`")
        for place, shape in enumerate(check.shapes):
            if not shape or min(shape) < 1 or math.prod(shape) > MOST_ELEMENTS:
                message = f"a shape has sizes of at least 1, and at most {MOST_ELEMENTS:,} values"
                yield Issue((*path, "shapes", place), message)
        sizes = [len(part) for part in (check.families, check.dtypes, check.layouts, check.eps)]
        cases = max(1, len(check.shapes)) * math.prod(sizes)
        if cases > MOST_CASES or cases == 0:
            message = f"check {quoted(check.id)} tries {cases} combinations: from 1 to {MOST_CASES}"
            yield Issue(path, message)
        for place, eps in enumerate(check.eps):
            if not 0 <= eps < math.inf:
                yield Issue((*path, "eps", place), "`eps` must be at least 0")
