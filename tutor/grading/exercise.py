"""Exercises: the order for the grader process, and the verdict that its report means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tutor.course.entry import code_of, entries
from tutor.course.model import ExerciseStep, Lang
from tutor.grading import problems
from tutor.grading.say import paragraphs, say, text
from tutor.grading.verdict import Check, Named, Verdict
from tutor.text.i18n import N_
from tutor.text.sanitize import sanitize

SHOWN_OUTPUT = 500


def order(
    step: ExerciseStep, source: str, *, public: bool = False, seed: int | None = None, samples: bool = False
) -> dict[str, Any]:
    """What the grader process is asked to do with a submission.

    `samples` says that the source is the lesson's own, one of several with this seed: they share a process, and what is
    expected is worked out once.
    """
    return {
        "op": "grade",
        "source": source,
        "public": public,
        "seed": seed,
        "samples": samples,
        "exercise": {
            "reference": step.reference,
            "entries": [entry._asdict() for entry in entries(step)],
            "checks": [
                {name: getattr(check, name) for name in check.__struct_fields__ if name != "say"}
                for check in step.checks
            ],
            "mutants": [
                {"id": mutant.id, "code": code_of(step, mutant), "fails": mutant.fails} for mutant in step.mutants
            ],
            "forbid": step.forbid,
            "triton": step.triton,
            "seconds": step.seconds,
        },
    }


def verdict(step: ExerciseStep, result: Mapping[str, Any], lang: Lang) -> Verdict:
    """The verdict in words. All checks are there, also those that pass."""
    if result.get("unreadable") is not None:
        return Verdict(step=step.id, verdict="unreadable", feedback=problems.unreadable(result["unreadable"], lang))
    checks = tuple(
        Check(check["id"], bool(check["passed"]), *_told(step, check, result, lang)) for check in result["checks"]
    )
    passed = sum(check.passed for check in checks)
    right = passed == len(checks) and bool(checks)
    mutant = next((each for each in step.mutants if each.id == result.get("mutant")), None)
    named = Named(mutant.id, text(mutant.say, lang)) if mutant is not None and not right else None
    return Verdict(
        step=step.id,
        verdict="right" if right else "wrong",
        score=1.0 if right else round(passed / max(1, len(checks)), 3),
        checks=checks,
        misconception=named,
        feedback=paragraphs(
            _summary(step, result, passed, len(checks), lang),
            problems.ended(result["ended"], lang) if result.get("ended") else "",
            named.message if named is not None else "",
            _printed(result, lang),
            text(step.why, lang) if right and not result.get("public") else "",
        ),
    )


def _told(step: ExerciseStep, check: Mapping[str, Any], result: Mapping[str, Any], lang: Lang) -> tuple[str, str]:
    """What a check's line says, and the part of it that is the reason, whatever the input."""
    known = next((each for each in step.checks if each.id == check["id"]), None)
    what = text(known.say, lang) if known is not None else problems.added_check(check["id"], lang)
    problem = check.get("problem")
    if problem is None:
        return what, ""
    ended = result.get("ended")
    return f"{what}: {problems.problem(problem, ended, lang)}", problems.reason(problem, ended, lang)


def _summary(step: ExerciseStep, result: Mapping[str, Any], passed: int, total: int, lang: Lang) -> str:
    if passed == total and result.get("public"):
        hidden = sum(not check.public for check in step.checks)
        return say(lang, N_("The public checks pass. Hand in for the other {n}."), n=hidden)
    if passed == total:
        return say(lang, N_("All {n} checks pass."), n=total)
    return say(
        lang,
        N_("{passed} of {total} checks pass. To see the same inputs again: seed {seed}."),
        passed=passed,
        total=total,
        seed=result.get("seed"),
    )


def _printed(result: Mapping[str, Any], lang: Lang) -> str:
    printed = sanitize(str(result.get("printed") or ""), limit=SHOWN_OUTPUT).strip()
    if not printed:
        return ""
    return paragraphs(say(lang, N_("Your code printed:")), "```\n" + printed.replace("```", "'''") + "\n```")
