from __future__ import annotations

import errno
import os

import pytest

from tutor.memory import events
from tutor.memory.history import read
from tutor.memory.journal import Journal
from tutor.memory.transfer import collect, contents, exported, import_from


def written(directory, *steps: str) -> bytes:
    with Journal(directory) as journal:
        for step in steps:
            journal.append(events.DRAFT, step=step, field="answer", text="chuẩn hoá")
    return b"".join(path.read_bytes() for path in sorted(directory.glob("*.jsonl")))


def steps(directory) -> list[str]:
    history = read(directory)
    assert history.problems == ()
    return [event.data["step"] for event in history.events]


def joined(collected) -> bytes:
    return b"".join(line.data + b"\n" for line in collected.lines)


def test_an_export_is_a_journal_and_comes_back_as_it_was(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    written(one, "a")
    written(one, "b", "c")
    assert import_from([joined(exported(one))], two) == (3, 0, 0)
    assert read(two).events == read(one).events
    assert (two / next(iter(two.iterdir())).name).stat().st_mode & 0o777 == 0o600


def test_importing_merges_and_twice_adds_nothing(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    first = written(there, "a")
    import_from([first], here)
    written(here, "b")
    both = written(there, "c")
    assert import_from([both], here) == (1, 1, 0)
    assert import_from([both, first], here) == (0, 2, 0)
    assert import_from([both], there) == (0, 2, 0)
    assert steps(here) == ["a", "b", "c"]
    assert len(list(here.glob("*-import-*"))) == 2


def test_damaged_lines_are_counted_and_left_out_and_torn_ones_are_nothing(tmp_path):
    data = written(tmp_path / "there", "a", "b")
    lines = data.splitlines(keepends=True)
    bad = lines[0] + b"not a line\n" + lines[1].replace(b'"b"', b'"x"') + lines[1][:40]
    assert import_from([bad], tmp_path / "here") == (1, 0, 2)
    assert steps(tmp_path / "here") == ["a"]


def test_events_of_a_newer_program_travel_too(tmp_path):
    import zlib

    body = b'{"id":"new","v":99,"time":"2030-01-01T00:00:00Z","what":"only they know"}'
    line = b"%08x %b\n" % (zlib.crc32(body), body)
    assert import_from([line], tmp_path) == (1, 0, 0)
    assert joined(exported(tmp_path)) == line
    no_id = b"%08x %b\n" % (zlib.crc32(b"{}"), b"{}")
    assert collect([no_id]).damaged == 1


def test_a_directory_is_read_whole_and_a_file_alone(tmp_path):
    written(tmp_path / "a", "x")
    written(tmp_path / "a", "y")
    file = tmp_path / "export"
    file.write_bytes(written(tmp_path / "b", "z"))
    (tmp_path / "a" / "notes.txt").write_text("not ours")
    assert len(collect(contents([tmp_path / "a", file])).lines) == 3


def test_a_full_disk_adds_nothing_at_all(tmp_path, monkeypatch):
    data = written(tmp_path / "there", "a", "b")
    written(tmp_path / "here", "mine")

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            import_from([data], tmp_path / "here")
    assert steps(tmp_path / "here") == ["mine"]
    assert len(list((tmp_path / "here").iterdir())) == 1, "nothing is left lying about"
    assert import_from([data], tmp_path / "here").added == 2
