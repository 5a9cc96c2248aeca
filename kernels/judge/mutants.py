"""Which named wrong implementation a submission's numbers are those of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kernels.judge.case import Answer, Case
from kernels.judge.compare import same
from kernels.judge.exercise import Exercise
from kernels.judge.report import Judged, changed

MOST_FAILING, MOST_PASSING = 6, 4
Ask = Callable[[Mapping[str, Any], Case], Answer | None]
"""Gives a mutant's answer to a case, if it has one."""


def named(exercise: Exercise, judged: Sequence[Judged], failing: set[str], ask: Ask) -> str | None:
    """The first mutant whose answers are the submission's, and as wrong, wherever the submission is wrong.

    It must also be right where the submission is, and write to the inputs that it writes to. Where none does, the first
    whose `fails` covers all failing checks, when the first of those is one of them.
    """
    numeric = [each for each in judged if not each.case.off]
    wrong = _spread([each for each in numeric if _wrong(each)], MOST_FAILING)
    right = _spread([each for each in numeric if not _wrong(each)], MOST_PASSING)
    chosen = [*wrong, *right]
    ways = max((len(each.case.variants) for each in chosen), default=0)
    for mutant in exercise.mutants if wrong else ():
        for way in range(ways + 1):
            if all(_matches(exercise, each, ask(mutant, _asked(each.case, way))) for each in chosen):
                return str(mutant["id"])
    for mutant in exercise.mutants:
        fails = mutant["fails"]
        if fails and fails[0] in failing and failing <= set(fails):
            return str(mutant["id"])
    return None


def _asked(case: Case, way: int) -> Case:
    return case.variants[way - 1] if 0 < way <= len(case.variants) else case


def _wrong(judged: Judged) -> bool:
    return judged.fails or changed(judged) is not None


def _spread(judged: Sequence[Judged], most: int) -> list[Judged]:
    """The smallest cases, one of each check before the second of any."""
    ranked: list[tuple[int, int, Judged]] = []
    seen: dict[str, int] = {}
    for each in sorted(judged, key=lambda each: each.case.size):
        check = each.case.setting.check
        seen[check] = seen.get(check, 0) + 1
        ranked.append((seen[check], each.case.size, each))
    return [each for *_, each in sorted(ranked, key=lambda entry: entry[:2])][:most]


def _matches(exercise: Exercise, mine: Judged, theirs: Answer | None) -> bool:
    reference = exercise.reference
    if theirs is None or (mine.fails and not same(reference, mine.case, mine.answer, theirs)):
        return False
    other = Judged(mine.case, theirs, reference.problems(mine.case, theirs))
    return other.fails == mine.fails and _reasons(other) == _reasons(mine) and _written(other) == _written(mine)


def _reasons(judged: Judged) -> set[tuple[str, str]]:
    """What is wrong beyond the numbers, which are compared."""
    found = (each for each in judged.problems if each.kind not in ("values", "not-finite", "no-gradient"))
    return {(each.kind, str(each.facts.get("got", ""))) for each in found}


def _written(judged: Judged) -> str | None:
    problem = changed(judged)
    return None if problem is None else problem.output
