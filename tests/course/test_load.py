from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tutor.course import load, model
from tutor.course.lint import lint
from tutor.course.load import course_root, load_course, load_lesson
from tutor.course.model import ChoiceStep, NumberStep, Text, TextStep


def test_a_sound_lesson_becomes_its_types(files):
    path = files.write(files.sound())
    lesson, findings = load_lesson(path)
    assert findings == []
    assert lesson is not None
    assert lesson.title == Text(vi="Ví dụ", en="Example")
    assert [type(step).__name__ for step in lesson.steps] == [
        "TextStep",
        "CellStep",
        "ChoiceStep",
        "NumberStep",
        "PredictStep",
        "ShortStep",
    ]
    text, _, choice, number, *_ = lesson.steps
    assert isinstance(text, TextStep)
    assert text.flow[0].title == Text("Pre-Norm", "Pre-Norm"), "a plain string is the same text in both languages"
    assert isinstance(choice, ChoiceStep)
    assert [option.right for option in choice.options] == [True, False]
    assert isinstance(number, NumberStep)
    assert number.vary == {"a": (3, 5), "b": (4, 12)}


@pytest.mark.parametrize(
    ("kind", "old", "new", "message"),
    [
        ("text", "  body:", "  boddy:", "step `stream`: unknown key `boddy`; did you mean `body`?"),
        ("text", "kind: text", "kind: txt", "step `stream`: unknown kind `txt`; did you mean `text`?"),
        ("choice", "right: true", "right: maybe", "`right` must be true or false, not the text `maybe`"),
        ("choice", "text: d", "text: no", "YAML takes `no` for true or false: quote it"),
        ("choice", "text: d", "text: 1:30", "YAML takes `1:30` for a number: quote it"),
        ("choice", "text: d", "txt: d", "unknown key `txt`; did you mean `text`?"),
        ("choice", "text: d", "text: ''", "`text` is empty"),
        ("choice", "text: d", "text: {vi: d}", "`text` has no English text (`en`)"),
        ("choice", "text: d", "text: {en: d}", "`text` has no Vietnamese text (`vi`)"),
        ("choice", "text: d", "text: {vi: d, en: d, fr: d}", "`text` has the unknown language `fr`"),
        ("choice", "text: d", "text: {vi: d, en: ' '}", "`text.en` is empty"),
        ("choice", "text: d", "text: [d]", "`text` must be a text, not a list"),
        ("choice", "id: batch", "id: feature", "the id `feature` is already in `options`, in line"),
        ("choice", "id: batch", "id: Batch", "the id `Batch` may hold only a-z, 0-9 and -"),
        ("number", "a: [3, 5]", "a: [3, 1e5]", "an entry of `a` must be a number, and YAML takes `1e5` for a text"),
        ("number", "a: [3, 5]", "a: [3, '5']", "YAML takes `5` for a text: write it without quotes"),
        ("number", "a: [3, 5]", "a: [3, 010]", "YAML does not read `010` as written"),
        ("number", "a: [3, 5]", "on: [3, 5]", "YAML takes the key `on` for true or false: quote it"),
        ("number", "answer: sqrt((a**2 + b**2) / 2)", "answer: yes", "`answer` must be a text or a number"),
        ("cell", "code: |", "finishes_within: .inf\n  code: |", "YAML does not read `.inf` as written"),
        ("short", "verdict: right", "verdict: rigth", "`verdict` cannot be `rigth`; did you mean `right`?"),
        ("short", "required: true", "required: true\n    hint:", "`hint` is empty: fill it in, or remove the key"),
        ("short", "  topics:", "  max_words: 60.5\n  topics:", "`max_words` must be a whole number, not `60.5`"),
        ("predict", "  ask:\n    choice:", "  ask:\n    choise:", "unknown key `choise`; did you mean `choice`?"),
    ],
)
def test_a_mistake_is_one_message_at_its_line(files, kind, old, new, message):
    text = files.sound(**files.changed(kind, old, new))
    lesson, findings = files.load(text)
    assert lesson is None
    assert len(findings) == 1, findings
    line, said = findings[0]
    assert message in said
    pairs = zip(text.split("\n"), files.sound().split("\n"), strict=False)
    assert line == next(number for number, (now, before) in enumerate(pairs, start=1) if now != before)


def test_all_mistakes_of_a_file_are_reported_with_their_steps(files):
    text = files.sound(
        **files.changed("text", "kind: text", "kind: txt"),
        **files.changed("choice", "prompt:", "promt:"),
        **files.changed("number", "answer:", "anwser:"),
    ).replace("minutes: 20", "minutes: twenty")
    path = files.write(text)
    _, findings = load_lesson(path)
    assert [finding.step for finding in findings] == [None, "stream", "which-axis", "rms"]
    assert [finding.line for finding in findings] == [
        files.line(text, part) for part in ("twenty", "txt", "promt", "anwser")
    ]
    assert all(str(finding).startswith(f"{path}:{finding.line}: ") for finding in findings)


