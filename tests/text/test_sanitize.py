import os
import random
import time
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.text.sanitize import MAX_MARKS, StreamSanitizer, sanitize

CLIPBOARD = "ZWNobyBoaQ=="

# name, hostile text, what is left of it between two marks
HOSTILE = [
    ("title", "\x1b]0;PWNED\x07", ""),
    ("title ended by ST", "\x1b]2;PWNED\x1b\\", ""),
    ("title never ended", "\x1b]0;PWNED\nnext line", "\nnext line"),
    ("link", "\x1b]8;;http://evil.example/\x1b\\shown\x1b]8;;\x1b\\", "shown"),
    ("clipboard", f"\x1b]52;c;{CLIPBOARD}\x07", ""),
    ("clipboard, one after another", f"\x1b]52;c;{CLIPBOARD}\x07\x1b]52;c;?\x07", ""),
    ("clear", "\x1b[2J", ""),
    ("leave the alternate screen", "\x1b[?1049l", ""),
    ("mouse reports", "\x1b[?1003h", ""),
    ("kitty keys", "\x1b[>31u", ""),
    ("soft reset", "\x1b[!p", ""),
    ("cursor style, with a space in it", "\x1b[4 q", ""),
    ("colours", "\x1b[31;5mred\x1b[0m", "red"),
    ("a parameter without end", "\x1b[" + "9" * 4000 + "m", ""),
    ("cancelled half-way", "\x1b[3\x18\x1a", ""),
    ("cut off by a line end", "\x1b[31\nnext", "\nnext"),
    ("reset", "\x1bc", ""),
    ("fill with E", "\x1b#8", ""),
    ("line drawing", "\x1b(0lqk\x1b(B", "lqk"),
    ("two escapes", "\x1b\x1b[2J", ""),
    ("window name of screen", "\x1bkPWNED\x1b\\", ""),
    ("DCS", '\x1bP$q"p\x1b\\', ""),
    ("DCS through tmux", f"\x1bPtmux;\x1b\x1b]52;c;{CLIPBOARD}\x07\x1b\\", ""),
    ("DCS through screen", f"\x1bP\x1b]52;c;{CLIPBOARD}\x07\x1b\\", ""),
    ("APC", "\x1b_Ga=d\x1b\\", ""),
    ("PM", "\x1b^PWNED\x1b\\", ""),
    ("SOS", "\x1bXPWNED\x1b\\", ""),
    ("C1 CSI", "\x9b2J", ""),
    ("C1 OSC", f"\x9d52;c;{CLIPBOARD}\x9c", ""),
    ("C1 OSC ended by 7-bit ST", f"\x9d52;c;{CLIPBOARD}\x1b\\", ""),
    ("C1 DCS, APC, PM, SOS", "\x90q\x9c\x9fGa=d\x9c\x9ePWNED\x9c\x98PWNED\x9c", ""),
    ("C1 index", "\x84\x85\x8d", ""),
    ("controls", "\x00\x01\x05\x07\x0b\x0c\x0e\x0f\x1f\x7f", ""),
    ("backspaces", "rm\b\bls", "rmls"),
    ("a removed part joins no other", "\x1b[\x1b[m2J", "2J"),
    ("a string in a string", f"\x1b]0;\x1b]52;c;{CLIPBOARD}\x07\x07", ""),
    ("CSI inside OSC", "\x1b]0;a\x1b[2J\x07", ""),
    ("bidi", "\u202etxt.exe\u202c\u2067a\u2069\u061c\u200e\u200f", "txt.exea"),
    ("zero width", "pass\u200bword\u200c\u200d\u2060\ufeff\u00ad\u034f", "password"),
    ("blank letters", "\u115f\u1160\u3164\uffa0", ""),
    ("tags and variation selectors", "\U000e0001\U000e0041\ufe0f\U000e0100", ""),
    ("annotations", "\ufff9a\ufffab\ufffb", "ab"),
    ("placeholders", "\ue000\uf8ff\U000f0000\U0010fffd\ufdd0\uffff\U0001fffe", ""),
    ("separators", "a\u2028b\u2029c", "a\nb\nc"),
    ("bytes that were not UTF-8", "\udc9b2J\ud83d", "\ufffd2J\ufffd"),
    ("markup is text", "[@click=app.quit]x[/]", "[@click=app.quit]x[/]"),
]


