"""Where in its file a part of a lesson stands, for messages about lessons that are already loaded.

The types of the course hold no lines, since only authors need them; this reads the file again when somebody asks.
"""

from __future__ import annotations

from pathlib import Path

from tutor.course.load import CLAIMS, TERMS, read_lesson, read_tree, shown
from tutor.course.model import AnyStep, Course, Finding, Lesson
from tutor.course.yaml_lines import Mapping, Node, Scalar, Sequence, quoted


class Places:
    """The lines of a course's lessons."""

    def __init__(self, course: Course) -> None:
        self._files = course.files
        self._directory = course.directory
        self._roots: dict[str, Node | None] = {}

    def finding(
        self, lesson: Lesson, step: AnyStep | None, message: str, *path: str | int, row: int | None = None
    ) -> Finding:
        """A finding about a part of a step, or of the lesson itself.

        `path` leads to the part by keys and positions, such as `"options", 2, "text", "vi"`; where it ends early the
        nearest part above is meant. `row` is a line (1-based) within a block of code or text.
        """
        node = self._root(lesson)
        if step is not None:
            node = _step(node, step.id)
            message = f"step {quoted(step.id)}: {message}"
        node = _follow(node, path)
        line = 1 if node is None else node.line
        if row is not None and isinstance(node, Scalar):
            line = node.line_of(row)
        return Finding(self.file(lesson), line, step.id if step is not None else None, message)

    def of_claim(self, id: str, message: str, *path: str | int, row: int | None = None) -> Finding:
        """A finding about an entry of the claims.yaml that the course has of its own, as `finding` gives one."""
        node = _follow(_entry(self._claims(), id), path)
        line = 1 if node is None else node.line_of(row) if row is not None and isinstance(node, Scalar) else node.line
        return Finding(shown(self.claims_file), line, None, f"claim {quoted(id)}: {message}")

    def of_term(self, index: int, id: str, message: str, *path: str | int, row: int | None = None) -> Finding:
        """A finding about an entry of the terms.yaml that the course has of its own, by its position."""
        node = _follow(self._terms(), (index, *path))
        line = 1 if node is None else node.line_of(row) if row is not None and isinstance(node, Scalar) else node.line
        return Finding(shown(self.terms_file), line, None, f"term {quoted(id)}: {message}")

    def term_is_mapping(self, index: int, *path: str | int) -> bool:
        """Whether a part of an entry of terms.yaml is a text with its languages."""
        node, complete = _walk(self._terms(), (index, *path))
        return complete and isinstance(node, Mapping)

    @property
    def terms_file(self) -> Path:
        """Where the terms of the course are."""
        return Path(self._directory) / TERMS

    def _terms(self) -> Node | None:
        if TERMS not in self._roots:
            self._roots[TERMS] = read_tree(self.terms_file)[0] if self._directory else None
        return self._roots[TERMS]

    @property
    def claims_file(self) -> Path:
        """Where the claims of the course are listed."""
        return Path(self._directory) / CLAIMS

    def is_mapping(self, lesson: Lesson, step: AnyStep | None, *path: str | int) -> bool:
        """Whether a part stands in the file as a mapping, such as a text with its languages."""
        root = self._root(lesson)
        node, complete = _walk(root if step is None else _step(root, step.id), path)
        return complete and isinstance(node, Mapping)

    def claim_is_mapping(self, id: str, *path: str | int) -> bool:
        """The same of a part of an entry of claims.yaml."""
        node, complete = _walk(_entry(self._claims(), id), path)
        return complete and isinstance(node, Mapping)

    def _claims(self) -> Node | None:
        if CLAIMS not in self._roots:
            self._roots[CLAIMS] = read_tree(self.claims_file)[0] if self._directory else None
        return self._roots[CLAIMS]

    def file(self, lesson: Lesson) -> str:
        """The lesson's file, as messages show it."""
        known = self._files.get(lesson.id)
        return f"{lesson.id}.yaml" if known is None else shown(Path(known))

    def beside(self, lesson: Lesson, id: str) -> bool:
        """Whether a file named for `id` lies beside the lesson's, loaded or not."""
        known = self._files.get(lesson.id)
        return known is not None and Path(known).with_name(f"{id}.yaml").exists()

    def _root(self, lesson: Lesson) -> Node | None:
        if lesson.id not in self._roots:
            known = self._files.get(lesson.id)
            self._roots[lesson.id] = None if known is None else read_lesson(Path(known)).root
        return self._roots[lesson.id]


def _step(root: Node | None, id: str) -> Node | None:
    return _entry(root.get("steps") if isinstance(root, Mapping) else None, id)


def _entry(entries: Node | None, id: str) -> Node | None:
    """The entry of a list that has this id; the list itself where there is none."""
    for entry in entries.items if isinstance(entries, Sequence) else ():
        named = entry.get("id") if isinstance(entry, Mapping) else None
        if isinstance(named, Scalar) and named.text == id:
            return entry
    return entries


def _follow(node: Node | None, path: tuple[str | int, ...]) -> Node | None:
    return _walk(node, path)[0]


def _walk(node: Node | None, path: tuple[str | int, ...]) -> tuple[Node | None, bool]:
    """The node at the end of a way, or the last one on it that is there; and whether it is the end."""
    for part in path:
        below: Node | None = None
        if isinstance(node, Mapping):
            below = node.get(str(part))
        elif isinstance(node, Sequence) and isinstance(part, int) and part < len(node.items):
            below = node.items[part]
        if below is None:
            return node, False
        node = below
    return node, True
