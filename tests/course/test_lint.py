from __future__ import annotations

import pytest

from tutor.course.lint import lint
from tutor.course.load import load_course, load_lesson
from tutor.course.model import Course
from tutor.course.rules import BODY_LIMIT


def test_a_sound_lesson_has_no_findings(files):
    assert files.lint() == []


@pytest.mark.parametrize(
    ("kind", "old", "new", "message"),
    [
        ("text", "[pre-norm]", "[pre-nrom]", "claims.yaml has no `pre-nrom`; did you mean `pre-norm`?"),
        ("cell", "    print(a)", "    print(a", "`code` is not Python: '(' was never closed"),
        ("cell", "    print(a)", '    print("\\d")', "`code` is not Python: invalid escape sequence"),
        ("cell", "  code: |", "  finishes_within: 0\n  code: |", "`finishes_within` must be more than 0"),
        ("choice", ", why: {vi: Không., en: \"No.\"}", "", "option `batch` is wrong and has no `why`"),
        ("number", "  answer:", "  within: much\n  answer:", "`within` must be a percentage such as 1%"),
        ("number", "  answer:", "  within: -1%\n  answer:", "`within` must be a percentage such as 1%"),
        ("number", "a: [3, 5]", "a: []", "`a` in `vary` has no values"),
        ("number", "The RMS of [{a}, {b}]", "The RMS of [{a}, {b}, {c}]", "`prompt.en`: `{c}` is not in `vary`"),
        ("number", "The RMS of [{a}, {b}]", "The RMS of [{a}, 4]", "`prompt.en` does not show `{b}`"),
        ("predict", "v == 1", "v = 1", "`ask.choice.true_if` is not Python"),
        ("predict", "v == 1", "''", "`ask.choice.true_if` is empty"),
        ("predict", "    v = 1", "    v = = 1", "`cell` is not Python: invalid syntax"),
        ("short", "required: true", "required: false", "no point is `required: true`"),
        ("short", "BN & BATCH", "BN & BATHC", "the glossary has no `BATHC`; did you mean `BATCH`?"),
        ("short", "BN & BATCH", "bn & batch", "`bn & batch` is no pattern"),
        ("short", "BN & BATCH", "BN &", "`BN &` is no pattern"),
        ("short", "BN & BATCH", "BATCH: DEPEND", "`BATCH` is not in `topics`"),
        ("short", "[LN, BN]", "[LN, BN, RMS]", "the glossary has no `RMS`"),
        ("short", '["LN: DEPEND"]', "[]", "`swapped`: `any` is empty"),
        ("short", "batch, verdict: right", "batch, verdict: right, points: [ln-bacth]", "did you mean `ln-batch`?"),
        ("short", "swapped, any", "swapped, cap: 2, any", "`cap` must lie in 0 to 1"),
        ("short", "  points:", "  max_words: 0\n  points:", "`max_words` must be at least 1"),
        ("short", "    required: true", "    required: true\n    weight: 0.0", "the weight of point `ln-batch`"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_finding_at_its_line(files, kind, old, new, message):
    changed = files.changed(kind, old, new)
    findings = files.lint(**changed)
    assert len(findings) == 1, findings
    line, said = findings[0]
    assert message in said
    text, sound = files.sound(**changed).split("\n"), files.sound().split("\n")
    first = next(n for n, (now, before) in enumerate(zip(text, sound, strict=False), start=1) if now != before)
    # A missing or a repeated part is reported where the whole that lacks it begins.
    assert line == first or (first - line in (1, 2) and "point" in said)


@pytest.mark.parametrize("right", [0, 2])
def test_exactly_one_option_is_right(files, right):
    changed = {
        0: files.changed("choice", "right: true", "why: x"),
        2: files.changed("choice", "why: {vi", "right: true, why: {vi"),
    }
    findings = files.lint(**changed[right])
    assert [message for _, message in findings] == [
        f"step `which-axis`: exactly one option must be `right: true`, not {right}"
    ]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        ("{}", "`ask` must have exactly one of `choice`, `number` and `curve`"),
        (
            "{number: {value: v}, choice: [{id: a, text: a, true_if: v}, {id: b, text: b, true_if: v}]}",
            "exactly one of",
        ),
        ("{choice: [{id: a, text: a, true_if: v}]}", "`ask.choice` needs at least two options"),
        ("{number: {value: v +}}", "`ask.number.value` is not Python"),
        ("{number: {value: v, within: about}}", "`within` must be a percentage"),
        ("{number: {value: v}, curve: {value: v}}", "exactly one of"),
        ("{curve: {value: v +}}", "`ask.curve.value` is not Python"),
        ("{curve: {value: v, points: 2}}", "`points` must be from 3 to 12"),
        ("{curve: {value: v, x: [48, 0]}}", "`x` must be two numbers, the smaller one first"),
        ("{curve: {value: v, x: [0, 48], log_x: true}}", "`log_x` needs an `x` above 0"),
        ("{curve: {value: v, within: 1}}", "`within` is a factor, and must be above 1"),
    ],
)
def test_a_prediction_asks_for_one_thing(files, ask, message):
    step = f"- id: guess\n  kind: predict\n  prompt: x\n  cell: v = 1\n  ask: {ask}\n"
    findings = files.lint(predict=step)
    assert len(findings) == 1
    assert message in findings[0][1]


def test_a_predicted_number_and_a_predicted_curve_are_sound(files):
    for ask in (
        "{number: {value: v, within: 30%}}",
        "{curve: {value: v}}",
        "{curve: {value: v, x: [1, 9], log_x: true}}",
    ):
        step = f"- id: guess\n  kind: predict\n  prompt: x\n  cell: v = 1\n  ask: {ask}\n"
        assert files.lint(predict=step) == []


@pytest.mark.parametrize(
    ("samples", "fine"),
    [
        ("[]", False),
        ("[{text: a, verdict: right}]", False),
        ("[{text: a, verdict: wrong}, {text: b, verdict: unsure}]", False),
        ("[{text: a, verdict: right}, {text: b, verdict: unsure}]", True),
    ],
)
def test_samples_lie_on_both_sides(files, samples, fine):
    step = files.sound("short").split("steps:\n")[1].split("  samples:")[0] + f"  samples: {samples}\n"
    assert ("`samples` needs" in str(files.lint(short=step))) != fine


def test_points_must_be_there_and_reachable(files):
    head, rest = files.sound("short").split("steps:\n")[1].split("  points:\n")
    tail = "  misconceptions:" + rest.split("  misconceptions:")[1]
    assert ["`points` is empty" in message for _, message in files.lint(short=f"{head}  points: []\n{tail}")] == [True]
    point = "  points: [{id: a, required: true, only_if_none: true, any: [BN]}]\n"
    assert ["`only_if_none`" in message for _, message in files.lint(short=head + point + tail)] == [True]


def test_maths_has_braces_of_its_own(files):
    changed = files.changed("number", 'en: "The RMS of [{a}, {b}]?"', "en: 'What is $\\frac{{a}}{x_{i}}$ with {b}?'")
    assert files.lint(**changed) == []


def test_a_long_text_is_to_be_split(files):
    body = "x" * (BODY_LIMIT + 1)
    changed = files.changed("text", "      In Pre-Norm,", f"      {body} In Pre-Norm,")
    ((line, message),) = files.lint(**changed)
    assert "`body.en` has" in message
    assert line == files.line(files.sound(**changed), "    en: |")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (r'"a\e[2Jb"', "`body` holds the control character U+001B"),
        (r'"a\x9bb"', "`body` holds the control character U+009B"),
        ('"a\\u202eb"', "U+202E"),
        (r'"$\text{x}$"', "`body` holds a tab; in \"…\" YAML reads \\t, \\f, \\b"),
        (r'"$\frac{1}{2}$"', "U+000C; in \"…\" YAML reads"),
        (r'"$\nabla x$"', "a line break in the middle of a formula"),
        ("'Vi\u0065\u0302\u0323t'", "is not in Unicode form NFC"),
    ],
)  # fmt: skip
def test_texts_hold_nothing_that_harms_a_screen(files, text, message):
    step = f"- id: stream\n  kind: text\n  body: {text}\n"
    ((line, said),) = files.lint(text=step)
    assert line == 7
    assert message in said


