"""A pad to sketch a curve on before it is measured: points moved by keys, or one of several shapes to begin with."""

from __future__ import annotations

from dataclasses import dataclass

from rich.text import Text
from textual.binding import Binding
from textual.geometry import Size
from textual.message import Message

from kernels.curve import Curve
from kernels.drawable import Window
from kernels.lab.words import localised, number
from tutor.grading.sketch import SHAPES, Sketch, shaped
from tutor.text.i18n import _, language
from tutor.ui.widgets.curve import CurvePlot, marker

FINE, COARSE = 10**0.1, 10.0
"""By what a key press multiplies a point."""


def shape_names() -> str:
    """The shapes by the digit that draws each, on two lines."""
    names = [f"{n} {_(name)}" for n, (_id, name, _factor) in enumerate(SHAPES, 1)]
    half = len(names) // 2
    return "\n".join("   ".join(part) for part in (names[:half], names[half:]))


class SketchPad(CurvePlot, can_focus=True):
    """Draws the sketch; the arrows move its points."""

    DEFAULT_CSS = """
    SketchPad { height: 1fr; width: 1fr; }
    SketchPad:disabled { opacity: 1; }
    """
    BINDINGS = [
        Binding("left", "point(-1)", "Point to the left", id="sketch.left"),
        Binding("right", "point(1)", "Point to the right", id="sketch.right"),
        Binding("up", f"lift({FINE!r})", "Higher", id="sketch.up"),
        Binding("down", f"lift({1 / FINE!r})", "Lower", id="sketch.down"),
        Binding("pageup,shift+up", f"lift({COARSE!r})", "Ten times higher", id="sketch.far_up"),
        Binding("pagedown,shift+down", f"lift({1 / COARSE!r})", "Ten times lower", id="sketch.far_down"),
        *(
            Binding(str(n), f"shape({n - 1})", name, id=f"sketch.shape_{n}", show=False)
            for n, (_id, name, _f) in enumerate(SHAPES, 1)
        ),
        Binding("enter,ctrl+j,f5", "commit", "Commit and run", id="sketch.commit", priority=True),
        Binding("escape", "discard", "No prediction", id="sketch.discard"),
    ]

    @dataclass
    class Committed(Message):
        """What the learner expects is this."""

        sketch: Sketch

    class Discarded(Message):
        """No prediction."""

    class Changed(Message):
        """The sketch changed."""

    def __init__(self) -> None:
        super().__init__({"curves": []})
        self._factors = (0.1, 10.0)
        self._axis: tuple[float, float, bool, str] = (0.0, 1.0, False, "")
        self._measured: Curve | None = None
        self.sketch = shaped(0, 0.0, 1.0, log=False)
        self.at = 1
        self.title = ""

    def begin(
        self,
        low: float,
        high: float,
        label: str,
        *,
        log: bool,
        title: str,
        sketch: Sketch | None = None,
        factors: tuple[float, float] = (0.1, 10.0),
    ) -> None:
        """A level line to begin with, over this axis, or the sketch that there is already.

        `factors` is the least range of the upright axis; it grows with a sketch that leaves it.
        """
        self._factors = factors
        self._axis = (low, high, log, label)
        self.sketch = sketch or shaped(0, low, high, log=log)
        self.at = 1
        self.rename(title)

    def reveal(self, measured: Curve) -> None:
        """What was measured, as factors against its first value, beside the sketch, which is settled now."""
        self._measured = measured
        self.disabled = True
        self._redraw()

    def rename(self, title: str) -> None:
        """Another curve is meant."""
        self.title = title
        self._redraw()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """All that the screen leaves it."""
        return container.height

    def _draw(
        self, width: int, height: int, ink: tuple[int, int, int], palette: tuple[tuple[int, int, int], ...]
    ) -> str:
        from kernels import plot

        _low, _high, log, label = self._axis
        x, y = self.sketch.x, self.sketch.factors
        settled = self._measured is not None
        least, most = self._factors
        frame = Window(y=(min(least, min(y) / 2), max(most, max(y) * 2)))  # room to go either way
        colourless = self.app.no_color
        mine = Curve(_("your prediction"), x, y, x_label=label)
        return plot.draw(
            [mine, self._measured] if self._measured is not None else [mine],
            width,
            height,
            log_x=log,
            log_y=True,
            title=self.title,
            ink=None if colourless else ink,
            palette=() if colourless else palette,
            marker=marker(),
            not_drawn=_("not drawn"),
            cursor=None if settled else x[self.at],
            window=None if settled else frame,
            points=not settled,
        )

    def _redraw(self) -> None:
        self._drawn = None
        self.refresh()
        self.post_message(self.Changed())

    def describe(self) -> Text:
        """Where the chosen point is."""
        factor = self.sketch.factors[self.at]
        words = _("{factor} times its first value") if factor >= 1 else _("{factor} of its first value")
        at = localised(f"{self._axis[3]} {self.sketch.x[self.at]:.4g}").get(language())
        return Text.assemble((at, "bold"), "  ", words.format(factor=number(factor).get(language())))

    def action_point(self, by: int) -> None:
        """Another point."""
        self.at = min(max(self.at + by, 1), len(self.sketch.x) - 1)
        self._redraw()

    def action_lift(self, by: float) -> None:
        """The point up or down."""
        self.sketch = self.sketch.moved(self.at, by)
        self._redraw()

    def action_shape(self, index: int) -> None:
        """One of the shapes, to be used as it is or changed."""
        low, high, log, _label = self._axis
        self.sketch = shaped(index, low, high, log=log, count=len(self.sketch.x))
        self._redraw()

    def action_commit(self) -> None:
        """That is it."""
        self.post_message(self.Committed(self.sketch))

    def action_discard(self) -> None:
        """Rather not."""
        self.post_message(self.Discarded())
