"""A list in a box over the screen, to choose a step from."""

from __future__ import annotations

from textual.screen import ModalScreen


class ListScreen(ModalScreen[int | None]):
    """Returns the index of a step, or None."""

    CSS_PATH = "listing.tcss"

    def action_close(self) -> None:
        """Choose nothing."""
        self.dismiss(None)
