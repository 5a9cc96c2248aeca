"""What a sound step that asks for a formula looks like; whether its formulas can be read is for `check`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tutor.course.issues import Issue
from tutor.course.model import FormulaName, FormulaStep
from tutor.course.yaml_lines import quoted, suggestion

_NAME = re.compile(r"[^\W\d_][^\W_]*(?:_[^\W_]+)*")


def formula_step(step: FormulaStep) -> Iterator[Issue]:
    """There is a right form, and whatever one name says of another is there."""
    if not step.accept:
        yield Issue(("accept",), "`accept` is empty: no formula could be right")
    if not 0 <= step.within < 1:
        yield Issue(("within",), "`within` is a relative difference: 0 or more, and less than 1")
    yield from _names(step)
    known = step.symbols
    for quotient, name in step.derivatives.items():
        if not all(_NAME.fullmatch(part) for part in quotient.split("/")) or quotient.count("/") != 1:
            yield Issue(("derivatives", quotient), f"{quoted(quotient)} in `derivatives` is no quotient such as `L/x`")
        if name not in known:
            message = f"`derivatives`: {quoted(name)} is not in `symbols`{suggestion(name, known)}"
            yield Issue(("derivatives", quotient), message)
    if step.identity and not _described(step, step.identity).is_:
        yield Issue(
            ("identity",), f"`identity`: {quoted(step.identity)} must be in `symbols`, made by `is` from others"
        )
    for index, group in enumerate(step.uses):
        if not group.split():
            yield Issue(("uses", index), "an entry of `uses` is empty")
        for name in group.split():
            if name not in known:
                yield Issue(("uses", index), f"`uses`: {quoted(name)} is not in `symbols`{suggestion(name, known)}")


def _names(step: FormulaStep) -> Iterator[Issue]:
    spelt = dict.fromkeys(step.symbols, "")
    for name in step.symbols:
        described = _described(step, name)
        for spelling in (name, *described.also):
            if not _NAME.fullmatch(spelling):
                yield Issue(("symbols", name), f"{quoted(spelling)} is no name: letters, then an index such as `_1`")
        for other in described.also:
            if other in spelt:
                yield Issue(("symbols", name, "also"), f"{quoted(other)} stands for two names in `symbols`")
            spelt[other] = name
        if described.jacobian:
            if described.kind != "map":
                yield Issue(("symbols", name, "jacobian"), f"{quoted(name)} is no `map`: it has no `jacobian`")
            if described.jacobian not in step.symbols or _described(step, described.jacobian).kind != "matrix":
                message = (
                    f"the `jacobian` {quoted(described.jacobian)} of {quoted(name)} must be a `matrix` in `symbols`"
                )
                yield Issue(("symbols", name, "jacobian"), message)
        if described.is_ and described.kind != "scalar":
            yield Issue(("symbols", name, "kind"), f"{quoted(name)} has an `is`: its kind follows from that")


def _described(step: FormulaStep, name: str) -> FormulaName:
    named = step.symbols.get(name, "scalar")
    return named if isinstance(named, FormulaName) else FormulaName(kind=named)
