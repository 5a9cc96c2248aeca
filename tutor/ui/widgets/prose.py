"""Text of a lesson: one renderable a step, not a widget a paragraph."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rich.text import Text
from textual.widgets import Static

from tutor.course.quotes import with_note
from tutor.text import prose
from tutor.text.aloud import aloud
from tutor.text.i18n import language


class Prose(Static):
    """Markdown with maths, laid out for the width it gets. Foreign text is sanitised by `prose.render`."""

    DEFAULT_CSS = """
    Prose { height: auto; width: 1fr; max-width: 104; }
    """

    def __init__(self, markdown: str, *, classes: str = "", id: str | None = None) -> None:
        self._markdown = markdown
        super().__init__("", classes=f"prose {classes}".strip(), id=id, markup=False)

    def on_mount(self) -> None:
        """Lay the text out; again when the theme changes between dark and light."""
        self.app.theme_changed_signal.subscribe(self, lambda _theme: self._lay_out())
        self._lay_out()

    def show(self, markdown: str) -> None:
        """Replace the text."""
        self._markdown = markdown
        self._lay_out()

    def _lay_out(self) -> None:
        code_theme = "ansi_dark" if self.app.current_theme.dark else "ansi_light"
        self.update(prose.render(with_note(self._markdown, language()), code_theme=code_theme))


class Rows(Static):
    """Rows drawn for the width that there is, such as data flows side by side."""

    DEFAULT_CSS = """
    Rows { height: auto; width: 1fr; margin: 1 0 0 0; }
    """

    def __init__(self, draw: Callable[[int], Iterable[str]]) -> None:
        super().__init__("", markup=False)
        self._draw = draw

    def on_resize(self) -> None:
        """Draw again for the new width."""
        self.update(Text("\n".join(self._draw(self.size.width)), no_wrap=not aloud()))
