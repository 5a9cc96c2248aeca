"""Lines to put in order by keys."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual.actions import SkipAction
from textual.binding import Binding
from textual.message import Message
from textual.widgets.option_list import Option

from tutor.text import prose
from tutor.text.aloud import aloud
from tutor.text.i18n import _
from tutor.ui.widgets.options import Options
from tutor.ui.widgets.picker import Choice

LIFTED = "↕"


class Sorter(Options):
    """A list whose lines move: space takes one up and puts it down, and the arrows carry it meanwhile."""

    DEFAULT_CSS = """
    Sorter { height: auto; max-height: 100%; width: 1fr; border: none; padding: 0; background: transparent; }
    Sorter:focus { border: none; background-tint: transparent; }
    Sorter > .option-list--option { padding: 0 1; }
    Sorter > .option-list--option-highlighted { background: $foreground 10%; color: $foreground; text-style: none; }
    Sorter:focus > .option-list--option-highlighted { background: $primary 35%; color: $foreground; text-style: none; }
    """
    BINDINGS = [
        Binding("space", "lift", "Take it up, put it down", id="sorter.lift", show=False),
        Binding("shift+up,alt+up,less_than_sign", "carry(-1)", "Move up", id="sorter.carry_up", show=False),
        Binding("shift+down,alt+down,greater_than_sign", "carry(1)", "Move down", id="sorter.carry_down", show=False),
        Binding("escape", "drop", "Put it down", id="sorter.drop", show=False),
    ]

    @dataclass
    class Changed(Message):
        """The lines are in another order."""

        ids: list[str]

    @dataclass
    class HandedIn(Message):
        """The order was handed in."""

        ids: list[str]

    class Moded(Message):
        """A line was taken up or put down."""

    def __init__(self, choices: list[Choice]) -> None:
        self._choices = choices
        self._marks: dict[str, str] = {}
        self.lifted = False
        super().__init__(*(self._option(place) for place in range(len(choices))), markup=False)

    def on_mount(self) -> None:
        """Start at the first line."""
        self.highlighted = 0

    @property
    def ids(self) -> list[str]:
        """The lines in their order now."""
        return [choice.id for choice in self._choices]

    def _option(self, place: int) -> Option:
        return Option(self._line(place))

    def _line(self, place: int) -> RenderableType:
        choice = self._choices[place]
        lifted = self.lifted and place == self.highlighted
        mark = self._marks.get(choice.id, LIFTED if lifted else str(place + 1))
        if aloud():
            return Group(Text(self._said(place), "bold"), prose.render(choice.text))
        grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
        grid.add_column(no_wrap=True, width=2)
        grid.add_column(ratio=1)
        grid.add_row(Text(mark), prose.render(choice.text))
        return grid

    def _said(self, place: int) -> str:
        """Where a line stands and what is the matter with it."""
        said = _("Place {n} of {total}").format(n=place + 1, total=len(self._choices))
        mark = self._marks.get(self._choices[place].id, "")
        if mark:
            said += ", " + {"✓": _("right"), "✗": _("not right")}.get(mark, mark)
        elif self.lifted and place == self.highlighted:
            said += ", " + _("taken up")
        return said + "."

    def _redraw(self) -> None:
        for place in range(len(self._choices)):
            self.replace_option_prompt_at_index(place, self._line(place))

    def judge(self, marks: dict[str, str]) -> None:
        """Show these marks in place of the numbers, such as ✓; without any, the lines can be moved again."""
        self._marks, self.lifted = marks, False
        self._redraw()

    def action_lift(self) -> None:
        """Take the line up, or put it down."""
        if not self._marks:
            self.lifted = not self.lifted
            self._redraw()
            self.post_message(self.Moded())

    def action_drop(self) -> None:
        """Put the line down; with none taken up, esc leaves."""
        if not self.lifted:
            raise SkipAction
        self.action_lift()

    def action_cursor_up(self) -> None:
        """To the line above, with the one that is taken up."""
        if self.lifted:
            self.action_carry(-1)
        else:
            super().action_cursor_up()

    def action_cursor_down(self) -> None:
        """To the line below, with the one that is taken up."""
        if self.lifted:
            self.action_carry(1)
        else:
            super().action_cursor_down()

    def action_carry(self, by: int) -> None:
        """The line changes places with its neighbour."""
        place = self.highlighted
        if place is None or self._marks or not 0 <= place + by < len(self._choices):
            return
        choices = self._choices
        choices[place], choices[place + by] = choices[place + by], choices[place]
        self.highlighted = place + by
        self._redraw()
        self.post_message(self.Changed(self.ids))

    def action_select(self) -> None:
        """Hand in the order."""
        if not self._marks:
            self.lifted = False
            self.post_message(self.HandedIn(self.ids))
