"""Study days: the learner's local days, which begin in the small hours, so that a late evening is one day.

Everything that counts days counts these. py-fsrs counts whole 24-hour periods, which would hold back whoever studies a
little earlier each day.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

ROLLOVER = 4
"""The hour at which a day begins unless the learner sets another."""
FIRST = date(2024, 1, 1)
"""No clock that showed an earlier day was right: this program is younger."""


class Days(NamedTuple):
    """When days begin, and where. Without a zone it is where the learner was, as each event tells."""

    rollover: int = ROLLOVER
    zone: str = ""
    """An IANA name such as Asia/Ho_Chi_Minh, for a server whose clock is not the learner's."""

    def of(self, time: datetime, offset: int = 0) -> date | None:
        """The day of a moment with local time `offset` minutes ahead of UTC; None at the ends of the calendar."""
        try:
            local = time.astimezone(_zone(self.zone)) if self.zone else time.astimezone(UTC) + _minutes(offset)
            return (local - timedelta(hours=self.rollover)).date()
        except OverflowError:
            return None

    def today(self, now: datetime | None = None) -> date:
        """The day of `now`, a local time; by default of this moment."""
        now = now if now is not None else datetime.now().astimezone()
        local = now.astimezone(_zone(self.zone)) if self.zone else now
        return (local - timedelta(hours=self.rollover)).date()


def _minutes(offset: int) -> timedelta:
    return timedelta(minutes=offset)


def _zone(name: str) -> ZoneInfo:
    from zoneinfo import ZoneInfo  # here and not above: most learners name none, and `normtutor due` is to be quick

    return ZoneInfo(name)
