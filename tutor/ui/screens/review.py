"""The quiz: one question a screen, its verdict and why, until nothing is due or the time is up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from textual import on
from textual.binding import Binding
from textual.events import ScreenResume, ScreenSuspend
from textual.widgets import Input, TextArea

from tutor.course.model import CellStep, PredictStep
from tutor.memory import events
from tutor.memory.quiz import Choice, Quiz
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize
from tutor.ui.messages import CellFinished, Judged
from tutor.ui.review_study import ReviewStudy
from tutor.ui.screens import review_bars
from tutor.ui.screens.lesson import LessonScreen
from tutor.ui.screens.note import NoteScreen
from tutor.ui.screens.review_end import ReviewEndScreen
from tutor.ui.screens.with_output import COPY, FIND
from tutor.ui.status import saved_text
from tutor.ui.steps import view
from tutor.ui.steps.base import Answered, JudgeAsked, RunAsked
from tutor.ui.study import Study
from tutor.ui.widgets.bars import KeyBar

if TYPE_CHECKING:
    from tutor.memory.reviews import Reviews

GO_ON = 5.0
"""Minutes more, when the time is up and the learner goes on."""
TICK = 20.0
"""Seconds between two looks at the clock; the screen changes only when a minute has passed."""


class ReviewScreen(LessonScreen, inherit_bindings=False):
    """A lesson's page with the steps in the order in which they fade, each put afresh."""

    BINDINGS = [
        Binding("ctrl+j,f5", "act", "Run the cell or hand in the answer", id="review.act", priority=True),
        Binding("enter", "onward", "Next question, or into the field", id="review.onward"),
        Binding("e", "easy", "It was easy; before the answer: into the editor", id="review.easy"),
        Binding("u", "take_back", "Take the last answer back", id="review.undo"),
        Binding("z", "later", "Ask this one later", id="review.later"),
        Binding("f", "flag", "This question is bad", id="review.flag"),
        Binding("b", "where", "The step that it came from", id="review.where"),
        Binding("g", "give_up", "I do not know: show me", id="review.give_up"),
        Binding("o", "overrule", "I was right", id="review.overrule"),
        Binding("m", "model", "Show a full answer", id="review.model"),
        Binding("h", "hint", "Next hint", id="review.hint"),
        Binding("w", "origin", "Where this comes from, and whether it held here", id="review.origin"),
        Binding("s", "source", "Source of what the cell uses", id="review.source"),
        Binding("x,f2", "reset", "The author's code again", id="review.reset"),
        Binding("f6", "outside", "Into $EDITOR, and back", id="review.outside", priority=True),
        Binding("ctrl+z", "undo", "Take the last change of the code back", id="review.undo_code"),
        Binding("escape,q", "leave", "Out of the field; pause and go home", id="review.leave"),
        Binding("space", "more", "Scroll on", id="review.more"),
        COPY,
        FIND,
    ]

    def __init__(self, study: Study, reviews: Reviews, choice: Choice, minutes: float | None = None) -> None:
        self._review = ReviewStudy(study)
        super().__init__(self._review, study.course.lessons[0], 0)
        self._reviews = reviews
        self.quiz = Quiz(study.course, reviews, self._record, choice, minutes=minutes)
        self.quiz.next()
        self._noted: str | None = None
        """The event of the answer that the quiz knows of."""
        self._minute = -1

    def _record(self, entry: events.Entry) -> None:
        self._review.record(entry.KIND, **msgspec.structs.asdict(entry))

    async def begin(self) -> None:
        """The first question; or, where nothing is due, what else there is."""
        self.set_interval(TICK, self._tick)
        await self._show_put()

    async def _show_put(self) -> None:
        """The question that the quiz puts now; at the end, how it went."""
        put = self.quiz.put
        found = self._review.course.find(put.step.id) if put is not None else None
        if put is None or found is None:
            self._end()
            return
        self._lesson, self._index = found
        self._noted = None
        self._review.put(put)
        await self.show(self._index)

    async def show(self, index: int, *, opened: bool = True) -> None:
        """The question on the page as it stands."""
        self.keep()
        with self.app.batch_update():
            await self.page.remove_children()
            self._view = view(self.step, self._study)
            await self.page.mount(self._view)
            self.page.scroll_home(animate=False)
        self.refresh_bars()
        self.call_after_refresh(self.refresh_keys)

    async def relabel(self) -> None:
        """The language changed."""
        self._review.speak(self.tutor.lang)
        if self.quiz.put is not None:
            await self.show(self._index)

    # Bars

    def refresh_bars(self) -> None:
        """How far it is, how much time is used, which topic it is about."""
        title = sanitize(self._lesson.title.get(self._study.lang), newlines=False)
        state = saved_text(self.tutor).append(f" · {self._study.lang}")
        self.top.show(*review_bars.first_line(self.quiz, title, state, self.size.width))
        self.trouble.display = bool(self._study.trouble)
        if self._study.trouble:
            message = _("Cannot write your progress ({why}). It is kept in memory and tried again.")
            self.trouble.update(message.format(why=self._study.trouble))
        self.refresh_keys()

    def _tick(self) -> None:
        minute = int(self.quiz.seconds // 60)
        if minute != self._minute and self.complete and self.quiz.put is not None:
            self._minute = minute
            self.refresh_bars()

    def refresh_keys(self) -> None:
        """The keys that work now."""
        if self._view is None or not self.complete:
            return
        if isinstance(self.focused, TextArea | Input):
            keys = review_bars.keys_in_a_field(self._view.key_hints())
        else:
            running = self.tutor.python.running is not None or self.tutor.judge.running is not None
            # What a lesson offers after a verdict is to try again; here it is to go on.
            hints = [pair for pair in self._view.key_hints() if pair[0] != "r"] or [("enter", _("next"))]
            hints = self._reading_on(hints)
            hinted = bool(self._study.state(self.step).hints)
            keys = review_bars.keys(self.quiz, hints, running=running, hinted=hinted)
        self.query_one(KeyBar).show(keys, always=2)

    # What happened

    # The page of a lesson has handlers for all of these too, which come after.

    @on(RunAsked)
    @on(JudgeAsked)
    def _belongs_here(self, event: RunAsked | JudgeAsked) -> None:
        event.study = self._review
        if isinstance(event, RunAsked):
            # In its lesson, what it needs of the cells before it has been run.
            event.before = tuple(
                (step.id, step.cell if isinstance(step, PredictStep) else step.code)
                for step in self._lesson.steps[: self._index]
                if isinstance(step, CellStep | PredictStep)
            )

    @on(Judged)
    @on(CellFinished)
    def _after_work(self, event: Judged | CellFinished) -> None:
        if event.step == self.step.id:
            self._note_answer()

    @on(Answered)
    def _after_answer(self) -> None:
        self._note_answer()

    def _note_answer(self) -> None:
        """Tell the quiz of a new answer, or of what the learner said to the last one."""
        state = self._study.state(self.step)
        if self.quiz.put is None or state.answered_id is None or state.verdict is None:
            return
        if state.verdict.verdict == "unreadable" and not state.overruled:
            return
        if state.answered_id != self._noted:
            self._noted = state.answered_id
            self.quiz.answered(state.answered_id)
        answer = self._study.progress.answer_of(state.answered_id)
        if answer is not None:
            self.quiz.judged(answer.verdict)
        self.refresh_bars()

    # Keys

    async def action_onward(self) -> None:
        """On once this one is answered, else into the field."""
        if self._view is not None and not self._view.finished:
            self._view.edit_focus()
        elif self._more_below:
            self.action_more()
        elif self.quiz.over and self.quiz.total > self.quiz.number:
            self._end()
        else:
            await self._put_next()

    async def _put_next(self) -> None:
        self.quiz.next()
        await self._show_put()

    async def action_later(self) -> None:
        """Ask it at the end."""
        if self.quiz.answered_now:
            self.notify(_("It is answered; u takes the answer back."))
            return
        self.keep()
        self.quiz.later()
        await self._show_put()

    def action_easy(self) -> None:
        """The last answer was easy; before an answer, into the editor."""
        if not self.quiz.answered_now:
            self.action_edit()
        elif self.quiz.easy():
            self.notify(_("Easy: it comes back later."))
        else:
            self.notify(_("Only a right answer without hints can have been easy."))

    async def action_take_back(self) -> None:
        """The last answer does not count, and its question is asked again."""
        if self.quiz.undo() is None:
            self.notify(_("There is no answer to take back."))
            return
        self.notify(_("Taken back: the answer does not count."))
        await self._show_put()

    def action_flag(self) -> None:
        """Note what is wrong with the question."""
        self.app.push_screen(NoteScreen(), self._flag)

    async def _flag(self, note: str | None) -> None:
        if note and self.quiz.flag(note):
            self.notify(
                _("Noted. It is not asked again; `normtutor review --flags` lists what you flagged."), markup=False
            )
            await self._put_next()

    def action_where(self) -> None:
        """The step in its lesson, once it is answered: it shows what is right."""
        if not self.quiz.answered_now:
            self.notify(_("Answer first; then b shows the step that it came from."))
            return
        self.tutor.open_step(self.step.id)

    def action_origin(self) -> None:
        """Where the claims come from, once it is answered: what was measured may be what is asked."""
        if self.quiz.answered_now:
            super().action_origin()
        else:
            self.notify(_("Answer first."))

    def action_give_up(self) -> None:
        """Not knowing is an answer; the right one is shown. After an answer it shows the solution of code."""
        put, view = self.quiz.put, self._view
        if put is None or view is None or self.tutor.judge.running or self.tutor.python.running:
            return
        if self.quiz.answered_now:
            view.give_up()
            return
        view.forget_draft("answer")
        self._review.give_up(put.step)
        self._note_answer()
        self.run_worker(self.show(self._index))

    def action_leave(self) -> None:
        """Out of a field first; then pause, and home."""
        if isinstance(self.focused, TextArea | Input):
            self.set_focus(self.page)
            return
        self.keep()
        self.quiz.pause()
        self.app.pop_screen()

    @on(ScreenSuspend)
    def _suspended(self) -> None:
        """Something is shown over it: the time stands still."""
        self.keep()
        self.quiz.pause()

    @on(ScreenResume)
    def _resumed(self) -> None:
        self.quiz.resume()
        if self.complete:
            self.refresh_bars()

    def farewell(self) -> None:
        """The app ends: the review pauses."""
        super().farewell()
        self.quiz.pause()

    # The end

    def _end(self) -> None:
        screen = ReviewEndScreen(self.quiz, self._reviews.again(), self._study.lang, self._study.course.lessons)
        self.app.push_screen(screen, self._ended)

    async def _ended(self, chosen: str | None) -> None:
        """`more` goes on with this one; a step's id opens it in its lesson; anything else ends this review."""
        if chosen == "more":
            self.quiz.go_on(GO_ON)
            await self._put_next()
            return
        if self.quiz.done:
            self.quiz.end()
        self.app.pop_screen()
        if chosen is not None and chosen.startswith("step:"):
            self.tutor.open_step(chosen.removeprefix("step:"))
        elif chosen is not None:
            self.tutor.reviewing.open(_choice(chosen))


def _choice(name: str) -> Choice:
    return Choice(
        lesson=name.removeprefix("lesson:") if name.startswith("lesson:") else None,
        weak=name == "weak",
        ahead=name == "ahead",
    )
