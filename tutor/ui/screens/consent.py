"""Asks once before the code of a course that does not come with the program may run here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Static

from tutor.course.code import counted, has_code
from tutor.course.model import Course
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize
from tutor.ui.screens.base import TutorScreen
from tutor.ui.widgets.bars import KeyBar, TopBar

if TYPE_CHECKING:
    from tutor.ui.app import TutorApp


def agreed(course: Course) -> bool:
    """Whether the learner has agreed to the code of the course, or there is none."""
    from tutor.memory import trust

    return trust.trusted() or not has_code(course)


def ask(app: TutorApp, course: Course, go_on: Callable[[], None]) -> None:
    """Ask; call `go_on` when the learner agrees, else leave the app."""
    from tutor.course.load import course_root, shown
    from tutor.memory import trust

    def answered(yes: bool | None) -> None:
        if not yes:
            app.run_worker(app.action_quit(), group="leave", exclusive=True)
            return
        try:
            trust.remember()
        except OSError as error:
            why = error.strerror or str(error)
            app.notify(_("This could not be saved: {why}").format(why=why), severity="warning")
        go_on()

    app.push_screen(ConsentScreen(course, shown(course_root().absolute()), answered))


class ConsentScreen(TutorScreen):
    """Says where the course is and what of it would run. Nothing of it has run while this is shown."""

    CSS_PATH = "consent.tcss"
    AUTO_FOCUS = "#page"
    BINDINGS = [
        Binding("y", "answer(True)", "Run its code here", id="consent.yes"),
        Binding("n,escape,q", "answer(False)", "Leave; nothing has run", id="consent.no"),
    ]

    def __init__(self, course: Course, where: str, answered: Callable[[bool], None]) -> None:
        super().__init__()
        self._course, self._where, self._answered = course, where, answered

    def compose(self) -> ComposeResult:
        """The bars and the question."""
        yield TopBar()
        with VerticalScroll(id="page"):
            yield Static("", id="question", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        """Ask."""
        self._say()

    async def relabel(self) -> None:
        """The language changed."""
        self._say()

    def _say(self) -> None:
        self.query_one(TopBar).show(Text("normtutor", "bold"), Text(self.tutor.lang))
        text = Text(_("Run the code of this course?"), "bold")
        text.append("\n\n")
        text.append(_("It does not come with normtutor:"), "not bold")
        text.append(f"\n\n  {sanitize(self._where, newlines=False)}\n\n", "bold")
        text.append(
            _(
                "A course is more than text: its Python runs on this machine with your rights, and may read, change "
                "and send whatever you may. Nothing of it has run yet."
            ),
            "not bold",
        )
        text.append("\n\n")
        for lesson in self._course.lessons:
            title = sanitize(lesson.title.get(self.tutor.lang), newlines=False)
            text.append(f"  {title}  ", "not bold")
            text.append(f"{counted(Course(lessons=(lesson,)))}\n", "not bold dim")
        text.append("\n")
        text.append(
            _("Agree only if you trust whoever wrote it. You are asked again when a file of it changes."), "not bold"
        )
        self.query_one("#question", Static).update(text)
        self.query_one(KeyBar).show(
            [
                ("y", _("run it here")),
                ("v", "English" if self.tutor.lang == "vi" else "tiếng Việt"),
                ("↑ ↓", _("scroll")),
                ("n", _("leave")),
            ],
            always=1,
        )

    def action_answer(self, yes: bool) -> None:
        """What the learner says."""
        self.app.pop_screen()
        self._answered(yes)
