"""The learner's session: what they do with each step, graded and written to the journal. No widgets here."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec

from tutor.course.model import (
    CODE_QUESTIONS,
    QUESTIONS,
    AnyStep,
    BreakStep,
    CellStep,
    Course,
    ExerciseStep,
    Lang,
    PredictStep,
    Question,
    ShortStep,
)
from tutor.grading.verdict import Verdict
from tutor.memory import events
from tutor.memory.journal import Journal, Trouble
from tutor.memory.progress import Progress
from tutor.runtime.outputs import Finished
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize
from tutor.ui.cellrun import CellRun
from tutor.ui.figures import Measurements

FINAL = ("right", "partly", "wrong")


@dataclass
class StepState:
    """What the learner has done with one step, kept while the app runs."""

    step: AnyStep
    answer: str = ""
    """What is typed or picked now: a draft until it is handed in."""
    code: str = ""
    committed: bool = False
    """A prediction that waits for its run."""
    verdict: Verdict | None = None
    answered_id: str | None = None
    """The journal event of the verdict shown; ticks and overrules refer to it."""
    overruled: bool = False
    ticked: set[str] | None = None
    """The points ticked, where ticks decided."""
    evidence: dict[str, str] | None = None
    """What a run measured, where that decided."""
    started: float = field(default_factory=time.monotonic)
    seed: int | None = None
    hints: int = 0
    """How many were opened."""
    revealed: bool = False
    """Whether a solution is shown."""
    run: CellRun = field(init=False)

    def __post_init__(self) -> None:
        self.run = CellRun(self.step.id)
        self.code = self.code or self.original

    @property
    def original(self) -> str:
        """The author's code of the step's cell; empty where there is none."""
        if isinstance(self.step, CellStep):
            return sanitize(self.step.code)
        if isinstance(self.step, ExerciseStep | BreakStep):
            return sanitize(self.step.starter)
        return sanitize(self.step.cell) if isinstance(self.step, PredictStep) else ""

    @property
    def settled(self) -> bool:
        """Whether the question has a verdict that stands."""
        return self.verdict is not None and (self.verdict.verdict in FINAL or self.overruled)


class Study:
    """The course, the journal and what follows from both, for the screens.

    Events are written by one thread, in order; `on_saved` is called (in that thread) whenever one is on disk or
    could not be written.
    """

    REVIEW = False
    """Whether what is done here is a review. Those have drafts and answers of their own."""

    def __init__(
        self,
        course: Course,
        journal: Journal,
        progress: Progress,
        lang: Lang,
        on_saved: Callable[[], None] = lambda: None,
    ) -> None:
        self.course = course
        self.journal = journal
        self.progress = progress
        self.figures = Measurements(course, progress)
        self.lang: Lang = lang
        self._on_saved = on_saved
        self._states: dict[str, StepState] = {}
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._pending = 0
        self._closed = False

    # The journal

    def record(self, kind: str, **data: Any) -> events.Event:
        """Write an event; it counts at once."""
        event = self.journal.make(kind, **data)
        self._write(event)
        return event

    def _write(self, event: events.Event) -> None:
        self.progress.apply(event)
        self._pending += 1
        if self._closed:
            self.journal.write(event)  # something that ended while the app did
            self._pending -= 1
            return
        self._writer.submit(self.journal.write, event).add_done_callback(self._written)

    def _written(self, _future: Future[None]) -> None:
        self._pending -= 1
        self._on_saved()

    @property
    def saving(self) -> bool:
        """Whether something is not on disk yet."""
        return self._pending > 0

    @property
    def trouble(self) -> str:
        """Why the journal cannot be written at the moment; empty when all is well."""
        reasons = {
            Trouble.NONE: "",
            Trouble.FULL: _("the disk is full"),
            Trouble.FORBIDDEN: _("writing is not allowed there"),
            Trouble.MEMORY: _("there is no memory left"),
            Trouble.FAILED: _("the storage fails"),
        }
        reason = reasons[self.journal.trouble]
        return reason and f"{reason}; {sanitize(self.journal.detail)}"

    def retry(self) -> None:
        """Try once more to write what could not be written."""
        self._writer.submit(self.journal.retry).add_done_callback(lambda _done: self._on_saved())

    def close(self) -> None:
        """Wait until everything is written."""
        self._closed = True
        self._writer.shutdown(wait=True)
        self.journal.close()

    # Steps

    def state(self, step: AnyStep) -> StepState:
        """What the learner has done with `step`, from this run of the app or an earlier one."""
        if step.id not in self._states:
            self._states[step.id] = self._restored(self.figures.own(step))
        return self._states[step.id]

    def _restored(self, step: AnyStep) -> StepState:
        state = StepState(step, code=sanitize(self.progress.drafts.get((step.id, "code"), "")))
        state.revealed = self.progress.gave_up(step)
        last = self.progress.last_answer(step.id, reviews=False)
        if last is not None:
            state.answer = sanitize(str(last.answer))
            state.verdict = _decoded(last.shown)
            state.answered_id = last.event
            state.overruled = last.overruled
            state.ticked = set(last.ticked) if last.ticking is not None else None
            state.seed = last.seed
            if last.answered.lang != self.lang:
                self._reword(state)
        if step.id in self.progress.predictions:
            state.answer = sanitize(str(self.progress.predictions[step.id]))
            state.verdict = None
            state.committed = True
        draft = self.progress.drafts.get((step.id, "answer"))
        if draft is not None:
            state.answer = sanitize(draft)
            state.verdict = None
        return state

    def opened(self, lesson: str | None, step: str | None) -> None:
        """The learner is at this step now; None for the home screen."""
        self.record(events.OPENED, lesson=lesson, step=step)

    def passed(self, step: AnyStep) -> None:
        """The learner goes on from this step: a text was read, a cell left behind. A question needs its answer."""
        if not isinstance(step, QUESTIONS) and not self.progress.done(step):
            self.record(events.SEEN, step=step.id)

    def gave_up(self, step: AnyStep) -> None:
        """The learner looks at the solution of code that is not right yet."""
        if not (self.REVIEW or self.progress.done(step) or self.progress.gave_up(step)):
            self.record(events.GAVE_UP, step=step.id)

    def draft(self, step: AnyStep, field_: str, text: str) -> None:
        """Keep what is half typed. A cell put back to its original needs no draft."""
        state = self.state(step)
        stored: str | None = text
        if field_ == "code":
            state.code = text
            stored = None if text == state.original else text
        else:
            state.answer = text
            stored = text or None
        name = f"review-{field_}" if self.REVIEW else field_
        if self.progress.drafts.get((step.id, name)) != stored:
            self.record(events.DRAFT, step=step.id, field=name, text=stored)

    def again(self, step: AnyStep) -> None:
        """Forget the verdict on the screen: the learner tries once more. The history keeps it."""
        state = self.state(step)
        state.verdict = None
        state.answered_id = None
        state.overruled = False
        state.committed = False
        state.ticked = None
        state.started = time.monotonic()

    # Answers

    def hand_in(self, step: Question, answer: str) -> Verdict:
        """Grade `answer`; a verdict that can be read is written down."""
        state = self.state(step)
        state.answer = answer
        return self._judge(step, answer, evidence=None)

    def predict(self, step: PredictStep, answer: str) -> None:
        """Commit to a prediction; the run of the cell will judge it."""
        state = self.state(step)
        state.answer = answer
        state.committed = True
        self.record(events.PREDICTED, step=step.id, answer=answer)

    def ran(self, step: AnyStep, finished: Finished) -> Verdict | None:
        """A run of the step's cell ended; the verdict if it settled a prediction."""
        state = self.state(step)
        state.run.end(finished)
        self.record(
            events.RAN,
            step=step.id,
            ok=finished.ending == "ok",
            ending=finished.ending,
            seconds=round(finished.seconds, 3),
            code_changed=state.run.changed_code,
            **self.figures.ran(step, finished, changed_code=state.run.changed_code),
        )
        if not (isinstance(step, PredictStep) and state.committed and finished.ending == "ok"):
            return None
        state.committed = False
        return self._judge(step, state.answer, evidence=finished.values)

    def _judge(self, step: Question, answer: str, *, evidence: dict[str, str] | None) -> Verdict:
        from tutor.grading import grade

        seed = self.state(step).seed
        filled = cast("Question", self.figures.filled(step))
        verdict = grade(filled, answer, lang=self.lang, glossary=self.course.glossary, evidence=evidence, seed=seed)
        self.judged(step, answer, verdict)
        self.state(step).evidence = evidence
        return verdict

    def judged(self, step: AnyStep, answer: str, verdict: Verdict) -> None:
        """A verdict is there: show it, and write it down with the answer."""
        state = self.state(step)
        state.answer = answer
        state.verdict = verdict
        state.overruled = False
        state.ticked = None
        event = self.journal.make(
            events.ANSWERED,
            step=step.id,
            kind=type(step).__struct_config__.tag,
            lang=self.lang,
            answer=answer,
            verdict=msgspec.to_builtins(verdict),
            seed=state.seed,
            seconds=round(time.monotonic() - state.started, 1),
            hints=state.hints,
            version=step.version,
            review=self.REVIEW,
        )
        state.answered_id = event.id
        self._write(event)

    def tick(self, step: ShortStep, points: set[str]) -> Verdict:
        """The learner says which points their answer made; that decides."""
        from tutor.grading.short import after_ticks

        state = self.state(step)
        verdict = after_ticks(step, points, self.lang)
        self.record(
            events.TICKED,
            step=step.id,
            answer_event=state.answered_id,
            points=sorted(points),
            verdict=msgspec.to_builtins(verdict),
        )
        state.ticked = points
        state.verdict = verdict
        return verdict

    def overrule(self, step: AnyStep) -> None:
        """The learner holds that they were right; both judgements are kept."""
        state = self.state(step)
        state.overruled = True
        self.record(events.OVERRULED, step=step.id, answer_event=state.answered_id, verdict="right")

    def speak(self, lang: Lang) -> None:
        """Go on in another language; verdicts that are on the screen are said in it too."""
        self.lang = lang
        for state in self._states.values():
            self._reword(state)

    def _reword(self, state: StepState) -> None:
        """The verdict again, in the language of now. It stays as it is where that cannot be had, or would change it."""
        from tutor.grading import grade
        from tutor.grading.short import after_ticks

        step, verdict = self.figures.filled(state.step), state.verdict
        if verdict is None or isinstance(step, CODE_QUESTIONS) or not isinstance(step, QUESTIONS):
            return
        if isinstance(step, ShortStep) and state.ticked is not None:
            again = after_ticks(step, state.ticked, self.lang)
        else:
            evidence = state.evidence or {check.id: str(check.passed) for check in verdict.checks}
            again = grade(
                step,
                state.answer,
                lang=self.lang,
                glossary=self.course.glossary,
                evidence=evidence if isinstance(step, PredictStep) else None,
                seed=state.seed,
            )
        if again.verdict == verdict.verdict:
            state.verdict = again

    def account(self, step: AnyStep) -> str:
        """Where the claims of a step come from and whether they held here, as Markdown; empty where it has none."""
        from tutor.memory.held import account

        return account(self.course, self.progress, self.figures.known, self.figures.own(step), self.lang)

    def setting(self, name: str, value: str) -> None:
        """Remember a setting, if it changed."""
        if self.progress.settings.get(name) != value:
            self.record(events.SETTING, name=name, value=value)


def _decoded(verdict: dict[str, Any]) -> Verdict | None:
    try:
        return msgspec.convert(verdict, Verdict)
    except msgspec.ValidationError:
        return None  # written by another version: the answer is shown, the verdict is not
