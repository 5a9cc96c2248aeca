import math
import re
import subprocess
import sys
import time
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernels.curve import Curve
from kernels.plot import draw
from kernels.ticks import cells, linear_axis, log_axis, short, tight_log_axis

ANSI = re.compile(r"\x1b\[[0-9;]*m")
PALETTE = ((230, 159, 0), (86, 180, 233), (0, 158, 115))
LAYERS = tuple(range(49))
NAN, INF = math.nan, math.inf


def curve(label: str, y: list[float] | tuple[float, ...], **labels: str) -> Curve:
    return Curve(label, tuple(range(len(y))), tuple(y), **labels)


PRE = curve("pre", [1 + layer for layer in LAYERS], x_label="layer", y_label="variance")
POST = curve("post", [1.0] * 49, x_label="layer", y_label="variance")


def grid(text: str) -> list[str]:
    return ANSI.sub("", text).split("\n")


def canvas(rows: list[str]) -> list[str]:
    """What stands between the y axis and the names beside it."""
    return [match[1] for row in rows if (match := re.match(r" *[^ │┤|+]*[│┤|+](?![─-])(.*)", row))]


@pytest.mark.parametrize("marker", ["braille", "hd", "dot"])
@pytest.mark.parametrize("size", [(70, 12), (120, 40), (24, 6), (200, 7)])
def test_the_size_is_exact(size: tuple[int, int], marker: str) -> None:
    for palette in ((), PALETTE):
        rows = grid(draw([PRE, POST], *size, log_y=True, marker=marker, palette=palette))
        assert len(rows) == size[1]
        assert max(map(cells, rows)) <= size[0]


def test_curves_are_named_with_their_last_value_beside_their_ends() -> None:
    rows = grid(draw([PRE, POST], 70, 12, log_y=True))
    (pre,) = [i for i, row in enumerate(rows) if "pre 49.0" in row]
    (post,) = [i for i, row in enumerate(rows) if "post 1.00" in row]
    assert pre < 4
    assert post == rows.index(next(row for row in rows if row.startswith("1e0")))


def test_six_curves_that_end_at_one_point_are_all_named_on_rows_of_their_own() -> None:
    rows = grid(draw([curve(name, [1.0] * 49, x_label="layer") for name in "abcdef"], 70, 12))
    named = [[i for i, row in enumerate(rows) if row.endswith(f"{name} 1.00")] for name in "abcdef"]
    assert all(len(where) == 1 for where in named)
    assert len({where[0] for where in named}) == 6
    drawn = "".join(re.sub(r" . [a-f] 1\.00$", "", row) for row in canvas(rows))
    assert all(symbol in drawn for symbol in "ox+*#%")  # each shows although all lie on one line


def test_long_names_go_into_a_legend_above() -> None:
    names = [f"a rather long name of a curve, number {i}" for i in range(3)]
    rows = grid(draw([curve(name, [1, 2 + i]) for i, name in enumerate(names)], 70, 16))
    for i, name in enumerate(names):
        assert sum(f"{name} {2 + i}.00" in row for row in rows) == 1
    first_axis = next(i for i, row in enumerate(rows) if "┤" in row or "│" in row)
    assert all(any(name in row for row in rows[:first_axis]) for name in names)


def test_without_a_palette_there_is_no_colour_and_with_one_each_curve_has_its_own() -> None:
    assert "\x1b" not in draw([PRE, POST], 70, 12, ink=(9, 9, 9))
    coloured = draw([PRE, POST], 70, 12, palette=PALETTE, ink=(9, 9, 9))
    assert re.search(r"\x1b\[38;2;230;159;0mo pre 49.0\x1b\[0m", coloured)
    assert re.search(r"\x1b\[38;2;86;180;233mx post 1.00\x1b\[0m", coloured)
    assert "\x1b[38;2;9;9;9m" in coloured
    assert "\x1b[4" not in coloured  # no background: the one behind shows


def test_ascii_is_ascii() -> None:
    odd = curve("a name that is cut because it is too long for any plot of this width, whatever it is", [1, NAN])
    assert draw([PRE, POST, odd], 60, 14, log_y=True, marker="dot", title="T").isascii()


def test_an_unknown_marker_is_refused() -> None:
    with pytest.raises(ValueError, match="'braille', 'hd', 'dot'"):
        draw([PRE], 70, 12, marker="sixel")


