"""YAML with the line of every value, and without what a lesson does not need: aliases, tags, several documents.

The tree is built from the parser's events rather than by PyYAML's own composer, because only the events show anchors
and quoting, and because nesting can be limited there before anything recurses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import yaml
from yaml.reader import Reader
from yaml.resolver import Resolver

from tutor.text.sanitize import spelt_out

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's parser where PyYAML was built with it: about eight times as fast."""

MAX_DEPTH = 40
LONGEST_PLAIN_NUMBER = 60
_PREFIX = "tag:yaml.org,2002:"
# What YAML does not allow, and the line ends that no editor counts as such.
_REFUSED = re.compile(f"{Reader.NON_PRINTABLE.pattern}|\r(?!\n)|[\x85\u2028\u2029]")
_RESOLVER: Any = Resolver()  # untyped in the stubs


class Fault(NamedTuple):
    """Something wrong at a line (1-based) of a file, and the id of the step that it is in."""

    line: int
    message: str
    step: str | None = None


class Scalar:
    """A value that is not a collection. `tag` is what YAML takes it for: str, int, float, bool, null, timestamp ..."""

    __slots__ = ("first_line", "line", "tag", "text")

    def __init__(self, line: int, text: str, tag: str, first_line: int | None) -> None:
        self.line = line
        self.text = text
        self.tag = tag
        self.first_line = first_line
        """The file line of the first line of a literal block (`|`); None where lines do not map one to one."""

    def line_of(self, row: int) -> int:
        """The file line of line `row` (1-based) of this text, as near as it can be known."""
        return self.line if self.first_line is None else self.first_line + row - 1


class Sequence:
    """A list. Its line is that of its key, where it has one."""

    __slots__ = ("items", "line")

    def __init__(self, line: int) -> None:
        self.line = line
        self.items: list[Node] = []


class Mapping:
    """A mapping, its keys with their lines. Its line is that of its key, where it has one."""

    __slots__ = ("line", "pairs")

    def __init__(self, line: int) -> None:
        self.line = line
        self.pairs: list[tuple[Scalar, Node]] = []

    def get(self, key: str) -> Node | None:
        """The value of `key`."""
        return next((value for name, value in self.pairs if name.text == key), None)


Node = Scalar | Sequence | Mapping


def quoted(text: str, limit: int = 40) -> str:
    """`text` between backticks, shortened, with everything that does not print spelt out as an escape."""
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return f"`{spelt_out(short)}`"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that looks most like `word`, if any does."""
    from difflib import get_close_matches  # only a file with a mistake needs it

    return next(iter(get_close_matches(word, sorted(known), n=1, cutoff=0.6)), None)


def suggestion(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: what was meant, or nothing."""
    near = nearest(word, known)
    return f"; did you mean {quoted(near)}?" if near is not None else ""


def parse(text: str) -> tuple[Node | None, list[Fault]]:
    """The tree of a YAML document and all that is wrong with it; no tree when it cannot be read at all."""
    if found := _REFUSED.search(text):
        line = text.count("\n", 0, found.start()) + 1
        return None, [Fault(line, f"the file holds the control character U+{ord(found[0]):04X}: remove it")]
    builder = _Builder(text)
    try:
        return builder.document(), builder.faults
    except _RefusedError as refused:
        return None, [*builder.faults, refused.fault]
    except yaml.YAMLError as error:
        return None, [*builder.faults, _explain(error, text)]


class _RefusedError(Exception):
    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.fault = Fault(line, message)


