"""JSON Schema of the course files, made from their types, for editors that complete and check YAML."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from tutor.course.model import LANGS, Claim, Concept, Lesson, Term, Text
from tutor.course.shape import ID

FILES: dict[str, Any] = {"lesson": Lesson, "claims": list[Claim], "glossary": dict[str, Concept], "terms": list[Term]}
"""The kinds of course files, and what each holds."""
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_FILLED = {"type": "string", "minLength": 1}


def schema(file: str = "lesson") -> dict[str, Any]:
    """The schema of a kind of course file. It asks no more than the loader does: what it refuses, `check` refuses."""
    made = msgspec.json.schema(FILES[file], schema_hook=_of)
    return {"$schema": _DIALECT, "title": f"normtutor: {file}", **_tidied(made)}


def _of(type: Any) -> dict[str, Any]:
    if type is not Text:
        raise NotImplementedError(f"no schema for {type}")
    return {
        "description": "A text: the same in both languages, or one for each.",
        "anyOf": [
            dict(_FILLED),
            {
                "type": "object",
                "properties": {lang: dict(_FILLED) for lang in LANGS},
                "required": list(LANGS),
                "additionalProperties": False,
            },
        ],
    }


def _tidied(node: Any) -> Any:
    """What msgspec makes, as a lesson file may be written: what is optional is left out, never null."""
    if isinstance(node, list):
        return [_tidied(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: _tidied(value) for key, value in node.items() if not (key == "default" and value is None)}
    choices = node.get("anyOf")
    if isinstance(choices, list) and {"type": "null"} in choices:
        choices = [choice for choice in choices if choice != {"type": "null"}]
        node = {**node, "anyOf": choices} if len(choices) > 1 else {**_without(node, "anyOf"), **choices[0]}
    described = node.get("description")
    if isinstance(described, str):  # the rest of a docstring is for who reads the code
        node["description"] = re.split(r"(?<=[.:])\s", described, maxsplit=1)[0]
    properties = node.get("properties")
    if isinstance(properties, dict) and properties.get("id") == {"type": "string"}:
        node["properties"] = {**properties, "id": {"type": "string", "pattern": f"^{ID.pattern}$"}}
    return node


def _without(node: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in node.items() if name != key}
