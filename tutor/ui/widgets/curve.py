"""Curves in the terminal, in the colours of the theme, redrawn for each size."""

from __future__ import annotations

import os
from typing import Any

from rich.text import Text
from textual.app import RenderResult
from textual.color import Color, ColorParseError
from textual.geometry import Size
from textual.widget import Widget

from kernels.curve import Curve
from tutor.text.aloud import aloud
from tutor.text.ascii import ascii_only
from tutor.text.i18n import _

INK = "foreground"
PALETTE = ("primary", "warning", "success", "error", "secondary", "accent")


LEAST_CONTRAST, TOWARDS_INK = 0.25, 0.45
"""A colour whose brightness is nearer to the background's than this is mixed with so much of the text's colour."""


def marker() -> str:
    """What to draw with: braille, or plain characters where the terminal's font has none (the Linux console)."""
    asked = os.environ.get("NORMTUTOR_PLOT", "")
    if asked in ("braille", "hd", "dot"):
        return asked
    return "dot" if ascii_only() or os.environ.get("TERM", "") in ("linux", "vt100") else "braille"


def _parsed(text: str) -> Color:
    try:
        return Color.parse(text)
    except ColorParseError:
        return Color(200, 200, 200)


def curves_of(document: dict[str, Any]) -> list[Curve]:
    """The curves of what `show` published. Raises what `Curve.from_dict` does for anything else."""
    return [Curve.from_dict(curve) for curve in document.get("curves", [])]


class CurvePlot(Widget):
    """The curves of one `show(...)`."""

    DEFAULT_CSS = """
    CurvePlot { height: auto; width: 1fr; }
    """

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__()
        self._document = document
        self._curves = curves_of(document)
        self._drawn: tuple[object, Text] | None = None

    def show(self, document: dict[str, Any], curves: list[Curve]) -> None:
        """Draw these curves instead, which are those of the document."""
        self._document = document
        self._curves = curves
        self._drawn = None
        self.refresh()

    def on_mount(self) -> None:
        """Follow the theme."""
        self.app.theme_changed_signal.subscribe(self, lambda _theme: self.refresh())

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Tall enough to read, low enough to leave room for the verdict below it; in words all of them."""
        if aloud():
            return len(self._in_words().wrap(self.app.console, max(20, width)))
        return max(8, min(18, viewport.height - 11))

    def render(self) -> RenderResult:
        """Draw; the last drawing is kept while size and theme stay."""
        if aloud():
            return self._in_words()
        width, height = self.size
        if width < 20 or height < 5:
            return Text("…")
        colours = self._colours()
        key = (width, height, colours)
        if self._drawn is None or self._drawn[0] != key:
            self._drawn = (key, Text.from_ansi(self._draw(width, height, *colours), no_wrap=True))
        return self._drawn[1]

    def _in_words(self) -> Text:
        from tutor.text import spoken

        return Text("\n".join(spoken.curves(self._curves, str(self._document.get("title", "")))))

    def _colours(self) -> tuple[tuple[int, int, int], tuple[tuple[int, int, int], ...]]:
        variables = self.app.theme_variables
        found: list[tuple[int, int, int]] = []
        ink, ground = _parsed(variables.get(INK, "white")), _parsed(variables.get("background", "black"))
        for name in PALETTE:
            colour = _parsed(variables.get(name, "white"))
            if abs(colour.brightness - ground.brightness) < LEAST_CONTRAST:
                colour = colour.blend(ink, TOWARDS_INK)
            found.append(colour.rgb)
        return ink.rgb, tuple(dict.fromkeys(found))

    def _draw(
        self, width: int, height: int, ink: tuple[int, int, int], palette: tuple[tuple[int, int, int], ...]
    ) -> str:
        from kernels import plot

        colourless = self.app.no_color
        return plot.draw(
            self._curves,
            width,
            height,
            log_x=bool(self._document.get("log_x")),
            log_y=bool(self._document.get("log_y")),
            title=str(self._document.get("title", "")),
            ink=None if colourless else ink,
            palette=() if colourless else palette,
            marker=marker(),
            not_drawn=_("not drawn"),
        )
