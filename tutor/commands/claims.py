"""`normtutor claims [ID]`: what the course claims, where each comes from, and whether it held on this machine."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tutor.commands.support import (
    FINE,
    FOUND,
    add_output_options,
    kind_of,
    open_course,
    print_json,
    report,
    say,
    unknown_id,
)
from tutor.course.model import Claim, Course
from tutor.text.i18n import _, language

if TYPE_CHECKING:
    from tutor.course.figures import Figures
    from tutor.memory.progress import Progress


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `claims` to the command line."""
    parser = subparsers.add_parser(
        "claims", help=_("show what the course claims, where it comes from, and whether it held here")
    )
    parser.add_argument("id", metavar="ID", nargs="?", help=_("a claim, or a step; without it, all claims"))
    add_output_options(parser, json_help=_("one JSON document: claims with what teaches and what measured each"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the claims; exit code 1 when a part of the course could not be loaded."""
    from tutor.memory import journal, progress
    from tutor.memory.measured import figures

    course = open_course()
    learned = progress.fold(journal.read(journal.state_directory()).events)
    known = figures(course, learned)
    claims = _asked(course, args.id)
    if args.json:
        print_json({"claims": [document(course, learned, known, claim) for claim in claims]})
    elif args.id is None:
        say(*table(course))
    else:
        say(*lines(course, learned, known, claims))
    report(course.findings)
    return FOUND if course.findings else FINE


def _asked(course: Course, id: str | None) -> list[Claim]:
    """The claim with this id, or those of the step with this id."""
    if id is None:
        return list(course.claims.values())
    if id in course.claims:
        return [course.claims[id]]
    found = course.find(id)
    if found is None:
        known = (step.id for lesson in course.lessons for step in lesson.steps)
        raise unknown_id(course, id, (*course.claims, *known))
    lesson, index = found
    steps = lesson.steps if id == lesson.id else (lesson.steps[index],)
    named = dict.fromkeys(claim for step in steps for claim in step.claims)
    return [course.claims[claim] for claim in named if claim in course.claims]


def table(course: Course) -> list[str]:
    """A line a claim: its mark, its id, the steps that teach it."""
    from tutor.course.ledger import teaching
    from tutor.memory.held import VERDICTS

    width = max((len(id) for id in course.claims), default=0)
    rows = []
    for id, claim in course.claims.items():
        steps = ", ".join(step.id for _lesson, step in teaching(course, id))
        rows.append(f"{VERDICTS[claim.verdict][0]} {id:{width}}  {claim.show:7}  {steps}".rstrip())
    return [*rows, "", *(f"{mark} {_(words)}" for mark, words in VERDICTS.values())]


def lines(course: Course, learned: Progress, figures: Figures, claims: list[Claim]) -> list[str]:
    """What there is to say of some claims, for a reader."""
    from tutor.memory.held import told
    from tutor.text.prose import plain

    if not claims:
        return [_("This step makes no claim of its own.")]
    return plain(told(course, learned, figures, claims, language())).split("\n")


def document(course: Course, learned: Progress, figures: Figures, claim: Claim) -> dict[str, Any]:
    """A claim as JSON, its texts in the language of the output."""
    from tutor.course.ledger import teaching
    from tutor.memory.held import measurements

    lang = language()
    return {
        "id": claim.id,
        "from": claim.source.get(lang),
        "verdict": claim.verdict,
        "show": claim.show,
        "claim": claim.claim.get(lang).strip(),
        "note": claim.note.get(lang).strip() if claim.note is not None else "",
        "taught": [
            {"lesson": lesson.id, "step": step.id, "kind": kind_of(step)} for lesson, step in teaching(course, claim.id)
        ],
        "measured": [
            {
                "step": one.step.id,
                "ran": one.ran,
                "predicted": one.predicted,
                "outcome": list(one.outcome),
                "figures": one.figures,
            }
            for one in measurements(course, learned, figures, claim.id)
        ],
    }
