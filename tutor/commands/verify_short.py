"""What `normtutor check` proves of a question that is answered in words.

An author's samples are graded by the rubric. Where one does not get the verdict that it must get, the finding says
point by point what was missed, and what was wrongly found and by which pattern: that is the phrase or the pattern to
change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tutor.course.model import LANGS, Concept, Misconception, Point, Sample, ShortStep
from tutor.grading import grade
from tutor.grading.text import rubric
from tutor.grading.text.patterns import PatternError, parse

Path = tuple[str | int, ...]
Issue = tuple[Path, int | None, str]


def short_issues(step: ShortStep, glossary: Mapping[str, Concept]) -> Iterator[Issue]:
    """The patterns can be read, and the samples and the model answer get the verdicts that they must get."""
    unsound = list(_unread(step))
    yield from unsound
    if unsound:
        return
    faults: list[tuple[int, _Fault]] = []
    for index, sample in enumerate(step.samples):
        fault = _fault(step, sample, glossary)
        if fault is not None:
            faults.append((index, fault))
            yield ("samples", index), None, str(fault)
    yield from _by_point(step, faults)
    for lang in LANGS:
        fault = _fault(step, Sample(text=step.model_answer.get(lang), verdict="right"), glossary)
        if fault is not None:
            yield ("model_answer", lang), None, f"the model answer ({lang}) is {fault}"


def _unread(step: ShortStep) -> Iterator[Issue]:
    rules: list[Point | Misconception] = [*step.points, *step.misconceptions]
    for number, rule in enumerate(rules):
        kind, index = ("points", number) if isinstance(rule, Point) else ("misconceptions", number - len(step.points))
        for place, pattern in enumerate(rule.any):
            try:
                parse(pattern)
            except PatternError as error:
                yield (kind, index, "any", place), None, str(error)


@dataclass(frozen=True)
class _Fault:
    """A sample that is not graded as it must be; `wrongly` and `others` are points with the pattern that found each."""

    verdict: str
    wanted: str
    missed: tuple[str, ...] = ()
    wrongly: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)
    """Found, and nothing is known against that."""
    misconception: tuple[str, str] | None = None

    def __str__(self) -> str:
        said = f"graded {self.verdict}, not {self.wanted}" if self.verdict != self.wanted else f"graded {self.verdict}"
        parts = []
        if self.misconception is not None:
            parts.append("it shows the misconception " + _by(dict([self.misconception])))
        elif self.wanted == "wrong":
            parts.append("no misconception was found")
        if self.missed:
            parts.append("missed " + ", ".join(f"`{id}`" for id in self.missed))
        if self.wrongly:
            parts.append("wrongly found " + _by(self.wrongly))
        if self.others:
            parts.append("found " + _by(self.others))
        return said + ": " + "; ".join(parts or ["no point was found"])


def _by(found: Mapping[str, str]) -> str:
    return ", ".join(f"`{id}` (by `{pattern}`)" for id, pattern in found.items())


def _fault(step: ShortStep, sample: Sample, glossary: Mapping[str, Concept]) -> _Fault | None:
    verdict = grade(step, sample.text, lang="en", glossary=glossary).verdict
    judged = rubric.judge(step, sample.text, glossary)
    points = {point.id: judged.by[point.id] for point in step.points if point.id in judged.found}
    asked = [point.id for point in step.points if not point.only_if_none]
    if sample.points is not None:
        missed = tuple(id for id in sample.points if id not in points)
        wrongly = {id: pattern for id, pattern in points.items() if id not in sample.points}
    elif sample.verdict == "right":
        missed, wrongly = tuple(id for id in asked if id not in points), {}
    elif sample.verdict in ("wrong", "unreadable"):
        missed, wrongly = (), points
    elif verdict == "right":  # one of them must be too much
        missed, wrongly = (), {id: pattern for id, pattern in points.items() if id in asked}
    else:
        missed, wrongly = (), {}
    if verdict == sample.verdict and (sample.points is None or not (missed or wrongly)):
        return None
    named = judged.misconception
    return _Fault(
        verdict,
        sample.verdict,
        missed,
        wrongly,
        {id: pattern for id, pattern in points.items() if id not in wrongly},
        (named.id, judged.by[named.id]) if named is not None else None,
    )


def _by_point(step: ShortStep, faults: list[tuple[int, _Fault]]) -> Iterator[Issue]:
    """Points that more than one sample finds fault with: there the rule or the glossary is to blame."""
    missed: dict[str, list[int]] = defaultdict(list)
    wrongly: dict[str, list[int]] = defaultdict(list)
    for index, fault in faults:
        for id in fault.missed:
            missed[id].append(index + 1)
        for id in fault.wrongly:
            wrongly[id].append(index + 1)
    for place, point in enumerate(step.points):
        parts = [
            f"{what} in samples {', '.join(map(str, found[point.id]))}"
            for what, found in (("missed", missed), ("wrongly found", wrongly))
            if len(found[point.id]) > 1
        ]
        if parts:
            yield ("points", place), None, f"point `{point.id}` is {' and '.join(parts)}"
