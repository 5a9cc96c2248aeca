"""What is known, shaky and unseen, what comes, and what to do next."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text
from textual import getters, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Static

from tutor.memory.advice import Advice, advice
from tutor.memory.events import Event
from tutor.memory.history import read
from tutor.memory.quiz import Choice
from tutor.memory.report import Section, report
from tutor.memory.standing import standing
from tutor.text.aloud import aloud
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize
from tutor.ui.screens.base import TutorScreen
from tutor.ui.status import saved_text
from tutor.ui.widgets.bars import KeyBar, TopBar

MARGIN = 5
WIDEST = 100


class ProgressScreen(TutorScreen):
    """A report that scrolls, with the advice first; enter follows it."""

    CSS_PATH = "progress.tcss"
    AUTO_FOCUS = "#report"
    BINDINGS = [
        Binding("enter", "follow", "Do that", id="progress.follow"),
        Binding("r", "review", "Review", id="progress.review"),
        Binding("space", "more", "Scroll on", id="progress.more"),
        Binding("escape,q,p", "leave", "Home", id="progress.leave"),
    ]

    top = getters.query_one(TopBar)
    page = getters.query_one("#report", VerticalScroll)

    def __init__(self) -> None:
        super().__init__()
        self._advice = Advice("")
        self._history: tuple[Event, ...] | None = None

    def compose(self) -> ComposeResult:
        """The bars and a page."""
        yield TopBar()
        with VerticalScroll(id="report"):
            yield Static(_("Reading your history …"), markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        """The history is read afresh: it may be long, and other sessions may have added to it."""
        self.refresh_bars()
        self._read()

    @work(thread=True, exclusive=True, group="progress")
    def _read(self) -> None:
        study = self.tutor.study
        if study is not None:
            events = read(study.journal.directory).events
            self.app.call_from_thread(self._show, events)

    def _show(self, events: tuple[Event, ...]) -> None:
        self._history = events
        study, reviews = self.tutor.study, self.tutor.reviewing.reviews()
        if study is None or reviews is None or not self.complete:
            return
        found = standing(study.course, reviews)
        self._advice = advice(study.course, reviews, found, study.lang)
        width = min(WIDEST, self.size.width - MARGIN)
        sections = report(study.course, reviews, found, events, study.lang, width)
        self.page.query_one(Static).update(self._rendered(sections))
        self.refresh_bars()

    def _rendered(self, sections: list[Section]) -> RenderableType:
        rows: list[RenderableType] = [Text(sanitize(self._advice.text), "bold")]
        for section in sections:
            rows += [Text(""), Text(section.title, "bold underline")]
            rows += [Text(sanitize(line, newlines=False), no_wrap=not aloud()) for line in section.lines]
        return Group(*rows)

    def on_resize(self) -> None:
        """Lines are as wide as the screen."""
        if self._history is not None:
            self._show(self._history)

    def on_screen_resume(self) -> None:
        """Coming back from a review: it has changed."""
        if self._history is not None:
            self._read()

    async def relabel(self) -> None:
        """The language changed."""
        if self._history is not None:
            self._show(self._history)

    def refresh_bars(self) -> None:
        """The first and the last line."""
        right = saved_text(self.tutor)
        right.append(f" · {self.tutor.lang}")
        self.top.show(Text(_("Progress"), "bold"), right)
        keys = [("enter", _("do that"))] if self._advice.leads else []
        keys += [("r", _("review")), ("space", _("more"))]
        self.query_one(KeyBar).show([*keys, ("esc", _("home")), ("?", _("keys"))], always=2)

    def action_follow(self) -> None:
        """Where the advice leads."""
        study, led = self.tutor.study, self._advice
        if study is None:
            return
        if led.leads == "review":
            self.tutor.reviewing.open()
        elif led.leads == "weak":
            self.tutor.reviewing.open(Choice(weak=True))
        elif led.leads == "lesson" and (lesson := study.course.lesson(led.lesson)) is not None:
            self.tutor.open_step(study.progress.resume(lesson))

    def action_review(self) -> None:
        """What is due, or what else can be practised."""
        self.tutor.reviewing.open()

    def action_more(self) -> None:
        """A page on."""
        self.page.scroll_page_down(animate=False)

    def action_leave(self) -> None:
        """Back."""
        self.app.pop_screen()
