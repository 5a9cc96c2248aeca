"""The course that is shipped is sound. That its cells and exercises are is for `normtutor check` in `make test`."""

import json

import pytest


@pytest.fixture
def shipped(environment: dict[str, str]) -> None:
    """The environment without the small course of the other tests."""
    del environment["NORMTUTOR_COURSE"]


def test_the_course_has_no_findings(shipped: None, normtutor) -> None:
    assert json.loads(normtutor("check", "--fast", "--json").stdout) == {"findings": []}
