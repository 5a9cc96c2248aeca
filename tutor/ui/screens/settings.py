"""The settings, to look at and to change; they are kept in a file with comments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text
from textual import getters, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tutor.memory.places import settings_file
from tutor.memory.settings import AUTO, FIELDS, Settings
from tutor.text.aloud import aloud
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize
from tutor.ui.screens.base import TutorScreen
from tutor.ui.widgets.bars import KeyBar, TopBar
from tutor.ui.widgets.entry import Field
from tutor.ui.widgets.options import Options


class Row(NamedTuple):
    """A setting: what it is called, and the values that enter goes through; without any, one is typed."""

    attribute: str
    name: Callable[[], str]
    values: tuple[Any, ...] = ()
    later: bool = False
    """Whether a change counts from the next start on."""


ROWS = (
    Row("language", lambda: _("Language"), (AUTO, "vi", "en")),
    Row("theme", lambda: _("Theme")),
    Row("screen_reader", lambda: _("Screen reader"), (False, True)),
    Row("daily_limit", lambda: _("Reviews a day, at most"), (5, 10, 15, 20, 30, 50, 100)),
    Row("minutes", lambda: _("Minutes a review takes"), (5.0, 10.0, 15.0, 20.0, 30.0)),
    Row("rollover", lambda: _("Hour at which a day begins"), tuple(range(9))),
    Row("time_zone", lambda: _("Time zone")),
    Row("device", lambda: _("Device"), (AUTO, "cpu"), later=True),
    Row("idle_minutes", lambda: _("Idle minutes on a GPU, 0: any"), (0, 5, 10, 20, 30, 60, 120)),
)


class SettingsScreen(TutorScreen):
    """One line a setting; enter changes it, e types a value."""

    CSS_PATH = "settings.tcss"
    AUTO_FOCUS = "#settings"
    BINDINGS = [
        Binding("e", "type", "Type a value", id="settings.type"),
        Binding("escape,q", "leave", "Home", id="settings.leave"),
    ]

    top = getters.query_one(TopBar)
    list = getters.query_one("#settings", OptionList)

    def compose(self) -> ComposeResult:
        """The settings, and where they are kept."""
        yield TopBar()
        yield Options(id="settings", markup=False)
        yield Static("", id="where", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        """Show the values of now."""
        self.list.add_options([Option(self._line(row), id=row.attribute) for row in ROWS])
        self.list.highlighted = 0
        self._relabel()

    async def relabel(self) -> None:
        """The language changed."""
        self._relabel()

    def _relabel(self) -> None:
        for row in ROWS:
            self.list.replace_option_prompt(row.attribute, self._line(row))
        path = sanitize(str(settings_file()), newlines=False)
        note = _("Kept in {path}, where comments say more, and keys can be set.").format(path=path)
        self.query_one("#where", Static).update(Text(note, "dim"))
        self.refresh_bars()

    def refresh_bars(self) -> None:
        """The first and the last line."""
        self.top.show(Text(_("Settings"), "bold"), Text(self.tutor.lang, "dim"))
        keys = [("↑ ↓", _("choose")), ("enter", _("change")), ("e", _("type a value"))]
        self.query_one(KeyBar).show([*keys, ("esc", _("home")), ("?", _("keys"))], always=2)

    @property
    def _settings(self) -> Settings:
        return self.tutor.preferences.settings

    def _line(self, row: Row) -> RenderableType:
        value = getattr(self._settings, row.attribute)
        if aloud():
            return Text(f"{row.name()}: {sanitize(shown(value), newlines=False)}")
        grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
        grid.add_column(width=30, no_wrap=True)
        grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        note = _("from the next start on") if row.later else ""
        grid.add_row(
            Text(row.name()), Text.assemble((sanitize(shown(value), newlines=False), "bold"), "  ", (note, "dim"))
        )
        return grid

    @on(OptionList.OptionSelected)
    async def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        row = next(row for row in ROWS if row.attribute == event.option.id)
        if row.attribute == "theme":
            self.app.action_change_theme()
        elif row.values:
            value = getattr(self._settings, row.attribute)
            place = row.values.index(value) if value in row.values else -1
            await self._set(row, row.values[(place + 1) % len(row.values)])
        else:
            self._type(row)

    def action_type(self) -> None:
        """Type a value for the setting under the cursor."""
        if self.list.highlighted is not None:
            self._type(ROWS[self.list.highlighted])

    def _type(self, row: Row) -> None:
        async def typed(value: Any) -> None:
            if value is not None:
                await self._set(row, value)

        self.app.push_screen(ValueScreen(row, getattr(self._settings, row.attribute)), typed)

    async def _set(self, row: Row, value: Any) -> None:
        if row.attribute == "language":
            await self.tutor.speak(value)
        else:
            self.tutor.preferences.change(row.attribute, value)
        if row.attribute == "screen_reader":
            await self.tutor.read_aloud(value)
        if row.attribute == "theme" and value in self.app.available_themes:
            self.app.theme = value
        self._relabel()

    def on_screen_resume(self) -> None:
        """The theme may have been changed meanwhile."""
        if self.list.option_count:
            self._relabel()

    def action_leave(self) -> None:
        """Back."""
        self.app.pop_screen()


class ValueScreen(ModalScreen[Any]):
    """Returns a value that the setting can have, or None."""

    CSS_PATH = "note.tcss"
    BINDINGS = [Binding("escape", "close", "Back", id="value.close")]

    def __init__(self, row: Row, value: Any) -> None:
        super().__init__()
        self._row, self._value = row, value

    def compose(self) -> ComposeResult:
        """The setting, a field, what is wrong with what is typed."""
        with Vertical(id="box"):
            yield Static(Text(self._row.name(), "bold"), markup=False)
            yield Field(shown(self._value), max_length=200)
            yield Static("", id="problem", markup=False)
            yield Static(Text(_("enter keeps it   esc back"), "dim"), markup=False)

    def on_mount(self) -> None:
        """Ready to type."""
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        field = next(field for field in FIELDS if field.attribute == self._row.attribute)
        try:
            value = field.read(_read(event.value.strip(), self._value))
        except ValueError as error:
            message = _("It must be {what}.").format(what=error)
            self.query_one("#problem", Static).update(Text(sanitize(message)))
            return
        self.dismiss(value)

    def action_close(self) -> None:
        """Change nothing."""
        self.dismiss(None)


def shown(value: Any) -> str:
    """A value as it is typed."""
    if isinstance(value, bool):
        return _("on") if value else _("off")
    return f"{value:g}" if isinstance(value, float) else str(value)


def _read(text: str, before: Any) -> Any:
    """What was typed, as a number where the setting is one."""
    if isinstance(before, str):
        return text
    if isinstance(before, bool):
        return {_("on"): True, _("off"): False, "true": True, "false": False}.get(text.lower(), text)
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return text
    return int(number) if isinstance(before, int) and number.is_integer() else number
