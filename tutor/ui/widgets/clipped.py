"""A text that is given a few lines: what does not fit is marked with the key that shows all of it."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text
from textual.geometry import Size
from textual.widgets import Static


class Clipped(Static):
    """As high as its text, up to its `max-height`; a text that is higher ends in "… KEY"."""

    def __init__(self, key: str, *, id: str | None = None) -> None:
        super().__init__("", id=id, markup=False)
        self._more = f"… {key}"
        self._whole = Text()

    def show(self, text: Text) -> None:
        """Another text."""
        if text != self._whole:
            self._whole = text
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """All of it; `max-height` takes off the rest."""
        return len(self._lines(width))

    def render(self) -> Text:
        """The lines that there is room for."""
        width, height = self.content_size
        lines = self._lines(width)
        if 0 < height < len(lines):
            lines = lines[:height]
            lines[-1].truncate(max(0, width - cell_len(self._more) - 1))
            lines[-1].rstrip()
            lines[-1].append(f" {self._more}", "bold")
        return Text("\n", no_wrap=True).join(lines)

    def _lines(self, width: int) -> list[Text]:
        return list(self._whole.wrap(self.app.console, width)) if width > 0 and self._whole else []