def test_a_missing_key_is_named_and_not_twice_for_a_misspelt_one(files):
    _, findings = files.load(files.sound(**files.changed("text", "  kind: text\n", "")))
    kinds = ", ".join(step.__struct_config__.tag for step in get_args(model.AnyStep))
    assert findings == [(5, f"step `stream`: `kind` is missing: one of {kinds}")]
    _, findings = files.load(files.sound(**files.changed("choice", "  prompt: {vi: Trục nào?, en: Which axis?}\n", "")))
    assert [message for _, message in findings] == ["step `which-axis`: `prompt` is missing"]
    _, findings = files.load("id: x\ntitel: a\nminutes: 3\nsteps: []\n")
    assert [message for _, message in findings] == ["unknown key `titel`; did you mean `title`?"]


@pytest.mark.parametrize("content", ["- a\n", "word\n", "3\n", "id: x\ntitle: x\nminutes: 1\nsteps: {}\n"])
def test_another_shape_is_a_finding(files, content):
    lesson, findings = files.load(content)
    assert lesson is None
    assert findings


def test_a_lesson_needs_steps_and_ids_of_its_own(files):
    assert files.load("id: x\ntitle: x\nminutes: 1\nsteps: []\n") == (None, [(1, "`steps` is empty")])
    text = files.sound().replace("id: sound", "id: rms")
    _, findings = files.load(text)
    assert findings == [
        (files.line(text, "- id: rms"), "step `rms`: a step has the id of its lesson; every id is used once")
    ]
    text = files.sound().replace("id: rms", "id: stream")
    _, findings = files.load(text)
    assert findings == [
        (files.line(text, "kind: number") - 1, "step `stream`: the id `stream` is already in `steps`, in line 5")
    ]


def test_files_that_are_no_lessons(files, tmp_path, monkeypatch):
    assert files.load(b"id: \xff\n")[1] == [(1, "not UTF-8: save the file in that encoding")]
    assert files.load("\ufeff" + files.sound())[1] == []
    assert files.load(files.sound().replace("\n", "\r\n"))[1] == []
    monkeypatch.setattr(load, "MAX_BYTES", 100)
    assert files.load(files.sound())[1] == [(1, "larger than 0 kB")]
    for path in (tmp_path / "none.yaml", tmp_path, Path("nul\0.yaml")):
        lesson, findings = load_lesson(path)
        assert lesson is None
        assert len(findings) == 1
    loop = tmp_path / "loop.yaml"
    loop.symlink_to(loop)
    assert "cannot be read" in load_lesson(loop)[1][0].message
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    assert load_lesson(pipe)[1][0].message == "not a regular file"


