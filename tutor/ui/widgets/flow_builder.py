"""A data flow put together by keys: blocks one below the other, then the rails beside them."""

from __future__ import annotations

from dataclasses import dataclass

from rich.text import Text
from textual.actions import SkipAction
from textual.binding import Binding
from textual.message import Message
from textual.widgets import Static

from tutor.text.aloud import aloud
from tutor.text.flow_layout import Layout
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize


class FlowBuilder(Static, can_focus=True):
    """Rows x, block, ..., y, then one row a rail. The digits put blocks in, s lays a rail."""

    DEFAULT_CSS = """
    FlowBuilder { height: auto; width: 1fr; border: round $foreground 30%; padding: 0 1; }
    FlowBuilder:focus { border: round $primary; }
    FlowBuilder > .flow--cursor { background: $foreground 10%; }
    FlowBuilder:focus > .flow--cursor { background: $primary 35%; }
    FlowBuilder > .flow--hint { color: $text-muted; }
    """
    COMPONENT_CLASSES = {"flow--cursor", "flow--hint"}
    BINDINGS = [
        Binding("up,k", "go(-1)", "Up", id="flow.go_up", show=False),
        Binding("down,j", "go(1)", "Down", id="flow.go_down", show=False),
        Binding("shift+up,alt+up,less_than_sign", "shift(-1)", "Move the block up", id="flow.shift_up", show=False),
        Binding(
            "shift+down,alt+down,greater_than_sign", "shift(1)", "Move the block down", id="flow.shift_down", show=False
        ),
        Binding("backspace,delete", "take", "Take out", id="flow.take", show=False),
        Binding("s", "skip", "A skip from here", id="flow.skip", show=False),
        Binding("enter", "enter", "Hand in", id="flow.enter", show=False),
        Binding("escape", "cancel", "No skip after all", id="flow.cancel", show=False),
        # Not `on_key`: a digit typed fast would overtake the arrow before it, whose binding runs later.
        *(
            Binding(str(digit), f"put({digit})", "Put in a block", id=f"flow.put_{digit}", show=False)
            for digit in range(1, 10)
        ),
    ]

    @dataclass
    class Changed(Message):
        """The flow is another one now."""

        text: str

    class HandedIn(Message):
        """The learner pressed enter."""

    class Moded(Message):
        """The keys do something else now."""

    def __init__(self, palette: tuple[str, ...], layout: Layout) -> None:
        super().__init__("", markup=False)
        self.palette = palette
        self.slots = layout
        self.cursor = 0
        self.skip_from: int | None = None

    def on_mount(self) -> None:
        """Draw what is there."""
        self.border_title = _("put the blocks in order, then the skip")
        self._redraw()

    def on_focus(self) -> None:
        """The cursor is seen."""
        self._redraw()

    def on_blur(self) -> None:
        """The cursor is dimmed."""
        self._redraw()

    def load(self, layout: Layout) -> None:
        """Show another flow, without telling anybody."""
        self.slots, self.skip_from = layout, None
        self.cursor = min(self.cursor, layout.last + len(layout.tracks))
        self._redraw()

    def key_hints(self) -> list[tuple[str, str]]:
        """The keys that do something here."""
        if self.skip_from is not None:
            return [("↑ ↓", _("where it joins")), ("enter", _("join")), ("esc", _("no skip"))]
        if self.slots.empty:
            return [("1-9", _("put in"))]
        return [("enter", _("answer")), ("1-9", _("put in")), ("s", _("skip")), ("⌫", _("take out"))]

    # What it looks like

    def _redraw(self) -> None:
        cursor, hint = self.get_component_rich_style("flow--cursor"), self.get_component_rich_style("flow--hint")
        width = max(20, self.content_size.width)
        lines = []
        for row, label in enumerate(self._rows()):
            if aloud():
                lines.append(self._said(row, label))
                continue
            mark = "›" if row == self.cursor else ("├" if row == self.skip_from else " ")
            line = Text(f"{mark} {sanitize(label)}")
            if row == self.cursor:
                line.pad_right(max(0, width - line.cell_len))
                line.stylize(cursor)
            lines.append(line)
        self.update(Text("\n").join([*lines, Text(""), *(Text(text, hint) for text in self._help())]))

    def _said(self, row: int, label: str) -> Text:
        states = [_("cursor here")] if row == self.cursor else []
        states += [_("the skip leaves here")] if row == self.skip_from else []
        total = self.slots.last + 1 + len(self.slots.tracks)
        where = _("Row {n} of {total}").format(n=row + 1, total=total)
        return Text(f"{where}: {sanitize(label)}" + "".join(f", {state}" for state in states) + ".")

    def on_resize(self) -> None:
        """The cursor's row is as wide as the widget."""
        self._redraw()

    def _rows(self) -> list[str]:
        layout = self.slots
        rows = [layout.name(place) for place in range(layout.last + 1)]
        for number, track in enumerate(layout.tracks):
            stops = (layout.name(track.start), *layout.on(number), layout.name(track.end))
            rows.append(_("skip") + "  " + " → ".join(stops))
        return rows

    def _help(self) -> list[str]:
        if self.skip_from is not None:
            name = self.slots.name(self.skip_from)
            return [_("The skip leaves {name} and joins ›").format(name=name)]
        blocks = "  ".join(f"{number} {label}" for number, label in enumerate(self.palette, start=1))
        if self.slots.empty:
            return [
                _("Nothing is between x and y yet."),
                _("A digit puts the first block in:"),
                blocks,
            ]
        return [
            _("{blocks}  put in below ›").format(blocks=blocks),
            _("s skip from ›  ⌫ take out  < > move"),
        ]

    # Keys

    @property
    def _track(self) -> int | None:
        return self.cursor - self.slots.last - 1 if self.cursor > self.slots.last else None

    def action_put(self, number: int) -> None:
        """A block of the palette goes in below the cursor, or onto the skip there."""
        if number > len(self.palette) or self.skip_from is not None:
            return
        label, track = self.palette[number - 1], self._track
        if track is not None:
            self._change(self.slots.load(track, label))
        else:
            at = min(self.cursor, len(self.slots.blocks))
            self._change(self.slots.put(label, at), at + 1)

    def _change(self, layout: Layout, cursor: int | None = None) -> None:
        self.cursor = self.cursor if cursor is None else cursor
        if layout != self.slots:
            self.slots = layout
            self.post_message(self.Changed(layout.text()))
        self.cursor = min(self.cursor, layout.last + len(layout.tracks))
        self._redraw()

    def action_go(self, by: int) -> None:
        """The cursor up or down; while a skip is laid, only to where it can join."""
        first, last = 0, self.slots.last + len(self.slots.tracks)
        if self.skip_from is not None:
            first, last = self.skip_from + 2, self.slots.last
        self.cursor = max(first, min(last, self.cursor + by))
        self._redraw()

    def action_shift(self, by: int) -> None:
        """The block under the cursor changes places with its neighbour."""
        if self.skip_from is None and self._track is None:
            moved = self.slots.move(self.cursor, by)
            self._change(moved, self.cursor + (by if moved != self.slots else 0))

    def action_take(self) -> None:
        """The block or the skip under the cursor goes."""
        if self.skip_from is not None:
            return
        track = self._track
        if track is not None:
            self._change(self.slots.unload(track))
        elif 0 < self.cursor < self.slots.last:
            self._change(self.slots.take(self.cursor), self.cursor - 1)

    def action_skip(self) -> None:
        """A skip leaves here; pressed again, it joins here."""
        if self.skip_from is not None:
            self.action_enter()
        elif self._track is None and self.cursor + 2 <= self.slots.last:
            self.skip_from = self.cursor
            later = range(self.cursor + 2, self.slots.last)
            self.cursor = next((place for place in later if self.slots.blocks[place - 1] == "+"), self.cursor + 2)
            self._redraw()
            self.post_message(self.Moded())
        else:
            self.notify(_("A skip needs a block to go around: put the blocks in first."))

    def _ask_for_a_block(self) -> None:
        digits = "1" if len(self.palette) == 1 else f"1-{min(len(self.palette), 9)}"
        self.notify(_("Nothing to hand in yet: {digits} put in the first block.").format(digits=digits))

    def action_enter(self) -> None:
        """Join the skip, or hand in."""
        if self.skip_from is None and self.slots.empty:
            self._ask_for_a_block()
            return
        if self.skip_from is None:
            self.post_message(self.HandedIn())
            return
        start, self.skip_from = self.skip_from, None
        self._change(self.slots.lay(start, self.cursor))
        self.post_message(self.Moded())

    def action_cancel(self) -> None:
        """No skip after all; without one, esc leaves."""
        if self.skip_from is None:
            raise SkipAction
        self.cursor, self.skip_from = self.skip_from, None
        self._redraw()
        self.post_message(self.Moded())
