"""What keys can be set to do: every binding of the screens and widgets that has an id."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from textual.binding import Binding
from textual.dom import DOMNode


@cache
def bindings() -> dict[str, Binding]:
    """The bindings by id, in the order of the screens' names. Imports all of them: not for the start."""
    import tutor.ui.screens
    import tutor.ui.widgets
    from tutor.ui.app import TutorApp

    found = {binding.id: binding for binding in _of(TutorApp)}
    for package in (tutor.ui.screens, tutor.ui.widgets):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for member in vars(import_module(module.name)).values():
                if isinstance(member, type) and issubclass(member, DOMNode) and member.__module__ == module.name:
                    found |= {binding.id: binding for binding in _of(member)}
    return {id: binding for id, binding in found.items() if id is not None}


def _of(owner: type[DOMNode]) -> Iterator[Binding]:
    for binding in vars(owner).get("BINDINGS", ()):
        if isinstance(binding, Binding) and binding.id:
            yield binding
