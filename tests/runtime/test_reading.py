from typing import Any

from tutor.runtime.outputs import Curves, Output, Stream, Value
from tutor.runtime.reading import MIME, TOO_LARGE, Reading, evaluated


def read(*messages: tuple[str, dict[str, Any]]) -> tuple[list[Output], Reading]:
    outputs: list[Output] = []
    reading = Reading(outputs.append, "cell", {})
    for kind, content in messages:
        reading.take(kind, content)
    return outputs, reading


def test_a_sequence_is_removed_across_messages_of_one_stream_only() -> None:
    outputs, _ = read(
        ("stream", {"name": "stdout", "text": "a\x1b]0;"}),
        ("stream", {"name": "stderr", "text": "err\n"}),
        ("stream", {"name": "stdout", "text": "title\x07b"}),
    )
    assert outputs == [Stream("stdout", "a"), Stream("stderr", "err\n"), Stream("stdout", "b")]


def test_what_was_dropped_is_counted_before_the_text_that_follows() -> None:
    outputs, _ = read(("stream", {"name": "stdout", "text": "begin\x1b_normtutor-dropped:77\x1b\\end"}))
    assert outputs == [Stream("stdout", "begin"), Stream("stdout", "end", dropped=77)]


def test_nonsense_is_passed_over() -> None:
    outputs, _ = read(
        ("stream", {"name": "stdin", "text": "x"}),
        ("stream", {"name": "stdout"}),
        ("stream", {"name": "stdout", "text": 3}),
        ("display_data", {"data": None}),
        ("display_data", {"data": {"image/png": "..."}}),
        ("display_data", {"data": {"text/plain": 3}}),
        ("comm_open", {}),
        ("", {}),
    )
    assert outputs == []


def test_what_was_too_large_is_counted() -> None:
    _, reading = read(("display_data" + TOO_LARGE, {}))
    assert reading.dropped == 1


def test_curves_are_cleaned_to_the_bottom() -> None:
    document = {
        "title": "t\x1b[2J",
        "curves": [{"label": "l\x07\n2", "x": [1, 2.5], "y": [None, "inf"], "k\x1b[2J": {"d": [["\x9b2Jv"]]}}],
        "log_y": True,
    }
    [curves], _ = read(
        ("display_data", {"data": {MIME: document, "text/plain": "plot\x1b[0m"}, "transient": {"display_id": "i\x07"}})
    )
    assert curves == Curves(
        {
            "title": "t",
            "curves": [{"label": "l 2", "x": [1, 2.5], "y": [None, "inf"], "k": {"d": [["v"]]}}],
            "log_y": True,
        },
        "plot",
        "i",
    )


def test_nesting_without_end_is_cut_off() -> None:
    deep: Any = "x\x07"
    for _ in range(100):
        deep = [deep]
    [curves], _ = read(("display_data", {"data": {MIME: {"deep": deep}}}))
    assert isinstance(curves, Curves) and "\\x07" not in repr(curves)


def test_clearing_at_once_and_with_the_next_output() -> None:
    at_once, _ = read(("clear_output", {"wait": False}))
    assert at_once == [Stream("stdout", "", clears=True)]
    later, _ = read(("clear_output", {"wait": True}))
    assert later == []
    later, _ = read(("clear_output", {"wait": True}), ("display_data", {"data": {"text/plain": "1"}}))
    assert later == [Stream("stdout", "", clears=True), Value("1")]


def test_values_are_sanitised() -> None:
    reply = {
        "user_expressions": {
            "a": {"status": "ok", "data": {"text/plain": "'x\x1b[2J'"}},
            "b": {"status": "error", "ename": "E\x07", "evalue": "why\x9b2J"},
        }
    }
    assert evaluated(reply) == ({"a": "'x'"}, {"b": "E: why"})
    assert evaluated({}) == ({}, {})
