"""A list of options that keeps its head when it is asked to page before it is laid out."""

from __future__ import annotations

from textual.widgets import OptionList


class Options(OptionList):
    """Textual 8.2.8 raises KeyError for page up and page down in a list that has no lines yet, or no room."""

    def action_page_up(self) -> None:
        """A page up, where there are pages."""
        if self.size.height and self.option_count and self.highlighted is not None:
            try:
                super().action_page_up()  # type: ignore[no-untyped-call]
            except KeyError:
                self.action_first()

    def action_page_down(self) -> None:
        """A page down, where there are pages."""
        if self.size.height and self.option_count and self.highlighted is not None:
            try:
                super().action_page_down()  # type: ignore[no-untyped-call]
            except KeyError:
                self.action_last()
