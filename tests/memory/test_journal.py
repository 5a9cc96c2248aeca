from __future__ import annotations

import errno
import os
import stat
import threading
import zlib
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from tutor.memory import events
from tutor.memory.journal import Journal, Trouble, read, state_directory

HANOI = timezone(timedelta(hours=7))


class Disk:
    """Stands in for the system calls that write, and fails as disks do."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room: int | None = None
        self.fails: dict[str, int] = {}
        self.calls: list[str] = []
        for name in ("open", "pwrite", "fsync"):
            monkeypatch.setattr(os, name, self._failing(name, getattr(os, name)))

    def _failing(self, name, real):
        def call(*args, **kwargs):
            self.calls.append(name)
            if name in self.fails:
                raise OSError(self.fails[name], os.strerror(self.fails[name]))
            if name != "pwrite":
                return real(*args, **kwargs)
            handle, data, offset = args
            if self.room == 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            # A disk takes what it likes at a time: here at most 50 bytes, and what there is room for.
            part = bytes(data)[: min(50, 50 if self.room is None else self.room)]
            written = real(handle, part, offset)
            if self.room is not None:
                self.room -= written
            return written

        return call


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def journal_files(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.jsonl"))


def ids(directory: Path) -> list[str]:
    history = read(directory)
    assert history.problems == ()
    return [event.id for event in history.events]


def test_what_is_appended_is_read_back(tmp_path):
    with Journal(tmp_path / "state") as journal:
        assert not (tmp_path / "state").exists(), "nothing is written before there is something to write"
        first = journal.append(events.OPENED, lesson="placement", step="stream")
        second = journal.record(events.Draft(step="rq5", field="answer", text="chuẩn hoá\n\u2028 dòng"))
        third = journal.append(events.ANSWERED, step="rq5", kind="short", answer=("a", 1), verdict={"verdict": "right"})
    history = read(tmp_path / "state")
    assert history.events == (first, second, third)
    assert third.data["kind"] == "short"
    assert third.data["answer"] == ["a", 1], "what append returns is what a later run reads"
    assert second.data["text"] == "chuẩn hoá\n\u2028 dòng"
    assert {event.session for event in history.events} == {journal.session}


def test_files_are_private_and_named_for_the_run(tmp_path):
    before = os.umask(0)
    try:
        journal = Journal(tmp_path / "a" / "state")
        journal.append(events.SEEN, step="x")
    finally:
        os.umask(before)
    (path,) = journal_files(tmp_path / "a" / "state")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    time, _host, pid, _random = path.stem.split("-")
    assert datetime.strptime(time, "%Y%m%dT%H%M%SZ")
    assert int(pid) == os.getpid()


def test_a_line_is_its_checksum_and_its_json(tmp_path):
    journal = Journal(tmp_path)
    journal.append(events.SEEN, step="x")
    (line,) = journal_files(tmp_path)[0].read_bytes().splitlines()
    checksum, _, body = line.partition(b" ")
    assert int(checksum, 16) == zlib.crc32(body)
    assert body.startswith(b'{"id":')


def test_an_event_is_synced_before_it_is_said_to_be_saved(tmp_path, disk):
    journal = Journal(tmp_path)
    journal.append(events.SEEN, step="x")
    assert disk.calls[0] == "open"
    assert disk.calls[-2:] == ["pwrite", "fsync"]
    assert disk.calls.count("pwrite") > 1, "the disk took it in parts"
    disk.calls.clear()
    journal.append(events.SEEN, step="y")
    assert disk.calls[-2:] == ["pwrite", "fsync"]


def test_a_full_disk_keeps_events_in_memory_and_writes_them_in_order(tmp_path, disk):
    journal = Journal(tmp_path)
    written = [journal.append(events.SEEN, step="0")]
    disk.room = 70
    for number in range(1, 4):
        written.append(journal.append(events.SEEN, step=str(number)))
        assert journal.trouble is Trouble.FULL
        assert journal.unsaved == number
    assert str(tmp_path) in journal.detail
    assert len(ids(tmp_path)) == 1, "the torn line is nothing to complain about"
    assert list(journal.read().events) == written, "what is in memory counts"
    disk.room = 1000
    written.append(journal.append(events.SEEN, step="4"))
    assert not journal.trouble
    assert journal.unsaved == 0
    assert ids(tmp_path) == [event.id for event in written]
    assert len(journal_files(tmp_path)) == 1


def test_a_torn_line_never_swallows_the_next(tmp_path, disk):
    journal = Journal(tmp_path)
    first = journal.append(events.SEEN, step="a" * 300)
    for room in (1, 10, 60, 200):
        disk.room = room
        journal.append(events.SEEN, step=f"b{room}")
    disk.room = None
    assert journal.retry()
    last = journal.append(events.SEEN, step="c")
    found = ids(tmp_path)
    assert (len(found), found[0], found[-1]) == (6, first.id, last.id)


@pytest.mark.parametrize(
    ("code", "trouble"),
    [
        (errno.ENOSPC, Trouble.FULL),
        (errno.EDQUOT, Trouble.FULL),
        (errno.EROFS, Trouble.FORBIDDEN),
        (errno.EACCES, Trouble.FORBIDDEN),
        (errno.EIO, Trouble.FAILED),
        (errno.ESTALE, Trouble.FAILED),
        (errno.ENOENT, Trouble.FAILED),
    ],
)
@pytest.mark.parametrize("call", ["open", "pwrite", "fsync"])
def test_storage_that_fails_is_told_and_recovers(tmp_path, disk, call, code, trouble):
    journal = Journal(tmp_path)
    written = [journal.append(events.SEEN, step="before").id]
    if call == "open":
        journal.close()
    disk.fails = {call: code}
    written += [journal.append(events.SEEN, step=str(number)).id for number in range(3)]
    assert (journal.trouble, journal.unsaved) == (trouble, 3)
    assert not journal.retry()
    disk.fails = {}
    assert journal.retry()
    assert (journal.trouble, journal.detail, journal.unsaved) == (Trouble.NONE, "", 0)
    written.append(journal.append(events.SEEN, step="after").id)
    assert ids(tmp_path) == written


def test_trouble_reads_as_text_and_none_is_false():
    assert not Trouble.NONE
    assert str(Trouble.FULL) == "full"


def test_a_deleted_file_is_begun_anew(tmp_path):
    journal = Journal(tmp_path)
    journal.append(events.SEEN, step="gone")
    journal_files(tmp_path)[0].unlink()
    kept = journal.append(events.SEEN, step="kept")
    assert not journal.trouble
    assert ids(tmp_path) == [kept.id]


def test_a_directory_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("in the way")
    journal = Journal(tmp_path / "file" / "state")
    journal.append(events.SEEN, step="x")
    assert journal.trouble is Trouble.FAILED
    (tmp_path / "file").unlink()
    assert journal.retry()
    assert len(ids(tmp_path / "file" / "state")) == 1


def test_closing_leaves_no_empty_file_and_allows_more(tmp_path, disk):
    journal = Journal(tmp_path)
    disk.room = 0
    journal.append(events.SEEN, step="x")
    assert [path.stat().st_size for path in journal_files(tmp_path)] == [0]
    journal.close()
    assert journal_files(tmp_path) == []
    disk.room = None
    journal.close()
    journal.append(events.SEEN, step="y")
    assert len(ids(tmp_path)) == 2


def test_time_never_goes_back_within_a_session(tmp_path):
    now = [datetime(2026, 8, 1, 12, tzinfo=HANOI)]
    journal = Journal(tmp_path, clock=lambda: now[0])
    first = journal.append(events.SEEN, step="a")
    assert (first.time, first.offset) == (datetime(2026, 8, 1, 5, tzinfo=UTC), 420)
    second = journal.append(events.SEEN, step="b")
    now[0] -= timedelta(hours=3)
    third = journal.append(events.SEEN, step="c")
    assert first.time < second.time < third.time < first.time + timedelta(seconds=1)
    assert read(tmp_path).events == (first, second, third)


def test_a_new_session_comes_after_all_that_it_has_read(tmp_path):
    def journal_at(hour: int, day: int = 1) -> Journal:
        return Journal(tmp_path, clock=lambda: datetime(2026, 8, day, hour, tzinfo=UTC))

    ahead = journal_at(12).append(events.OPENED, lesson="a", step="ahead")
    behind = journal_at(9)
    behind.read()
    event = behind.append(events.OPENED, lesson="a", step="behind")
    assert read(tmp_path).events == (ahead, event)
    nonsense = journal_at(9, day=20).append(events.SEEN, step="x")
    later = journal_at(15)
    later.read()
    assert later.append(events.SEEN, step="y").time < nonsense.time, "a clock that far ahead is not followed"


def test_threads_append_without_losing_or_mixing(tmp_path):
    journal = Journal(tmp_path)
    kept: list[str] = []

    def work(name: str) -> None:
        kept.extend([journal.append(events.DRAFT, step=name, field="code", text=name * 500).id for _ in range(25)])

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ids(tmp_path)) == sorted(kept)
    assert len(kept) == 100


def test_what_has_no_form_in_json(tmp_path):
    journal = Journal(tmp_path)
    with pytest.raises(TypeError):
        journal.append(events.SEEN, step=object())
    event = journal.append(events.DRAFT, step="x", field="answer", text="half \ud800 a pair")
    assert event.data["text"] == "half ? a pair"
    assert ids(tmp_path) == [event.id]


def test_where_the_journal_is(tmp_path, monkeypatch):
    monkeypatch.delenv("NORMTUTOR_HOME", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_directory() == tmp_path / "normtutor"
    monkeypatch.setenv("NORMTUTOR_HOME", str(tmp_path / "mine"))
    assert state_directory() == tmp_path / "mine"
    with Journal() as journal:
        event = journal.append(events.SEEN, step="x")
    assert ids(tmp_path / "mine") == [event.id]
    assert read().events == (event,)