@pytest.mark.parametrize(
    ("y", "said"),
    [
        ([1, NAN, 2, INF, -INF, 3], "not drawn: c 1 NaN, 1 inf, 1 -inf"),
        ([1, 0, -2, 10], "not drawn: c 1 zero, 1 negative"),
        ([NAN] * 5, "not drawn: c 5 NaN"),
        ([0.0] * 5, "not drawn: c 5 zero"),
    ],
)
def test_what_cannot_be_drawn_is_said(y: list[float], said: str) -> None:
    rows = grid(draw([curve("c", y)], 60, 12, log_y=True))
    assert rows[-1].strip() == said
    assert grid(draw([curve("c", y)], 60, 12, log_y=True, not_drawn="không vẽ"))[-1].startswith("không vẽ: c")


def test_a_gap_is_left_where_a_value_is_missing() -> None:
    whole = canvas(grid(draw([curve("c", [1.0] * 41)], 60, 8)))
    holed = canvas(grid(draw([curve("c", [1.0] * 10 + [NAN] * 21 + [1.0] * 10)], 60, 9)))
    ink = [sum(not c.isspace() for row in rows for c in row.removesuffix("c 1.00")) for rows in (whole, holed)]
    assert ink[1] < 0.65 * ink[0]


@pytest.mark.parametrize("y", [[5.0], [1e300, 1e308], [1e-320, 1e-300], [3, 3, 3], [], [-1, -2], [0.1, 0.1 + 1e-15]])
@pytest.mark.parametrize("log", [False, True])
def test_awkward_data_survives(y: list[float], log: bool) -> None:
    rows = grid(draw([curve("c", y)], 60, 12, log_y=log, log_x=log))
    assert len(rows) == 12


def test_nothing_to_draw_is_an_empty_plot() -> None:
    assert len(grid(draw([], 60, 12))) == 12


def test_rounding_noise_looks_flat() -> None:
    rows = canvas(grid(draw([curve("c", [1.0 + 1e-7 * (i % 3) for i in range(49)])], 70, 12)))
    assert sum(bool(row.removesuffix("c 1.00").strip()) for row in rows) == 1


def test_a_straight_line_is_straight() -> None:
    rows = canvas(grid(draw([curve("c", [0.0, 100.0])], 70, 14, marker="dot")))
    starts = [row.index("o") for row in rows if "o" in row and not row.startswith("-")]
    steps = [a - b for a, b in pairwise(starts)]
    assert len(starts) >= 9
    assert max(steps) - min(steps) <= 1


def test_a_single_spike_among_ten_thousand_points_is_kept() -> None:
    y = [1.0] * 10_000
    y[4321] = 100.0
    rows = canvas(grid(draw([curve("c", y)], 70, 14)))
    assert rows[0].strip()


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (range(49), ["0", "12", "24", "36", "48"]),
        (range(13), ["0", "3", "6", "9", "12"]),
        (range(1, 102, 10), ["1", "26"]),
    ],
)
def test_layers_are_labelled_with_whole_numbers(x: range, expected: list[str]) -> None:
    rows = grid(draw([Curve("c", tuple(x), tuple(1.0 * v for v in x), x_label="layer")], 70, 12))
    assert rows[-1].split()[: len(expected)] == expected
    assert rows[-2].endswith(" layer")


def test_axes_are_named_and_the_title_is_there() -> None:
    text = "\n".join(grid(draw([PRE], 70, 14, title="Growth")))
    assert "Growth: variance" in text
    repeated = grid(draw([PRE], 70, 14, title="Variance of the hidden state"))
    assert repeated[0] == "Variance of the hidden state"
    assert sum("ariance" in row for row in repeated) == 1
    long = curve("c", [1, 2], x_label="the ratio of the mean to the standard deviation", y_label="error")
    rows = grid(draw([long], 60, 14))
    assert rows[-1].strip() == long.x_label
    assert rows[0] == "error"


def test_a_log_axis_has_powers() -> None:
    rows = grid(draw([curve("c", [1e-30, 1.0])], 70, 14, log_y=True))
    labels = [match[0] for row in rows if (match := re.match(r" *1e-?\d+(?=┤)", row))]
    assert len(labels) >= 4
    assert labels[0].strip() == "1e0"
    assert labels[-1].strip() == "1e-30"