@pytest.mark.parametrize(("text", "left"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_hostile_text_is_disarmed(text: str, left: str) -> None:
    assert sanitize(f"<{text}") == f"<{left}"
    stream = StreamSanitizer()
    assert sanitize("".join(map(stream.feed, f"<{text}"))) == f"<{left}"


@pytest.mark.parametrize(
    "text",
    [
        "Chuẩn hoá trước, cộng sau: y = x + Sub(LN(x))",
        unicodedata.normalize("NFD", "Chuẩn hoá trước khi vào tầng con"),
        "def f(x):\n\treturn x\n",
        "∂L/∂xₗ = ∂L/∂x_L (1 + Σ ∂F/∂xₗ)   x̂ = (x − μ)/σ",
        "⠀⡠⠔⠊ ┌─┐ ▰▱ 中文 한국 🙂",
        "",
    ],
)
def test_honest_text_stays_as_it_is(text: str) -> None:
    assert sanitize(text) == text
    assert StreamSanitizer().feed(text) == text


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\r\n\r\nb", "a\n\nb"),
        ("a\rb", "a\nb"),
        ("rm -rf /\rls      ", "rm -rf /\nls      "),
        ("a\r\r\nb\n\rc", "a\nb\nc"),
        ("\r\ra", "a"),
    ],
)
def test_every_line_end_is_a_newline_and_nothing_is_overprinted(text: str, lines: str) -> None:
    assert sanitize(text) == lines


def test_towers_of_marks_are_capped_and_real_ones_kept() -> None:
    assert sanitize("e" + "\u0301" * 500 + "a") == "e" + "\u0301" * MAX_MARKS + "a"
    assert sanitize("e\u0302\u0323" * 3) == "e\u0302\u0323" * 3
    assert sanitize("\U00011103" + "\U00011100" * 500) == "\U00011103" + "\U00011100" * MAX_MARKS
    assert sanitize("e" + "\u0301\u200b" * 500) == "e" + "\u0301" * MAX_MARKS
    stream = StreamSanitizer()
    assert (
        "".join(stream.feed(part) for part in ("e", "\u0301" * 3, "\u0301" * 3, "\u0301")) == "e" + "\u0301" * MAX_MARKS
    )


def test_every_mark_of_unicode_is_counted() -> None:
    marks = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code))[0] == "M"]
    left = sanitize("x".join(mark * (MAX_MARKS + 2) for mark in marks))
    assert {len(run) for run in left.split("x")} <= {0, MAX_MARKS}


def test_no_character_of_a_harmful_category_is_left() -> None:
    escaping = {0x1B, *range(0x90, 0xA0)}
    every = "".join(chr(code) for code in range(0x110000) if code not in escaping)
    left = set(sanitize(every)) - {"\n", "\t"}
    assert len(left) > 900_000
    assert not [hex(ord(c)) for c in left if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}]


def test_a_limit_says_that_it_cut() -> None:
    assert sanitize("abcdef", limit=6) == "abcdef"
    assert sanitize("abcdefg", limit=6) == "abcde…"
    assert sanitize("\x1b[31m" * 3 + "abc", limit=3) == "abc"
    assert sanitize("\x00" * 100_000 + "abc", limit=3) == "…"
    assert sanitize("abc", limit=0) == ""


def test_a_name_is_one_line() -> None:
    assert sanitize("NVIDIA\tH100\r\nPCIe\x1b[2J", newlines=False) == "NVIDIA H100 PCIe"


alphabet = st.one_of(
    st.sampled_from(
        list(
            "\x1b\x9b\x9d\x90\x9c\x07\r\n\b\t[]PX^_k\\0;2Jm#( ax\x18\x7f\x00\u0301\u0323\u200b\u202e\u2028\ue000\ud83d"
        )
    ),
    st.characters(exclude_categories=()),
)
texts = st.one_of(st.text(alphabet), st.lists(st.sampled_from([row[1] for row in HOSTILE])).map("".join))


def assert_harmless(text: str) -> None:
    for character in text:
        assert character in "\n\t" or unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    text.encode()


