"""The learner's history and settings: what can be read of them, and what is odd. Nothing is mended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tutor.commands.doctor.report import Finding, ok, warning
from tutor.text.i18n import _, ngettext

AHEAD = timedelta(days=1)


def history_findings(directory: Path) -> Iterator[Finding]:
    """Damaged lines, events of newer versions, clocks that were wrong, and whether the settings can be used."""
    from tutor.memory import events
    from tutor.memory.history import read

    history = read(directory)
    count = ngettext("{n} event", "{n} events", len(history.events)).format(n=len(history.events))
    sessions = len({event.session for event in history.events})
    found = f"{count}, " + ngettext("{n} session", "{n} sessions", sessions).format(n=sessions)
    if history.problems:
        bad = history.problems[0]
        more = sum(problem.count for problem in history.problems) - 1
        where = f"{bad.file}:{bad.line}: {bad.detail}"
        where += " " + ngettext("and {n} more", "and {n} more", more).format(n=more) if more else ""
        advice = _("The rest of your history is used; the damaged lines are kept as they are.")
        yield warning("history", f"{found}; {where}", advice)
    else:
        yield ok("history", found)
    newer = sum(event.v > events.VERSION for event in history.events)
    if newer:
        message = ngettext("{n} event of a newer normtutor", "{n} events of a newer normtutor", newer).format(n=newer)
        yield warning("history.newer", message, _("They are kept, and count where that version runs: update this one."))
    yield from _clock([event.time for event in history.events])
    yield from _reviews(directory)
    yield from _settings()


def _clock(times: list[datetime]) -> Iterator[Finding]:
    now = datetime.now(UTC)
    ahead = sum(time > now + AHEAD for time in times)
    if ahead:
        message = ngettext("{n} event lies in the future", "{n} events lie in the future", ahead).format(n=ahead)
        yield warning(
            "history.clock",
            message,
            _(
                "A clock was wrong, then or now: check `date`. "
                "Reviews leave those answers out until their day has come."
            ),
        )


def _reviews(directory: Path) -> Iterator[Finding]:
    """What `normtutor due` keeps; it is made anew whenever it does not fit."""
    from tutor.memory import snapshot
    from tutor.memory.days import Days
    from tutor.memory.places import settings_file

    kept = snapshot.read(directory)
    if kept is None:
        if snapshot.any_journal(directory):
            yield ok("history.snapshot", _("none that fits; `normtutor due` makes one"))
        return
    found, made_from = kept
    today = Days(found.rollover, found.zone).today()
    fits = snapshot.fits(found, made_from, directory, settings_file(), today)
    states = Counter("due" if state.is_due(today) else "later" for state in found.states)
    cards = ngettext("{n} card", "{n} cards", states.total()).format(n=states.total())
    yield ok("history.snapshot", cards if fits else _("{cards}, of before the last answers").format(cards=cards))


def _settings() -> Iterator[Finding]:
    from tutor.memory.places import settings_file
    from tutor.memory.settings import load

    found = load()
    for problem in found.problems:
        yield warning("settings", str(problem), _("The default is used. Correct the file, or set it in the app."))
    if not found.problems:
        path = str(settings_file())
        yield ok("settings", path if found.there else _("all as usual; {path} would hold others").format(path=path))
