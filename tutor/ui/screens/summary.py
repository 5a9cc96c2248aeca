"""The end of a lesson: what was right, what is worth another look."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tutor.course.model import QUESTIONS, Lesson
from tutor.text.i18n import _, ngettext
from tutor.text.sanitize import sanitize
from tutor.ui.screens.listing import ListScreen
from tutor.ui.study import Study
from tutor.ui.widgets.options import Options


class SummaryScreen(ListScreen):
    """Returns the index of a step to go back to, or None for home."""

    BINDINGS = [Binding("escape,q", "close", "Home", id="summary.close")]

    def __init__(self, study: Study, lesson: Lesson) -> None:
        super().__init__()
        self._study, self._lesson = study, lesson
        questions = [step for step in lesson.steps if isinstance(step, QUESTIONS)]
        self._verdicts = {step.id: study.progress.verdict(step.id) for step in questions}
        self._revisit = [index for index, step in enumerate(lesson.steps) if self._open(step.id)]

    def _open(self, step: str) -> bool:
        return step in self._verdicts and self._verdicts[step] != "right"

    def compose(self) -> ComposeResult:
        """The count, the steps to revisit, the way home."""
        with Vertical(id="box"):
            yield Static(Text(sanitize(self._lesson.title.get(self._study.lang), newlines=False), "bold"), markup=False)
            yield Static(self._count(), markup=False)
            options = [Option(self._line(index), id=str(index)) for index in self._revisit]
            yield Options(*options, Option(Text(_("Home")), id="home"), markup=False)
            yield Static(Text(_("enter go there   esc home"), "dim"), markup=False)

    def on_mount(self) -> None:
        """Home is the default."""
        choices = self.query_one(OptionList)
        choices.highlighted = choices.option_count - 1
        choices.focus()

    def _count(self) -> Text:
        right = sum(verdict == "right" for verdict in self._verdicts.values())
        total = len(self._verdicts)
        text = Text(
            ngettext("{right} of {total} question right.", "{right} of {total} questions right.", total).format(
                right=right, total=total
            )
        )
        if self._revisit:
            text.append(" " + _("Worth another look:"))
        else:
            text.append(" " + _("They come back for review before they fade."))
        return text

    def _line(self, index: int) -> Table:
        step = self._lesson.steps[index]
        words = {
            "partly": _("partly right"),
            "wrong": _("not so"),
            "unsure": _("not ticked yet"),
            None: _("not answered"),
        }
        title = step.title.get(self._study.lang) if step.title is not None else step.id
        grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
        grid.add_column(width=2)
        grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        grid.add_column(width=18, no_wrap=True)
        word = words.get(self._verdicts[step.id], _("not answered"))
        grid.add_row(f"{index + 1:2}", Text(sanitize(title, newlines=False)), Text(word, "dim"))
        return grid

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go there."""
        self.dismiss(int(event.option.id) if event.option.id not in (None, "home") else None)