class _Builder:
    def __init__(self, text: str) -> None:
        self.events: Iterator[Any] = yaml.parse(text, Loader=LOADER)
        self.faults: list[Fault] = []

    def document(self) -> Node | None:
        next(self.events)  # the start of the stream
        event = next(self.events)
        if isinstance(event, yaml.StreamEndEvent):
            raise _RefusedError(1, "the file is empty")
        root = self._node(next(self.events), 0)
        next(self.events)  # the end of the document
        event = next(self.events)
        if not isinstance(event, yaml.StreamEndEvent):
            raise _RefusedError(event.start_mark.line + 1, "a second document begins here (`---`): one lesson a file")
        return root

    def _node(self, event: Any, depth: int) -> Node:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise _RefusedError(
                line, "aliases are not used in lessons; if this is a text that begins with `*`, quote it"
            )
        if event.anchor is not None:
            raise _RefusedError(
                line, "anchors are not used in lessons; if this is a text that begins with `&`, quote it"
            )
        if event.tag is not None:
            what = quoted(event.tag)
            raise _RefusedError(
                line, f"tags ({what}) are not used in lessons; a text that begins with `!` must be quoted"
            )
        if depth > MAX_DEPTH:
            raise _RefusedError(line, f"nested more than {MAX_DEPTH} levels deep")
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event, line)
        return self._sequence(line, depth) if isinstance(event, yaml.SequenceStartEvent) else self._mapping(line, depth)

    def _sequence(self, line: int, depth: int) -> Sequence:
        node = Sequence(line)
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            node.items.append(self._node(event, depth + 1))
        return node

    def _mapping(self, line: int, depth: int) -> Mapping:
        node = Mapping(line)
        first: dict[str, int] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self._node(event, depth + 1)
            value = self._node(next(self.events), depth + 1)
            if not isinstance(key, Scalar):
                self.faults.append(Fault(key.line, "a key must be a word, not a list or a mapping"))
                continue
            if key.text in first:
                self.faults.append(
                    Fault(key.line, f"the key {quoted(key.text)} is here twice (first in line {first[key.text]})")
                )
                continue
            first[key.text] = key.line
            if not isinstance(value, Scalar):
                value.line = key.line
            node.pairs.append((key, value))
        return node


def _scalar(event: Any, line: int) -> Scalar:
    text: str = event.value
    tag = "str"
    if not event.style and len(text) <= LONGEST_PLAIN_NUMBER:
        tag = str(_RESOLVER.resolve(yaml.ScalarNode, text, (True, False))).removeprefix(_PREFIX)
    return Scalar(line, text, tag, line + 1 if event.style == "|" else None)


_HINTS = (
    ("'\\t'", "a tab: indent with spaces"),
    (
        "mapping values are not allowed",
        "a text that holds `: ` must be quoted, or written on the lines below a `|`; or this line is indented wrongly",
    ),
    ("alphabetic or numeric character", "a text that begins with `*` or `&` must be quoted"),
    ("cannot start any token", "a text that begins with this character must be quoted"),
    (
        "could not find expected ':'",
        "this is neither a key with a colon nor a part of the text above: see its indentation",
    ),
    ("undefined alias", "a text that begins with `*` must be quoted"),
    ("unexpected end of stream", "the quote opened here is never closed"),
    ("unknown escape character", "in \"…\" a backslash begins an escape: use '…' or a block (`|`) for LaTeX"),
    ("escape sequence", "in \"…\" a backslash begins an escape: use '…' or a block (`|`) for LaTeX"),
    ("did not find expected", "the indentation does not fit the lines above, or a quote or bracket is not closed"),
    ("expected <block end>", "the indentation does not fit the lines above, or a quote or bracket is not closed"),
    ("expected ',' or", "a bracket opened here is not closed, or a text in it must be quoted"),
)


def _explain(error: yaml.YAMLError, text: str) -> Fault:
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read")
    mark = getattr(error, "problem_mark", None)
    if "end of stream" in problem or "expected ',' or" in problem:
        mark = getattr(error, "context_mark", None) or mark
    line = min(mark.line + 1 if mark else 1, text.count("\n") + 1)
    lines = text.split("\n")
    hint = next((say for part, say in _HINTS if part in problem), "")
    if lines[line - 1].lstrip(" ").startswith("\t"):
        hint = _HINTS[0][1]
    return Fault(line, f"not YAML: {hint} ({problem})" if hint else f"not YAML: {problem}")
