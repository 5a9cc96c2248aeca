"""The box to type the value of a parameter into."""

from __future__ import annotations

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Input, Static

from kernels.lab.parameters import Parameter, Value, WrongParameterError
from tutor.commands.lab_options import parameter_help
from tutor.text.i18n import _, language
from tutor.ui.screens.lab_box import LabBox
from tutor.ui.widgets.entry import Field


class ValueScreen(LabBox[Value]):
    """Returns a value that the parameter takes; says what is wrong with any other."""

    BINDINGS = [Binding("escape", "close", "Back", id="value.close")]

    def __init__(self, parameter: Parameter, value: Value) -> None:
        super().__init__()
        self._parameter, self._value = parameter, value

    def compose(self) -> ComposeResult:
        """What it is, the field, and what is wrong."""
        with Vertical(id="box"):
            yield Static(Text.assemble((self._parameter.name, "bold"), f"  {parameter_help(self._parameter)}"))
            yield Field(self._parameter.text(self._value), select_on_focus=True)
            yield Static("", id="trouble", markup=False)
            keys = _("enter set it   esc back")
            several = "   " + _("several values with commas") if self._parameter.several else ""
            yield Static(Text(keys + several, "dim"), markup=False)

    def on_mount(self) -> None:
        """Ready to type."""
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        try:
            self.dismiss(self._parameter.parse(event.value))
        except WrongParameterError as error:
            self.query_one("#trouble", Static).update(Text(error.words.get(language()), "bold"))
