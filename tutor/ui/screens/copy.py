"""What to copy, where a step has several things."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tutor.text.i18n import _, ngettext
from tutor.ui.clipboard import Thing
from tutor.ui.screens.listing import ListScreen
from tutor.ui.widgets.options import Options


class CopyScreen(ListScreen):
    """Returns the index of the thing to copy, or None."""

    BINDINGS = [Binding("escape,y,q", "close", "Back", id="copy.close")]

    def __init__(self, things: Sequence[Thing]) -> None:
        super().__init__()
        self._things = things

    def compose(self) -> ComposeResult:
        """A list."""
        with Vertical(id="box"):
            yield Static(Text(_("Copy"), "bold"), markup=False)
            yield Options(*(Option(_line(thing)) for thing in self._things), markup=False)
            yield Static(Text(_("enter copies it   esc back"), "dim"), markup=False)

    def on_mount(self) -> None:
        """The first one."""
        things = self.query_one(OptionList)
        things.highlighted = 0
        things.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Copy the chosen one."""
        self.dismiss(event.option_index)


def _line(thing: Thing) -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
    grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    grid.add_column(justify="right", no_wrap=True)
    count = ngettext("{n} character", "{n} characters", len(thing.text)).format(n=len(thing.text))
    grid.add_row(Text(thing.name), Text(count, "dim"))
    return grid
