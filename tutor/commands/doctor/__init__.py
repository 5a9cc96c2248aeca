"""`normtutor doctor`: looks at everything that normtutor needs, and says what to do about what is missing."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tutor.commands.support import FINE, FOUND, add_output_options, open_course, print_json, say, status
from tutor.text.i18n import _, ngettext

if TYPE_CHECKING:
    from tutor.commands.doctor.report import Finding
    from tutor.runtime.device import Device


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `doctor` to the command line."""
    parser = subparsers.add_parser("doctor", help=_("check device, Triton, terminal, storage and versions"))
    add_output_options(parser, json_help=_("one JSON document: findings, device, triton"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints what was found; 1 when something is a problem, 0 when all is well or could only be better."""
    import asyncio

    from tutor.commands.doctor.compute import compute_findings
    from tutor.commands.doctor.history import history_findings
    from tutor.commands.doctor.software import software_findings
    from tutor.commands.doctor.storage import storage_findings
    from tutor.commands.doctor.terminal import terminal_findings
    from tutor.memory.journal import state_directory
    from tutor.runtime.device import choose

    status(_("Looking; this takes some seconds …"))
    device = choose()
    findings = [
        *software_findings(),
        *asyncio.run(compute_findings(device)),
        *terminal_findings(),
        *storage_findings(state_directory()),
        *course_findings(),
        *history_findings(state_directory()),
    ]
    status("")
    if args.json:
        print_json(document(findings, device))
    else:
        say(*lines(findings))
    return FOUND if any(finding.state == "problem" for finding in findings) else FINE


def course_findings() -> list[Finding]:
    """Whether the course can be read."""
    from tutor.commands.doctor.report import ok, problem

    course = open_course()
    found = ngettext("{n} lesson", "{n} lessons", len(course.lessons)).format(n=len(course.lessons))
    if course.findings or not course.lessons:
        first = str(course.findings[0]) if course.findings else found
        return [problem("course", first, _("See all of it: normtutor check"))]
    return [ok("course", found)]


def document(findings: list[Finding], device: Device) -> dict[str, Any]:
    """What `--json` prints."""
    return {
        "findings": [
            {"what": finding.what, "state": finding.state, "found": finding.found, "advice": finding.advice}
            for finding in findings
        ],
        "device": device.name,
        "triton": device.triton,
    }


def lines(findings: list[Finding]) -> list[str]:
    """A line a finding, the advice below it; what is wrong comes last, where it is seen."""
    mark = {"ok": "✓", "warning": "!", "problem": "✗"}
    order = list(mark)
    shown = []
    for finding in sorted(findings, key=lambda finding: order.index(finding.state)):
        shown.append(f"{mark[finding.state]} {finding.what}: {finding.found}")
        if finding.advice:
            shown.append(f"    {finding.advice}")
    problems = sum(finding.state == "problem" for finding in findings)
    warnings = sum(finding.state == "warning" for finding in findings)
    shown += [
        "",
        ngettext("{n} problem", "{n} problems", problems).format(n=problems)
        + ", "
        + ngettext("{n} warning", "{n} warnings", warnings).format(n=warnings),
    ]
    return shown
