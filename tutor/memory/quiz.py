"""A review under way: which card comes next, how its question is put, and what the learner says to it.

It holds nothing that the journal does not: what it does it records, and a review that was broken off goes on from that.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Literal, NamedTuple, cast

from tutor.course.model import Course, Question
from tutor.memory import events
from tutor.memory.answer import FINAL
from tutor.memory.card import Card
from tutor.memory.progress import Progress
from tutor.memory.reviews import Reviews
from tutor.memory.schedule import is_flagged

DUE = "due"
Record = Callable[[events.Entry], object]
"""Writes an entry to the journal and applies it to the progress."""


class Choice(NamedTuple):
    """Which cards a review asks: those that are due, or as `Reviews.chosen` has it; no more than `limit` of them."""

    lesson: str | None = None
    weak: bool = False
    ahead: bool = False
    limit: int | None = None

    @property
    def about(self) -> str:
        """Its name in the journal."""
        kind = "weak" if self.weak else "ahead" if self.ahead else "" if self.lesson else DUE
        return " ".join(filter(None, [kind, f"lesson:{self.lesson}" if self.lesson else ""]))


class Put(NamedTuple):
    """A question as a review puts it. `seed` varies it (`course.vary.instance`, and its grader)."""

    card: Card
    step: Question
    seed: int


class Done(NamedTuple):
    """A question that was answered in this review: the events of its answers, and the last verdict's word."""

    put: Put
    events: tuple[str, ...]
    verdict: str


