"""Where in its file a part of a lesson stands, for messages about lessons that are already loaded.

The types of the course hold no lines, since only authors need them; this reads the file again when somebody asks.
"""

from __future__ import annotations

from pathlib import Path

from tutor.course.load import read_lesson, shown
from tutor.course.model import AnyStep, Course, Finding, Lesson
from tutor.course.yaml_lines import Mapping, Node, Scalar, Sequence, quoted


class Places:
    """The lines of a course's lessons."""

    def __init__(self, course: Course) -> None:
        self._files = course.files
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
    steps = root.get("steps") if isinstance(root, Mapping) else None
    for step in steps.items if isinstance(steps, Sequence) else ():
        named = step.get("id") if isinstance(step, Mapping) else None
        if isinstance(named, Scalar) and named.text == id:
            return step
    return steps


def _follow(node: Node | None, path: tuple[str | int, ...]) -> Node | None:
    for part in path:
        below: Node | None = None
        if isinstance(node, Mapping):
            below = node.get(str(part))
        elif isinstance(node, Sequence) and isinstance(part, int) and part < len(node.items):
            below = node.items[part]
        if below is None:
            break
        node = below
    return node
