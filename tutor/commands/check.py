"""`normtutor check [PATH ...]`: lints and verifies a course: structure, texts, claims, exercises, cells."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tutor.commands.consent import add_trust_option, need_consent
from tutor.commands.support import FINE, FOUND, FoundWrongError, WrongUseError, add_output_options, print_json, say
from tutor.text.i18n import _, ngettext

if TYPE_CHECKING:
    from tutor.course.model import Finding
    from tutor.course.scope import Scope


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `check` to the command line."""
    parser = subparsers.add_parser(
        "check",
        help=_("lint and verify a course"),
        epilog=_(
            "Without --fast it runs all cells, and grades every solution and every wrong implementation of the "
            "exercises, as it would a learner's. What is asked of a course as a whole, that it teaches all its claims "
            "and keeps its published ids, is asked of a directory with a claims.yaml."
        ),
    )
    parser.add_argument(
        "paths", metavar="PATH", nargs="*", help=_("lesson files, or directories with a course; by default the course")
    )
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument("--fast", action="store_true", help=_("only what needs nothing to be run"))
    extent.add_argument(
        "--run", dest="executed", action="store_true", help=_("run cells and exercises too; that is the default")
    )
    parser.add_argument(
        "--thorough", action="store_true", help=_("grade every solution of every exercise on 20 different inputs")
    )
    parser.add_argument(
        "--publish", action="store_true", help=_("when nothing is wrong, add the ids that are new to ids.lock")
    )
    add_trust_option(parser)
    add_output_options(parser, json_help=_("one JSON document: findings with file, line, step and message"))
    parser.set_defaults(run=run, late="paths")


def run(args: argparse.Namespace) -> int:
    """Prints what is wrong, one line a finding as compilers do; 1 when there is anything."""
    from tutor.course.scope import scope_of

    scopes = [scope_of(_existing(path)) for path in args.paths] or [scope_of()]
    if args.publish and not all(scope.whole for scope in scopes):
        raise WrongUseError(_("Ids are published of a whole course: a directory with a claims.yaml."))
    if not args.fast:
        _need_consent(scopes)
    findings: list[Finding] = []
    for scope in scopes:
        findings += _findings(scope, fast=args.fast, thorough=args.thorough)
    findings = sorted(set(findings), key=lambda finding: (finding.file, finding.line, finding.message))
    if args.json:
        print_json(document(findings))
    else:
        say(*(str(finding) for finding in findings))
        say(_summary(findings, scopes))
    if args.publish:
        _publish(scopes, findings)
    return FOUND if findings else FINE


def _need_consent(scopes: Iterable[Scope]) -> None:
    from tutor.course.code import has_code

    for scope in scopes:
        if has_code(scope.course):
            need_consent(scope.course, scope.path)


def _existing(name: str) -> Path:
    try:
        if Path(name).exists():
            return Path(name)
    except (OSError, ValueError):  # a name that no file can have
        pass
    raise WrongUseError(_("There is no file or directory “{path}”.").format(path=name))


def _findings(scope: Scope, *, fast: bool, thorough: bool) -> list[Finding]:
    import asyncio

    from tutor.commands.static import static_findings

    found = static_findings(scope)
    if fast:
        return found
    unsound = {finding.step for finding in found}
    return [*found, *asyncio.run(_executed(scope, unsound, thorough=thorough))]


async def _executed(scope: Scope, unsound: Collection[str | None], *, thorough: bool) -> list[Finding]:
    """Exercises and cells, side by side: the judge keeps one core busy."""
    import asyncio

    from tutor.commands.verify_cells import verify_cells
    from tutor.commands.verify_code import verify_code
    from tutor.course.model import CODE_QUESTIONS

    judging = None
    if any(isinstance(step, CODE_QUESTIONS) for lesson in scope.lessons for step in lesson.own_steps):
        judging = asyncio.create_task(verify_code(scope.course, scope.lessons, but=unsound, thorough=thorough))
    found = await verify_cells(scope.course, scope.lessons, beside=judging)
    return found if judging is None else [*await judging, *found]


def _publish(scopes: Iterable[Scope], findings: list[Finding]) -> None:
    from tutor.course.lock import publish

    if findings:
        say(_("Nothing was published: first mend what is wrong."), error=True)
        return
    for scope in scopes:
        try:
            new = publish(scope.course)
        except OSError as error:
            raise FoundWrongError(f"{error.filename}: {error.strerror}") from error
        say(ngettext("{n} new id published.", "{n} new ids published.", len(new)).format(n=len(new)), error=True)


def document(findings: Iterable[Finding]) -> dict[str, Any]:
    """What `--json` prints."""
    return {
        "findings": [
            {"file": finding.file, "line": finding.line, "step": finding.step, "message": finding.message}
            for finding in findings
        ]
    }


def _summary(findings: list[Finding], scopes: Iterable[Scope]) -> str:
    if findings:
        return ngettext("{n} finding.", "{n} findings.", len(findings)).format(n=len(findings))
    lessons = [lesson for scope in scopes for lesson in scope.lessons]
    count = sum(len(lesson.own_steps) for lesson in lessons)
    return _("Nothing wrong: {lessons}, {steps}.").format(
        lessons=ngettext("{n} lesson", "{n} lessons", len(lessons)).format(n=len(lessons)),
        steps=ngettext("{n} step", "{n} steps", count).format(n=count),
    )
