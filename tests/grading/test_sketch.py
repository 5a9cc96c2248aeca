import math

import pytest

from tutor.grading.sketch import POINTS, SHAPES, Sketch, distance, places, shaped
from tutor.text.i18n import translate

LAYERS = tuple(float(layer) for layer in range(49))
LINEAR = tuple(1 + layer for layer in LAYERS)


def shape(name: str) -> int:
    return [id for id, _name, _factor in SHAPES].index(name)


def test_the_points_stand_on_layers_and_on_powers() -> None:
    assert places(0, 48, log=False) == (0, 10, 19, 29, 38, 48)
    assert places(1, 100_000, log=True) == (1, 10, 100, 1000, 10_000, 100_000)
    assert places(0.01, 10, log=True)[0] == pytest.approx(0.01) and len(places(0.01, 10, log=True)) == POINTS
    assert places(2, 4, log=False) == pytest.approx((2, 2.4, 2.8, 3.2, 3.6, 4))  # too few whole numbers


def test_every_shape_begins_at_one_and_is_what_its_name_says() -> None:
    for index, (_id, name, _factor) in enumerate(SHAPES):
        assert shaped(index, 0, 48, log=False).factors[0] == 1
        assert translate(name, "vi") != name
    assert shaped(shape("line"), 0, 48, log=False).factors[-1] == pytest.approx(49)
    assert shaped(shape("root"), 6, 48, log=True).factors[-1] == pytest.approx((6 / 48) ** 0.5)
    assert set(shaped(shape("level"), 0, 48, log=False).factors) == {1}
    falling = shaped(shape("vanishing"), 0, 48, log=False).factors
    assert list(falling) == sorted(falling, reverse=True) and falling[-1] == pytest.approx(1e-6)
    hump = shaped(shape("hump"), 0, 48, log=False).factors
    assert max(hump) > 5 and hump[-1] == pytest.approx(1)


def test_a_sketch_that_is_right_is_close_whatever_the_measured_values_are() -> None:
    line = shaped(shape("line"), 0, 48, log=False)
    found = distance(line, LAYERS, tuple(7.3 * value for value in LINEAR))
    assert found is not None and found.close
    assert found.mean == pytest.approx(1) and found.scale == pytest.approx(7.3)


def test_a_wrong_sketch_is_off_by_a_factor_and_somewhere_most() -> None:
    found = distance(shaped(shape("level"), 0, 48, log=False), LAYERS, LINEAR)
    assert found is not None and not found.close
    assert (found.at, found.most) == (48, pytest.approx(49))
    assert found.mean == pytest.approx(math.prod([11, 20, 30, 39, 49]) ** 0.2)


def test_a_moved_point_is_moved_and_the_first_stays() -> None:
    sketch = shaped(shape("level"), 0, 48, log=False)
    assert sketch.moved(2, 10).factors == (1, 1, 10, 1, 1, 1)
    assert sketch.moved(0, 10) == sketch
    far = sketch
    for _ in range(100):
        far = far.moved(1, 10)
    assert math.isfinite(far.factors[1])


def test_what_overflowed_or_is_zero_is_not_compared() -> None:
    sketch = shaped(shape("level"), 0, 48, log=False)
    lost = tuple(math.nan if layer < 15 else 2.0 for layer in LAYERS)
    found = distance(sketch, LAYERS, lost)
    assert found is not None and found.close and found.compared == (19, 29, 38, 48)
    assert (found.begin, found.scale) == (15, 2)
    assert distance(sketch, LAYERS, (0.0,) * 49) is None
    assert distance(sketch, LAYERS, (math.nan,) * 48 + (1.0,)) is None
    assert distance(sketch, (), ()) is None


def test_between_two_measured_points_the_line_counts() -> None:
    found = distance(Sketch((1, 10, 100), (1, 1, 1)), (1.0, 100.0), (5.0, 5.0))
    assert found is not None and found.close and found.compared == (10, 100)


def test_a_sketch_that_begins_before_the_measurement_is_laid_on_the_first_value_that_there_is() -> None:
    grows = shaped(shape("exponential"), 0, 48, log=False)
    blocks = LAYERS[1:]
    found = distance(grows, blocks, tuple(3e-3 * 1e6 ** (layer / 48) for layer in blocks))
    assert found is not None and found.close and found.most == pytest.approx(1)
    assert found.begin == 1 and found.compared == (10, 19, 29, 38, 48)
    drawn = grows.since(found.begin)
    assert drawn.x == (1, *grows.x[1:]) and drawn.factors[0] * found.scale == pytest.approx(3e-3 * 1e6 ** (1 / 48))
    assert grows.since(0) == grows and math.isnan(grows.at(49))
