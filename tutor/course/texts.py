"""The texts of a part of a course: found with the way to them, or changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec

from tutor.course.issues import Path
from tutor.course.parts import Text

Part = TypeVar("Part")


def texts(part: Any, path: Path = (), but: tuple[str, ...] = ()) -> Iterator[tuple[Path, Text]]:
    """Every text below a part of a lesson, with the way to it; those below fields named in `but` are left out."""
    if isinstance(part, Text):
        yield path, part
    elif isinstance(part, msgspec.Struct):
        for name in part.__struct_fields__:
            if name not in but:
                yield from texts(getattr(part, name), (*path, name))
    elif isinstance(part, dict):
        for name, value in part.items():
            yield from texts(value, (*path, name))
    elif isinstance(part, tuple):
        for index, value in enumerate(part):
            yield from texts(value, (*path, index))


def with_texts(part: Part, change: Callable[[Text], Text]) -> Part:
    """`part` with each of its texts as `change` gives it; the same object where none of them changes."""
    changed: Part = _changed(part, change)
    return changed


def _changed(part: Any, change: Callable[[Text], Text]) -> Any:
    if isinstance(part, Text):
        return change(part)
    if isinstance(part, msgspec.Struct):
        before = {name: getattr(part, name) for name in part.__struct_fields__}
        after = _values(before, change)
        return msgspec.structs.replace(part, **after) if after is not before else part
    if isinstance(part, dict):
        return _values(part, change)
    if isinstance(part, tuple):
        items = tuple(_changed(item, change) for item in part)
        return items if any(new is not old for new, old in zip(items, part, strict=True)) else part
    return part


def _values(before: dict[str, Any], change: Callable[[Text], Text]) -> dict[str, Any]:
    after = {name: _changed(value, change) for name, value in before.items()}
    return after if any(after[name] is not value for name, value in before.items()) else before
