"""What `check` says of samples that are not graded as they must be: point by point, with the pattern to change."""

from __future__ import annotations

import msgspec
import pytest

from tutor.commands.verify_short import short_issues
from tutor.course.model import Concept, Misconception, Point, Sample, ShortStep, Text

GLOSSARY = {
    "CAT": Concept(en=("cat",), vi=("mèo",)),
    "MEOW": Concept(en=("meow",), vi=("kêu meo",)),
    "PURR": Concept(en=("purr",), vi=("kêu gừ gừ",)),
    "BARK": Concept(en=("bark",), vi=("sủa",)),
}
STEP = ShortStep(
    id="sounds",
    prompt=Text("Chúng kêu thế nào?", "Which sounds are there?"),
    topics=("CAT",),
    points=(
        Point(id="meows", any=("CAT: MEOW",), required=True),
        Point(id="purrs", any=("CAT: PURR",)),
    ),
    misconceptions=(Misconception(id="barks", any=("CAT: BARK",), say=Text("Chó sủa.", "Dogs bark.")),),
    model_answer=Text("Mèo kêu meo và kêu gừ gừ.", "The cat will meow and the cat will purr."),
)


def said(*samples: Sample) -> list[tuple[tuple[str | int, ...], str]]:
    step = msgspec.structs.replace(STEP, samples=samples)
    return [(path, message) for path, _row, message in short_issues(step, GLOSSARY)]


def test_samples_that_are_graded_as_they_must_be_are_no_issue() -> None:
    assert said(
        Sample(text="a cat can meow and purr", verdict="right"),
        Sample(text="a cat can meow and purr", verdict="right", points=("meows", "purrs")),
        Sample(text="a cat can bark", verdict="wrong", points=()),
        Sample(text="", verdict="unreadable"),
    ) == []  # fmt: skip


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        (
            Sample(text="the cat will go mrrp and purr", verdict="right"),
            "graded unsure, not right: missed `meows`; found `purrs` (by `CAT: PURR`)",
        ),
        (
            Sample(text="a cat can meow and purr", verdict="wrong"),
            "graded right, not wrong: no misconception was found; "
            "wrongly found `meows` (by `CAT: MEOW`), `purrs` (by `CAT: PURR`)",
        ),
        (
            Sample(text="a cat can bark", verdict="right"),
            "graded wrong, not right: it shows the misconception `barks` (by `CAT: BARK`); missed `meows`, `purrs`",
        ),
        (
            Sample(text="a cat can meow and purr", verdict="right", points=("purrs",)),
            "graded right: wrongly found `meows` (by `CAT: MEOW`); found `purrs` (by `CAT: PURR`)",
        ),
        (
            Sample(text="a cat can meow and purr", verdict="partly"),
            "graded right, not partly: wrongly found `meows` (by `CAT: MEOW`), `purrs` (by `CAT: PURR`)",
        ),
        (Sample(text="the cat is silent at night", verdict="partly"), "graded unsure, not partly: no point was found"),
    ],
)
def test_each_point_that_was_missed_or_wrongly_found_is_named(sample: Sample, message: str) -> None:
    assert said(sample) == [(("samples", 0), message)]


def test_a_point_that_several_samples_find_fault_with_is_named_at_its_own_place() -> None:
    issues = said(
        Sample(text="the cat will go mrrp and purr", verdict="right"),
        Sample(text="a cat can meow and purr", verdict="right"),
        Sample(text="the cat says it and can purr", verdict="right"),
        Sample(text="a cat can meow and purr", verdict="right", points=("meows",)),
        Sample(text="a cat can purr and meow", verdict="right", points=("meows",)),
    )
    by_place = dict(issues)
    assert by_place[("points", 0)] == "point `meows` is missed in samples 1, 3"
    assert by_place[("points", 1)] == "point `purrs` is wrongly found in samples 4, 5"


def test_the_model_answer_must_be_right_in_both_languages() -> None:
    step = msgspec.structs.replace(STEP, model_answer=Text("Mèo kêu meo và kêu gừ gừ.", "The cat can bark."))
    ((path, _row, message),) = short_issues(step, GLOSSARY)
    assert path == ("model_answer", "en")
    assert message.startswith("the model answer (en) is graded wrong, not right: it shows the misconception `barks`")


def test_a_pattern_that_cannot_be_read_is_the_only_issue() -> None:
    step = msgspec.structs.replace(
        STEP,
        points=(Point(id="meows", any=("CAT: & MEOW",), required=True),),
        samples=(Sample(text="x", verdict="right"),),
    )
    ((path, _row, message),) = short_issues(step, GLOSSARY)
    assert path == ("points", 0, "any", 0) and "CAT: & MEOW" in message
