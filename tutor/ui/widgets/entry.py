"""Fields to type into: what is pasted is sanitised, or it would reach the terminal as it is."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, TextArea

from tutor.text.sanitize import pasted, sanitize


class _InOrder:
    """Handles the keys of its own bindings in the order in which they come.

    Textual runs a binding only after the key has bubbled up to the screen, and types a letter at once: in a burst, such
    as a Vietnamese input method sends, letters overtake the backspace before them.
    """

    async def _on_key(self, event: events.Key) -> None:
        # Not a Widget itself: Textual takes styles and component classes from the first base that is one.
        assert isinstance(self, Widget)
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            event.stop()
            event.prevent_default()
            await self.run_action(binding.action)
            return


class Field(_InOrder, Input):
    """One line."""

    def _on_paste(self, event: events.Paste) -> None:
        event.text = pasted(event.text, newlines=False)  # Textual calls the base class's handler next


class Area(_InOrder, TextArea):
    """Several lines."""

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = pasted(event.text)


def label(text: str) -> Content:
    """Text for a frame; Textual would read markup in a plain string."""
    return Content(sanitize(text, newlines=False))
