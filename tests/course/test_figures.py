from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.course.figures import Figures, contradicts, expressions, fingerprint, measured
from tutor.course.load import load_course
from tutor.course.model import Figure, Text
from tutor.course.quotes import quotes, substituted, with_note, worded, written
from tutor.text.prose import plain


def figure(low: float = 53.7, high: float = 66.2, digits: int = 2) -> Figure:
    return Figure(value="x", low=low, high=high, digits=digits)


CELL = """\
- id: try-it
  kind: cell
  about: {vi: "Khoảng {{try-it.top}}.", en: "About {{try-it.top}}."}
  code: |
    top = 60
  figures:
    top: {value: top, low: 54, high: 66}
"""
QUOTING = """\
- id: stream
  kind: text
  claims: [pre-norm]
  body:
    vi: |
      Tăng {{try-it.top}} lần, $v = {{try-it.top}}$; rồi {{ try-it.top }}.
    en: |
      Grows {{try-it.top}} times, $v = {{try-it.top}}$; then {{ try-it.top }}.
"""


@pytest.mark.parametrize(
    ("value", "digits", "prose", "vietnamese", "maths"),
    [
        (66.2, 2, "66", "66", "66"),
        (0.1, 2, "0.10", "0,10", "0.10"),
        (-0.456, 1, "-0.5", "-0,5", "-0.5"),
        (0.0, 3, "0", "0", "0"),
        (9.96, 2, "10", "10", "10"),
        (123456, 2, "120,000", "120.000", "120000"),
        (1.26e-8, 2, "1.3e-8", "1,3e-8", r"1.3 \times 10^{-8}"),
        (2.5e9, 2, "2.5e9", "2,5e9", r"2.5 \times 10^{9}"),
    ],
)
def test_a_number_has_its_digits_and_the_point_of_its_place(value, digits, prose, vietnamese, maths):
    assert written(value, digits, "en", "prose") == prose
    assert written(value, digits, "vi", "prose") == vietnamese
    assert written(value, digits, "vi", "maths") == maths
    assert written(value, digits, "vi", "code") == written(value, digits, "en", "code") == prose.replace(",", "")


def test_a_range_becomes_one_number_where_its_ends_look_alike_and_a_measurement_says_that_it_is_one():
    assert worded(figure(), None, "en", "prose") == "54 to 66"
    assert worded(figure(0.12, 1.5), None, "vi", "prose") == "0,12 đến 1,5"
    assert worded(figure(0.121, 0.122), None, "vi", "prose") == "0,12"
    assert worded(figure(), None, "vi", "maths") == r"54\text{ đến }66"
    assert worded(figure(0, 1), 0.6, "en", "prose") == r"0.60\*"
    assert worded(figure(0, 1), 0.6, "vi", "prose") == r"0,60\*"
    assert worded(figure(), 60.4, "vi", "maths") == worded(figure(), 60.4, "vi", "code") == "60"


def test_the_place_of_a_reference_is_known():
    text = "{{a.x}} $y = {{a.x}}$ `{{a.x}}` \\$5 {{a.x}}\n\n$$\n{{a.x}}\n$$\n\n"
    text += "```python\nprice = '$'\n{{a.x}}\n```\n{{a.x}}"
    assert [(quote.place, quote.row) for quote in quotes(text)] == [
        ("prose", 1),
        ("maths", 1),
        ("code", 1),
        ("prose", 1),
        ("maths", 4),
        ("code", 9),
        ("prose", 11),
    ]
    assert substituted(text, lambda step, name, place: None) == text
    assert substituted("{{a.x}} {{b.y}}", lambda step, name, place: {"a": "1"}.get(step)) == "1 {{b.y}}"


@given(st.text("{}ab.-$`\\ \n", max_size=40))
def test_any_text_keeps_what_is_no_reference(text):
    assert substituted(text, lambda *_: None) == text
    assert all(1 <= quote.row <= text.count("\n") + 1 for quote in quotes(text))


