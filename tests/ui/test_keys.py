from __future__ import annotations

from textual.binding import Binding

from tutor.ui.keys import bindings


def test_every_binding_with_an_id_can_be_remapped_and_ids_are_not_taken_twice() -> None:
    found = bindings()
    assert {"app.quit", "home.review", "lesson.next", "review.undo", "settings.leave"} <= found.keys()
    assert all(isinstance(binding, Binding) and binding.description for binding in found.values())
