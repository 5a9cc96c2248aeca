import math

import pytest

from kernels.curve import Curve
from tutor.ui.lens import Lens, exactly, values_at

LINE = Curve("pre", tuple(range(49)), tuple(1.0 + layer for layer in range(49)))
POWER = Curve("pre", (1, 10, 100, 1000), (1.0, math.nan, 100.0, 1e6))


def test_the_cursor_goes_along_the_points_and_stays_at_the_ends() -> None:
    lens = Lens()
    lens.move(1, [LINE], log_x=False)
    assert lens.cursor == 24
    lens.move(1, [LINE], log_x=False)
    lens.move(10, [LINE], log_x=False)
    assert lens.cursor == 35
    lens.move(1000, [LINE], log_x=False)
    assert lens.cursor == 48
    lens.move(-1000, [LINE], log_x=False)
    assert lens.cursor == 0
    assert values_at([LINE, POWER], 1) == [(LINE, 2.0), (POWER, 1.0)]


def test_without_points_there_is_no_cursor_and_no_zoom() -> None:
    lens = Lens()
    lens.move(1, [], log_x=False)
    lens.zoom(True, [], log_x=False, log_y=True)
    assert lens.cursor is None and lens.window is None


def test_zooming_in_halves_the_axis_about_the_cursor_and_out_again_shows_all() -> None:
    lens = Lens()
    lens.zoom(True, [LINE], log_x=False, log_y=False)
    assert lens.window is not None and lens.window.x == (12, 36)
    lens.move(1000, [LINE], log_x=False)  # the window follows
    assert lens.window.x == (24, 48)
    lens.zoom(True, [LINE], log_x=False, log_y=False)
    assert lens.window.x == (36, 48)
    for _ in range(3):
        lens.zoom(False, [LINE], log_x=False, log_y=False)
    assert lens.window is None


def test_the_other_axis_zooms_about_the_value_under_the_cursor() -> None:
    lens = Lens()
    lens.turn()
    lens.move(1, [POWER], log_x=True)
    assert lens.cursor == 10
    lens.move(1, [POWER], log_x=True)
    lens.zoom(True, [POWER], log_x=True, log_y=True)
    assert lens.window is not None and lens.window.x is None
    assert lens.window.y == (pytest.approx(10**0.5), pytest.approx(10**3.5))


def test_a_flat_curve_has_nothing_to_zoom_into_and_zooming_in_ends() -> None:
    lens = Lens()
    lens.turn()
    lens.zoom(True, [Curve("post", (0, 1, 2), (1.0, 1.0, 1.0))], log_x=False, log_y=True)
    assert lens.window is None
    for _ in range(100):
        lens.zoom(True, [LINE], log_x=False, log_y=False)
    assert lens.window is not None and lens.window.y is not None and lens.window.y[1] > lens.window.y[0]
    lens.reset()
    assert lens.window is None and lens.cursor is None


def test_values_are_said_with_the_digits_of_float32() -> None:
    assert exactly(1.00000012) == "1"
    assert exactly(48.62345678) == "48.6235"
    assert exactly(2.5e-25) == "2.5e-25"
