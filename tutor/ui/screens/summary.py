"""The end of a lesson: what was right, what is worth another look, and where that is taught."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tutor.course.model import QUESTIONS, Lesson
from tutor.course.teaching import Taught, taught_in
from tutor.text.i18n import _, ngettext
from tutor.text.sanitize import sanitize
from tutor.ui.screens.listing import ListScreen
from tutor.ui.study import Study
from tutor.ui.widgets.options import Options

if TYPE_CHECKING:
    from tutor.ui.app import TutorApp

_TAUGHT = "taught:"
"""Before the id of a step that teaches something, among the ids of the options."""


class SummaryScreen(ListScreen):
    """Returns the index of a step to go back to, or None for home; a step that teaches opens on top of it."""

    BINDINGS = [
        Binding("escape,q", "close", "Home", id="summary.close"),
        Binding("l", "lesson", "Where it is taught", id="summary.lesson"),
    ]

    def __init__(self, study: Study, lesson: Lesson) -> None:
        super().__init__()
        self._study, self._lesson = study, lesson
        self._questions = [step for step in lesson.steps if isinstance(step, QUESTIONS)]
        self._away = False

    def compose(self) -> ComposeResult:
        """The count, the steps to revisit with those that teach them, the way home."""
        with Vertical(id="box"):
            yield Static(Text(sanitize(self._lesson.title.get(self._study.lang), newlines=False), "bold"), markup=False)
            yield Static(id="count", markup=False)
            yield Options(markup=False)
            yield Static(Text(_("enter go there   l where it is taught   esc home"), "dim"), markup=False)

    def on_mount(self) -> None:
        """Home is the default."""
        self._fill()
        choices = self.query_one(OptionList)
        choices.highlighted = choices.option_count - 1
        choices.focus()

    def on_screen_resume(self) -> None:
        """Coming back from a step that teaches: more may be right now, and this is where the learner is."""
        if self._away:
            self._away = False
            self._study.opened(self._lesson.id, self._lesson.steps[-1].id)
            self._fill()

    def _fill(self) -> None:
        verdicts = {step.id: self._study.progress.verdict(step.id) for step in self._questions}
        choices = self.query_one(OptionList)
        at = choices.highlighted
        choices.clear_options()
        for index, step in enumerate(self._lesson.steps):
            if step.id in verdicts and verdicts[step.id] != "right":
                word = "given-up" if self._study.progress.gave_up(step) else verdicts[step.id]
                choices.add_option(Option(self._line(index, word), id=str(index)))
                for taught in taught_in(self._study.course, step):
                    # The same step may teach several questions; an option's id may be there once.
                    choices.add_option(Option(self._where(taught), id=f"{_TAUGHT}{taught.step.id}:{index}"))
        open_questions = choices.option_count > 0
        choices.add_option(Option(Text(_("Home")), id="home"))
        if at is not None:
            choices.highlighted = min(at, choices.option_count - 1)
        self.query_one("#count", Static).update(self._count(verdicts, open_questions))

    def _count(self, verdicts: dict[str, str | None], open_questions: bool) -> Text:
        right = sum(verdict == "right" for verdict in verdicts.values())
        total = len(verdicts)
        text = Text(
            ngettext("{right} of {total} question right.", "{right} of {total} questions right.", total).format(
                right=right, total=total
            )
        )
        if open_questions:
            text.append(" " + _("Worth another look:"))
        else:
            text.append(" " + _("They come back for review before they fade."))
        return text

    def _line(self, index: int, verdict: str | None) -> Table:
        step = self._lesson.steps[index]
        words = {
            "partly": _("partly right"),
            "wrong": _("not so"),
            "unsure": _("not ticked yet"),
            "given-up": _("given up"),
            None: _("not answered"),
        }
        title = step.title.get(self._study.lang) if step.title is not None else step.id
        grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
        grid.add_column(width=2)
        grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        grid.add_column(width=18, no_wrap=True)
        word = words.get(verdict, _("not answered"))
        grid.add_row(f"{index + 1:2}", Text(sanitize(title, newlines=False)), Text(word, "dim"))
        return grid

    def _where(self, taught: Taught) -> Table:
        lang, step = self._study.lang, taught.step
        title = step.title.get(lang) if step.title is not None else step.id
        place = f"{taught.lesson.title.get(lang)}, {taught.number}. {title}"
        grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
        grid.add_column(width=4, justify="right")
        grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        grid.add_row("→", Text(sanitize(place, newlines=False), "dim"))
        return grid

    def action_lesson(self) -> None:
        """Where the question on which the cursor stands is taught; from below the questions, the first of them."""
        choices = self.query_one(OptionList)
        home = choices.option_count - 1
        at = choices.highlighted if choices.highlighted is not None else home
        at = 0 if at == home else at
        for option in choices.options[at : at + 2]:
            if option.id is not None and option.id.startswith(_TAUGHT):
                self._open(option.id)
                return
        if home:
            self.notify(_("No step of the course teaches this by itself."))

    def _open(self, id: str) -> None:
        self._away = True
        cast("TutorApp", self.app).open_step(id.removeprefix(_TAUGHT).rpartition(":")[0])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go there."""
        id = event.option.id or "home"
        if id.startswith(_TAUGHT):
            self._open(id)
        else:
            self.dismiss(int(id) if id != "home" else None)
