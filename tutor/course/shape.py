"""Checks a YAML tree against the types of `model.py`, and reports everything that is wrong rather than the first thing.

msgspec decodes, but it stops at its first error and knows no lines. This walks the tree along the same types, by
`msgspec.inspect`, so a field added to the model needs nothing here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

import msgspec.inspect as mi

from tutor.course.model import LANGS, Text
from tutor.course.yaml_lines import Fault, Mapping, Node, Scalar, Sequence, nearest, quoted, suggestion

ID = re.compile(r"[a-z0-9-]+")
_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9_]*)(\.[0-9_]*)?([eE][-+]?[0-9]+)?|[-+]?\.[0-9]+")
_POWER = re.compile(r"([-+]?\d+)(\.\d*)?[eE]([-+]?)(\d+)")
_LANGUAGES = {"vi": "Vietnamese", "en": "English"}
_SCALARS: dict[Any, str] = {mi.StrType: "str", mi.IntType: "int", mi.FloatType: "float", mi.BoolType: "bool"}


class Walk:
    """One pass over one file. `read` gives builtins fit for `msgspec.convert`; they are only sound without `faults`."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.step: str | None = None

    def read(self, node: Node, type: mi.Type, name: str) -> Any:
        """The builtins of `node` read as `type`; `name` is what messages call it, such as "`prompt`"."""
        kind = _SCALARS.get(type.__class__)
        if kind is not None:
            return self._scalar(node, {kind}, name)
        if isinstance(type, mi.UnionType):
            return self._union(node, type, name)
        if isinstance(type, mi.CustomType) and type.cls is Text:
            return self._text(node, name)
        if isinstance(type, mi.StructType):
            return self._struct(node, type, name)
        if isinstance(type, mi.VarTupleType):
            return self._list(node, type.item_type, name)
        if isinstance(type, mi.DictType):
            return self._dict(node, type.value_type, name)
        if isinstance(type, mi.LiteralType):
            return self._literal(node, type.values, name)
        raise NotImplementedError(f"{name} has a type that lesson files cannot hold: {type}")

    def _fault(self, line: int, message: str) -> None:
        self.faults.append(Fault(line, message, self.step))

    def _union(self, node: Node, union: mi.UnionType, name: str) -> Any:
        members = [member for member in union.types if not isinstance(member, mi.NoneType)]
        structs = [member for member in members if isinstance(member, mi.StructType) and member.tag is not None]
        if structs:
            return self._tagged(node, structs, name)
        scalars = {_SCALARS[member.__class__] for member in members if member.__class__ in _SCALARS}
        if scalars and (isinstance(node, Scalar) or len(scalars) == len(members)):
            return self._scalar(node, scalars, name)
        plain = [member for member in members if isinstance(member, mi.StructType)]
        if plain and isinstance(node, Mapping):
            return self.read(node, plain[0], name)
        rest = [member for member in members if member.__class__ not in _SCALARS and member not in plain]
        return self.read(node, rest[0], name)

    def _tagged(self, node: Node, structs: list[mi.StructType], name: str) -> Any:
        """One of several kinds of mapping, told apart by a key such as `kind`: the steps."""
        if not isinstance(node, Mapping):
            return self._fault(node.line, f"{name} must be a mapping with an `id` and a `kind`, not {_what(node)}")
        named = node.get("id")
        before, self.step = self.step, named.text if isinstance(named, Scalar) else None
        try:
            field = structs[0].tag_field or ""
            kinds = {str(struct.tag): struct for struct in structs}
            kind = node.get(field)
            if kind is None:
                return self._fault(node.line, f"`{field}` is missing: one of {', '.join(kinds)}")
            if not isinstance(kind, Scalar) or kind.text not in kinds:
                shown = quoted(kind.text) if isinstance(kind, Scalar) else _what(kind)
                return self._fault(kind.line, f"unknown {field} {shown}{_suggest(kind, kinds)}")
            return self._struct(node, kinds[kind.text], name)
        finally:
            self.step = before

    def _struct(self, node: Node, type: mi.StructType, name: str) -> Any:
        if not isinstance(node, Mapping):
            return self._fault(node.line, f"{name} must be a mapping ({_keys(type)}), not {_what(node)}")
        fields = {field.encode_name: field for field in type.fields}
        known = {*fields, type.tag_field} if type.tag_field else set(fields)
        result: dict[str, Any] = {type.tag_field: type.tag} if type.tag_field else {}
        meant = set()
        for key, value in node.pairs:
            if not self._check_key(key):
                continue
            if key.text not in known:
                meant.add(nearest(key.text, known))
                self._fault(key.line, f"unknown key {quoted(key.text)}{_suggest(key, sorted(known))}")
            elif key.text in fields:
                result[key.text] = self.read(value, fields[key.text].type, f"`{key.text}`")
                if key.text == "id":
                    self._check_id(value)
        for field in type.fields:
            if field.required and node.get(field.encode_name) is None and field.encode_name not in meant:
                where = "" if type.tag else f" in {name}"
                self._fault(node.line, f"`{field.encode_name}` is missing{where}")
        return result

    def _check_id(self, node: Node) -> None:
        if isinstance(node, Scalar) and node.tag == "str" and not ID.fullmatch(node.text):
            self._fault(node.line, f"the id {quoted(node.text)} may hold only a-z, 0-9 and -")

    def _list(self, node: Node, item: mi.Type, name: str) -> Any:
        if not isinstance(node, Sequence):
            empty = isinstance(node, Scalar) and node.tag == "null"
            return self._fault(node.line, f"{name} is empty" if empty else f"{name} must be a list, not {_what(node)}")
        first: dict[str, int] = {}
        for part in node.items:
            named = part.get("id") if isinstance(part, Mapping) else None
            if not isinstance(named, Scalar):
                continue
            if named.text in first:
                before, self.step = self.step, named.text if name == "`steps`" else self.step
                self._fault(
                    named.line, f"the id {quoted(named.text)} is already in {name}, in line {first[named.text]}"
                )
                self.step = before
            first.setdefault(named.text, named.line)
        return [self.read(part, item, f"an entry of {name}") for part in node.items]

    def _dict(self, node: Node, value_type: mi.Type, name: str) -> Any:
        if not isinstance(node, Mapping):
            return self._fault(node.line, f"{name} must be a mapping, not {_what(node)}")
        for key, _ in node.pairs:
            self._check_key(key)
        return {key.text: self.read(value, value_type, f"`{key.text}`") for key, value in node.pairs}

    def _check_key(self, key: Scalar) -> bool:
        if key.tag != "str":
            read_as = _READ_AS.get(key.tag, key.tag)
            self._fault(key.line, f"YAML takes the key {quoted(key.text)} for {read_as}: quote it")
        return key.tag == "str"

    def _literal(self, node: Node, values: tuple[Any, ...], name: str) -> Any:
        text = self._scalar(node, {"str"}, name)
        if text is not None and text not in values:
            self._fault(node.line, f"{name} cannot be {quoted(text)}{_suggest(node, [str(v) for v in values])}")
        return text

    def _text(self, node: Node, name: str) -> Any:
        """A text in both languages: one string, or `vi` and `en`."""
        if not isinstance(node, Mapping):
            return self._filled(node, name)
        known = set(LANGS)
        result = {}
        meant = set()
        for key, value in node.pairs:
            if key.text in known:
                result[key.text] = self._filled(value, f"{name[:-1]}.{key.text}`" if name.endswith("`") else name)
            else:
                meant.add(nearest(key.text, known))
                self._fault(key.line, f"{name} has the unknown language {quoted(key.text)}: it takes `vi` and `en`")
        for lang in LANGS:
            if lang not in result and lang not in meant:
                self._fault(node.line, f"{name} has no {_LANGUAGES[lang]} text (`{lang}`)")
        return result

    def _filled(self, node: Node, name: str) -> Any:
        text = self._scalar(node, {"str"}, name)
        if isinstance(text, str) and not text.strip():
            self._fault(node.line, f"{name} is empty")
        return text

    def _scalar(self, node: Node, wanted: set[str], name: str) -> Any:
        """A value of one of the `wanted` kinds: str, int, float, bool."""
        if isinstance(node, Scalar) and node.tag == "str" and "str" in wanted:
            return node.text
        wish = _wish(wanted)
        if not isinstance(node, Scalar):
            return self._fault(node.line, f"{name} must be {wish}, not {_what(node)}")
        if node.tag == "null":
            return self._fault(node.line, f"{name} is empty: fill it in, or remove the key")
        if node.tag == "str":
            return self._not_a_text(node, wish, name)
        if node.tag == "bool" and "bool" in wanted:
            return node.text.lower() in ("true", "yes", "on")
        if node.tag in ("int", "float") and wanted & {"int", "float"}:
            return self._number(node, wanted, name)
        if "str" in wanted:
            read_as = _READ_AS.get(node.tag, node.tag)
            return self._fault(
                node.line, f"{name} must be {wish}, and YAML takes {quoted(node.text)} for {read_as}: quote it"
            )
        return self._fault(node.line, f"{name} must be {wish}, not {quoted(node.text)}")

    def _number(self, node: Scalar, wanted: set[str], name: str) -> Any:
        if not _DECIMAL.fullmatch(node.text):
            return self._fault(
                node.line, f"{name}: YAML does not read {quoted(node.text)} as written: write a plain decimal number"
                + (", or quote it" if "str" in wanted else "")
            )  # fmt: skip
        digits = node.text.replace("_", "")
        if node.tag == "int" and "int" in wanted:
            return int(digits)
        value = float(digits)
        if "float" not in wanted:
            return self._fault(node.line, f"{name} must be a whole number, not {quoted(node.text)}")
        if not math.isfinite(value):
            return self._fault(node.line, f"{name}: {quoted(node.text)} is too large")
        return value

    def _not_a_text(self, node: Scalar, wish: str, name: str) -> None:
        try:
            float(node.text)
        except ValueError:
            return self._fault(node.line, f"{name} must be {wish}, not the text {quoted(node.text)}")
        if power := _POWER.fullmatch(node.text):
            whole, fraction, sign, exponent = power.groups()
            advice = f"write {whole}{fraction or '.0'}e{sign or '+'}{exponent}"
        else:
            advice = "write it without quotes"
        return self._fault(node.line, f"{name} must be {wish}, and YAML takes {quoted(node.text)} for a text: {advice}")


_READ_AS = {
    "bool": "true or false",
    "int": "a number",
    "float": "a number",
    "null": "nothing",
    "timestamp": "a date",
    "merge": "a merge key",
    "value": "a default key",
}


def _wish(wanted: set[str]) -> str:
    names = {"str": "a text", "float": "a number", "int": "a whole number", "bool": "true or false"}
    if "float" in wanted:
        wanted = wanted - {"int"}
    return " or ".join(name for kind, name in names.items() if kind in wanted)


def _what(node: Node) -> str:
    if isinstance(node, Scalar):
        return "nothing" if node.tag == "null" else quoted(node.text)
    return "a list" if isinstance(node, Sequence) else "a mapping"


def _keys(type: mi.StructType) -> str:
    return ", ".join(field.encode_name for field in type.fields)


def _suggest(node: Node, known: Iterable[str]) -> str:
    words = list(known)
    near = suggestion(node.text, words) if isinstance(node, Scalar) else ""
    return near or f"; known here: {', '.join(words)}"
