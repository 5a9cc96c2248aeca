"""The lab's plot: curves in the colours of the theme, with a cursor to read values and axes to zoom."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rich.console import RenderableType
from rich.text import Text
from textual.app import RenderResult
from textual.binding import Binding
from textual.geometry import Size
from textual.message import Message

from kernels.curve import Curve
from kernels.ticks import clean
from tutor.text.i18n import _
from tutor.ui.lens import Lens, exactly, values_at
from tutor.ui.widgets.curve import CurvePlot, marker

FAR = 10
"""Points that a far step of the cursor passes."""


@dataclass(frozen=True)
class Picture:
    """What is to be drawn."""

    curves: tuple[Curve, ...] = ()
    title: str = ""
    log_x: bool = False
    log_y: bool = False


class LabPlot(CurvePlot, can_focus=True):
    """Shows a picture; the arrows move a cursor, + and - zoom the axis that z chooses."""

    DEFAULT_CSS = """
    LabPlot { height: 1fr; width: 1fr; }
    """
    BINDINGS = [
        Binding("left", "move(-1)", "Cursor to the left", id="plot.left"),
        Binding("right", "move(1)", "Cursor to the right", id="plot.right"),
        Binding("shift+left,pageup", f"move(-{FAR})", "Far to the left", id="plot.far_left"),
        Binding("shift+right,pagedown", f"move({FAR})", "Far to the right", id="plot.far_right"),
        Binding("home", "move(-1000000)", "First point", id="plot.first"),
        Binding("end", "move(1000000)", "Last point", id="plot.last"),
        Binding("plus,equals_sign", "zoom(True)", "Zoom in", id="plot.closer"),
        Binding("minus", "zoom(False)", "Zoom out", id="plot.farther"),
        Binding("z", "axis", "Zoom the other axis", id="plot.axis"),
        Binding("0", "whole", "All of it again", id="plot.whole"),
    ]

    class Looked(Message):
        """The cursor moved, or an axis was zoomed."""

    def __init__(self) -> None:
        super().__init__({"curves": []})
        self.picture = Picture()
        self.lens = Lens()
        self.blank: RenderableType = ""

    def put(self, picture: Picture, *, other: bool) -> None:
        """Draw this; `other` curves than before begin without zoom and cursor."""
        if other:
            self.lens.reset()
        if picture != self.picture or other:
            self.picture = picture
            self._drawn = None
            self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """All that the screen leaves it."""
        return container.height

    def render(self) -> RenderResult:
        """Before there is a curve, what there is to set: axes without one would say nothing true."""
        return super().render() if self.picture.curves else self.blank

    def _in_words(self) -> Text:
        from tutor.text import spoken

        return Text("\n".join(spoken.curves(self.picture.curves, self.picture.title)))

    def _draw(
        self, width: int, height: int, ink: tuple[int, int, int], palette: tuple[tuple[int, int, int], ...]
    ) -> str:
        from kernels import plot

        colourless = self.app.no_color
        return plot.draw(
            self.picture.curves,
            width,
            height,
            log_x=self.picture.log_x,
            log_y=self.picture.log_y,
            title=self.picture.title,
            ink=None if colourless else ink,
            palette=() if colourless else palette,
            marker=marker(),
            not_drawn=_("not drawn"),
            window=self.lens.window,
            cursor=self.lens.cursor,
        )

    def _changed(self) -> None:
        self._drawn = None
        self.refresh()
        self.post_message(self.Looked())

    def action_move(self, by: int) -> None:
        """The cursor along the points."""
        self.lens.move(by, self.picture.curves, log_x=self.picture.log_x)
        self._changed()

    def action_zoom(self, closer: bool) -> None:
        """Half of the axis, or twice as much."""
        self.lens.zoom(closer, self.picture.curves, log_x=self.picture.log_x, log_y=self.picture.log_y)
        self._changed()

    def action_axis(self) -> None:
        """The other axis is zoomed."""
        self.lens.turn()
        self._changed()

    def action_whole(self) -> None:
        """No zoom and no cursor."""
        self.lens.reset()
        self._changed()

    def values(self) -> Text:
        """The exact values at the cursor, with the axis that is zoomed; empty where there is neither."""
        lens, text = self.lens, Text()
        if lens.cursor is not None:
            named = next((curve.x_label for curve in self.picture.curves if curve.x_label), "x")
            text.append(f"{clean(named)} {exactly(lens.cursor)}", "bold")
            for curve, value in values_at(self.picture.curves, lens.cursor):
                text.append(f"   {clean(curve.label)} {exactly(value)}")
                text.append(_band(curve, lens.cursor), "dim")
        if lens.zoomed:
            text.append(("   " if text else "") + _("zoomed; 0 shows all"), "dim")
        return text


def _band(curve: Curve, x: float) -> str:
    if not curve.low or x not in curve.x:
        return ""
    low, high = curve.low[curve.x.index(x)], curve.high[curve.x.index(x)]
    return f" ({low:.4g}–{high:.4g})" if math.isfinite(low) and math.isfinite(high) else ""
