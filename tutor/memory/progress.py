"""What follows from the journal: where the learner is, what is done, their answers, drafts and settings."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from tutor.course.model import QUESTIONS, AnyStep, Lesson
from tutor.memory import events
from tutor.memory.events import Event, entry_of, word_of
from tutor.memory.history import merged

MOST_LAB_RUNS = 60
"""So many of the lab's last runs are kept at hand; the journal has all of them."""

FINAL = frozenset({"right", "partly", "wrong"})
"""The verdicts that settle a question."""

Said = events.Ticked | events.Overruled | events.Rated | events.Undone
"""What a learner can say to an answer."""


class Answer:
    """One answer to a question, what the grader said, and what the learner said to that."""

    __slots__ = ("answered", "easy", "event", "offset", "overruling", "ticking", "time", "undone")

    def __init__(self, event: Event, answered: events.Answered) -> None:
        self.event = event.id
        """The id of its event, for `ticked` and `overruled`."""
        self.time = event.time
        self.offset = event.offset
        self.answered = answered
        self.ticking: events.Ticked | None = None
        self.overruling: events.Overruled | None = None
        self.easy = False
        """Whether the learner said that it was easy."""
        self.undone = False
        """Whether the learner took it back: it is kept, and counts for nothing."""

    @property
    def review(self) -> bool:
        """Whether a review asked for it, rather than the lesson."""
        return self.answered.review

    @property
    def answer(self) -> Any:
        """What was handed in."""
        return self.answered.answer

    @property
    def seed(self) -> int | None:
        """What the question's varying values were made from."""
        return self.answered.seed

    @property
    def ticked(self) -> tuple[str, ...]:
        """The points that the learner ticked."""
        return self.ticking.points if self.ticking else ()

    @property
    def overruled(self) -> bool:
        """Whether the learner set another verdict themselves."""
        return self.overruling is not None

    @property
    def shown(self) -> dict[str, Any]:
        """The last full verdict, the self-check's or else the grader's, as builtins of `grading.verdict.Verdict`."""
        if self.ticking and isinstance(self.ticking.verdict, dict):
            return self.ticking.verdict
        return self.answered.verdict

    @property
    def verdict(self) -> str:
        """The word that counts: what the learner overruled it to, else what they ticked, else the grader's."""
        given = (self.overruling or self.ticking or self.answered).verdict
        return word_of(given)

    @property
    def final(self) -> bool:
        """Whether this settles the question: `unsure` does only once it is ticked or overruled."""
        return self.verdict in FINAL


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
        """The last position in any lesson: what to continue."""
        self.last_step: dict[str, str] = {}
        """The step opened last, by lesson."""
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
            case events.Ran(step, ok) as ran:
                self.runs[step] = ran
                if ran.figures:
                    self.measured[ran.machine, step] = ran
                if ok:
                    self._finished.add(step)
            case events.LabRun() as run:
                self.lab.append((event, run))
            case events.Draft(step, field, text):
                if text is None:
                    self.drafts.pop((step, field), None)
                else:
                    self.drafts[step, field] = text
            case events.Predicted(step, answer):
                self._questions.add(step)
                self.predictions[step] = answer
            case events.Answered() as answered:
                self._answer(event, answered)
            case events.Ticked() | events.Overruled() | events.Rated() | events.Undone() as said:
                answer = self._by_event.get(said.answer_event)
                if answer is None:  # its own event is yet to come: another machine's clock was behind
                    self._early.setdefault(said.answer_event, []).append(said)
                else:
                    _judge(answer, said)
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
        if lesson is not None and step is not None:
            self.position = (lesson, step)
            self.last_step[lesson] = step

    def _answer(self, event: Event, answered: events.Answered) -> None:
        answer = Answer(event, answered)
        self._questions.add(answered.step)
        self._answers.setdefault(answered.step, []).append(answer)
        self._by_event[event.id] = answer
        if answered.review:
            self.quiz_seconds += answered.seconds or 0.0
        for said in self._early.pop(event.id, ()):
            _judge(answer, said)
        if not answered.review:
            self.predictions.pop(answered.step, None)
        # An answer that could not be read, or that the tutor failed to grade, is still being worked on.
        if word_of(answered.verdict) in FINAL | {"unsure"}:
            self.drafts.pop((answered.step, "review-answer" if answered.review else "answer"), None)
            if answered.review:
                self.asked.pop(answered.step, None)

    def _forget(self, steps: tuple[str, ...] | None) -> None:
        """What happened to these steps so far counts no more; to any of them, where none is named."""
        if steps is None:
            self.position, self.at_home, self.quiz = None, True, None
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
        """The step to go on with in a lesson: the one opened last, if the lesson still has it, else its first."""
        last = self.last_step.get(lesson.id)
        return last if last in {step.id for step in lesson.steps} else lesson.steps[0].id

    def done(self, step: AnyStep | str) -> bool:
        """Whether a text was read, a cell ran well or was left, or a question got a verdict that settles it.

        Give the step itself where it is at hand. With only its id, a step is taken for a question once it was
        answered or predicted.
        """
        id = step if isinstance(step, str) else step.id
        if id in self._questions if isinstance(step, str) else isinstance(step, QUESTIONS):
            return any(answer.final for answer in self.answers(id))
        return id in self._finished


def _judge(answer: Answer, said: Said) -> None:
    match said:
        case events.Ticked():
            answer.ticking = said
        case events.Overruled():
            answer.overruling = said
        case events.Rated():
            answer.easy = True
        case events.Undone():
            answer.undone = True


def fold(history: Iterable[Event]) -> Progress:
    """What follows from all events, in whatever order and however often they come."""
    progress = Progress()
    for event in merged(history):
        progress.apply(event)
    return progress
