"""Between two reviews: how it went, what comes next, and what can be practised when nothing is due."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tutor.course.model import Lang, Lesson
from tutor.memory.due import next_day
from tutor.memory.quiz import Quiz
from tutor.memory.reviews import Reviews
from tutor.text.i18n import _, ngettext
from tutor.text.sanitize import sanitize
from tutor.ui.widgets.options import Options


class ReviewEndScreen(ModalScreen[str | None]):
    """Returns `more`, `due`, `weak`, `ahead`, `lesson:ID`, `step:ID`, or None for home."""

    CSS_PATH = "review_end.tcss"
    BINDINGS = [Binding("escape,q", "close", "Home", id="review_end.close")]

    def __init__(self, quiz: Quiz, reviews: Reviews, lang: Lang, lessons: tuple[Lesson, ...] = ()) -> None:
        super().__init__()
        self._quiz, self._reviews, self._lang, self._lessons = quiz, reviews, lang, lessons
        self._left = quiz.total - quiz.number if quiz.put is not None else 0

    def compose(self) -> ComposeResult:
        """What has been, what there is to do, the way home."""
        with Vertical(id="box"):
            yield Static(Text(self._title(), "bold"), markup=False)
            yield Static(Text(self._summary()), markup=False)
            yield Options(*self._options(), markup=False)
            yield Static(Text(_("enter choose   esc home"), "dim"), markup=False)

    def on_mount(self) -> None:
        """The first choice is what most will want."""
        choices = self.query_one(OptionList)
        choices.highlighted = 0
        choices.focus()

    def _title(self) -> str:
        if self._left:
            return _("{minutes} minutes are over.").format(minutes=f"{self._quiz.minutes:.0f}")
        if self._reviews.due:
            return _("That was it for now.")
        return _("Nothing more is due.") if self._quiz.done else _("Nothing is due.")

    def _summary(self) -> str:
        done = self._quiz.done
        parts = []
        if done:
            right = sum(one.verdict == "right" for one in done)
            parts.append(
                ngettext("{right} of {n} question right.", "{right} of {n} questions right.", len(done)).format(
                    right=right, n=len(done)
                )
            )
        if self._left:
            message = ngettext("{n} question is left.", "{n} questions are left.", self._left)
            parts.append(message.format(n=self._left))
        elif due := len(self._reviews.due):
            parts.append(ngettext("{n} question is due.", "{n} questions are due.", due).format(n=due))
        elif following := next_day(self._reviews.states.values(), self._reviews.today):
            day, count = following
            days = (day - self._reviews.today).days
            when = _("tomorrow") if days == 1 else ngettext("in {n} day", "in {n} days", days).format(n=days)
            message = ngettext("{when} {n} question comes back.", "{when} {n} questions come back.", count)
            text = message.format(when=when, n=count)
            parts.append(text[:1].upper() + text[1:])
        elif not self._reviews.states:
            parts.append(_("Reviews begin when you have answered questions in a lesson."))
        return " ".join(parts)

    def _options(self) -> list[Option]:
        reviews = self._reviews
        options = [Option(_("Five minutes more"), id="more")] if self._left else []
        options.append(Option(_("Home"), id="home"))
        options += [Option(self._missed(step), id=f"step:{step}") for step in self._wrong()]
        if not self._left:
            if reviews.due:
                options.append(Option(_("Go on with what is due ({n})").format(n=len(reviews.due)), id="due"))
            if weak := reviews.chosen(weak=True):
                options.append(Option(_("Practise what went wrong ({n})").format(n=len(weak)), id="weak"))
            if ahead := reviews.chosen(ahead=True):
                options.append(Option(_("Practise ahead ({n})").format(n=len(ahead)), id="ahead"))
            for lesson in self._lessons:
                known = [state for state in reviews.states.values() if state.topic == lesson.id]
                if known:
                    title = sanitize(lesson.title.get(self._lang), newlines=False)
                    name = _("Practise “{lesson}” ({n})").format(lesson=title, n=len(known))
                    options.append(Option(Text(name, no_wrap=True, overflow="ellipsis"), id=f"lesson:{lesson.id}"))
        return options

    def _wrong(self) -> list[str]:
        return [one.put.step.id for one in self._quiz.done if one.verdict in ("wrong", "partly")]

    def _missed(self, step: str) -> Text:
        put = next(one.put for one in self._quiz.done if one.put.step.id == step)
        title = put.step.title.get(self._lang) if put.step.title is not None else step
        return Text(_("Look at “{step}” again").format(step=sanitize(title, newlines=False)), no_wrap=True)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """That is what is wanted."""
        self.dismiss(None if event.option.id in (None, "home") else event.option.id)

    def action_close(self) -> None:
        """Home."""
        self.dismiss(None)