def test_a_log_x_axis_is_labelled_where_the_data_is() -> None:
    rows = grid(draw([Curve("c", (6, 12, 24, 48), (1, 2, 3, 4), x_label="depth")], 70, 12, log_x=True))
    assert rows[-1].split() == ["6", "12", "24", "48"]
    rows = grid(draw([Curve("c", tuple(range(1, 1001)), (1.0,) * 1000)], 70, 12, log_x=True))
    assert rows[-1].split()[0] == "1e0"
    assert rows[-1].split()[-1] == "1e3"


def test_escapes_in_a_label_do_not_reach_the_terminal() -> None:
    text = draw([curve("a\x1b]52;c;x\x07\nb\u202e", [1, 2])], 70, 12, title="\x9b31m")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert len(text.split("\n")) == 12


def test_vietnamese_and_wide_names_keep_the_width() -> None:
    decomposed = "phu\u031bo\u031bng sai"  # phương sai, typed as letters with combining marks
    for label in (decomposed, "分散", "phương sai ẩn"):
        rows = grid(draw([curve(label, [1, 2]), PRE], 60, 12))
        assert max(map(cells, rows)) <= 60
    assert "phương sai" in "\n".join(grid(draw([curve(decomposed, [1, 2])], 60, 12)))


@settings(max_examples=60, deadline=None)
@example([5e-324], 24, 6, False, "", 1)
@example([1e-290, 1.0000000000000002e-290], 60, 12, False, "", 1)
@given(
    y=st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=30),
    width=st.integers(1, 100),
    height=st.integers(1, 30),
    log=st.booleans(),
    label=st.text(max_size=30),
    count=st.integers(0, 8),
)
def test_any_data_at_any_size_gives_exactly_that_size(
    y: list[float], width: int, height: int, log: bool, label: str, count: int
) -> None:
    curves = [curve(label, y, x_label=label, y_label=label)] * count
    rows = draw(curves, width, height, log_x=log, log_y=log, title=label, palette=PALETTE).split("\n")
    assert len(rows) == height
    assert all(cells(ANSI.sub("", row)) <= width for row in rows)


def test_three_curves_of_400_points_take_under_50_ms() -> None:
    curves = [curve(name, [math.sin(i / 40 + phase) for i in range(400)]) for phase, name in enumerate("abc")]
    draw(curves, 80, 20, palette=PALETTE)  # the first one imports plotext

    def seconds() -> float:
        begin = time.process_time()  # not the clock: other processes share the cores
        draw(curves, 80, 20, palette=PALETTE)
        return time.process_time() - begin

    assert min(seconds() for _ in range(5)) < 0.05


def test_drawing_needs_neither_torch_nor_numpy() -> None:
    code = (
        "import sys; from kernels import curve, plot; plot.draw([curve.Curve('a', (0, 1), (1, 2))], 70, 12);"
        "print([name for name in ('torch', 'numpy', 'triton') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (48.6, "48.6"),
        (0.99999, "1.00"),
        (0, "0"),
        (12345, "12345"),
        (2.4e-25, "2.4e-25"),
        (1e20, "1e20"),
        (-0.5, "-0.500"),
    ],
)
def test_short_numbers(value: float, text: str) -> None:
    assert short(value) == text


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9), st.integers(2, 12))
def test_a_linear_axis_holds_its_data_with_few_ticks(low: float, span: float, most: int) -> None:
    axis = linear_axis(low, low + span, most, snap=True)
    assert axis.low <= low + 1e-6 * span
    assert axis.high >= low + span - 1e-6 * span
    assert 1 <= len(axis.ticks) <= max(most, 3)


@given(st.lists(st.floats(-300, 300), min_size=1, max_size=20), st.integers(2, 12))
def test_a_tight_log_axis_ends_with_its_data_and_has_few_ticks(values: list[float], most: int) -> None:
    axis = tight_log_axis(sorted(set(values)), most)
    assert axis.low <= min(values) + 0.06
    assert axis.high >= max(values) - 0.06
    assert len(axis.ticks) <= most


@given(st.floats(-300, 300), st.floats(0, 300), st.integers(2, 12))
def test_a_log_axis_holds_its_data_with_few_ticks(low: float, span: float, most: int) -> None:
    axis = log_axis(low, low + span, most)
    assert axis.low <= low + 0.06
    assert axis.high >= low + span - 0.06
    assert 1 <= len(axis.ticks) <= most
    assert all(axis.low <= at <= axis.high for at, _ in axis.ticks)
