"""A review in the shell's own lines: `normtutor review --inline`. It never takes the screen."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from typing import cast

import msgspec

from tutor.commands import inline_questions as questions
from tutor.commands.due import when
from tutor.commands.grade import lines
from tutor.commands.inline_typing import Typist
from tutor.commands.support import FINE, kind_of, say
from tutor.course.model import Course, Lesson, Question, ShortStep
from tutor.course.vary import instance
from tutor.grading.verdict import Verdict
from tutor.memory import due, events, journal, settings
from tutor.memory.cards import cards_of
from tutor.memory.measured import figures
from tutor.memory.progress import Progress, fold
from tutor.memory.quiz import Choice, Put, Quiz
from tutor.memory.reviews import Reviews
from tutor.text.i18n import _, language, ngettext

WIDEST = 100
GO_ON = 5.0
"""Minutes more, when the time is up and the learner goes on."""
Record = Callable[[events.Entry], events.Event]


class Paused(Exception):  # noqa: N818 - no error: the learner has to go
    """The learner pauses."""


def hold(course: Course, choice: Choice, minutes: float | None) -> int:
    """Asks until nothing is left, the time is up, or the learner pauses. Always 0."""
    with journal.Journal() as run:
        history = run.read()
        found = settings.load()
        say(*(f"{problem.file}:{problem.line}: {problem.detail}" for problem in history.problems), error=True)
        say(*map(str, found.problems), error=True)
        progress = fold(history.events)
        reviews = Reviews(cards_of(course), progress, found.settings)

        def record(entry: events.Entry) -> events.Event:
            event = run.record(entry)
            progress.apply(event)
            return event

        quiz = Quiz(course, reviews, record, choice, minutes=minutes)
        if quiz.next() is None:
            say(_nothing(reviews, choice))
        else:
            Inline(course, quiz, progress, record).hold()
        if run.trouble:
            say(_("This could not be saved: {why}").format(why=run.detail), error=True)
    return FINE


def _nothing(reviews: Reviews, choice: Choice) -> str:
    """Why there is nothing to ask, and what there is instead."""
    if choice.about != "due":
        return _("There is nothing to ask: reviews ask what you have answered in a lesson.")
    following = due.next_day(reviews.states.values(), reviews.today)
    if following is None:
        return _("Nothing is due: reviews begin when you have answered questions in a lesson.")
    return _(
        "Nothing is due; the next review is {when}. To practise all the same: --ahead, --weak or --lesson."
    ).format(when=when(following[0], reviews.today))


class Inline:
    """One review: prints questions, reads answers, and does what the words that begin with a colon say."""

    def __init__(self, course: Course, quiz: Quiz, progress: Progress, record: Record) -> None:
        self._course, self._quiz, self._progress, self._record = course, quiz, progress, record
        self._figures = figures(course, progress)
        self._typist = Typist(self._keep)
        self._typing: str | None = None
        """The question that is being answered, for what is half typed."""

    @property
    def _commands(self) -> dict[str, str]:
        return {
            "h": _("this list"),
            "z": _("ask it later"),
            "u": _("take the last answer back and answer again"),
            "e": _("after a right answer: it was easy"),
            "o": _("after a verdict on your own words: I was right"),
            "m": _("after a verdict: a full answer"),
            "b": _("where the question comes from"),
            "f": _("with a note behind it: the question is bad, do not ask it again"),
            "q": _("pause; the same command goes on"),
        }

    def hold(self) -> None:
        """The whole review."""
        quiz = self._quiz
        if quiz.resumed:
            say(_("You go on where you stopped."))
        say(_("Type your answer. :h shows what else you can type; ctrl+c or ctrl+d pauses and loses nothing."))
        try:
            while quiz.put is not None:
                self._question(quiz.put)
        except (Paused, KeyboardInterrupt, EOFError):
            quiz.pause()
            left = quiz.total - quiz.number + (quiz.put is not None and not quiz.answered_now)
            message = ngettext(
                "Paused; {n} question is left. The same command goes on.",
                "Paused; {n} questions are left. The same command goes on.",
                left,
            )
            say("", message.format(n=left))
            return
        right = sum(done.verdict == "right" for done in quiz.done)
        quiz.end()
        say("", _("Done: {right} of {all} right.").format(right=right, all=len(quiz.done)))

    def _question(self, put: Put) -> None:
        """Ask one question, until it is answered, put off, flagged or taken back to the one before."""
        found = self._course.find(put.step.id)
        assert found is not None
        lesson = found[0]
        step = instance(self._figures.fill(put.step), put.seed)
        lang = language()
        say("", self._head(lesson), "", *questions.lines(step, lang, put.seed, self._width))
        if questions.needs_the_screen(step):
            message = _(
                "This one is code or a drawing: `normtutor review` asks it on the screen, `normtutor open {id}` too."
            )
            say("", message.format(id=step.id))
            self._quiz.next()
            return
        started = time.monotonic()
        while self._quiz.put is put:
            self._typing = step.id
            draft = self._progress.drafts.get((step.id, "review-answer"), "")
            typed = self._typist.line("> ", self._commands, draft=draft)
            self._typing = None
            if typed.command:
                self._command(typed.command, typed.text, lesson, step)
                continue
            if not typed.text:
                continue
            answer = questions.named(step, typed.text, put.seed)
            verdict = questions.judge(self._course, lesson, step, answer, lang, put.seed)
            if verdict.verdict == "unreadable":
                say(*lines(step, verdict))
                continue
            self._judged(put, step, answer, verdict, round(time.monotonic() - started, 1))
            self._after(put, lesson, step)

    def _head(self, lesson: Lesson) -> str:
        quiz = self._quiz
        used, whole = (
            f"{int(seconds) // 60:02}:{int(seconds) % 60:02}" for seconds in (quiz.seconds, 60 * quiz.minutes)
        )
        where = _("{n} of {total}").format(n=quiz.number, total=quiz.total)
        title = lesson.title.get(language())
        return _("Review · {where} · {used} of {whole} · {lesson}").format(
            where=where, used=used, whole=whole, lesson=title
        )

    def _judged(self, put: Put, step: Question, answer: str, verdict: Verdict, seconds: float) -> None:
        event = self._record(
            events.Answered(
                step=step.id,
                answer=answer,
                verdict=msgspec.to_builtins(verdict),
                kind=kind_of(step),
                lang=language(),
                seed=put.seed,
                seconds=seconds,
                version=step.version,
                review=True,
            )
        )
        self._quiz.answered(event.id)
        say(*lines(step, verdict))
        if verdict.verdict == "unsure" and isinstance(step, ShortStep):
            self._tick(step, event.id, {point.id for point in verdict.points if point.found})

    def _tick(self, step: ShortStep, event: str, found: set[str]) -> None:
        """The grader is not sure: the learner says which points the answer made."""
        from tutor.grading.short import after_ticks

        known = questions.tickable(step)
        say("", *questions.points(step, found, language(), self._width))
        while True:
            typed = self._typist.line(
                _("The numbers of what you said; enter for those marked x, 0 for none: "), {"o": ""}
            )
            if typed.command == "o":
                self._overrule(step)
                return
            numbers = typed.text.replace(",", " ").split()
            if all(number.isdecimal() and int(number) <= len(known) for number in numbers):
                break
        ticked = {known[int(number) - 1].id for number in numbers if int(number)} if numbers else found
        verdict = after_ticks(step, ticked, language())
        points = tuple(sorted(ticked))
        self._record(events.Ticked(step.id, event, cast("dict[str, object]", msgspec.to_builtins(verdict)), points))
        self._quiz.judged(verdict.verdict)
        say(*lines(step, verdict)[:1])

    def _after(self, put: Put, lesson: Lesson, step: Question) -> None:
        """The verdict has been read: on to the next, unless something is to be said to this one."""
        while self._quiz.put is put and self._quiz.answered_now:
            if self._quiz.over and self._quiz.total > self._quiz.number:
                minutes = f"{self._quiz.minutes:.0f}"
                prompt = _("{minutes} minutes are over. Enter goes on, :q stops here: ").format(minutes=minutes)
            else:
                prompt = _("Enter goes on (:e easy, :u again, :f note, :b where from): ")
            typed = self._typist.line(prompt, self._commands)
            if typed.command:
                self._command(typed.command, typed.text, lesson, step)
                continue
            if self._quiz.over:
                self._quiz.go_on(GO_ON)
            self._quiz.next()

    def _command(self, letter: str, rest: str, lesson: Lesson, step: Question) -> None:
        quiz = self._quiz
        match letter:
            case "h":
                say(
                    *(f"  :{key}  {what}" for key, what in self._commands.items()),
                    "  ::  " + _("an answer that begins with a colon"),
                )
            case "q":
                raise Paused
            case "z" if not quiz.answered_now:
                quiz.later()
            case "u" if quiz.undo() is None:
                say(_("There is no answer to take back."))
            case "e":
                say(
                    _("It comes back later.")
                    if quiz.easy()
                    else _("Only a right answer without hints can have been easy.")
                )
            case "o" if isinstance(step, ShortStep) and quiz.answered_now:
                self._overrule(step)
            case "m" if quiz.answered_now:
                say(*(questions.model_answer(step, language(), self._width) or [_("The verdict says it.")]))
            case "b":
                say(_("From “{lesson}”: normtutor open {id}").format(lesson=lesson.title.get(language()), id=step.id))
            case "f" if quiz.flag(rest):
                say(_("Noted. It is not asked again; `normtutor review --flags` lists what you flagged."))
                quiz.next()
            case "f":
                say(_("Say what is wrong with it, such as: :f the unit is missing"))
            case "m" | "o":
                say(_("Answer first."))

    def _overrule(self, step: ShortStep) -> None:
        self._record(events.Overruled(step.id, self._quiz.done[-1].events[-1], "right"))
        self._quiz.judged("right")
        say(_("You say you were right; both are kept."))

    def _keep(self, text: str) -> None:
        """What was half typed when the learner left: the question begins with it the next time."""
        step = self._typing
        if step is not None and text != self._progress.drafts.get((step, "review-answer"), ""):
            self._record(events.Draft(step, "review-answer", text or None))

    @property
    def _width(self) -> int:
        return min(shutil.get_terminal_size().columns, WIDEST)
