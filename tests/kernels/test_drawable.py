"""Bands, marks beside what overflowed, windows and cursors: what a plot has beyond its lines."""

import math
import re

import pytest

from kernels.curve import Curve
from kernels.drawable import Window, drawable
from kernels.plot import draw
from kernels.svg import HEIGHT, WIDTH, picture
from kernels.ticks import window_axis

LAYERS = tuple(range(49))
LOW, MIDDLE, HIGH = (tuple(start + layer for layer in LAYERS) for start in (5.0, 10.0, 20.0))
BANDED = Curve("pre", LAYERS, MIDDLE, low=LOW, high=HIGH)
LOST = Curve("residual", (0, 1, 2, 3, 4), (1.0, 2.0, math.nan, 4.0, math.inf))


def canvas(text: str) -> list[str]:
    return [match[1] for row in text.split("\n") if (match := re.match(r" *[^ │┤|+]*[│┤|+](?![─-])(.*)", row))]


def inked(text: str) -> int:
    return sum(character not in " \u2800" for row in canvas(text) for character in row)


def test_a_band_is_drawn_within_the_axis_and_says_nothing_where_there_is_none() -> None:
    rows = draw([BANDED], 60, 20).split("\n")
    assert rows[0].split("┤")[0].strip() in ("70", "80")  # the axis reaches up to the band's end, 68
    plain = draw([Curve("pre", BANDED.x, BANDED.y)], 60, 20)
    assert inked("\n".join(rows)) > inked(plain)
    dotted = draw([BANDED], 60, 20, marker="dot")
    assert dotted.count(".") > 20 and dotted.isascii()


def test_a_band_of_another_length_is_refused_and_survives_json() -> None:
    with pytest.raises(ValueError, match="band"):
        Curve("c", (1, 2), (1, 2), low=(1,), high=(1,))
    assert Curve.from_dict(BANDED.to_dict()) == BANDED
    assert "low" not in Curve("c", (1,), (1,)).to_dict()


def test_what_overflowed_is_marked_on_both_sides_of_the_gap() -> None:
    found = drawable(LOST, False, False)
    assert found.broken == ((1.0, 2.0), (3.0, 4.0), (3.0, 4.0))
    text = draw([LOST], 60, 12)
    assert "".join(canvas(text)).count("!") == 2
    assert "not drawn: residual 1 NaN, 1 inf" in text
    assert "!" not in draw([Curve("zero", (0, 1, 2), (1.0, 0.0, 1.0))], 60, 12, log_y=True)


def test_a_window_cuts_lines_at_its_edges_and_keeps_what_crosses_it() -> None:
    line = Curve("c", (0, 10), (0, 100))
    (run,) = drawable(line, False, False, window=Window(x=(2, 4))).runs
    assert run == ((2, pytest.approx(20)), (4, pytest.approx(40)))
    (run,) = drawable(line, False, False, window=Window(y=(50, 60))).runs
    assert run == ((pytest.approx(5), 50), (pytest.approx(6), 60))
    assert drawable(line, False, False, window=Window(x=(20, 30))).runs == ()
    zigzag = Curve("z", (0, 1, 2, 3, 4), (0, 10, 0, 10, 0))
    assert len(drawable(zigzag, False, False, window=Window(y=(5, 20))).runs) == 2
    (run,) = drawable(Curve("p", (0, 2), (1.0, 100.0)), False, True, window=Window(y=(1.0, 10.0))).runs
    assert run == ((0, 0), (pytest.approx(1), 1))


def test_a_window_is_all_that_is_drawn() -> None:
    text = draw([Curve("c", LAYERS, tuple(map(float, LAYERS)), x_label="layer")], 60, 12, window=Window(x=(10, 20)))
    ticks = [int(word) for word in text.split("\n")[-1].split()]
    assert ticks[0] >= 10 and ticks[-1] <= 20
    assert "c 48.0" in text  # a curve is still named with its last value


@pytest.mark.parametrize(("low", "high", "log"), [(10, 20, False), (3.2, 3.3, True), (-7.5, 2.5, True), (5, 5, False)])
def test_a_window_has_neat_ticks_inside_it(low: float, high: float, log: bool) -> None:
    axis = window_axis(low, high, 8, log=log)
    assert 2 <= len(axis.ticks) <= 8
    assert all(axis.low - 1e-9 <= value <= axis.high + 1e-9 for value, _text in axis.ticks)
    assert len({text for _value, text in axis.ticks}) == len(axis.ticks)


def test_a_cursor_is_an_upright_line_where_nothing_else_is() -> None:
    curve = Curve("c", LAYERS, tuple(map(float, LAYERS)), x_label="layer")
    text = draw([curve], 60, 12, cursor=24.0)
    marked = text.split("\n")[-2].index("^")
    column = [row[marked] for row in text.split("\n")[:-2]]
    assert column.count("│") >= len(column) - 2
    assert "^" not in draw([curve], 60, 12, cursor=100.0)
    assert "^" not in draw([curve], 60, 12, log_x=True, cursor=0.0)


def test_doubling_sizes_are_labelled_with_what_they_are() -> None:
    sizes = tuple(2**k for k in range(1, 9))
    ticks = draw([Curve("c", sizes, sizes)], 60, 12, log_x=True).split("\n")[-1].split()
    assert ticks[0] == "2" and set(ticks) <= {str(size) for size in sizes}
    columns = draw([Curve("c", (512, 1024, 2048), (1, 2, 3))], 60, 12, log_x=True).split("\n")[-1].split()
    assert columns == ["512", "1024", "2048"]


def test_a_picture_has_a_line_a_band_a_name_and_a_cross() -> None:
    svg = picture([BANDED, LOST, Curve("a<b", (3,), (7.0,))], title="variance & more")
    assert svg.count("<polyline") == 2 and svg.count("<polygon") == 1
    assert "pre 58.0" in svg and "a&lt;b 7.00" in svg and "variance &amp; more" in svg
    assert svg.count("l10 10m0 -10l-10 10") == 3
    assert "not drawn: residual 1 NaN, 1 inf" in svg
    numbers = [
        tuple(map(float, point.split(",")))
        for points in re.findall(r'points="([^"]+)"', svg)
        for point in points.split()
    ]
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in numbers)


@pytest.mark.parametrize(
    "curves",
    [[], [Curve("c", (), ())], [Curve("c", (0, 1), (math.nan, math.inf))], [Curve("c", (0, 1), (0.0, -1.0))]],
    ids=str,
)
def test_a_picture_of_nothing_is_still_one(curves: list[Curve]) -> None:
    assert picture(curves, log_x=True, log_y=True).endswith("</svg>\n")
