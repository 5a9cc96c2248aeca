"""kill -9 at random moments: what was acknowledged is there, once, and whatever else is there is whole."""

from __future__ import annotations

import random
import select
import subprocess
import sys
import time
from pathlib import Path

from tutor.memory.journal import Journal, read
from tutor.memory.progress import fold

ROUNDS = 5
WRITER = Path(__file__).with_name("writer.py")


def killed_after(writer: subprocess.Popen[bytes], lines: int, seconds: float) -> list[str]:
    """Kills the writer some time after it has acknowledged so many events; the ids that it acknowledged."""
    assert writer.stdout is not None
    seen = [writer.stdout.readline() for _ in range(lines)]
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        if select.select([writer.stdout], [], [], left)[0]:
            seen.append(writer.stdout.readline())
    writer.kill()
    seen += writer.stdout.readlines()
    writer.wait()
    writer.stdout.close()
    return [line.decode().strip() for line in seen if line.endswith(b"\n")]


def test_no_acknowledged_event_is_lost(tmp_path):
    chance = random.Random(5)
    acknowledged: list[str] = []
    for _ in range(ROUNDS):
        writers = [subprocess.Popen([sys.executable, WRITER, tmp_path], stdout=subprocess.PIPE) for _ in range(2)]
        for writer in writers:
            acknowledged += killed_after(writer, chance.randint(1, 20), chance.uniform(0, 0.05))
        history = read(tmp_path)
        found = [event.id for event in history.events]
        assert history.problems == ()
        assert set(acknowledged) <= set(found)
        assert len(found) == len(set(found))
        assert len(found) <= len(acknowledged) + ROUNDS * 2, "at most the one under way is there without being told"
    assert len(acknowledged) > ROUNDS * 2
    with Journal(tmp_path) as journal:
        text = fold(journal.read().events).drafts["rq5", "answer"]
        last = journal.append("draft", step="rq5", field="answer", text="after the crash")
        assert text == history.events[-1].data["text"]
        assert journal.read().events[-1] == last
