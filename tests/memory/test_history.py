from __future__ import annotations

import gc
import os
import random
import time
import zlib

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tutor.memory import events, history
from tutor.memory.history import Problem, read
from tutor.memory.journal import Journal
from tutor.memory.lines import encode


@pytest.fixture
def two(tmp_path):
    """A journal of two events, and its file."""
    with Journal(tmp_path) as journal:
        written = [journal.append(events.SEEN, step="a"), journal.append(events.SEEN, step="b")]
    (path,) = tmp_path.glob("*.jsonl")
    return path, written


def test_no_directory_is_an_empty_history(tmp_path):
    assert read(tmp_path / "none") == history.History()


@pytest.mark.parametrize("cut", [1, 5, 9, 60])
def test_a_torn_last_line_is_left_out_silently(two, cut):
    path, (first, second) = two
    data = path.read_bytes()
    path.write_bytes(data[:-cut])
    found = read(path.parent)
    assert found.problems == ()
    assert found.events == ((first, second) if cut == 1 else (first,)), "without its newline a line is still whole"


def test_a_tail_of_zeros_is_a_torn_line(two):
    path, written = two
    with path.open("ab") as file:
        file.write(b"\0" * 4096)
    found = read(path.parent)
    assert (list(found.events), found.problems) == (written, ())


def test_a_bad_line_in_the_middle_is_reported_and_kept(two):
    path, (first, second) = two
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"00000000 {}\n" + lines[0][:30] + b"\n\n" + lines[1])
    before = path.read_bytes()
    found = read(path.parent)
    assert found.events == (first, second)
    (problem,) = found.problems
    assert (problem.file, problem.what, problem.line, problem.count) == (str(path), "damaged", 2, 2)
    assert str(problem).startswith(f"{path}:2: damaged")
    assert path.read_bytes() == before


def test_a_line_that_was_changed_is_reported_even_if_it_still_reads_well(two):
    path, (_, second) = two
    path.write_bytes(path.read_bytes().replace(b'"step":"a"', b'"step":"z"'))
    found = read(path.parent)
    assert found.events == (second,)
    assert [problem.line for problem in found.problems] == [1]


@pytest.mark.parametrize("body", [b"[]", b"{}", b"null", b'{"id": 1}', b"[" * 5000, b'{"a": "\xff"}'])
def test_what_is_whole_but_no_event_is_reported(two, body):
    path, written = two
    with path.open("ab") as file:
        file.write(b"%08x %b\n" % (zlib.crc32(body), body))
    found = read(path.parent)
    assert list(found.events) == written
    assert [problem.line for problem in found.problems] == [3]


def test_newer_versions_and_unknown_kinds_are_kept_without_complaint(two):
    path, written = two
    newer = b'{"v": 99, "uuid": "x", "when": "later"}'
    readable = encode(events.Event("n" * 32, 99, written[1].time, 0, "s", "seen", {"step": "later"}))
    unknown = encode(events.Event("u" * 32, 1, written[1].time, 0, "s", "dreamt", {"of": "norms"}))
    with path.open("ab") as file:
        file.write(b"%08x %b\n" % (zlib.crc32(newer), newer) + readable + unknown)
    found = read(path.parent)
    assert found.problems == ()
    assert {event.id for event in found.events} == {"n" * 32, "u" * 32, *(event.id for event in written)}
    assert all(
        events.entry_of(event) is None for event in found.events if event.id[0] in "nu" and len(set(event.id)) == 1
    )


def test_sessions_are_merged_by_time_and_each_event_counts_once(two, tmp_path):
    path, written = two
    with Journal(tmp_path) as other:
        third = other.append(events.SEEN, step="c")
    (tmp_path / "a-copy.jsonl").write_bytes(path.read_bytes())
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[1] + lines[0])
    assert read(tmp_path).events == (*written, third)


def test_strange_files_are_problems_and_the_rest_is_read(two, tmp_path, monkeypatch):
    path, written = two
    (tmp_path / "notes.txt").write_text("not ours")
    (tmp_path / "binary.jsonl").write_bytes(random.Random(1).randbytes(5000) + b"\n")
    (tmp_path / "directory.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "loop.jsonl").symlink_to(tmp_path / "loop.jsonl")
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "empty.jsonl").touch()
    huge = tmp_path / "huge.jsonl"
    huge.touch()
    os.truncate(huge, 2 * history.MAX_FILE)
    found = read(tmp_path)
    assert list(found.events) == written
    assert {problem.file.rsplit("/", 1)[1]: problem.what for problem in found.problems} == {
        "binary.jsonl": "damaged",
        "directory.jsonl": "unreadable",
        "pipe.jsonl": "unreadable",
        "loop.jsonl": "unreadable",
        "gone.jsonl": "unreadable",
        "huge.jsonl": "unreadable",
    }
    assert read(path).problems == (Problem(str(path), "unreadable", detail="Not a directory"),)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_damage_loses_nothing_but_the_lines_it_hits(two, data):
    path, written = two
    lines = [encode(event) for event in written]
    noise = data.draw(st.binary(max_size=80)).replace(b"\n", b"")
    place = data.draw(st.integers(0, 2))
    whole = [*lines[:place], noise + b"\n", *lines[place:]]
    path.write_bytes(b"".join(whole))
    found = read(path.parent)
    assert list(found.events) == written
    assert bool(found.problems) == bool(noise)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.binary(max_size=400))
def test_any_bytes_are_read_without_an_error(two, data):
    path, _ = two
    path.write_bytes(data)
    assert read(path.parent).events == ()


def test_reading_while_another_session_writes_sees_whole_events_only(tmp_path):
    with Journal(tmp_path) as writer, Journal(tmp_path) as reader:
        for number in range(40):
            event = writer.append(events.DRAFT, step="s", field="code", text="x" * 100 * number)
            found = reader.read()
            assert found.problems == ()
            assert found.events[-1] == event


def test_fifty_thousand_events_are_read_in_a_moment(tmp_path):
    event = Journal(tmp_path).make(events.DRAFT, step="rq5", field="answer", text="chuẩn hoá " * 20)
    many = (msgspec.structs.replace(event, id=f"{number:032x}") for number in range(50_000))
    (tmp_path / "many.jsonl").write_bytes(b"".join(encode(one) for one in many))
    started = time.process_time()
    assert len(read(tmp_path).events) == 50_000
    # 0.3 s on an idle core of 2024; the limit leaves room for a busy one, not for a slower way.
    assert time.process_time() - started < 1.5
    assert gc.isenabled()
