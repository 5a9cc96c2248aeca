"""Fields to type into: what is pasted is sanitised, or it would reach the terminal as it is."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.widgets import Input, TextArea

from tutor.text.sanitize import sanitize


class Field(Input):
    """One line."""

    def _on_paste(self, event: events.Paste) -> None:
        event.text = sanitize(event.text, newlines=False)  # Textual calls the base class's handler next


class Area(TextArea):
    """Several lines."""

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = sanitize(event.text)


def label(text: str) -> Content:
    """Text for a frame; Textual would read markup in a plain string."""
    return Content(sanitize(text, newlines=False))
