"""The checks of a verdict as a report: a reason that several of them share is told once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tutor.grading.verdict import Check
from tutor.text.i18n import _


def gathered(checks: Iterable[Check]) -> list[tuple[Check, tuple[str, ...]]]:
    """The checks for a report: those that failed for one reason as one, with the first input that shows it.

    Beside each stands what was checked where it stands for several, in their order, and nothing where it is itself.
    """
    checks = list(checks)
    alike: dict[str, list[Check]] = {}
    for check in checks:
        if check.problem and not check.passed:
            alike.setdefault(check.problem, []).append(check)
    rows: list[tuple[Check, tuple[str, ...]]] = []
    for check in checks:
        same = alike.get(check.problem, []) if not check.passed else []
        if len(same) < 2:
            rows.append((check, ()))
        elif check is same[0]:
            names = tuple(each.message.partition(f": {each.problem}")[0] for each in same)
            rows.append((Check(check.id, passed=False, message=check.message.removeprefix(f"{names[0]}: ")), names))
    return rows


def in_checks(names: Sequence[str]) -> str:
    """Where a reason was found, below it."""
    return _("In {n} checks: {names}").format(n=len(names), names="; ".join(names))
