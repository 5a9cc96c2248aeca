"""`normtutor grade ID`: grades one answer, without a screen and without writing it to the learner's history."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tutor.commands.consent import add_trust_option, need_consent
from tutor.commands.support import (
    FINE,
    FOUND,
    WrongUseError,
    add_output_options,
    kind_of,
    open_course,
    print_json,
    say,
    unknown_id,
)
from tutor.course.model import (
    CODE_QUESTIONS,
    QUESTIONS,
    ChoiceStep,
    FlowStep,
    Lesson,
    MultiStep,
    NumberStep,
    OrderStep,
    PredictStep,
    Question,
)
from tutor.course.vary import in_lesson, instance
from tutor.grading.verdict import Verdict
from tutor.text.i18n import _, language

if TYPE_CHECKING:
    from tutor.course.model import Course

Q = TypeVar("Q", bound=Question)

LONGEST = 64 * 1024
"""Bytes of an answer; whoever sends more has sent the wrong file."""
_UNWRAPPED = 2000
"""Cells of a line that is not to be broken: no sentence of a verdict is as long."""
_TOLD = (ChoiceStep, MultiStep, OrderStep, FlowStep)
"""Kinds whose feedback names what is wrong: a list of their checks would say it twice."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `grade` to the command line."""
    parser = subparsers.add_parser(
        "grade",
        help=_("grade one answer to a question"),
        epilog=_(
            "Exit codes: 0 graded, whatever the verdict; 1 it could not be graded; 2 wrong use. "
            "A prediction is judged by running its cell."
        ),
    )
    parser.add_argument("id", metavar="ID", help=_("the question's id, as `normtutor list` names it"))
    parser.add_argument("file", metavar="FILE", nargs="?", help=_("the file with the answer; - for standard input"))
    parser.add_argument("--answer", metavar="TEXT", help=_("the answer itself"))
    parser.add_argument(
        "--seed", type=int, metavar="N", help=_("which values a varying question has; which inputs code is tried on")
    )
    parser.add_argument("--public", action="store_true", help=_("run only the public checks of an exercise"))
    add_trust_option(parser)
    add_output_options(parser, json_help=_("one JSON document: verdict, score, points, feedback"))
    parser.set_defaults(run=run, late="file")


def run(args: argparse.Namespace) -> int:
    """Grades the answer; 0 when there is a verdict, 1 when there is none."""
    from tutor.grading import grade, predict

    if (args.file is None) == (args.answer is None):
        raise WrongUseError(_("Give the answer in one way: FILE, - for standard input, or --answer TEXT."))
    course = open_course()
    found = course.find(args.id)
    if found is None:
        raise unknown_id(course, args.id, (step.id for lesson in course.lessons for step in lesson.steps))
    lesson, index = found
    step = lesson.steps[index]
    if lesson.id == args.id or not isinstance(step, QUESTIONS):
        raise WrongUseError(_no_question(lesson, args.id))
    step = instance(step, args.seed)
    lesson = in_lesson(lesson, step)
    answer = args.answer if args.answer is not None else _read(args.file)
    if isinstance(step, CODE_QUESTIONS):
        import asyncio

        from tutor.commands.code import grade_once

        need_consent(course)
        step = _with_figures(course, step, None)
        return _show(
            args, course, step, asyncio.run(grade_once(step, answer, language(), seed=args.seed, public=args.public))
        )
    evidence = None
    if isinstance(step, PredictStep) and predict.unreadable(step, answer, language()) is None:
        import asyncio

        need_consent(course)
        evidence, trouble = asyncio.run(_evidence(lesson, step))
        if trouble:
            verdict = Verdict(
                step=step.id, verdict="not-graded", feedback=_("The cell failed: {why}").format(why=trouble)
            )
            return _show(args, course, step, verdict)
    step = _with_figures(course, step, evidence)
    verdict = grade(step, answer, lang=language(), glossary=course.glossary, evidence=evidence, seed=args.seed)
    return _show(args, course, step, verdict)


def _with_figures(course: Course, step: Q, evidence: dict[str, str] | None) -> Q:
    """The question with the figures that its texts quote: as they were measured here, in this run or an earlier one."""
    from tutor.course.figures import Figures, measured

    if not Figures(course).quoted_by(step):
        return step
    from tutor.memory import journal, progress
    from tutor.memory.measured import figures

    known = figures(course, progress.fold(journal.read(journal.state_directory()).events))
    if now := measured(step, evidence or {}):
        known.measured[step.id] = now
    return known.fill(step)


