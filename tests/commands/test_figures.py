"""Figures measured by `run`, `grade` and `check --run`, in a kernel."""

import json
from pathlib import Path

import pytest

STEPS = """\
- id: measure
  kind: predict
  prompt: {vi: "Bao nhiêu?", en: "How much?"}
  cell: |
    ratio = base + 21.2
  ask:
    number: {value: ratio, within: 30%}
  why: {vi: "Đo được {{measure.ratio}}.", en: "We measured {{measure.ratio}}."}
  figures:
    ratio: {value: ratio, low: 54, high: 66}
- id: quote
  kind: choice
  prompt: {vi: "Chọn đi.", en: "Choose."}
  options:
  - {id: good, text: {vi: đúng, en: right}, right: true}
  - {id: bad, text: {vi: sai, en: wrong}, why: {vi: "Không.", en: "No."}}
  why: {vi: "Là {{measure.ratio}} lần.", en: "It is {{measure.ratio}} times."}
"""


@pytest.fixture
def figures(course: Path) -> Path:
    """The course with figures added to its lesson."""
    path = course / "tiny.yaml"
    path.write_text(path.read_text(encoding="utf-8") + STEPS, encoding="utf-8")
    return path


def test_a_verdict_quotes_the_range_where_nothing_was_measured(normtutor, figures: Path) -> None:
    assert "It is 54 to 66 times." in normtutor("grade", "quote", "--answer", "good").stdout
    assert "Là 54 đến 66 lần." in normtutor("grade", "quote", "--answer", "bad", "--lang", "vi").stdout


@pytest.mark.slow
def test_a_run_shows_what_was_measured_beside_what_the_course_says(normtutor, figures: Path) -> None:
    assert "  ratio: 61 (in the course: 54 to 66)" in normtutor("run", "tiny").stdout
    document = json.loads(normtutor("run", "tiny", "--step", "measure", "--json").stdout)
    (cell,) = document["cells"]
    assert cell["figures"] == {"ratio": 61.2} and list(cell["values"]) == ["value"]


@pytest.mark.slow
def test_a_prediction_is_explained_with_what_its_run_measured(normtutor, figures: Path) -> None:
    told = normtutor("grade", "measure", "--answer", "60").stdout
    assert "We measured 61*.\n\n* measured on this machine\n" in told


@pytest.mark.slow
def test_a_figure_that_the_cell_contradicts_is_a_finding(normtutor, figures: Path) -> None:
    text = figures.read_text(encoding="utf-8").replace(
        "high: 66}", "high: 60}\n    lost: {value: nowhere, low: 1, high: 2}"
    )
    figures.write_text(text, encoding="utf-8")
    findings = json.loads(normtutor("check", "--run", "--json", code=1).stdout)["findings"]
    line = text[: text.index("ratio: {value")].count("\n") + 1
    assert [(finding["line"], finding["step"]) for finding in findings] == [(line, "measure"), (line + 1, "measure")]
    assert "the figure `ratio`: measured 61.2 here: the texts say 54 to 60" in findings[0]["message"]
    assert "the figure `lost` cannot be measured: NameError" in findings[1]["message"]
