"""Where the claims of a step come from, and whether they held on this machine: for the app and for the command line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tutor.course.citations import named
from tutor.course.figures import Figures, declared
from tutor.course.ledger import teaching
from tutor.course.model import LIVE_STEPS, AnyStep, Claim, Course, Lang, PredictStep, Source
from tutor.course.quotes import worded, written
from tutor.memory.answer import FINAL
from tutor.memory.progress import Progress
from tutor.text.i18n import N_, translate

VERDICTS = {
    "holds": ("✓", N_("It holds as it is said.")),
    "refined": ("~", N_("Often met, and only a part of the truth.")),
    "reversed": ("✗", N_("Often met, and the opposite is true.")),
    "open": ("?", N_("Open: nobody has measured it here; it is the source's own figure.")),
}
"""What is known of a claim: a mark, and the words for it."""
_BETWEEN = "\n\n---\n\n"


class Measurement(msgspec.Struct, frozen=True):
    """What the learner has of one cell or prediction that teaches a claim.

    `predicted` says whether their last prediction came true, None where there is none; `outcome` are the options that
    came true in its run. `figures` holds what was measured on this machine.
    """

    step: AnyStep
    ran: bool
    predicted: bool | None
    outcome: tuple[str, ...]
    figures: dict[str, float]


def measurements(course: Course, progress: Progress, figures: Figures, claim: str) -> list[Measurement]:
    """What was measured here by each cell and prediction that teaches the claim, in order of study."""
    return [
        _measurement(step, progress, figures) for _, step in teaching(course, claim) if isinstance(step, LIVE_STEPS)
    ]


def _measurement(step: AnyStep, progress: Progress, figures: Figures) -> Measurement:
    ran = progress.runs.get(step.id)
    answers = [answer for answer in progress.answers(step.id) if answer.verdict in FINAL]
    predicted = answers[-1].verdict == "right" if answers else None
    outcome = _came_true(answers[-1].shown) if answers and isinstance(step, PredictStep) else ()
    return Measurement(
        step=step,
        ran=ran is not None and ran.ok,
        predicted=predicted,
        outcome=outcome,
        figures=dict(figures.measured.get(step.id, {})),
    )


def _came_true(verdict: dict[str, Any]) -> tuple[str, ...]:
    """The ids of the checks that passed: of a prediction, the options that came true."""
    checks = verdict.get("checks") or ()
    return tuple(str(check.get("id")) for check in checks if isinstance(check, dict) and check.get("passed"))


def account(course: Course, progress: Progress, figures: Figures, step: AnyStep, lang: Lang) -> str:
    """All that there is to say of the claims of a step, as Markdown; empty where it names none."""
    text = told(course, progress, figures, [course.claims[id] for id in step.claims if id in course.claims], lang)
    sources = _sources(course, step)
    if text and sources:
        listed = "\n".join(f"- {source.authors} ({source.year}). {source.title}. {source.where}." for source in sources)
        head = translate(N_("Sources named here"), lang)
        text += f"{_BETWEEN}**{head}**\n\n{listed}"
    return text


def told(course: Course, progress: Progress, figures: Figures, claims: Iterable[Claim], lang: Lang) -> str:
    """What there is to say of some claims, as Markdown."""
    return _BETWEEN.join(
        _of_claim(figures.fill(claim), measurements(course, progress, figures, claim.id), figures, lang)
        for claim in claims
    )


def _of_claim(claim: Claim, measured: Iterable[Measurement], figures: Figures, lang: Lang) -> str:
    mark, words = VERDICTS[claim.verdict]
    lines = [
        "\n".join(f"> {line}" for line in claim.claim.get(lang).strip().split("\n")),
        translate(N_("From: {source}"), lang).format(source=claim.source.get(lang)),
        f"**{mark} {translate(words, lang)}**" + (f" {claim.note.get(lang).strip()}" if claim.note is not None else ""),
    ]
    here = [line for measurement in measured for line in _told(measurement, figures, lang)]
    if here:
        lines.append(translate(N_("On your machine:"), lang) + "\n\n" + "\n".join(here))
    elif claim.show == "cite":
        lines.append(translate(N_("Nothing here measures it: it is cited."), lang))
    return "\n\n".join(lines)


def _told(measurement: Measurement, figures: Figures, lang: Lang) -> Iterator[str]:
    step = figures.fill(measurement.step)
    title = step.title.get(lang) if step.title is not None else step.id
    if measurement.predicted is not None:
        said = (
            N_("it came out as you predicted") if measurement.predicted else N_("it came out otherwise than predicted")
        )
        outcome = [option.text.get(lang) for option in _options(step) if option.id in measurement.outcome]
        what = translate(said, lang) + (f": {'; '.join(outcome)}" if outcome else "")
    elif isinstance(step, PredictStep):
        what = translate(N_("not predicted yet"), lang)
    else:
        what = translate(N_("it has run") if measurement.ran else N_("it has not run yet"), lang)
    yield f"- **{title}**: {what}"
    for name, value in measurement.figures.items():
        figure = declared(step)[name]
        line = translate(N_("`{name}`: {value} (in the course: {range})"), lang)
        yield "  - " + line.format(
            name=name,
            value=written(value, figure.digits, lang, "prose"),
            range=worded(figure, None, lang, "prose"),
        )


def _options(step: AnyStep) -> tuple[Any, ...]:
    return step.ask.choice if isinstance(step, PredictStep) else ()


def _sources(course: Course, step: AnyStep) -> list[Source]:
    """The sources of its lesson that the step names."""
    found = course.find(step.id)
    return [source for source in found[0].sources if named(source, step)] if found is not None else []
