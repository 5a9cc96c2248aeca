"""The words for an exception that the learner's process has described."""

import json

import pytest

from tutor.runtime.failure import failure
from tutor.text import i18n


@pytest.mark.parametrize(
    "traceback",
    [[], ["not json"], ["[1, 2]"], ['{"name": 1}'], ['{"name": "E", "frames": 3}'], ["x\x1b[2J", "y"], [None]],
)
def test_what_is_not_in_our_form_is_shown_as_it_is(traceback: list[str]) -> None:
    failed = failure({"ename": "E\x1b[2J", "evalue": "why", "traceback": traceback}, {}, "cell")
    assert (failed.name, failed.message, failed.line) == ("E", "why", None)
    assert failed.traceback and "\x1b" not in failed.traceback


def test_frames_are_sanitised_and_translated() -> None:
    data = {
        "name": "E",
        "message": "m\x1b]0;x\x07",
        "frames": [
            {"cell": 1, "current": False, "line": 1, "function": "f\x1b[2J", "source": "x\x9b2J", "start": 0, "end": 1},
            {"omitted": 3},
            {"file": "lib\x07.py", "line": 2, "function": "", "source": "y"},
        ],
    }
    failed = failure({"traceback": [json.dumps(data)]}, {1: "defs"}, "cell")
    assert failed.traceback.splitlines() == [
        "defs, line 1, in f",
        "    x",
        "… 3 more calls …",
        "lib.py, line 2",
        "    y",
        "E: m",
    ]
    i18n.set_language("vi")
    assert failure({"traceback": [json.dumps(data)]}, {1: "defs"}, "cell").traceback.startswith("defs, dòng 1")
