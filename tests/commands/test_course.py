"""The course that is shipped: it is sound, and its cells run and decide what is predicted of them."""

import json

import pytest

from tutor.course.load import load_course


@pytest.fixture
def shipped(environment: dict[str, str]) -> None:
    """The environment without the small course of the other tests."""
    del environment["NORMTUTOR_COURSE"]


def test_the_course_has_no_findings(shipped: None, normtutor) -> None:
    assert json.loads(normtutor("check", "--json").stdout) == {"findings": []}


# How long the cells take is for `normtutor check --run` to judge, on a machine that does nothing else.
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("lesson", [lesson.id for lesson in load_course().lessons])
def test_every_cell_runs_and_every_prediction_is_decided(shipped: None, normtutor, lesson: str) -> None:
    cells = json.loads(normtutor("run", lesson, "--json", seconds=500).stdout)["cells"]
    for cell in cells:
        assert cell["ending"] == "ok", cell
        if cell["kind"] == "predict":
            assert isinstance(cell["outcome"], float) or len(cell["outcome"]) == 1, cell
