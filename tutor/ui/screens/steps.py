"""All steps of a lesson, to see what is done and to go to one."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tutor.course.model import (
    AnyStep,
    CellStep,
    ChoiceStep,
    FlowStep,
    FormulaStep,
    Lesson,
    MultiStep,
    NumberStep,
    OrderStep,
    PredictStep,
    ShortStep,
)
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize
from tutor.ui.screens.listing import ListScreen
from tutor.ui.study import Study
from tutor.ui.widgets.options import Options

MARKS = {"right": "✓", "partly": "~", "wrong": "✗", "unsure": "?"}


def kind_name(step: AnyStep) -> str:
    """What a step asks for, in a word."""
    match step:
        case CellStep():
            return _("cell")
        case ChoiceStep():
            return _("choice")
        case MultiStep():
            return _("ticks")
        case OrderStep():
            return _("order")
        case FlowStep():
            return _("data flow")
        case FormulaStep():
            return _("formula")
        case NumberStep():
            return _("number")
        case PredictStep():
            return _("prediction")
        case ShortStep():
            return _("in your words")
        case _:
            return _("text")


class StepsScreen(ListScreen):
    """Returns the index of the step chosen, or None."""

    BINDINGS = [Binding("escape,t,q", "close", "Back", id="steps.close")]

    def __init__(self, study: Study, lesson: Lesson, index: int) -> None:
        super().__init__()
        self._study, self._lesson, self._index = study, lesson, index

    def compose(self) -> ComposeResult:
        """A list."""
        with Vertical(id="box"):
            yield Static(Text(sanitize(self._lesson.title.get(self._study.lang), newlines=False), "bold"), markup=False)
            yield Options(*(Option(self._line(n, step)) for n, step in enumerate(self._lesson.steps)), markup=False)
            yield Static(Text(_("enter go there   esc back"), "dim"), markup=False)

    def on_mount(self) -> None:
        """Start at the step that is open."""
        steps = self.query_one(OptionList)
        steps.highlighted = self._index
        steps.focus()

    def _line(self, index: int, step: AnyStep) -> Table:
        verdict = self._study.progress.verdict(step.id)
        done = self._study.progress.done(step)
        gave_up = self._study.progress.gave_up(step)
        mark = "–" if gave_up else MARKS.get(verdict or "", "✓" if done else " ")
        title = step.title.get(self._study.lang) if step.title is not None else step.id
        grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
        grid.add_column(width=4)
        grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        grid.add_column(width=14, no_wrap=True)
        kind = _("given up") if gave_up else kind_name(step)
        grid.add_row(f"{index + 1:2} {mark}", Text(sanitize(title, newlines=False)), Text(kind, "dim"))
        return grid

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go there."""
        self.dismiss(event.option_index)
