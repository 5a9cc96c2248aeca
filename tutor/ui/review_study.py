"""What the learner does in a review: the same steps as in lessons, put afresh, with drafts and answers of their own."""

from __future__ import annotations

from typing import cast

from tutor.course.model import AnyStep, Lang, PredictStep, Question
from tutor.course.vary import instance
from tutor.grading.verdict import Verdict
from tutor.memory import events
from tutor.memory.quiz import Put
from tutor.runtime.outputs import Finished
from tutor.text.sanitize import sanitize
from tutor.ui.study import StepState, Study


class ReviewStudy(Study):
    """Shares course, journal and progress with the lessons' study; what is on the screen is its own."""

    REVIEW = True

    def __init__(self, study: Study) -> None:
        self._study = study
        self.course = study.course
        self.journal = study.journal
        self.progress = study.progress
        self.figures = study.figures
        self.lang: Lang = study.lang
        self._states: dict[str, StepState] = {}

    def put(self, put: Put) -> Question:
        """Make the question ready to be asked; what was half typed when a review was broken off is there again."""
        own = self.figures.own(put.step)
        drafts = self.progress.drafts
        state = StepState(instance(own, put.seed), code=sanitize(drafts.get((own.id, "review-code"), "")))
        state.seed = put.seed
        state.answer = sanitize(drafts.get((own.id, "review-answer"), ""))
        self._states = {own.id: state}
        return put.step

    def _write(self, event: events.Event) -> None:
        self._study._write(event)

    @property
    def saving(self) -> bool:
        """Whether something is not on disk yet."""
        return self._study.saving

    def retry(self) -> None:
        """Try once more to write what could not be written."""
        self._study.retry()

    def close(self) -> None:
        """The lessons' study writes, and closes."""

    def opened(self, lesson: str | None, step: str | None) -> None:
        """A review is no place in a lesson."""

    def predict(self, step: PredictStep, answer: str) -> None:
        """Commit to a prediction; until its cell has run it is a draft."""
        self.draft(step, "answer", answer)
        self.state(step).committed = True

    def ran(self, step: AnyStep, finished: Finished) -> Verdict | None:
        """A run ended. With other values in the cell, what it left behind is not what its lesson measures."""
        state = self.state(step)
        own = self.figures.own(step)
        if isinstance(own, PredictStep) and isinstance(state.step, PredictStep) and own.cell != state.step.cell:
            state.run.changed_code = True
        return super().ran(step, finished)

    def give_up(self, step: Question) -> Verdict:
        """The learner does not know: that is an answer, and the right one is shown."""
        from tutor.grading.solution import given_up

        state = self.state(step)
        filled = cast("Question", self.figures.filled(step))
        verdict = given_up(filled, self.lang, state.seed)
        self.judged(step, state.answer, verdict)
        state.revealed = True
        return verdict
