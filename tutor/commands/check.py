"""`normtutor check [PATH ...]`: lints and verifies a course; with `--run` its cells too."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tutor.commands.support import FINE, FOUND, WrongUseError, add_output_options, open_course, print_json, say
from tutor.text.i18n import _, ngettext

if TYPE_CHECKING:
    from tutor.course.model import Course, Finding


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `check` to the command line."""
    parser = subparsers.add_parser("check", help=_("lint and verify a course"))
    parser.add_argument(
        "paths", metavar="PATH", nargs="*", help=_("lesson files, or directories with a course; by default the course")
    )
    parser.add_argument("--run", dest="cells", action="store_true", help=_("run the cells too, which takes a while"))
    parser.add_argument(
        "--thorough", action="store_true", help=_("grade every solution of every exercise on 20 different inputs")
    )
    add_output_options(parser, json_help=_("one JSON document: findings with file, line, step and message"))
    parser.set_defaults(run=run, late="paths")


def run(args: argparse.Namespace) -> int:
    """Prints what is wrong, one line a finding as compilers do; 1 when there is anything."""
    paths: list[Path | None] = [_existing(path) for path in args.paths] or [None]
    courses = [open_course(path) for path in paths]
    findings: list[Finding] = []
    for course, path in zip(courses, paths, strict=True):
        findings += _findings(course, path, cells=args.cells, thorough=args.thorough)
    findings = sorted(set(findings), key=lambda finding: (finding.file, finding.line, finding.message))
    if args.json:
        print_json(document(findings))
    else:
        say(*(str(finding) for finding in findings))
        say(_summary(findings, courses))
    return FOUND if findings else FINE


def _existing(name: str) -> Path:
    try:
        if Path(name).exists():
            return Path(name)
    except (OSError, ValueError):  # a name that no file can have
        pass
    raise WrongUseError(_("There is no file or directory “{path}”.").format(path=name))


def _findings(course: Course, path: Path | None, *, cells: bool, thorough: bool) -> Iterable[Finding]:
    import asyncio

    from tutor.commands.verify import verify
    from tutor.course.lint import lint
    from tutor.course.load import course_root
    from tutor.course.model import CODE_QUESTIONS, Finding

    found = [*course.findings, *lint(course)]
    lines = {(finding.file, finding.line) for finding in found}
    # What the lint has said of a line is not said again in other words.
    found += [finding for finding in verify(course) if (finding.file, finding.line) not in lines]
    if not course.lessons and not course.findings:
        found.append(Finding(str(path or course_root()), 1, None, "there is no lesson here: no .yaml file"))
    unsound = {finding.step for finding in found}
    if any(isinstance(step, CODE_QUESTIONS) for lesson in course.lessons for step in lesson.own_steps):
        from tutor.commands.verify_code import verify_code

        found += asyncio.run(verify_code(course, but=unsound, thorough=thorough))
    if cells:
        from tutor.commands.verify_cells import verify_cells

        found += asyncio.run(verify_cells(course))
    return found


def document(findings: Iterable[Finding]) -> dict[str, Any]:
    """What `--json` prints."""
    return {
        "findings": [
            {"file": finding.file, "line": finding.line, "step": finding.step, "message": finding.message}
            for finding in findings
        ]
    }


def _summary(findings: list[Finding], courses: list[Course]) -> str:
    if findings:
        return ngettext("{n} finding.", "{n} findings.", len(findings)).format(n=len(findings))
    lessons = [lesson for course in courses for lesson in course.lessons]
    count = sum(len(lesson.own_steps) for lesson in lessons)
    return _("Nothing wrong: {lessons}, {steps}.").format(
        lessons=ngettext("{n} lesson", "{n} lessons", len(lessons)).format(n=len(lessons)),
        steps=ngettext("{n} step", "{n} steps", count).format(n=count),
    )
