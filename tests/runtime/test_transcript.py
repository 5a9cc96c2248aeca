import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.runtime.transcript import Cut, Transcript


def lines(*parts: str, **limits: int) -> list[str]:
    transcript = Transcript(**limits)
    for part in parts:
        transcript.append(part)
    return transcript.lines()


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        ([], []),
        (["a"], ["a"]),
        (["a\n"], ["a"]),
        (["a\n\nb"], ["a", "", "b"]),
        (["a\r\nb\r\n"], ["a", "b"]),
        (["a\r", "\nb"], ["a", "b"]),
        (["10%", "\r50%", "\r100%\n", "done"], ["100%", "done"]),
        (["long text\rshort\n"], ["shorttext"]),
        (["long text\rab\rX"], ["Xbng text"]),
        (["abc\b\bX"], ["aXc"]),
        (["ab", "\b", "\b", "\b", "X"], ["Xb"]),
        (["abc\rde\b\bX\n"], ["Xec"]),
        (["12\b3\r", "4"], ["43"]),
        (["a\tb\n"], ["a       b"]),
        (["abc", "\td"], ["abc     d"]),
        (["abcdefgh\ti"], ["abcdefgh        i"]),
        (["old\r\tx"], ["        x"]),
        (["chuẩn hoá\r"], ["chuẩn hoá"]),
    ],
)
def test_lines_are_what_a_terminal_would_show(parts: list[str], shown: list[str]) -> None:
    assert lines(*parts) == shown


@given(st.text(st.sampled_from("ab\n\r\b\t "), max_size=60), st.lists(st.integers(0, 60), max_size=6))
@settings(max_examples=400, deadline=None)
def test_chunks_make_no_difference_and_a_plain_model_agrees(text: str, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), max(60, len(text))]
    assert lines(*(text[start:end] for start, end in pairwise(places))) == model(text)


def model(text: str) -> list[str]:
    """The same, one character at a time."""
    rows: list[list[str]] = [[]]
    column = 0
    for character in text:
        row = rows[-1]
        if character == "\n":
            rows.append([])
            column = 0
        elif character == "\r":
            column = 0
        elif character == "\b":
            column = max(column - 1, 0)
        else:
            for written in " " * (8 - column % 8) if character == "\t" else character:
                row[column : column + 1] = [written]
                column += 1
    shown = ["".join(row) for row in rows]
    return shown if shown[-1] else shown[:-1]


def test_the_beginning_and_the_end_are_kept_and_the_rest_is_counted() -> None:
    transcript = Transcript(max_lines=6)
    transcript.append("".join(f"{n}\n" for n in range(100)))
    assert transcript.lines() == ["0", "1", "2", "97", "98", "99"]
    assert transcript.cut == Cut(lines=94, characters=0, at=3)
    assert transcript.cut_lines == 94
    transcript.append("now")
    assert transcript.lines() == ["0", "1", "2", "97", "98", "99", "now"]


@given(st.integers(0, 40), st.integers(1, 9), st.integers(1, 50))
@settings(max_examples=200, deadline=None)
def test_no_line_is_lost_uncounted(count: int, most: int, chunk: int) -> None:
    text = "".join(f"{n}\n" for n in range(count))
    transcript = Transcript(max_lines=most)
    for start in range(0, len(text), chunk):
        transcript.append(text[start : start + chunk])
    kept, (missing, _, at) = transcript.lines(), transcript.cut
    assert len(kept) + missing == count
    assert kept[:at] == [str(n) for n in range(at)]
    if missing:
        assert kept[at:] == [str(n) for n in range(at + missing, count)]


def test_a_long_line_keeps_both_ends_and_says_how_much_is_missing() -> None:
    transcript = Transcript(max_columns=10)
    transcript.append("abcde" + "x" * 5_000_000)
    transcript.append("vwxyz\nnext")
    assert transcript.lines() == ["abcde … 5 000 000 … vwxyz", "next"]
    assert (transcript.cut.lines, transcript.cut.characters) == (0, 5_000_000)
    assert lines("a" * 10, max_columns=10) == ["a" * 10]
    assert lines("a" * 11, max_columns=10) == ["aaaaa … 1 … aaaaa"]


def test_a_long_line_can_be_overwritten() -> None:
    assert lines("x" * 100, "\rnew\n", max_columns=10) == ["new"]
    assert lines("x" * 100 + "\r\n", max_columns=10) == ["xxxxx … 90 … xxxxx"]


def test_what_never_came_is_counted_where_it_is_missing() -> None:
    transcript = Transcript()
    transcript.append("begin")
    transcript.append("end\n", dropped=1234567)
    assert transcript.lines() == ["begin … 1 234 567 … end"]
    assert transcript.cut.characters == 1234567


def test_bytes_are_bounded_for_every_script() -> None:
    for text in ("x" * 1000, "ệ" * 1000):
        transcript = Transcript(max_lines=10_000, max_bytes=100_000)
        for _ in range(1000):
            transcript.append(text + "\n")
        kept = transcript.lines()
        assert sum(len(line.encode()) for line in kept) <= 110_000
        assert kept[0] == kept[-1] == text
        assert len(kept) + transcript.cut.lines == 1000


FLOODS = {
    "lines": "x\n",
    "long lines": "x" * 100 + "\n",
    "one line": "x",
    "progress": "\r 50%|█████     | 50/100",
    "overprinting": "\ra",
    "backspaces": "a\b",
    "both": "\ra\b",
    "tabs": "\t",
    "nothing": "\r",
}


@pytest.mark.parametrize("unit", FLOODS.values(), ids=FLOODS)
def test_floods_are_quick_and_bounded(unit: str) -> None:
    text = (unit * (1 << 19))[: 1 << 19]
    transcript = Transcript()
    start = time.process_time()
    for _ in range(4):
        transcript.append(text)
    assert time.process_time() - start < 3
    assert sum(map(len, transcript.lines())) < 3_000_000


def test_small_chunks_are_quick() -> None:
    transcript = Transcript()
    start = time.process_time()
    for number in range(30_000):
        transcript.append(str(number))
        transcript.append("\n")
    assert time.process_time() - start < 1
    assert transcript.lines()[-1] == "29999"


@pytest.mark.parametrize(
    "text", ["e" + "\u0301\u0301\u0301\u0301\b" * 50, "e" + "\u0301" * 50], ids=["backspaces", "parts"]
)
def test_no_tower_of_marks_is_put_together_of_what_was_harmless(text: str) -> None:
    transcript = Transcript()
    for character in text:
        transcript.append(character)
    assert len(transcript.lines()[0]) == 5
    transcript.append("\n")
    assert len(transcript.lines()[0]) == 5
