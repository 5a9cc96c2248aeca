"""Grades code, claims and breaks: what the grader process is asked, and the verdict that its result means.

The grader is reached through `ask`, such as `tutor.runtime.grader.Grader.order`, so that this knows no processes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from tutor.course.model import BreakStep, ClaimStep, ExerciseStep, Lang
from tutor.grading import break_, claim, exercise
from tutor.grading.say import say
from tutor.grading.verdict import Verdict
from tutor.text.i18n import N_

CodeQuestion = ExerciseStep | ClaimStep | BreakStep
Progress = Callable[[int, int], None]
Ask = Callable[[Mapping[str, Any], Progress | None], Awaitable[Mapping[str, Any]]]
"""Has the grader process carry out an order; raises when the process itself fails."""


async def grade_code(
    step: CodeQuestion,
    answer: str,
    *,
    ask: Ask,
    lang: Lang,
    public: bool = False,
    seed: int | None = None,
    on_progress: Progress | None = None,
) -> Verdict:
    """The verdict on code, on a claim or on an input, said in `lang`. Never raises but for a cancelled task.

    `public` runs only the checks that a learner may run freely. `seed` replays a run; without it each draws afresh. A
    failure of the grader becomes `not-graded`.
    """
    try:
        match step:
            case ExerciseStep():
                order = exercise.order(step, answer, public=public, seed=seed)
                return exercise.verdict(step, await ask(order, on_progress), lang)
            case ClaimStep():
                refused = claim.unreadable(step, answer, lang)
                return refused or claim.verdict(step, answer, await ask(claim.order(step, seed), on_progress), lang)
            case BreakStep():
                return break_.verdict(step, await ask(break_.order(step, answer), on_progress), lang)
    except Exception as error:
        reason = say(
            lang, N_("The grader failed ({name}). This does not count."), name=str(error) or type(error).__name__
        )
        return Verdict(step=step.id, verdict="not-graded", feedback=reason)
