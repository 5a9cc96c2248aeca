"""The parameters of an experiment, to be changed by keys: the arrows go to the next value, enter types or ticks one."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text
from textual.binding import Binding
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from kernels.lab.parameters import Parameter, Value
from kernels.lab.spec import Experiment
from tutor.text.aloud import aloud
from tutor.ui.widgets.options import Options

NAME_WIDTH = 11


class ParameterList(Options):
    """A line a parameter: its name, its value; bold where it is not the default."""

    DEFAULT_CSS = """
    ParameterList { height: 1fr; border: none; padding: 0; background: transparent; scrollbar-size-vertical: 1; }
    ParameterList:focus { border: none; background-tint: transparent; }
    ParameterList > .option-list--option { padding: 0 1; }
    ParameterList > .option-list--option-highlighted {
        background: $foreground 10%; color: $foreground; text-style: none;
    }
    ParameterList:focus > .option-list--option-highlighted {
        background: $primary 35%; color: $foreground; text-style: none;
    }
    """
    BINDINGS = [
        Binding("left", "step(-1)", "Value before", id="parameters.before"),
        Binding("right", "step(1)", "Next value", id="parameters.after"),
    ]

    @dataclass
    class Stepped(Message):
        """A parameter got another value."""

        parameter: Parameter
        value: Value

    @dataclass
    class Asked(Message):
        """A value is to be typed, or ticked."""

        parameter: Parameter

    class Pointed(Message):
        """Another parameter is highlighted."""

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._parameters: tuple[Parameter, ...] = ()
        self._values: dict[str, Value] = {}

    def show(self, experiment: Experiment, values: dict[str, Value]) -> None:
        """These parameters with these values."""
        same = self._parameters == experiment.parameters
        self._parameters, self._values = experiment.parameters, dict(values)
        if same:
            for index, parameter in enumerate(self._parameters):
                self.replace_option_prompt_at_index(index, self._line(parameter))
            return
        self.clear_options()
        self.add_options([Option(self._line(parameter), id=parameter.name) for parameter in self._parameters])
        self.highlighted = 0

    @property
    def pointed(self) -> Parameter | None:
        """The parameter that is highlighted."""
        at = self.highlighted
        return self._parameters[at] if at is not None and at < len(self._parameters) else None

    def _line(self, parameter: Parameter) -> RenderableType:
        value = self._values[parameter.name]
        if aloud():
            return Text(f"{parameter.name}: {parameter.text(value)}")
        grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
        grid.add_column(width=NAME_WIDTH, no_wrap=True)
        grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        grid.add_row(Text(parameter.name), Text(parameter.text(value), "bold" if value != parameter.default else ""))
        return grid

    def action_step(self, by: int) -> None:
        """The next value that there is a step to."""
        parameter = self.pointed
        if parameter is None:
            return
        value = parameter.stepped(self._values[parameter.name], by)
        if parameter.several:
            self.post_message(self.Asked(parameter))
        elif value != self._values[parameter.name]:
            self.post_message(self.Stepped(parameter, value))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Type or tick a value."""
        event.stop()
        if self.pointed is not None:
            self.post_message(self.Asked(self.pointed))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """What it is may be said elsewhere."""
        event.stop()
        self.post_message(self.Pointed())
