"""Has code graded in the grader process, for `grade` and `check`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tutor.course.model import Lang
from tutor.grading.code import CodeQuestion, grade_code
from tutor.grading.verdict import Verdict
from tutor.runtime.grader import Grader


@asynccontextmanager
async def grader() -> AsyncIterator[Grader]:
    """A grader that starts when it is first asked; gone when the block is left."""
    grader = Grader()
    try:
        yield grader
    finally:
        await grader.stop()


async def grade_once(step: CodeQuestion, answer: str, lang: Lang, *, seed: int | None, public: bool) -> Verdict:
    """One verdict from a grader of its own."""
    async with grader() as process:
        return await grade_code(step, answer, ask=process.order, lang=lang, seed=seed, public=public)
