"""Texts in both languages, and their spelling."""

from __future__ import annotations

import sys

import pytest

from tutor.course import spelling
from tutor.course.lint import lint
from tutor.course.load import load_course
from tutor.course.model import Text
from tutor.course.scope import scope_of
from tutor.course.spelling import Spelling
from tutor.course.texts import texts, with_texts

BREAK = """\
- id: find-it
  kind: break
  prompt: {vi: Tìm., en: Find it.}
  faulty: one_pass_variance
  input:
    x: {vi: một hàng, en: a row}
  broken_if: relative_error > 0.1
  starter: x = [1.0]
  solutions: ["x = [10000.0, 10001.0]"]
"""


def test_texts_are_found_and_changed_in_lists_and_mappings(files):
    files.write(files.sound("choice") + BREAK)
    (choice, search) = load_course(files.root).lessons[0].steps
    found = {path: text.en for path, text in texts(search)}
    assert found[("input", "x")] == "a row"
    assert {path for path, _ in texts(choice)} >= {("options", 0, "text"), ("options", 1, "why"), ("prompt",)}
    changed = with_texts(search, lambda text: Text(text.vi.upper(), text.en.upper()))
    assert changed.input["x"].en == "A ROW" and search.input["x"].en == "a row"
    assert with_texts(search, lambda text: text) is search


def test_a_text_given_in_both_languages_is_in_both(files):
    changed = files.changed("choice", "text: d,", "text: {vi: d, en: d},")
    ((line, message),) = files.lint(**changed)
    assert line == files.line(files.sound(**changed), "text: {vi: d")
    assert message == (
        "step `which-axis`: `options.text` is the same in both languages: "
        "translate it, or write it once without `vi` and `en`"
    )
    files.write(files.sound().replace("{vi: Ví dụ, en: Example}", "{vi: Example, en: Example}"))
    assert [(finding.line, finding.step) for finding in lint(load_course(files.root))] == [(2, None)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The seperate norm", [("seperate", "separate", 1)]),
        ("a\nRecieve `teh` $teh$ \\$teh\n\n```\nteh\n```", [("Recieve", "receive", 2), ("teh", "the", 2)]),
        ("see https://example.org/teh and teh_name", []),
        ("Normalise the colour of tokens, normalize the color", []),
    ],
)
def test_common_misspellings_are_found_outside_formulas_and_code(files, text, found):
    pytest.importorskip("codespell_lib")
    assert list(Spelling(files.root).misspelt(text)) == found


def test_a_course_has_exceptions_and_spelling_needs_its_list(files, monkeypatch):
    pytest.importorskip("codespell_lib")
    files.write("# names\nTeh\n", "words.txt")
    assert list(Spelling(files.root).misspelt("teh")) == []
    monkeypatch.setitem(sys.modules, "codespell_lib", None)
    spelling._misspellings.cache_clear()
    try:
        assert list(Spelling(files.root / "nowhere").misspelt("teh")) == []
    finally:
        spelling._misspellings.cache_clear()


# One file of a course


def test_a_file_is_checked_with_the_course_around_it(files):
    files.write(files.sound().replace("minutes: 20", "minutes: 20\nborrows: [{step: lent}]"))
    files.write("id: other\ntitle: x\nminutes: 1\nsteps: [{id: lent, kind: text, body: x}]\n", "other.yaml")
    files.write("id: bad\n", "bad.yaml")
    scope = scope_of(files.root / "sound.yaml")
    assert [lesson.id for lesson in scope.lessons] == ["sound"]
    assert [step.id for step in scope.lessons[0].steps][-1] == "lent"
    assert scope.findings == () and not scope.whole
    assert lint(scope.course, scope.lessons) == []
    assert [finding.line for finding in scope_of(files.root / "bad.yaml").findings] == [1, 1, 1]
    assert scope_of(files.root).whole


def test_what_may_be_in_a_lesson_that_cannot_be_loaded_is_not_missed(files):
    files.write(files.sound().replace("minutes: 20", "minutes: 20\nborrows: [{step: lent}]"))
    files.write("id: other\ntitle: x\nminutes: many\nsteps: [{id: lent, kind: text, body: x}]\n", "other.yaml")
    assert lint(load_course(files.root)) == []
