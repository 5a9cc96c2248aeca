"""Reads lesson files into the types of `model.py`. What is wrong with a file becomes findings, never an exception."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import msgspec.inspect

from tutor.course.borrow import with_borrowed_steps
from tutor.course.model import Claim, Concept, Course, Finding, Lesson, Term, Text
from tutor.course.order import in_order
from tutor.course.shape import Walk
from tutor.course.yaml_lines import Fault, Mapping, Node, Scalar, Sequence, parse, quoted, suggestion
from tutor.text.sanitize import spelt_out

COURSE_VARIABLE = "NORMTUTOR_COURSE"
MAX_BYTES = 1_000_000
GLOSSARY, CLAIMS, TERMS = "glossary.yaml", "claims.yaml", "terms.yaml"
BESIDE_LESSONS = (GLOSSARY, CLAIMS, TERMS)
"""The files of a course that hold no lesson."""
_CONCEPT = re.compile(r"[A-Z][A-Z0-9_]*")
_PACKAGE = Path(__file__).resolve().parents[1]


class LessonFile(msgspec.Struct, frozen=True):
    """A lesson, or none if it cannot be used; its findings, and its tree for the lines."""

    path: Path
    lesson: Lesson | None
    findings: tuple[Finding, ...]
    root: Node | None


def course_root() -> Path:
    """The directory of the lessons: `$NORMTUTOR_COURSE`, else those in the installed package, else the checkout's."""
    if chosen := os.environ.get(COURSE_VARIABLE):
        return Path(chosen)
    return own_root()


def is_own(path: Path) -> bool:
    """Whether a course, or a file of one, is the project's own: its code comes with the program."""
    own = own_root().resolve()
    try:
        path = path.resolve()
    except (OSError, RuntimeError, ValueError):  # a circle of links, or a path that no file can have
        return False
    return own in (path, path.parent)


def own_root() -> Path:
    """The directory of the project's own lessons."""
    installed = _PACKAGE / "_lessons"
    return installed if installed.is_dir() else _PACKAGE.parent / "lessons"


def load_course(root: Path | None = None) -> Course:
    """The course in `root`: a directory, or one lesson file with the glossary and the claims beside it.

    Never raises for what the files say: lessons with mistakes are left out, and `findings` says why.
    """
    root = Path(root) if root is not None else course_root()
    if not _is_there(root):
        return Course(findings=(Finding(shown(root), 1, None, "there is no course here"),))
    paths, findings = _lesson_paths(root)
    beside = root if root.is_dir() else root.parent
    glossary: dict[str, Concept] = _load(_beside(beside, GLOSSARY), dict[str, Concept], {}, findings)
    claims: tuple[Claim, ...] = _load(_beside(beside, CLAIMS), tuple[Claim, ...], (), findings)
    terms: tuple[Term, ...] = _load(_terms_file(beside), tuple[Term, ...], (), findings)
    files = [read_lesson(path) for path in paths]
    for file in files:
        findings += file.findings
    kept = _without_taken_ids(files, findings)
    return Course(
        lessons=with_borrowed_steps(_in_order(kept, findings)),
        glossary=glossary,
        claims={claim.id: claim for claim in claims},
        terms=terms,
        findings=tuple(findings),
        files={file.lesson.id: str(file.path) for file in kept if file.lesson is not None},
        directory=str(root) if root.is_dir() else "",
    )


def load_lesson(path: Path) -> tuple[Lesson | None, list[Finding]]:
    """One lesson file, or None with what is wrong with it."""
    file = read_lesson(path)
    return file.lesson, list(file.findings)


def read_lesson(path: Path) -> LessonFile:
    """One lesson file with the tree that its lines are found in."""
    root, faults = read_tree(path)
    lesson: Lesson | None = None
    if root is not None:
        lesson, found = _decode(root, Lesson, "the lesson")
        faults = [*faults, *found]
    if lesson is not None and not lesson.steps:
        faults.append(Fault(1, "`steps` is empty"))
    if lesson is not None and any(step.id == lesson.id for step in lesson.steps):
        line = max(line for id, line in _ids(root) if id == lesson.id)
        faults.append(Fault(line, "a step has the id of its lesson; every id is used once", lesson.id))
    findings = tuple(_finding(path, fault) for fault in sorted(faults, key=lambda fault: fault.line))
    return LessonFile(path, None if findings else lesson, findings, root)


def shown(path: Path) -> str:
    """The path as a message shows it: from the working directory if it lies in there, and printable."""
    with suppress(ValueError, OSError):
        path = path.absolute().relative_to(Path.cwd())
    return spelt_out(str(path))


def _is_there(path: Path) -> bool:
    """`Path.exists`, which raises where a directory above may not be entered."""
    try:
        path.stat()
    except (OSError, ValueError):
        return False
    return True


def _lesson_paths(root: Path) -> tuple[list[Path], list[Finding]]:
    if not root.is_dir():
        return [root], []
    findings = []
    paths = []
    try:
        names = sorted(entry.name for entry in os.scandir(root))
    except OSError as error:
        return [], [Finding(shown(root), 1, None, f"the directory cannot be read: {error.strerror}")]
    for name in names:
        if name.endswith(".yml"):
            findings.append(Finding(shown(root / name), 1, None, "a lesson file must be named .yaml, not .yml"))
        elif name.endswith(".yaml") and not name.startswith(".") and name not in BESIDE_LESSONS:
            paths.append(root / name)
    return paths, findings


