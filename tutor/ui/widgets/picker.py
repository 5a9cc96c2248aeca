"""Options to pick from, one or several, by keys."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual import events
from textual.actions import SkipAction
from textual.binding import Binding
from textual.message import Message
from textual.widgets.option_list import Option

from tutor.text import prose
from tutor.text.aloud import aloud
from tutor.text.i18n import _
from tutor.ui.widgets.options import Options


@dataclass(frozen=True)
class Choice:
    """One line to pick. `text` is Markdown with maths."""

    id: str
    text: str


class Picker(Options):
    """A list with a mark before each option: ○ ● for one of several, [ ] [x] for ticking.

    Enter hands in; the digits go straight to an option; space ticks.
    """

    DEFAULT_CSS = """
    Picker { height: auto; max-height: 100%; width: 1fr; border: none; padding: 0; background: transparent; }
    Picker:focus { border: none; background-tint: transparent; }
    Picker > .option-list--option { padding: 0 1; }
    Picker > .option-list--option-highlighted { background: $foreground 10%; color: $foreground; text-style: none; }
    Picker:focus > .option-list--option-highlighted { background: $primary 35%; color: $foreground; text-style: none; }
    Picker > .option-list--option-disabled { color: $foreground; }
    """
    BINDINGS = [Binding("space", "tick", "Tick or untick", id="picker.tick", show=False)]

    @dataclass
    class Picked(Message):
        """One option was handed in."""

        picker: Picker
        id: str

        @property
        def control(self) -> Picker:
            """The picker."""
            return self.picker

    @dataclass
    class Ticked(Message):
        """The ticks were handed in."""

        picker: Picker
        ids: set[str]

        @property
        def control(self) -> Picker:
            """The picker."""
            return self.picker

    class Changed(Message):
        """Something was ticked or unticked, and not handed in yet."""

    def __init__(
        self,
        choices: list[Choice],
        *,
        several: bool = False,
        picked: set[str] | None = None,
        binding: bool = False,
        id: str | None = None,
    ) -> None:
        """`binding` is for a choice that cannot be taken back: where nothing was chosen, enter only marks an option."""
        self._choices = choices
        self._several = several
        self._chosen = not binding or bool(picked)
        self._marks: dict[str, str] = {}
        self.picked = set(picked or ())
        super().__init__(*(Option(self._line(choice), id=choice.id) for choice in choices), id=id, markup=False)

    def on_mount(self) -> None:
        """Start at what was picked before."""
        ids = [choice.id for choice in self._choices]
        self.highlighted = next((ids.index(id) for id in ids if id in self.picked), 0)

    def _mark(self, id: str) -> str:
        if id in self._marks:
            return self._marks[id]
        if self._several:
            return "[x]" if id in self.picked else "[ ]"
        return "●" if id in self.picked else "○"

    def _line(self, choice: Choice) -> RenderableType:
        if aloud():
            return Group(Text(self._said(choice.id), "bold"), prose.render(choice.text))
        grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
        grid.add_column(no_wrap=True, width=3 if self._several else 1)
        grid.add_column(ratio=1)
        grid.add_row(Text(self._mark(choice.id)), prose.render(choice.text))
        return grid

    def _said(self, id: str) -> str:
        """Where an option stands and what is the matter with it."""
        number = [choice.id for choice in self._choices].index(id) + 1
        said = _("Option {n} of {total}").format(n=number, total=len(self._choices))
        states = [_("chosen")] if id in self.picked else [_("not chosen")] if self._several else []
        mark = self._marks.get(id, "").strip()
        states += [{"✓": _("right"), "✗": _("not right"), "~": _("partly right")}.get(mark, mark)] if mark else []
        return ", ".join([said, *states]) + "."

    def _redraw(self) -> None:
        for choice in self._choices:
            self.replace_option_prompt(choice.id, self._line(choice))

    def judge(self, marks: dict[str, str]) -> None:
        """Show these marks in place of the empty ones, such as ✓ at the right option."""
        self._marks = marks
        self._redraw()

    def forget(self) -> None:
        """Nothing is picked, nothing is marked."""
        self.picked = set()
        self._marks = {}
        self._redraw()

    def action_tick(self) -> None:
        """Tick or untick, where several can be picked."""
        if not self._several or self._marks or self.highlighted is None:
            raise SkipAction  # the screen scrolls on
        self.picked ^= {self._choices[self.highlighted].id}
        self._redraw()
        self.post_message(self.Changed())

    def action_select(self) -> None:
        """Hand in; what is judged already leaves the key to the screen, which goes on."""
        if self._marks:
            raise SkipAction
        if not self._chosen:
            # Enter turns pages too: pressed once more than meant, it must not commit to what happens to come first.
            self._chosen = True
            if self.highlighted is not None:
                self.picked = {self._choices[self.highlighted].id}
                self._redraw()
            self.post_message(self.Changed())
            return
        if self._several:
            self.post_message(self.Ticked(self, set(self.picked)))
        elif self.highlighted is not None:
            self.picked = {self._choices[self.highlighted].id}
            self._redraw()
            self.post_message(self.Picked(self, self._choices[self.highlighted].id))

    def on_key(self, event: events.Key) -> None:
        """A digit goes to its option."""
        if event.key != "enter":
            self._chosen = True
        if event.character and event.character.isdigit() and 0 < int(event.character) <= len(self._choices):
            self.highlighted = int(event.character) - 1
            event.stop()
