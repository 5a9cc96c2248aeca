"""What `normtutor check` proves of exercises, claims and breaks, through the grader that learners get.

The solutions pass, the starter fails, each mutant fails and is named by its own message; the search for a
counterexample agrees with the lesson; the answers that are to break a kernel do.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from typing import Any

from tutor.commands.code import grader
from tutor.commands.support import status
from tutor.course.entry import code_of
from tutor.course.locate import Places
from tutor.course.model import LANGS, BreakStep, ClaimStep, Course, ExerciseStep, Finding, Lesson
from tutor.grading import break_, claim, exercise
from tutor.grading.verdict import Verdict
from tutor.runtime.grader import Grader, GraderError
from tutor.text.i18n import _

QUICK_SEEDS, THOROUGH_SEEDS = 2, 20
"""Runs of each solution, on other inputs each time; what fails is run once in quick checks, and three times else."""

CodeStep = ExerciseStep | ClaimStep | BreakStep
Path = tuple[str | int, ...]


async def verify_code(
    course: Course,
    lessons: Iterable[Lesson] | None = None,
    *,
    but: Collection[str | None] = (),
    thorough: bool = False,
) -> list[Finding]:
    """The findings about all steps that the grader judges, but for some that are known to be unsound."""
    places = Places(course)
    found: list[Finding] = []
    async with grader() as process:
        for lesson in course.lessons if lessons is None else lessons:
            for step in lesson.own_steps:
                if isinstance(step, CodeStep) and step.id not in but:
                    found += [
                        places.finding(lesson, step, message, *path)
                        async for path, message in _issues(process, step, thorough=thorough)
                    ]
    status("")
    return found


async def _issues(process: Grader, step: CodeStep, *, thorough: bool) -> AsyncIterator[tuple[Path, str]]:
    status(_("Grading the samples of {step} …").format(step=step.id))
    try:
        match step:
            case ExerciseStep():
                async for issue in _exercise(process, step, thorough=thorough):
                    yield issue
            case ClaimStep():
                async for issue in _claim(process, step, thorough=thorough):
                    yield issue
            case BreakStep():
                async for issue in _break(process, step):
                    yield issue
    except GraderError as error:
        yield (), f"the grader cannot judge it: {error}"


async def _exercise(process: Grader, step: ExerciseStep, *, thorough: bool) -> AsyncIterator[tuple[Path, str]]:
    runs = THOROUGH_SEEDS if thorough else QUICK_SEEDS
    failed: set[int] = set()
    for seed in range(runs, 0, -1):  # ends with the seed that what follows is run with too
        for index, solution in enumerate(step.solutions):
            if index in failed:
                continue
            verdict, _result = await _grade(process, step, solution, seed)
            if verdict.verdict != "right":
                failed.add(index)
                yield ("solutions", index), f"the solution does not pass (seed {seed}): {_why(verdict)}"
    verdict, _result = await _grade(process, step, step.starter, 1)
    if verdict.verdict == "right":
        yield ("starter",), "the starter passes: there is nothing left to write"
    named: set[str] = set()
    for seed in range(1, 4 if thorough else 2):
        for index, mutant in enumerate(step.mutants):
            if mutant.id in named:
                continue
            verdict, result = await _grade(process, step, code_of(step, mutant), seed, samples=not thorough)
            message = ""
            if verdict.verdict == "unreadable":
                message = f"the mutant {mutant.id} cannot be used: {verdict.feedback}"
            elif verdict.verdict == "right":
                message = f"the mutant {mutant.id} passes every check (seed {seed})"
            elif result.get("mutant") != mutant.id:
                other = result.get("mutant") or "nothing"
                message = f"the mutant {mutant.id} is named as {other} (seed {seed}): {_why(verdict)}"
            if message:
                named.add(mutant.id)
                yield ("mutants", index), message


async def _claim(process: Grader, step: ClaimStep, *, thorough: bool) -> AsyncIterator[tuple[Path, str]]:
    for seed in range(1, (THOROUGH_SEEDS if thorough else QUICK_SEEDS) + 1):
        result = await process.order(claim.order(step, seed))
        found = result.get("counterexample")
        if (found is None) != step.holds:
            told = f"the search finds {found}" if found is not None else "the search finds no counterexample"
            yield ("holds",), f"{told} (seed {seed})"
            return


async def _break(process: Grader, step: BreakStep) -> AsyncIterator[tuple[Path, str]]:
    for index, answer in enumerate(step.solutions):
        verdict = break_.verdict(step, await process.order(break_.order(step, answer)), "en")
        if verdict.verdict != "right":
            yield ("solutions", index), f"it does not break the kernel: {verdict.feedback}"
    if step.starter.strip():
        verdict = break_.verdict(step, await process.order(break_.order(step, step.starter)), "en")
        if verdict.verdict == "right":
            yield ("starter",), "the starter breaks the kernel already"


async def _grade(
    process: Grader, step: ExerciseStep, source: str, seed: int, *, samples: bool = True
) -> tuple[Verdict, Mapping[str, Any]]:
    """The verdict in each language, so that every message is seen to work; the English one is kept."""
    result = await process.order(exercise.order(step, source, seed=seed, samples=samples))
    verdicts = [exercise.verdict(step, result, lang) for lang in LANGS]
    return verdicts[LANGS.index("en")], result


def _why(verdict: Verdict) -> str:
    failing = [check.message for check in verdict.checks if not check.passed]
    return "; ".join(failing[:2]) or " ".join(verdict.feedback.split())
