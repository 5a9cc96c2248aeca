"""A journal of every version of the format is still read: `journals/version-N.jsonl` was written by its own program."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.memory.deck import FIRST, at, choice, course, number, replay
from tutor.memory import events
from tutor.memory.history import read
from tutor.memory.progress import fold
from tutor.memory.upgrade import upgraded

JOURNALS = Path(__file__).with_name("journals")


def journal(version: int, directory: Path) -> tuple[events.Event, ...]:
    shutil.copy(JOURNALS / f"version-{version}.jsonl", directory)
    history = read(directory)
    assert history.problems == ()
    return history.events


def test_there_is_one_of_every_version_and_each_is_of_its_own(tmp_path):
    for version in range(1, events.VERSION + 1):
        (tmp_path / str(version)).mkdir()
        assert {event.v for event in journal(version, tmp_path / str(version))} == {version}


@pytest.mark.parametrize("version", range(1, events.VERSION + 1))
def test_every_event_of_a_known_kind_is_understood(tmp_path, version):
    unknown = [event.kind for event in journal(version, tmp_path) if events.entry_of(event) is None]
    assert unknown == [events.LAB], "which nobody reads yet"


def test_what_follows_from_version_1(tmp_path):
    happened = journal(1, tmp_path)
    progress = fold(happened)
    assert progress.position == ("first", "read")
    assert {step: progress.verdict(step) for step in ("pick", "guess", "tell", "count")} == dict.fromkeys(
        ("pick", "guess", "tell", "count"), "right"
    )
    assert progress.settings == {"lang": "vi"}
    assert progress.drafts == {} and progress.predictions == {}
    assert not any(answer.review for step in progress.answered_steps for answer in progress.answers(step))
    cards = replay(list(happened), course((choice("pick"), number("count", version=2))), at(2))
    assert (cards["pick"].days, cards["pick"].shaky) == (2, True), "a hint was opened"
    assert cards["count"].last is None, "its answer was to the first version of the question"


def test_what_follows_from_version_2(tmp_path):
    happened = journal(2, tmp_path)
    progress = fold(happened)
    assert [(answer.verdict, answer.review, answer.easy) for answer in progress.answers("pick")] == [
        ("right", False, False),
        ("right", True, True),
    ]
    assert progress.answers("tell") == () and progress.verdict("tell") is None, "its lesson was reset"
    assert progress.asked["count"].seed == 7
    assert progress.flags["count"].note == "thiếu đơn vị"
    assert progress.drafts == {("guess", "review-answer"): "half"}
    assert progress.quiz is not None and (progress.quiz.state, progress.quiz_seconds) == ("paused", 41.5)
    cards = replay(list(happened), course((choice("pick"), number("count"))), at(2))
    assert (cards["pick"].days, cards["pick"].reviewed) == (2, FIRST.replace(day=2))


def test_two_versions_in_one_directory_are_one_history(tmp_path):
    journal(1, tmp_path)
    both = journal(2, tmp_path)
    assert {event.v for event in both} == {1, 2}
    assert len(fold(both).answers("pick")) == 4


def test_upgrading_changes_what_is_read_and_not_what_is_there(tmp_path):
    happened = journal(1, tmp_path)
    answered = next(event for event in happened if event.kind == events.ANSWERED)
    before = dict(answered.data)
    assert upgraded(answered.kind, 1, answered.data) == {**before, "version": 1, "review": False}
    assert answered.data == before
    assert upgraded("seen", 1, {"step": "x"}) == {"step": "x"}
    assert upgraded(answered.kind, events.VERSION, before) == before