def _beside(directory: Path, name: str) -> Path:
    """The glossary or the claims of a course; those of the course that is shipped for a lesson that lies alone."""
    own = directory / name
    return own if _is_there(own) else course_root() / name


def _terms_file(directory: Path) -> Path:
    """The words to look up of a course; those of the project's own where it has none, for the field is the same."""
    own = directory / TERMS
    return own if _is_there(own) else own_root() / TERMS


def _concept_faults(root: Node, glossary: dict[str, Concept]) -> Iterable[Fault]:
    for key, _ in root.pairs if isinstance(root, Mapping) else ():
        concept = glossary[key.text]
        if not _CONCEPT.fullmatch(key.text):
            yield Fault(key.line, f"the concept {quoted(key.text)} must be a name in capitals: A-Z, 0-9 and _")
        # What the names in F_ stand for are formulas, which the grader recognises by their structure.
        if not key.text.startswith("F_") and not any(phrase.strip() for phrase in (*concept.vi, *concept.en)):
            yield Fault(key.line, f"the concept {quoted(key.text)} has no phrases")
        if concept.opposite is not None and concept.opposite not in glossary:
            message = f"the opposite of {quoted(key.text)}, {quoted(concept.opposite)}, is not in the glossary"
            yield Fault(key.line, message + suggestion(concept.opposite, glossary))


def _load(path: Path, type: Any, empty: Any, findings: list[Finding]) -> Any:
    """The glossary or the claims; `empty` where there are none, or where they cannot be read."""
    if not _is_there(path):
        return empty
    root, faults = read_tree(path)
    value = None
    if root is not None:
        value, found = _decode(root, type, f"`{path.stem}`")
        faults = [*faults, *found]
        if value is not None and path.name == GLOSSARY:
            faults += _concept_faults(root, value)
    findings += [_finding(path, fault) for fault in faults]
    return empty if value is None else value


def read_tree(path: Path) -> tuple[Node | None, list[Fault]]:
    """The tree of a file, or None with what keeps it from being read."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return None, [Fault(1, "not a regular file")]
        if status.st_size > MAX_BYTES:
            return None, [Fault(1, f"larger than {MAX_BYTES // 1000} kB")]
        data = path.read_bytes()
    except OSError as error:
        return None, [Fault(1, f"the file cannot be read: {error.strerror or error}")]
    except ValueError:  # a path that no file can have, such as one with a NUL
        return None, [Fault(1, "there can be no such file")]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return None, [Fault(data.count(b"\n", 0, error.start) + 1, "not UTF-8: save the file in that encoding")]
    return parse(text)


def _decode(root: Node, type: Any, name: str) -> tuple[Any, list[Fault]]:
    """The value of a tree, or None with everything that is wrong with it."""
    walk = Walk()
    builtins = walk.read(root, _type_info(type), name)
    if walk.faults:
        return None, walk.faults
    try:
        return msgspec.convert(builtins, type, dec_hook=_text), []
    except msgspec.ValidationError as error:
        return None, [Fault(root.line, str(error))]


@cache
def _type_info(type: Any) -> msgspec.inspect.Type:
    return msgspec.inspect.type_info(type)


def _text(type: Any, value: Any) -> Any:
    if type is not Text:
        raise NotImplementedError(f"no way to read {type}")
    return Text(value, value) if isinstance(value, str) else Text(**value)


def _finding(path: Path, fault: Fault) -> Finding:
    message = f"step {quoted(fault.step)}: {fault.message}" if fault.step is not None else fault.message
    return Finding(shown(path), fault.line, fault.step, message)


def _without_taken_ids(files: Iterable[LessonFile], findings: list[Finding]) -> list[LessonFile]:
    """The lessons that can be used, each id of a lesson or a step only once in all of them."""
    taken: dict[str, str] = {}
    kept = []
    for file in files:
        if file.lesson is None:
            continue
        ids = dict(_ids(file.root))
        clashes = [id for id in ids if id in taken]
        for id in clashes:
            message = f"the id {quoted(id)} is already taken in {taken[id]}; this lesson is left out"
            findings.append(_finding(file.path, Fault(ids[id], message, None if id == file.lesson.id else id)))
        if not clashes:
            kept.append(file)
            taken |= {id: f"{shown(file.path)}:{line}" for id, line in ids.items()}
    return kept


def _ids(root: Node | None) -> list[tuple[str, int]]:
    """The ids of a lesson that could be decoded, its own and its steps', with their lines."""
    assert isinstance(root, Mapping)
    steps = root.get("steps")
    assert isinstance(steps, Sequence)
    nodes = [root.get("id"), *(step.get("id") for step in steps.items if isinstance(step, Mapping))]
    return [(node.text, node.line) for node in nodes if isinstance(node, Scalar)]


def _in_order(files: list[LessonFile], findings: list[Finding]) -> tuple[Lesson, ...]:
    by_id = {file.lesson.id: file for file in files if file.lesson is not None}
    lessons = {file.lesson.id: file.lesson for file in files if file.lesson is not None}
    # A need that the course does not have is for the lint to report: it keeps nobody from studying this lesson.
    order, circles = in_order({id: frozenset(lesson.needs) & lessons.keys() for id, lesson in lessons.items()})
    for circle in circles:
        file = by_id[circle[0]]
        message = f"these lessons need each other: {' -> '.join(circle)}"
        findings.append(_finding(file.path, Fault(_line_of_needs(file), message)))
    return tuple(lessons[id] for id in order)


def _line_of_needs(file: LessonFile) -> int:
    needs = file.root.get("needs") if isinstance(file.root, Mapping) else None
    return needs.line if needs is not None else 1