def test_texts_are_filled_with_the_range_and_then_with_what_was_measured(files):
    files.write(files.sound(text=QUOTING, cell=CELL))
    course = load_course(files.root)
    (lesson,) = course.lessons
    text, cell = lesson.steps[:2]
    figures = Figures(course)
    assert figures.fill(text).body.en == "Grows 54 to 66 times, $v = 54\\text{ to }66$; then 54 to 66.\n"
    assert expressions(cell) == {"figure.top": "float((top))"}
    figures.measured[cell.id] = measured(cell, {"figure.top": "60.0", "other": "1"})
    assert figures.fill(text).body == Text(
        vi="Tăng 60\\* lần, $v = 60$; rồi 60\\*.\n",
        en="Grows 60\\* times, $v = 60$; then 60\\*.\n",
    )
    assert figures.fill(cell).about.vi == "Khoảng 60\\*."
    choice = lesson.steps[2]
    assert figures.fill(choice) is choice, "what quotes nothing is not made again"
    assert figures.quoted_by(text) and not figures.quoted_by(choice)


def test_a_star_is_explained_where_there_is_one():
    assert with_note("**60\\***, 2e-9\\*\n", "en") == "**60\\***, 2e-9\\*\n\n_\\* measured on this machine_"
    assert with_note("60\\*", "vi").endswith("\n\n_\\* đo trên máy này_")
    assert plain(with_note("Larger by **60\\*** times.", "en")) == "Larger by 60* times.\n\n* measured on this machine"
    for text in ("60", r"3\*4 and 3\*(4)", r"a\* b", "`60*`"):
        assert with_note(text, "en") == text


@pytest.mark.parametrize("told", ["nan", "inf", "", "one", "__import__('os')"])
def test_only_a_finite_number_is_a_measurement(files, told):
    files.write(files.sound(cell=CELL))
    cell = load_course(files.root).lessons[0].steps[1]
    assert measured(cell, {"figure.top": told}) == {}


def test_another_cell_or_expression_is_another_measurement(files):
    prints = set()
    for code in (CELL, CELL.replace("top = 60", "top = 61"), CELL.replace("value: top", "value: top + 1")):
        files.write(files.sound(cell=code))
        prints.add(fingerprint(load_course(files.root).lessons[0].steps[1]))
    assert len(prints) == 3
    files.write(files.sound(cell=CELL.replace("high: 66", "high: 70")))
    assert fingerprint(load_course(files.root).lessons[0].steps[1]) in prints


def test_a_figure_is_contradicted_by_what_would_be_shown_otherwise():
    assert not contradicts(figure(0.52, 0.52), 0.5153)
    assert contradicts(figure(0.52, 0.52), 0.53)
    assert contradicts(figure(), 70) and contradicts(figure(), 53.4) and not contradicts(figure(), 60)


@pytest.mark.parametrize(
    ("old", "new", "part", "message"),
    [
        ("en: |\n      Grows {{try-it.", "en: |\n      Grows {{try-if.", "{{try-if", "did you mean `try-it`"),
        ("times, $v = {{try-it.top", "times, $v = {{try-it.tip", ".tip", "no such figure; did you mean `top`?"),
        ("then {{ try-it.top }}", "then {{guess.top}}", "guess.top", "the cell `guess` declares no `figures`"),
        ("then {{ try-it.top }}", "then {{try-it}}", "{{try-it}}", "quotes no figure"),
        ("  body:", "  title: {vi: b, en: '{{try-it.top}}'}\n  body:", "'{{try", "before anything has been measured"),
        ("low: 54", "low: 67", "low: 67", "`low` of `top` is above `high`: 67 > 66"),
        ("value: top", "value: top =", "value: top", "`figures.top.value` is not Python"),
        ("high: 66", "high: 66, digits: 0", "digits: 0", "`digits` of `top` must be 1 to 15"),
        ("    top: {", "    a b: {value: top, low: 1, high: 2}\n    top: {", "a b:", "must be a word"),
    ],
)
def test_what_is_wrong_with_figures_and_quotations(files, old, new, part, message):
    steps = {"text": QUOTING.replace(old, new), "cell": CELL.replace(old, new)}
    assert steps != {"text": QUOTING, "cell": CELL}
    findings = files.lint(**steps)
    assert len(findings) == 1, findings
    line, said = findings[0]
    assert message in said
    assert line == files.line(files.sound(**steps), part)


def test_a_figure_that_nobody_quotes_is_fine(files):
    assert files.lint(cell=CELL.replace("  about:", "  title:").replace("{{try-it.top}}", "x")) == []
    assert files.lint(text=QUOTING, cell=CELL) == []