def test_a_control_character_is_found_in_its_row(files):
    changed = files.changed("cell", "    print(a)", "    print(a)\n    b = '\u200b'")
    ((line, message),) = files.lint(**changed)
    assert "U+200B" in message
    assert line == files.line(files.sound(**changed), "    b =")
    files.write(files.sound().replace("en: Example", 'en: "Exa\\emple"'))
    (finding,) = lint(load_course(files.root))
    assert (finding.line, finding.step) == (2, None)
    assert "`title.en` holds the control character U+001B" in finding.message


def test_needs_name_other_lessons(files):
    text = files.sound().replace("minutes: 20", "minutes: 0\nneeds: [sound, soudn, broken, other]")
    files.write(text)
    files.write("id: broken\n", "broken.yaml")
    files.write("id: other\ntitle: x\nminutes: 1\nsteps: [{id: o, kind: text, body: x}]\n", "other.yaml")
    assert [(f.line, f.message) for f in lint(load_course(files.root))] == [
        (4, "`needs` names `sound`, which is no other lesson of the course"),
        (4, "`needs` names `soudn`, which is no other lesson of the course"),
        (3, "`minutes` must be at least 1"),
    ]
    alone = load_course(files.root / "sound.yaml")
    assert "`other`" not in str(lint(alone)), "a lesson on its own may need those beside it"


def test_a_glossary_that_cannot_be_read_is_not_held_against_every_pattern(files):
    files.write(files.sound())
    files.write("LN: [\n", "glossary.yaml")
    files.write("- {\n", "claims.yaml")
    course = load_course(files.root)
    assert len(course.findings) == 2
    assert lint(course) == []


def test_a_course_without_files_is_linted_too(files):
    lesson, _ = load_lesson(files.write(files.sound()))
    assert lesson is not None
    findings = lint(Course(lessons=(lesson,)))
    assert {(finding.file, finding.line) for finding in findings} == {("sound.yaml", 1)}
