"""The first screen: what to continue, the lessons and how far they are, the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual import getters, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tutor.text.aloud import aloud
from tutor.text.i18n import _, ngettext
from tutor.text.sanitize import sanitize
from tutor.ui.screens.base import TutorScreen
from tutor.ui.status import kernel_text, machine_text, saved_text
from tutor.ui.widgets.bars import KeyBar, TopBar
from tutor.ui.widgets.options import Options

if TYPE_CHECKING:
    from tutor.course.model import Lesson

BAR = 10
MOST_FINDINGS = 6


class HomeScreen(TutorScreen):
    """Lessons with their progress."""

    AUTO_FOCUS = ""
    BINDINGS = [
        Binding("q", "app.quit", "Quit", id="home.quit"),
        Binding("r", "review", "Review what is due", id="home.review"),
        Binding("p", "app.progress", "Progress", id="home.progress"),
        Binding("s", "app.settings", "Settings", id="home.settings"),
        Binding("l", "lab", "Experiments of your own", id="home.lab"),
    ]

    top = getters.query_one(TopBar)
    lessons = getters.query_one("#lessons", OptionList)
    notes = getters.query_one("#notes", Static)

    def compose(self) -> ComposeResult:
        """A frame that can be painted at once; the course is filled in when it has been read."""
        yield TopBar()
        yield Options(id="lessons", markup=False)
        yield Static(_("Reading the course …"), id="notes", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        """Paint the frame."""
        self.refresh_bars()

    def on_screen_resume(self) -> None:
        """Coming back from a lesson: progress has changed."""
        self.fill()

    async def relabel(self) -> None:
        """The language changed."""
        self.fill()

    def fill(self) -> None:
        """Show the course and the progress, if they are known yet."""
        study = self.tutor.study
        self.refresh_bars()
        if study is None:
            return
        before = self.lessons.highlighted_option.id if self.lessons.highlighted_option else None
        options: list[Option | None] = []
        position = study.progress.recent
        if position is not None and (found := study.course.find(position[1])) is not None:
            lesson, index = found
            options.append(Option(self._continue(lesson, index), id="continue"))
        self.tutor.reviewing.count()
        if self.tutor.reviewing.due:
            count = len(self.tutor.reviewing.due)
            line = ngettext("{n} question is due", "{n} questions are due", count).format(n=count)
            options.append(Option(_row(_("Review"), line, "r"), id="review"))
        if options:
            options.append(None)
        for number, lesson in enumerate(study.course.lessons, 1):
            options.append(Option(self._lesson(number, lesson), id=f"lesson:{lesson.id}"))
        self.lessons.clear_options()
        self.lessons.add_options(options)
        ids = [option.id for option in options if option is not None]
        if ids:
            self.lessons.highlighted = ids.index(before) if before in ids else 0
            self.lessons.focus()
        self.notes.update(self._notes())

    def refresh_bars(self) -> None:
        """The first and the last line."""
        state = Text(" · ").join([machine_text(self.tutor), kernel_text(self.tutor), saved_text(self.tutor)])
        state.append(f" · {self.tutor.lang}")
        self.top.show(Text("normtutor", "bold"), state)
        self.query_one(KeyBar).show(
            [
                ("enter", _("open")),
                ("r", _("review")),
                ("p", _("progress")),
                ("l", _("lab")),
                ("v", "English" if self.tutor.lang == "vi" else "tiếng Việt"),
                ("/", _("search")),
                ("ctrl+p", _("commands")),
                ("?", _("keys")),
                ("q", _("quit")),
            ],
            always=2,
        )

    def _continue(self, lesson: Lesson, index: int) -> RenderableType:
        where = _("step {n} of {total}").format(n=index + 1, total=len(lesson.steps))
        minutes = round(lesson.minutes * (len(lesson.steps) - index) / max(1, len(lesson.steps)))
        left = ngettext("about {n} min", "about {n} min", minutes).format(n=minutes)
        return _row(_("Continue"), f"{self._title(lesson)} · {where} · {left}", "enter")

    def _title(self, lesson: Lesson) -> str:
        return sanitize(lesson.title.get(self.tutor.lang), newlines=False)

    def _lesson(self, number: int, lesson: Lesson) -> RenderableType:
        study = self.tutor.study
        assert study is not None
        total = len(lesson.steps)
        done = sum(study.progress.done(step) for step in lesson.steps)
        filled = BAR * done // max(1, total)
        if done == total:
            mark, state = "✓", _("done")
        elif done:
            mark, state = "·", _("{done} of {total} steps").format(done=done, total=total)
        else:
            mark, state = " ", ngettext("{n} min", "{n} min", lesson.minutes).format(n=lesson.minutes)
        if aloud():
            return Text(_("Lesson {n}: {title}. {state}.").format(n=number, title=self._title(lesson), state=state))
        grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
        grid.add_column(width=3)
        grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        grid.add_column(width=BAR, no_wrap=True)
        grid.add_column(width=16, no_wrap=True)
        grid.add_row(
            f"{number} {mark}", Text(self._title(lesson)), "▰" * filled + "▱" * (BAR - filled), Text(state, "dim")
        )
        return grid

    def _notes(self) -> RenderableType:
        study = self.tutor.study
        assert study is not None
        parts: list[RenderableType] = []
        if study.progress.position is None and study.course.lessons:
            parts.append(
                Text(
                    _(
                        "Why do deep networks train? Predict, run the code, see the curve, answer, and be told why: "
                        "every claim is measured on this machine. Enter opens the lesson, ? shows all keys, and you "
                        "can leave at any moment: what you typed is kept."
                    )
                )
            )
        findings = study.course.findings
        if findings:
            head = ngettext(
                "{n} problem in the course files (normtutor check lists all):",
                "{n} problems in the course files (normtutor check lists all):",
                len(findings),
            ).format(n=len(findings))
            parts.append(Text(head, "bold"))
            parts.extend(Text(sanitize(str(finding))) for finding in findings[:MOST_FINDINGS])
        if not study.course.lessons:
            parts.append(Text(_("There is no lesson to open.")))
        return Group(*parts)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        study = self.tutor.study
        id = event.option.id or ""
        if study is None:
            return
        if id == "review":
            self.action_review()
        elif id == "continue" and study.progress.recent is not None:
            self.tutor.open_step(study.progress.recent[1])
        elif id.startswith("lesson:"):
            lesson = study.course.lesson(id.removeprefix("lesson:"))
            if lesson is not None:
                self.tutor.open_step(study.progress.resume(lesson))

    def action_lab(self) -> None:
        """Open the lab."""
        self.tutor.open_lab()

    def action_review(self) -> None:
        """What is due, or what else can be practised."""
        self.tutor.reviewing.open()


def _row(name: str, what: str, key: str) -> RenderableType:
    if aloud():
        return Text(_("{name}: {what}. Key: {key}.").format(name=name, what=what, key=key))
    grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
    grid.add_column(width=10)
    grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    grid.add_column(justify="right", no_wrap=True)
    grid.add_row(Text(name, "bold"), Text(what), Text(key, "dim"))
    return grid