class Quiz:
    """One review. `put` is the question on the screen, None when there is none left."""

    def __init__(
        self,
        course: Course,
        reviews: Reviews,
        record: Record,
        choice: Choice | None = None,
        *,
        minutes: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begins a review of `choice`, or goes on with today's of the same choice that has not ended.

        `reviews` and what `record` writes share one `Progress`. Ask `next` for the first question.
        """
        self._course, self._reviews, self._record, self._clock = course, reviews, record, clock
        self.choice = choice or Choice()
        self.minutes = minutes if minutes is not None else reviews.settings.minutes
        self.done: list[Done] = []
        self.put: Put | None = None
        self._used = 0.0
        self._since: float | None = clock()
        self._before: list[str] = []
        """The cards that were asked before it was broken off."""
        self._waiting: list[str] = []
        self.resumed = self._resume()
        if not self.resumed:
            lesson, weak, ahead, limit = self.choice
            chosen = reviews.chosen(lesson=lesson, weak=weak, ahead=ahead)
            self._waiting = [state.card for state in chosen][:limit]
            if self._waiting:
                self._say("begun")

    def _resume(self) -> bool:
        """Take up today's review where it was left; False where there is none."""
        last, event, reviews = self._progress.quiz, self._progress.quiz_event, self._reviews
        if last is None or event is None or last.state == "ended" or last.about != self.choice.about:
            return False
        if reviews.settings.days.of(event.time, event.offset) != reviews.today:
            return False
        states = [reviews.states[card] for card in last.cards if card in reviews.states]
        asked = [state for state in states if state.reviewed == reviews.today]
        # What a lesson has asked meanwhile is not due any more.
        open = [state for state in states if self.choice.about != DUE or state.is_due(reviews.today)]
        left = [state.card for state in open if state.reviewed != reviews.today]
        self._waiting = left[: self.choice.limit]
        if self._waiting:
            self._before, self._used = [state.card for state in asked], self._progress.quiz_seconds
        return bool(self._waiting)

    @property
    def _progress(self) -> Progress:
        return self._reviews.progress

    # Where it stands

    @property
    def answered_now(self) -> bool:
        """Whether the question on the screen has been answered."""
        return self.put is not None and bool(self.done) and self.done[-1].put is self.put

    @property
    def number(self) -> int:
        """The place of the question on the screen, from 1."""
        return len(self._before) + len(self.done) + (self.put is not None and not self.answered_now)

    @property
    def total(self) -> int:
        """How many questions there are, with those that are done."""
        return self.number + len(self._waiting)

    @property
    def seconds(self) -> float:
        """How much time it has taken, without pauses."""
        return self._used + (self._clock() - self._since if self._since is not None else 0.0)

    @property
    def over(self) -> bool:
        """Whether its time is up."""
        return self.seconds >= 60 * self.minutes

    # What happens

    def next(self) -> Put | None:
        """Put the next question."""
        self.put = None
        while self._waiting and self.put is None:
            self.put = self._putting(self._waiting.pop(0))
        self._note_asked()
        return self.put

    def answered(self, event: str) -> None:
        """The question on the screen has an answer, in the journal event `event`; it may get more, until the next.

        What a misconception in it brings forward comes right after.
        """
        assert self.put is not None
        answer = self._progress.answer_of(event)
        before = self.done.pop().events if self.answered_now else ()
        self.done.append(Done(self.put, (*before, event), answer.verdict if answer is not None else ""))
        if answer is not None and answer.verdict == "wrong":
            self._bring_forward()

    def judged(self, verdict: str) -> None:
        """The learner has settled the last answer otherwise: ticked what it says, or overruled the grader."""
        if self.done:
            self.done[-1] = self.done[-1]._replace(verdict=verdict)

    def later(self) -> Put | None:
        """Ask this one at the end, and put the next."""
        if self.put is not None and not self.answered_now:
            self._waiting.append(self.put.card.id)
        return self.next()

    def easy(self) -> bool:
        """The learner says that the last answer was easy; False where it was not right, or that has been said."""
        if not self.done or self.done[-1].verdict != "right":
            return False
        last = self.done[-1]
        answer = self._progress.answer_of(last.events[-1])
        if answer is None or answer.easy or answer.answered.hints:
            return False
        self._record(events.Rated(step=last.put.step.id, answer_event=last.events[-1], rating="easy"))
        return True

    def undo(self) -> Put | None:
        """Take the last answer back and put its question again; None where there is no answer of this review."""
        if not self.done:
            return None
        if self.put is not None and not self.answered_now:
            self._waiting.insert(0, self.put.card.id)
        last = self.done.pop()
        for event in last.events:
            self._record(events.Undone(step=last.put.step.id, answer_event=event))
        self.put = last.put
        self._note_asked()
        return self.put

    def flag(self, note: str) -> bool:
        """The question on the screen is bad; reviews leave it out from now on. False without a note or a question."""
        if self.put is None or not note.strip():
            return False
        step = self.put.step
        self._record(events.Flagged(step=step.id, note=note.strip(), seed=self.put.seed, version=step.version))
        return True

    def go_on(self, minutes: float) -> None:
        """Take more time."""
        self.minutes = self.seconds / 60 + minutes

    def pause(self) -> None:
        """Stop the time, and write down how much of it is used. A pause loses nothing."""
        if self._since is not None:
            self._used, self._since = self.seconds, None
            if self._waiting or (self.put is not None and not self.answered_now):
                self._say("paused")

    def resume(self) -> None:
        """Let the time go on."""
        if self._since is None:
            self._since = self._clock()

    def end(self) -> None:
        """Nothing more is asked; what was not waits for another day."""
        self._used, self._since = self.seconds, None
        self._waiting, self.put = [], None
        self._say("ended")

    def _note_asked(self) -> None:
        if self.put is not None:
            step = self.put.step
            self._record(events.Asked(step=step.id, seed=self.put.seed, version=step.version))

    def _say(self, state: Literal["begun", "paused", "ended"]) -> None:
        now = [self.put.card.id] if self.put is not None and not self.answered_now else []
        cards = [*self._before, *(done.put.card.id for done in self.done), *now, *self._waiting]
        self._record(events.Quiz(state, tuple(cards), self.minutes, round(self.seconds, 1), self.choice.about))

    def _putting(self, id: str) -> Put | None:
        """How the question of a card is put: by its kinds in turn, and once more as it was, if it was not answered."""
        card = self._reviews.cards.get(id)
        steps = [] if card is None else self._steps(card)
        if card is None or not steps:
            return None
        for step in steps:
            pending = self._progress.asked.get(step.id)
            if pending is not None and pending.version == step.version:
                return Put(card, step, pending.seed)
        last = max(steps, key=lambda step: self._last_time(step.id))
        turn = (steps.index(last) + 1) % len(steps) if self._last_time(last.id) else 0
        return Put(card, steps[turn], secrets.randbelow(2**31 - 1) + 1)

    def _steps(self, card: Card) -> list[Question]:
        """The questions of a card that may be asked: their lesson has been begun, and they are not held to be bad."""
        found = []
        for asked in card.questions:
            place = self._course.find(asked.id)
            if place is None or is_flagged(asked, self._progress):
                continue
            lesson, index = place
            begun = any(self._progress.answers(step.id) for step in lesson.own_steps)
            if begun or lesson.id in self._progress.last_step:
                found.append(cast("Question", lesson.steps[index]))
        return found

    def _last_time(self, step: str) -> float:
        answer = self._progress.last_answer(step)
        return answer.time.timestamp() if answer is not None and answer.verdict in FINAL else 0.0

    def _bring_forward(self) -> None:
        self._reviews = self._reviews.again()
        known = {done.put.card.id for done in self.done} | set(self._waiting)
        brought = [
            state.card
            for state in self._reviews.states.values()
            if state.forward and state.is_due(self._reviews.today) and state.card not in known
        ]
        self._waiting[:0] = brought
