"""What is asked of a course as a whole: its claims are taught, its ids stay."""

from __future__ import annotations

import re

import pytest

from tutor.commands.static import static_findings
from tutor.course.lock import ids, publish
from tutor.course.scope import scope_of

CLAIMS = """\
- {id: measured, from: A1, verdict: holds, show: measure, claim: {vi: Đo được., en: It is measured.}}
- {id: derived, from: A2, verdict: refined, show: derive, claim: {vi: Suy ra được., en: It is derived.}, note: x}
- {id: cited, from: A3, verdict: open, show: cite, claim: {vi: Có nguồn., en: It is cited.}}
"""
LESSON = """\
id: whole
title: {vi: Cả khóa, en: A whole course}
minutes: 1
sources:
- {id: xiong2020, title: On Layer Normalization, authors: Xiong et al., year: 2020, where: arXiv 2002.04745}
steps:
- id: measure
  kind: cell
  claims: [measured]
  code: a = 1
- id: derive
  kind: choice
  claims: [derived, measured]
  prompt: {vi: Nào?, en: Which?}
  options:
  - {id: right, text: {vi: đúng, en: right}, right: true}
  - {id: wrong, text: {vi: sai, en: wrong}, why: {vi: Không., en: "No."}}
- id: cite
  kind: text
  claims: [cited, derived]
  body: {vi: "Xiong và cộng sự (2020), mục 3.", en: "Xiong et al. 2020, section 3."}
"""


@pytest.fixture
def whole(files):
    files.write(CLAIMS, "claims.yaml")
    files.write(LESSON, "whole.yaml")
    return files


def findings(files, name: str = "") -> list[tuple[str, int, str]]:
    path = files.root / name if name else files.root
    return [
        (finding.file.rpartition("/")[2], finding.line, finding.message) for finding in static_findings(scope_of(path))
    ]


def test_a_course_that_teaches_its_claims_as_it_says_is_sound(whole):
    assert findings(whole) == []


@pytest.mark.parametrize(
    ("step", "line", "message"),
    [
        ("measure", 1, "claim `measured`: it is to be measured, and no cell or prediction teaches it, only `derive`"),
        ("derive", 2, "claim `derived`: it is to be derived, and no question asks for that: it is taught by `cite`"),
        ("cite", 3, "claim `cited`: no step teaches it"),
    ],
)
def test_a_course_without_a_step_that_teaches_a_claim_fails(whole, step, line, message):
    without = re.sub(rf"- id: {step}\n(?:  .*\n)*", "", LESSON)
    whole.write(without, "whole.yaml")
    ((file, at, said),) = findings(whole)
    assert (file, at) == ("claims.yaml", line)
    assert said.startswith(message)
    assert findings(whole, "whole.yaml") == [], "a lesson by itself need not teach everything"


@pytest.mark.parametrize(
    ("old", "new"),
    [("Xiong và cộng sự (2020)", "Có người"), ("Xiong et al. 2020", "Somebody"), ("2020, sec", "2021, sec")],
)
def test_a_claim_to_cite_needs_its_source_in_both_languages(whole, old, new):
    whole.write(LESSON.replace(old, new), "whole.yaml")
    assert any("names a source of its lesson: `cite`" in message for _, _, message in findings(whole))


@pytest.mark.parametrize("cited", ["Ba et al. 2016", "Zhang and Sennrich (2019)", "Xiong et al., 2019"])
def test_what_is_cited_is_among_the_sources(whole, cited):
    whole.write(LESSON.replace('vi: "Xiong', f'vi: "{cited} và Xiong'), "whole.yaml")
    ((_, line, message),) = findings(whole)
    assert message == f"step `cite`: “{cited}” is not among the lesson's `sources`"
    assert line == LESSON.split("\n").index("- id: cite") + 4


def test_claims_of_a_lesson_that_cannot_be_loaded_are_not_missed(whole):
    whole.write(LESSON.replace("minutes: 1", "minutes: x"), "whole.yaml")
    assert [(file, line) for file, line, _ in findings(whole)] == [("whole.yaml", 3)]


def test_the_texts_of_the_claims_are_checked_too(whole):
    broken = CLAIMS.replace("note: x", 'note: {vi: "$\\\\sqrd{2}$", en: same}').replace(
        "en: It is cited.", "en: Có nguồn."
    )
    whole.write(broken.replace("It is measured.", "It is mesured."), "claims.yaml")
    found = [
        (1, "`mesured` is misspelt: measured?"),
        (2, "cannot be shown"),
        (3, "`claim` is the same in both languages"),
    ]
    for file in ("", "claims.yaml"):
        told = sorted(findings(whole, file))
        assert [(line, says) for (_, line, said), (_, says) in zip(told, found, strict=True) if says in said] == found


# The lock


def test_publishing_adds_what_is_new_and_keeps_the_rest(whole):
    course = scope_of(whole.root).course
    assert publish(course) == ["cite", "derive", "measure", "whole"]
    assert publish(course) == []
    lock = whole.root / "ids.lock"
    assert [line for line in lock.read_text().split("\n") if line[:1] not in ("", "#")] == [
        "cite text",
        "derive choice",
        "measure cell",
        "whole lesson",
    ]
    whole.write(LESSON + "- {id: another, kind: text, body: {vi: a, en: b}}\n", "whole.yaml")
    assert publish(scope_of(whole.root).course) == ["another"]
    assert findings(whole) == []
    assert ids(scope_of(whole.root).course)["another"] == "text"


def test_a_published_id_may_not_go_nor_become_another_kind(whole):
    publish(scope_of(whole.root).course)
    text = LESSON.replace("id: cite\n", "id: citing\n").replace(
        "- id: measure\n  kind: cell", "- id: measure\n  kind: predict"
    )
    text = text.replace(
        "  code: a = 1\n",
        "  cell: a = 1\n  prompt: {vi: Đoán., en: Guess.}\n  ask: {number: {value: a}}\n",
    )
    whole.write(text, "whole.yaml")
    assert [(file, line, message) for file, line, message in findings(whole) if file == "ids.lock"] == [
        ("ids.lock", 3, "the published id `cite` (text) is gone; did you mean `citing`?: ids never change"),
        ("ids.lock", 5, "`measure` was published as cell and is predict now: give the new one an id of its own"),
    ]


def test_what_is_no_entry_of_the_lock_is_a_finding(whole):
    whole.write("# a comment\n\nmeasure cell\nmeasure cell\nwhat is this\n", "ids.lock")
    assert findings(whole) == [
        ("ids.lock", 4, "`measure cell` is there twice"),
        ("ids.lock", 5, "`what is this` is no `id kind`"),
    ]
    whole.write(b"\xff", "ids.lock")
    assert [message[:23] for _, _, message in findings(whole)] == ["the file cannot be read"]