def test_file_names_in_findings_are_short_and_harmless(files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = files.write("- a\n", "bad\x1b[2J.yaml")
    assert str(load_lesson(path)[1][0]).startswith("bad\\x1b[2J.yaml:1: ")


def test_a_course_keeps_its_good_lessons(files):
    files.write(files.sound())
    files.write("id: bad\ntitle: {vi: x}\n", "bad.yaml")
    files.write("", "empty.yaml")
    files.write("a: 1\n", "old.yml")
    files.write("not: a lesson\n", ".hidden.yaml")
    files.write("no yaml\n", "README.md")
    course = load_course(files.root)
    assert [lesson.id for lesson in course.lessons] == ["sound"]
    assert {Path(finding.file).name for finding in course.findings} == {"bad.yaml", "empty.yaml", "old.yml"}
    assert course.glossary["BATCH"].vi == ("lô",)
    assert course.claims["pre-norm"].source == Text("A4.1", "A4.1")
    assert Path(course.files["sound"]) == files.root / "sound.yaml"


def lesson(id: str, *needs: str, step: str = "") -> str:
    head = f"id: {id}\ntitle: {id}\nminutes: 5\nneeds: [{', '.join(needs)}]\n"
    return f"{head}steps:\n- {{id: {step or id + '-1'}, kind: text, body: x}}\n"


def test_lessons_come_after_what_they_need(files):
    for id, *needs in (["a", "d"], ["b"], ["c", "b"], ["d", "c"], ["e", "unknown"]):
        files.write(lesson(id, *needs), f"{id}.yaml")
    course = load_course(files.root)
    assert [lesson.id for lesson in course.lessons] == ["b", "c", "d", "a", "e"]
    assert course.findings == ()


def test_a_circle_of_needs_is_a_finding_and_hides_no_lesson(files):
    for id, *needs in (["a", "c"], ["b", "a"], ["c", "b"], ["d", "d"], ["e", "d"]):
        files.write(lesson(id, *needs), f"{id}.yaml")
    course = load_course(files.root)
    assert sorted(lesson.id for lesson in course.lessons) == ["a", "b", "c", "d", "e"]
    assert {(Path(f.file).name, f.line, f.message) for f in course.findings} == {
        ("a.yaml", 4, "these lessons need each other: a -> c -> b -> a"),
        ("d.yaml", 4, "these lessons need each other: d -> d"),
    }


def test_an_id_that_is_taken_names_both_places(files):
    files.write(lesson("a", step="same"), "a.yaml")
    files.write(lesson("b", step="same"), "b.yaml")
    files.write(lesson("a", step="other"), "c.yaml")
    files.write(lesson("d", step="b"), "d.yaml")
    course = load_course(files.root)
    assert [lesson.id for lesson in course.lessons] == ["a", "d"], "what was left out takes no ids"
    assert [(Path(f.file).name, f.line, f.step) for f in course.findings] == [
        ("b.yaml", 6, "same"),
        ("c.yaml", 1, None),
    ]
    assert f"{files.root}/a.yaml:6" in course.findings[0].message


def test_a_broken_glossary_or_list_of_claims_is_a_finding(files):
    files.write(files.sound())
    files.write("LN: {vi: [ln], fr: [x]}\nBN: {vi: [yes]}\n", "glossary.yaml")
    files.write("- {id: a, from: A1, verdict: maybe, show: cite, claim: x}\n", "claims.yaml")
    course = load_course(files.root)
    assert [lesson.id for lesson in course.lessons] == ["sound"]
    assert (course.glossary, course.claims) == ({}, {})
    assert [(Path(f.file).name, f.line) for f in course.findings] == [
        ("glossary.yaml", 1),
        ("glossary.yaml", 2),
        ("claims.yaml", 1),
    ]
    files.write("ln: {vi: [ln]}\nBN: {}\nF_PRE: {}\nGOOD: {en: [good], opposite: BAD}\n", "glossary.yaml")
    files.write("[]\n", "claims.yaml")
    assert [(f.line, f.message) for f in load_course(files.root).findings] == [
        (1, "the concept `ln` must be a name in capitals: A-Z, 0-9 and _"),
        (2, "the concept `BN` has no phrases"),
        (4, "the opposite of `GOOD`, `BAD`, is not in the glossary"),
    ]


def test_a_borrowed_step_stands_in_both_lessons_and_belongs_to_one(files):
    files.write(lesson("a"), "a.yaml")
    steps = "- {id: b-1, kind: text, body: x}\n- {id: b-2, kind: text, body: x}\n"
    head = "id: b\ntitle: b\nminutes: 5\nneeds: [a]\n"
    borrows = "borrows:\n- {step: a-1, after: b-1}\n- {step: nowhere}\n- {step: b-2}\n- {step: a-1, after: c}\n"
    files.write(f"{head}{borrows}steps:\n{steps}", "b.yaml")
    course = load_course(files.root)
    a, b = course.lessons
    assert [step.id for step in b.steps] == ["b-1", "a-1", "b-2"]
    assert b.steps[1] is a.steps[0]
    assert course.find("a-1") == (a, 0)
    assert [(finding.line, finding.message) for finding in lint(course)] == [
        (7, "`borrows` names `nowhere`, which is no step of another lesson"),
        (8, "`borrows` names `b-2`, which is no step of another lesson"),
        (9, "`after` names `c`, which is no step of this lesson"),
    ]


def test_one_file_is_a_course_with_the_glossary_beside_it(files):
    path = files.write(files.sound())
    files.write(lesson("other"), "other.yaml")
    course = load_course(path)
    assert [lesson.id for lesson in course.lessons] == ["sound"]
    assert "BATCH" in course.glossary


def test_where_the_course_is(files, monkeypatch, tmp_path):
    monkeypatch.delenv("NORMTUTOR_COURSE", raising=False)
    monkeypatch.setattr(load, "_PACKAGE", tmp_path / "tutor")
    assert course_root() == tmp_path / "lessons"
    (tmp_path / "tutor" / "_lessons").mkdir(parents=True)
    assert course_root() == tmp_path / "tutor" / "_lessons", "the lessons in the wheel come first"
    monkeypatch.setenv("NORMTUTOR_COURSE", str(files.root))
    files.write(files.sound())
    assert [lesson.id for lesson in load_course().lessons] == ["sound"]


def test_a_course_that_is_not_there_is_a_finding(tmp_path):
    course = load_course(tmp_path / "nowhere")
    assert course.lessons == ()
    assert len(course.findings) == 1


def test_loading_a_course_loads_neither_an_interface_nor_numerics():
    code = "import sys, tutor.course.lint, tutor.course.load as load; load.load_course(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"torch", "numpy", "textual", "rich", "fsrs"} & set(done.stdout.split())


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_damaged_lesson_is_findings_never_an_exception(files, data):
    text = files.sound()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 30))
        text = text[:at] + data.draw(st.text("{}[]:,-'\"|>#&*! \n\taé0\x00\x1b", max_size=4)) + text[at + length :]
    path = files.write(text)
    lesson, findings = load_lesson(path)
    assert (lesson is None) == bool(findings)
    assert all(1 <= finding.line <= text.count("\n") + 1 for finding in findings)
    lint(load_course(path))
