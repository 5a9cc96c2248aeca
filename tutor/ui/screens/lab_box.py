"""What the boxes over the lab share."""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.screen import ModalScreen

Result = TypeVar("Result")


class LabBox(ModalScreen[Result | None], Generic[Result]):
    """A box; it returns what was chosen, or None."""

    CSS_PATH = "lab_box.tcss"

    def action_close(self) -> None:
        """Choose nothing."""
        self.dismiss(None)
