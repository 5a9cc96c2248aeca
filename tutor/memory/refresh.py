"""The cards, their states and what is due: from the snapshot where it fits, else worked out anew."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tutor.memory import snapshot
from tutor.memory.days import ROLLOVER, Days
from tutor.memory.due import DAILY_LIMIT
from tutor.memory.places import settings_file, state_directory
from tutor.memory.snapshot import Snapshot

if TYPE_CHECKING:
    from tutor.memory.reviews import Reviews


def current(now: datetime | None = None, directory: Path | None = None) -> Snapshot:
    """What a snapshot made at this moment would hold; one is left behind for the next time. Never raises for files."""
    directory = directory if directory is not None else state_directory()
    settings = settings_file()
    found = snapshot.read(directory)
    if found is not None:
        kept, made_from = found
        today = Days(kept.rollover, kept.zone).today(now)
        if snapshot.fits(kept, made_from, directory, settings, today):
            return kept
    if not snapshot.any_journal(directory):
        today = Days().today(now)
        return Snapshot((), (), today, today, DAILY_LIMIT, ROLLOVER, "", "auto")
    return _anew(directory, settings, found, now)


def remember(reviews: Reviews, made_from: snapshot.Sources, directory: Path | None = None) -> bool:
    """Leaves a snapshot of these reviews behind, for `normtutor due`; whether that could be done."""
    return snapshot.write(directory if directory is not None else state_directory(), made_from, _of(reviews))


def sources(directory: Path | None = None) -> snapshot.Sources:
    """How the files are that reviews are made from; to be asked before they are read."""
    from tutor.course.load import course_root

    directory = directory if directory is not None else state_directory()
    return snapshot.sources(directory, course_root(), settings_file())


def _anew(
    directory: Path, settings: Path, found: tuple[Snapshot, snapshot.Sources] | None, now: datetime | None
) -> Snapshot:
    from tutor.memory.history import read
    from tutor.memory.progress import fold
    from tutor.memory.reviews import Reviews
    from tutor.memory.settings import load

    made_from = sources(directory)
    if found is not None and found[1].course == made_from.course:
        cards = found[0].cards
    else:
        from tutor.course.load import load_course
        from tutor.memory.cards import cards_of

        cards = cards_of(load_course())
    learned = fold(read(directory, only=snapshot.COUNTS).events)
    made = _of(Reviews(cards, learned, load(settings).settings, now))
    snapshot.write(directory, made_from, made)
    return made


def _of(reviews: Reviews) -> Snapshot:
    settings = reviews.settings
    days = settings.days
    answers = [answer for step in reviews.progress.answered_steps for answer in reviews.progress.answers(step)]
    newest = [day for answer in answers if (day := days.of(answer.time, answer.offset)) is not None]
    return Snapshot(
        cards=tuple(reviews.cards.values()),
        states=tuple(reviews.states.values()),
        today=reviews.today,
        newest=max([reviews.today, *newest]),
        limit=settings.daily_limit,
        rollover=days.rollover,
        zone=days.zone,
        language=settings.language,
    )
