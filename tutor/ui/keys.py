"""What keys can be set to do: every binding of the screens and widgets that has an id."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module

from textual.binding import Binding
from textual.dom import DOMNode


@cache
def bindings() -> dict[str, Binding]:
    """The bindings by id, in the order of the screens' names. Imports all of them: not for the start."""
    found = (binding for owner in _owners() for binding in _of(owner))
    return {str(binding.id): binding for binding in found}


def nameless() -> list[str]:
    """The bindings that nobody can set to other keys, because they have no id."""
    return [
        f"{owner.__name__}: {binding.key}"
        for owner in _owners()
        for binding in vars(owner).get("BINDINGS", ())
        if not isinstance(binding, Binding) or not binding.id
    ]


def _owners() -> Iterator[type[DOMNode]]:
    import tutor.ui.screens
    import tutor.ui.steps
    import tutor.ui.widgets
    from tutor.ui.app import TutorApp

    yield TutorApp
    for package in (tutor.ui.screens, tutor.ui.steps, tutor.ui.widgets):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for member in vars(import_module(module.name)).values():
                if isinstance(member, type) and issubclass(member, DOMNode) and member.__module__ == module.name:
                    yield member


def _of(owner: type[DOMNode]) -> Iterator[Binding]:
    for binding in vars(owner).get("BINDINGS", ()):
        if isinstance(binding, Binding) and binding.id:
            yield binding


NAMES = {"esc": "escape", "?": "question_mark", "[": "left_square_bracket", "]": "right_square_bracket"}
"""Keys that a hint names otherwise than Textual does."""


def remapped(owners: Iterable[type[DOMNode]], keymap: Mapping[str, str], hint: str) -> str:
    """A key hint such as `enter` or `F5` as the learner has set it: of the first owner that has a binding for it."""
    key = NAMES.get(hint, hint.lower())
    for owner in owners:
        for binding in _of(owner):
            if key in binding.key.split(",") and binding.id in keymap:
                first = keymap[str(binding.id)].split(",")[0].strip()
                return next((short for short, long in NAMES.items() if long == first), first)
    return hint