def _no_question(lesson: Lesson, id: str) -> str:
    questions = ", ".join(step.id for step in lesson.steps if isinstance(step, QUESTIONS))
    if lesson.id == id:
        return _("“{id}” is a lesson. Its questions: {questions}").format(id=id, questions=questions)
    kind = next(kind_of(step) for step in lesson.steps if step.id == id)
    return _("“{id}” is a {kind}, which has no answer. Questions of its lesson: {questions}").format(
        id=id, kind=kind, questions=questions
    )


def _read(name: str) -> str:
    """The answer in a file, or on standard input."""
    try:
        if name == "-":
            if sys.stdin is None:
                raise WrongUseError(_("There is no standard input."))
            if sys.stdin.isatty():
                say(_("Type the answer, then ctrl+d on a line of its own."), error=True)
            data = sys.stdin.buffer.read(LONGEST + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(LONGEST + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise WrongUseError(f"{name}: {reason}") from error
    if len(data) > LONGEST:
        raise WrongUseError(_("{file} is longer than {n} kB: that is no answer.").format(file=name, n=LONGEST // 1024))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise WrongUseError(_("{file} is not text in UTF-8.").format(file=name))
    return text


async def _evidence(lesson: Lesson, step: PredictStep) -> tuple[dict[str, str], str]:
    """What the cell measures here, and why it could not be measured (empty when it could)."""
    from tutor.commands import cells

    result = await cells.run_alone(lesson, step)
    return result.finished.values, "" if result.ok else result.trouble


def _show(args: argparse.Namespace, course: Course, step: Question, verdict: Verdict) -> int:
    from tutor.course.teaching import taught_in

    back = taught_in(course, step) if verdict.verdict in ("partly", "wrong", "unsure") else ()
    if args.json:
        asked = {"question": _line(question)} if (question := asked_with(step, args.seed)) else {}
        print_json(document(verdict) | asked | {"revisit": [taught.step.id for taught in back]})
    else:
        if question := asked_with(step, args.seed):
            say(_("Question: {question}").format(question=_line(question).split("\n")[0]))
        say(*lines(step, verdict))
        say(*(_("Where it is taught: normtutor open {id}").format(id=taught.step.id) for taught in back))
    return FOUND if verdict.verdict == "not-graded" else FINE


def asked_with(step: Question, seed: int | None) -> str:
    """The question with the values that `seed` gives it, in Markdown; nothing where nothing in it varies."""
    if not getattr(step, "vary", None):
        return ""
    if isinstance(step, NumberStep):
        from tutor.grading import number

        return number.prompt(step, language(), seed)
    return step.prompt.get(language()) if isinstance(step, PredictStep) else ""


def document(verdict: Verdict) -> dict[str, Any]:
    """What `--json` prints: the texts are plain, with formulas drawn, since whoever reads them draws none."""
    wrong = verdict.misconception
    return {
        "step": verdict.step,
        "verdict": verdict.verdict,
        "score": verdict.score,
        "points": [
            {"id": point.id, "found": point.found, "says": _line(point.says), "hint": _line(point.hint)}
            for point in verdict.points
        ],
        "misconception": None if wrong is None else {"id": wrong.id, "message": _line(wrong.message)},
        "checks": [
            {"id": check.id, "passed": check.passed, "message": _line(check.message)} for check in verdict.checks
        ],
        "feedback": _line(verdict.feedback),
    }


def _line(markdown: str) -> str:
    """A text without Markdown, each paragraph on a line of its own."""
    from tutor.text.prose import plain

    return plain(markdown, width=_UNWRAPPED) if markdown else ""


def lines(step: Question, verdict: Verdict) -> list[str]:
    """The verdict for a reader."""
    from tutor.course.quotes import with_note
    from tutor.grading.report import gathered, in_checks
    from tutor.text.prose import plain

    words = {
        "right": "✓ " + _("Right."),
        "partly": "~ " + _("Partly right."),
        "wrong": "✗ " + _("Not right."),
        "unsure": _("? Not sure: see which points you made."),
        "unreadable": _("? Not readable; this does not count."),
        "not-graded": _("! Not graded, which is not your fault."),
    }
    shown = [words[verdict.verdict]]
    for point in verdict.points:
        shown.append(f"  [{'x' if point.found else ' '}] {_line(point.says) or point.id}")
        if point.hint and not point.found:
            shown.append(f"      {_line(point.hint)}")
    if verdict.checks and not isinstance(step, _TOLD):
        for check, names in gathered(verdict.checks):
            shown.append(f"  {'✓' if check.passed else '✗'} {_line(check.message) or check.id}")
            if names:
                shown.append(f"    {_line(in_checks(names))}")
    if verdict.misconception is not None and verdict.misconception.message not in verdict.feedback:
        shown += plain(verdict.misconception.message).split("\n")
    if verdict.feedback:
        shown += plain(with_note(verdict.feedback, language())).split("\n")
    return shown
