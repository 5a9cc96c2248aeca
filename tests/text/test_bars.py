from __future__ import annotations

import pytest

from tutor.text.bars import bars, shade, share, weeks


def test_bars_have_their_values_above_and_their_labels_below():
    rows = bars([4, 0, 1], ["Mo", "Tu", "We"], height=2)
    assert rows[0].split() == ["4", "1"]
    assert rows[-1].split() == ["Mo", "Tu", "We"]
    assert rows[1] == " ███           " and rows[2] == " ███       ▄▄▄ "
    assert len({len(row) for row in rows}) == 1


def test_what_is_small_is_still_seen_and_nothing_is_nothing():
    assert "▁" in bars([1000, 1], ["a", "b"], height=1)[1]
    assert bars([0, 0], ["a", "b"], height=1)[1].strip() == ""
    assert bars([], [], height=1)[1] == ""


@pytest.mark.parametrize(("value", "shown"), [(0, "·"), (1, "░"), (50, "▒"), (99, "▓"), (100, "█")])
def test_shades(value, shown):
    assert shade(value, 100) == shown


def test_a_calendar_has_a_row_a_weekday_and_a_column_a_week():
    rows = weeks([0, 9, 0, 0, 3, 0], ["Mo", "Tu", "Wed"])
    assert rows == ("Mo   · ·", "Tu   █ ▒", "Wed  · ·")
    assert weeks([0.0] * 2, ["a"]) == ("a  · ·",)


@pytest.mark.parametrize(
    ("known", "shaky", "total", "shown"),
    [
        (0, 0, 0, "▱▱▱▱"),
        (2, 0, 4, "▰▰▱▱"),
        (2, 2, 4, "▰▰▨▨"),
        (99, 1, 100, "▰▰▰▨"),
        (0, 1, 100, "▨▱▱▱"),
        (4, 0, 4, "▰▰▰▰"),
    ],
)
def test_a_share(known, shaky, total, shown):
    assert share(known, shaky, total, width=4) == shown
