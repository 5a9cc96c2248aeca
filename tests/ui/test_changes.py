"""What is left out of the output changes nothing on the screen."""

from __future__ import annotations

import pyte
from hypothesis import given
from hypothesis import strategies as st

from tutor.ui.changes import Changes

WIDTH, HEIGHT = 24, 6
RED, PLAIN = "\x1b[38;2;200;0;0m", "\x1b[0m"


def piece(row: int, column: int, text: str, style: str = "") -> str:
    return f"\x1b[{row};{column}H{style}{text}{PLAIN if style else ''}"


pieces = st.builds(
    piece,
    st.integers(1, HEIGHT),
    st.integers(1, 12),
    st.text(alphabet="ab─ừ漢 ", min_size=0, max_size=6),
    st.sampled_from(["", RED]),
)
frames = st.lists(
    st.one_of(
        st.lists(pieces, max_size=8).map("".join),
        st.lists(pieces, max_size=3).map(lambda parts: "\x1b[?2026h" + "".join(parts) + "\x1b[?2026l"),
        st.just("\x1b[2J"),
        st.just("\x1b[?25l"),
        st.integers(1, HEIGHT - 1).map(lambda row: piece(row, 1, "ab") + "\r\n"),
    ),
    max_size=12,
)


@given(frames)
def test_the_screen_is_the_same_after_every_frame(frames: list[str]) -> None:
    full, less = pyte.Screen(WIDTH, HEIGHT), pyte.Screen(WIDTH, HEIGHT)
    to_full, to_less = pyte.Stream(full), pyte.Stream(less)
    changes = Changes()
    for frame in frames:
        to_full.feed(frame)
        to_less.feed(changes.reduced(frame))
        assert full.buffer == less.buffer


def test_only_the_changed_line_is_sent() -> None:
    changes = Changes()
    lines = [piece(row, 1, f"line {row}", RED) for row in range(1, 5)]
    assert changes.reduced("".join(lines)) == "".join(lines)
    lines[2] = piece(3, 1, "line 3!", RED)
    assert changes.reduced("".join(lines) + "\x1b[3;8H") == lines[2] + "\x1b[3;8H"
    assert changes.reduced("".join(lines)) == ""


def test_what_was_written_over_is_sent_again() -> None:
    changes = Changes()
    menu, below = piece(2, 4, "menu", RED), piece(2, 1, "what is below it")
    changes.reduced(below)
    assert changes.reduced(menu) == menu
    assert changes.reduced(below) == below


def test_after_anything_else_everything_is_sent() -> None:
    changes = Changes()
    line = piece(1, 1, "line")
    for other in ("\x1b[?1049h", "\x1b[2J", "\x07", "plain", piece(3, 1, "\x1b[2J"), piece(3, 1, "a\tb")):
        changes.reduced(line)
        assert changes.reduced(line) == ""
        assert changes.reduced(other) == other
        assert changes.reduced(line) == line
    changes.forget()
    assert changes.reduced(line) == line


def test_frames_stay_synchronised() -> None:
    changes = Changes()
    assert changes.reduced("\x1b[?2026h") == "\x1b[?2026h"
    assert changes.reduced("\x1b[?2026l") == "\x1b[?2026l"
