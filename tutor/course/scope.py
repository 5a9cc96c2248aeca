"""What is to be checked: a whole course, or one file of it with the course around it for what the file refers to."""

from __future__ import annotations

from pathlib import Path

import msgspec

from tutor.course.load import BESIDE_LESSONS, CLAIMS, course_root, load_course, shown
from tutor.course.locate import Places
from tutor.course.model import Course, Finding, Lesson


class Scope(msgspec.Struct, frozen=True):
    """A course, the lessons of it that are checked, and what could not be loaded of them.

    `whole` says that the rules of a course as a whole apply: it is a directory that lists its own claims.
    """

    course: Course
    lessons: tuple[Lesson, ...]
    findings: tuple[Finding, ...]
    path: Path
    whole: bool

    def holds(self, finding: Finding) -> bool:
        """Whether the finding is about what is checked."""
        return self.path.is_dir() or finding.file == shown(self.path)


def scope_of(path: Path | None = None) -> Scope:
    """What to check for a directory or a file; the course in use where none is given."""
    path = course_root() if path is None else path
    if not _is_part_of_a_course(path):
        course = load_course(path)
        whole = bool(course.directory) and (path / CLAIMS).is_file()
        return Scope(course, course.lessons, course.findings, path, whole)
    # What a lesson borrows, needs and quotes lies beside it.
    course = load_course(path.parent)
    places = Places(course)
    lessons = tuple(lesson for lesson in course.lessons if places.file(lesson) == shown(path))
    findings = tuple(finding for finding in course.findings if finding.file == shown(path))
    return Scope(course, lessons, findings, path, whole=False)


def _is_part_of_a_course(path: Path) -> bool:
    return path.is_file() and path.suffix == ".yaml" and not path.name.startswith(".")


def is_lesson_file(path: Path) -> bool:
    """Whether a file of a course is one that holds a lesson."""
    return path.name not in BESIDE_LESSONS