@given(texts, st.none() | st.integers(0, 20), st.booleans())
@settings(max_examples=300, deadline=None)
def test_sanitised_text_is_harmless_and_stays_the_same(text: str, limit: int | None, newlines: bool) -> None:
    once = sanitize(text, limit=limit, newlines=newlines)
    assert_harmless(once)
    assert sanitize(once, limit=limit, newlines=newlines) == once
    assert limit is None or len(once) <= limit


@given(texts, st.lists(st.integers(0, 200)))
@settings(max_examples=300, deadline=None)
def test_a_stream_is_the_same_however_it_is_split(text: str, cuts: list[int]) -> None:
    whole = StreamSanitizer().feed(text)
    stream = StreamSanitizer()
    places = [0, *sorted(cuts), len(text)]
    parts = [stream.feed(text[start:end]) for start, end in pairwise(places)]
    assert "".join(parts) == whole
    assert sanitize(whole) == sanitize(text)
    assert_harmless(whole.replace("\r", "").replace("\b", ""))


def test_every_split_of_every_hostile_text() -> None:
    for _, text, _ in HOSTILE:
        whole = StreamSanitizer().feed(text)
        for at in range(len(text) + 1):
            stream = StreamSanitizer()
            assert stream.feed(text[:at]) + stream.feed(text[at:]) == whole, (text, at)


def test_flush_begins_anew() -> None:
    stream = StreamSanitizer()
    assert stream.feed("a\x1b]0;never ended") == "a"
    assert stream.flush() == ""
    assert stream.feed("seen") == "seen"


def test_a_sequence_without_end_needs_no_memory() -> None:
    stream = StreamSanitizer()
    for chunk in ["\x1b]0;" + "x" * 100_000] + ["y" * 100_000] * 20:
        assert stream.feed(chunk) == ""
    assert sum(len(value) for value in vars(stream).values() if isinstance(value, str)) < 8
    assert stream.feed("\x07shown") == "shown"


WORST = {
    "escapes": "\x1b",
    "strings": "\x1b]",
    "parameters": "\x1b[1;",
    "colours": "\x1b[31m",
    "returns": "\r",
    "overprinting": "\rx",
    "marks": "\u0301",
    "towers": "e" + "\u0301" * 5,
    "astral marks": "\U00011103" + "\U00011100" * 5,
    "Chinese": "中",
    "zero width": "a\u200b",
    "surrogates": "a\ud83d",
    "text": "hello, world\n",
}


@pytest.mark.parametrize("unit", WORST.values(), ids=WORST)
def test_four_times_the_text_takes_about_four_times_as_long(unit: str) -> None:
    """Sixteen times is what a search from every position would take. The times are ratios: machines differ."""

    def seconds(length: int) -> float:
        text = (unit * length)[:length]
        start = time.process_time()
        sanitize(text)
        StreamSanitizer().feed(text)
        return time.process_time() - start

    short, long = (min(seconds(length) for _ in range(3)) for length in (50_000, 200_000))
    assert long < 9 * short + 0.01


def test_fuzz() -> None:
    """`NORMTUTOR_FUZZ=1000000 pytest -n0 --timeout=0 tests/text/test_sanitize.py -k fuzz`: a million in 2 min."""
    rounds = int(os.environ.get("NORMTUTOR_FUZZ", "10000"))
    pieces = (
        [row[1] for row in HOSTILE] + list("\x1b\x9b\x9d\x07\x9c\r\n\b[]P;0mJ\\ax é中") + ["\u0301", "\x1b[", "\x1b]"]
    )
    chance = random.Random(7)
    for _ in range(rounds):
        text = "".join(chance.choices(pieces, k=chance.randint(1, 12)))
        once = sanitize(text)
        assert once.replace("\n", "").replace("\t", "").isprintable(), repr(text)
        assert sanitize(once) == once, repr(text)
        whole = StreamSanitizer().feed(text)
        cuts = [0, *sorted(chance.choices(range(len(text) + 1), k=chance.choice((1, 1, 2, 5, 20)))), len(text)]
        stream = StreamSanitizer()
        assert "".join(stream.feed(text[start:end]) for start, end in pairwise(cuts)) == whole, (text, cuts)
        assert sanitize(whole) == once, repr(text)
