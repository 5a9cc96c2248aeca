"""What follows from the journal: where the learner is, what is done, their answers, drafts and settings."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from tutor.course.model import QUESTIONS, AnyStep, BreakStep, ExerciseStep, Lesson
from tutor.memory import events
from tutor.memory.answer import FINAL, Answer, Said
from tutor.memory.events import Event, entry_of, word_of
from tutor.memory.history import merged

MOST_LAB_RUNS = 60
"""So many of the lab's last runs are kept at hand; the journal has all of them."""


WRITTEN = (ExerciseStep, BreakStep)
"""Questions that are answered by code which has to be right; a wrong attempt is one of several."""
_CODE = frozenset(kind.__struct_config__.tag for kind in WRITTEN)


class Progress:
    """The state after some events. `apply` takes the next one, in order of time; what it does not know changes nothing.

    Steps that the course no longer has stay in here and do no harm: only what is asked for is looked at.
    """

    def __init__(self) -> None:
        self.applied = 0
        """How many events it follows from: what was worked out from it holds until there are more."""
        self.position: tuple[str, str] | None = None
        """Lesson and step that were opened last."""
        self.at_home = True
        """Whether the learner left them for a place that is no step, such as the home screen."""
        self.recent: tuple[str, str] | None = None
        """The lesson and the step to continue: where something was done last, or the step gone on to from there."""
        self.last_step: dict[str, str] = {}
        """The same by lesson. What was only looked at is in here where nothing else of its lesson is."""
        self.given_up: set[str] = set()
        """Code questions whose solution was looked at before they were right."""
        self.drafts: dict[tuple[str, str], str] = {}
        """What is half typed, by step and field (`answer`, `code`, and in a review `review-answer`, `review-code`)."""
        self.predictions: dict[str, Any] = {}
        """Predictions that wait for their run, by step."""
        self.settings: dict[str, Any] = {}
        self.runs: dict[str, events.Ran] = {}
        """How each step's cell ended last."""
        self.measured: dict[tuple[str, str], events.Ran] = {}
        """The last run that measured figures, by machine and step."""
        self.asked: dict[str, events.Asked] = {}
        """How a review put the questions that wait for their answer, by step."""
        self.quiz: events.Quiz | None = None
        """The last that is known of a review: which cards it asks, and whether it has ended."""
        self.quiz_event: Event | None = None
        """When that was."""
        self.quiz_seconds = 0.0
        """How much of that review's time is used, with what its answers took since."""
        self.lab: deque[tuple[Event, events.LabRun]] = deque(maxlen=MOST_LAB_RUNS)
        """The experiments that were run in the lab, oldest first."""
        self.flags: dict[str, events.Flagged] = {}
        """What the learner holds to be wrong with a question, by step."""
        self._worked = False
        """Whether something was done at the position since it was opened."""
        self._worked_in: set[str] = set()
        """The lessons in which something was done."""
        self._finished: set[str] = set()
        self._questions: set[str] = set()
        self._answers: dict[str, list[Answer]] = {}
        self._by_event: dict[str, Answer] = {}
        self._early: dict[str, list[Said]] = {}

    def apply(self, event: Event) -> None:
        """Take the next event into account."""
        self.applied += 1
        match entry_of(event):
            case events.Opened(lesson, step):
                self._open(lesson, step)
            case events.Seen(step):
                self._finished.add(step)
                self._work(step)
            case events.GaveUp(step):
                self.given_up.add(step)
                self._work(step)
            case events.Ran(step, ok) as ran:
                self._work(step)
                self.runs[step] = ran
                if ran.figures:
                    self.measured[ran.machine, step] = ran
                if ok:
                    self._finished.add(step)
            case events.LabRun() as run:
                self.lab.append((event, run))
            case events.Draft(step, field, text):
                if not field.startswith("review-"):
                    self._work(step)
                if text is None:
                    self.drafts.pop((step, field), None)
                else:
                    self.drafts[step, field] = text
            case events.Predicted(step, answer):
                self._questions.add(step)
                self._work(step)
                self.predictions[step] = answer
            case events.Answered() as answered:
                self._answer(event, answered)
            case events.Ticked() | events.Overruled() | events.Rated() | events.Undone() as said:
                answer = self._by_event.get(said.answer_event)
                if answer is None:  # its own event is yet to come: another machine's clock was behind
                    self._early.setdefault(said.answer_event, []).append(said)
                else:
                    answer.take(said)
            case events.Setting(name, value):
                self.settings[name] = value
            case events.Asked(step) as asked:
                self.asked[step] = asked
            case events.Quiz() as quiz:
                self.quiz, self.quiz_event, self.quiz_seconds = quiz, event, quiz.seconds
            case events.Flagged(step, note) as flag:
                if note:
                    self.flags[step] = flag
                else:
                    self.flags.pop(step, None)
            case events.Reset(steps):
                self._forget(steps)

    def _open(self, lesson: str | None, step: str | None) -> None:
        self.at_home = lesson is None or step is None
        if lesson is None or step is None:
            self._worked = False
            return
        goes_on = self._worked and self.position is not None and self.position[0] == lesson
        self._worked = False
        self.position = (lesson, step)
        if goes_on or not self._worked_in:
            self.recent = self.position
        if goes_on or lesson not in self._worked_in:
            self.last_step[lesson] = step

    def _work(self, step: str) -> None:
        """Something was done with a step. Where that is the one that is open, it is the one to continue."""
        if self.position is not None and self.position[1] == step:
            self._worked = True
            self._worked_in.add(self.position[0])
            self.recent = self.position
            self.last_step[self.position[0]] = step

    def _answer(self, event: Event, answered: events.Answered) -> None:
        answer = Answer(event, answered)
        self._questions.add(answered.step)
        self._answers.setdefault(answered.step, []).append(answer)
        self._by_event[event.id] = answer
        if answered.review:
            self.quiz_seconds += answered.seconds or 0.0
        for said in self._early.pop(event.id, ()):
            answer.take(said)
        if not answered.review:
            self._work(answered.step)
            self.predictions.pop(answered.step, None)
        # An answer that could not be read, or that the tutor failed to grade, is still being worked on.
        if word_of(answered.verdict) in FINAL | {"unsure"}:
            self.drafts.pop((answered.step, "review-answer" if answered.review else "answer"), None)
            if answered.review:
                self.asked.pop(answered.step, None)

    def _forget(self, steps: tuple[str, ...] | None) -> None:
        """What happened to these steps so far counts no more; to any of them, where none is named."""
        if steps is None:
            self.position, self.recent, self.at_home, self.quiz = None, None, True, None
            self.given_up.clear()
            self._worked_in.clear()
            tables: tuple[dict[Any, Any], ...] = (
                self.last_step,
                self.predictions,
                self.runs,
                self.asked,
                self._answers,
            )
            for table in (*tables, self.drafts, self._by_event):
                table.clear()
            self._finished.clear()
            self._questions.clear()
            return
        gone = set(steps)
        if self.position is not None and self.position[1] in gone:
            self.position, self.at_home = None, True
        if self.recent is not None and self.recent[1] in gone:
            self._worked_in.discard(self.recent[0])
            self.recent = None
        self.given_up -= gone
        self.last_step = {lesson: step for lesson, step in self.last_step.items() if step not in gone}
        self.drafts = {key: text for key, text in self.drafts.items() if key[0] not in gone}
        self._finished -= gone
        self._questions -= gone
        for step in gone:
            for answer in self._answers.pop(step, ()):
                self._by_event.pop(answer.event, None)
            of_step: tuple[dict[str, Any], ...] = (self.predictions, self.runs, self.asked)
            for table in of_step:
                table.pop(step, None)

    @property
    def answered_steps(self) -> tuple[str, ...]:
        """The steps that have answers, in the order in which they got their first."""
        return tuple(step for step in self._answers if self.answers(step))

    def answers(self, step: str) -> tuple[Answer, ...]:
        """All answers to a step that were not taken back, oldest first."""
        return tuple(answer for answer in self._answers.get(step, ()) if not answer.undone)

    def last_answer(self, step: str, *, reviews: bool = True) -> Answer | None:
        """The newest answer to a step, whatever became of it; without `reviews`, the newest given in its lesson."""
        answers = self.answers(step)
        return next((answer for answer in reversed(answers) if reviews or not answer.review), None)

    def answer_of(self, event: str) -> Answer | None:
        """The answer that an event with this id holds."""
        return self._by_event.get(event)

    def verdict(self, step: str) -> str | None:
        """The verdict on the newest answer that counts; `unreadable` and `not-graded` only where there is no other."""
        verdicts = [answer.verdict for answer in self.answers(step)]
        counting = [word for word in verdicts if word in FINAL or word == "unsure"]
        return next(reversed(counting or verdicts), None)

    def resume(self, lesson: Lesson) -> str:
        """The step to go on with in a lesson: where something was done last, if it still has that, else its first."""
        last = self.last_step.get(lesson.id)
        return last if last in {step.id for step in lesson.steps} else lesson.steps[0].id

    def done(self, step: AnyStep | str) -> bool:
        """Whether a text was read, a cell ran well or was left, or a question got a verdict that settles it.

        Code is done when it is right: a wrong attempt settles nothing, and neither does giving up. Give the step
        itself where it is at hand. With only its id, a step is taken for a question once it was answered or predicted.
        """
        id = step if isinstance(step, str) else step.id
        if isinstance(step, WRITTEN) or ((answers := self.answers(id)) and answers[-1].answered.kind in _CODE):
            return any(answer.verdict == "right" for answer in self.answers(id))
        if id in self._questions if isinstance(step, str) else isinstance(step, QUESTIONS):
            return any(answer.final for answer in self.answers(id))
        return id in self._finished

    def gave_up(self, step: AnyStep | str) -> bool:
        """Whether the learner looked at the solution of a code question instead of solving it, before or after."""
        id = step if isinstance(step, str) else step.id
        return id in self.given_up and not self.done(step)


def fold(history: Iterable[Event]) -> Progress:
    """What follows from all events, in whatever order and however often they come."""
    progress = Progress()
    for event in merged(history):
        progress.apply(event)
    return progress
