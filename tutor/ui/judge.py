"""The judge of code and claims as the app holds it: one answer at a time, with progress, and it can be stopped."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tutor.text.i18n import _
from tutor.ui.messages import Judged, Judging

if TYPE_CHECKING:
    from textual.worker import Worker

    from tutor.runtime.grader import Grader
    from tutor.ui.app import TutorApp
    from tutor.ui.steps.base import JudgeAsked


class Judge:
    """Its methods start workers of the app and return at once; screens are told what happened by messages."""

    def __init__(self, app: TutorApp) -> None:
        self._app = app
        self.running: str | None = None
        """The step whose answer is judged."""
        self._grader: Grader | None = None
        self._worker: Worker[None] | None = None
        self._started = 0.0

    def run(self, asked: JudgeAsked) -> None:
        """Judge an answer, unless another is judged."""
        if self.running is not None:
            self._app.notify(_("An answer is being checked; ctrl+c stops it."))
            return
        self.running = asked.step.id
        self._started = time.monotonic()
        self._worker = self._app.run_worker(self._run(asked), group="judge")

    async def _run(self, asked: JudgeAsked) -> None:
        from tutor.grading.code import grade_code
        from tutor.runtime.grader import Grader

        study = asked.study or self._app.study
        assert study is not None
        self._tell(asked, _("Checking …"))
        if self._grader is None:
            self._grader = Grader(self._app.python.device)
        try:
            verdict = await grade_code(
                asked.step,
                asked.answer,
                ask=self._grader.order,
                lang=self._app.lang,
                on_progress=lambda done, of: self._progress(asked, done, of),
            )
        finally:
            self.running = None
            self._tell(asked, "")
        study.judged(asked.step, asked.answer, verdict)
        self._app.tell(Judged(asked.step.id, verdict))

    def _progress(self, asked: JudgeAsked, done: int, of: int) -> None:
        seconds = time.monotonic() - self._started
        self._tell(
            asked,
            _("Check {done} of {total} · {seconds:.0f} s · ctrl+c stops it").format(
                done=done, total=of, seconds=seconds
            ),
        )

    def _tell(self, asked: JudgeAsked, note: str) -> None:
        self._app.tell(Judging(asked.step.id, note))

    async def close(self) -> None:
        """End the judge's process."""
        if self._grader is not None:
            await self._grader.stop()

    def stop(self) -> None:
        """The learner does not want to know any more."""
        if self._worker is not None and self.running is not None:
            self._worker.cancel()
