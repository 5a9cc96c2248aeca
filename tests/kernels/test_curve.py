import json
import math

import pytest

from kernels.curve import Curve, document


def test_first_last_and_growth() -> None:
    curve = Curve("pre", (0, 1, 2), (2.0, 3.0, 8.0))
    assert (curve.first, curve.last, curve.growth) == (2, 8, 4)


@pytest.mark.parametrize(
    ("y", "growth"),
    [
        ((0, 3), math.inf),
        ((0, -3), -math.inf),
        ((0, 0), math.nan),
        ((), math.nan),
        ((0, math.nan), math.nan),
        ((2, 0), 0),
    ],
)
def test_growth_from_or_to_nothing(y: tuple[float, ...], growth: float) -> None:
    curve = Curve("", tuple(range(len(y))), y)
    assert curve.growth == growth or (math.isnan(growth) and math.isnan(curve.growth))


def test_json_carries_what_json_has_no_number_for() -> None:
    curve = Curve(
        "phương sai", (0, 1, 2, 3), (1e-45, math.nan, math.inf, -math.inf), arch="pre", x_label="layer", y_label="var"
    )
    text = json.dumps(curve.to_dict(), allow_nan=False)
    assert json.loads(text)["y"] == [1e-45, None, "inf", "-inf"]
    back = Curve.from_dict(json.loads(text))
    assert repr(back) == repr(curve)


def test_equal_lengths_are_asked_for() -> None:
    with pytest.raises(ValueError, match="'pre': x has 2 values, y has 1"):
        Curve("pre", (0, 1), (1,))


@pytest.mark.parametrize("data", [{}, {"label": "a", "x": [0], "y": ["many"]}, {"label": "a", "x": [0, 1], "y": [0]}])
def test_other_documents_are_refused(data: dict[str, object]) -> None:
    with pytest.raises((KeyError, ValueError)):
        Curve.from_dict(data)


def test_the_document() -> None:
    curve = Curve("pre", [0, 1], [1, 2], arch="pre", x_label="layer", y_label="variance")  # type: ignore[arg-type]
    assert document([curve], log_y=True, title="Growth") == {
        "version": 1,
        "title": "Growth",
        "log_x": False,
        "log_y": True,
        "curves": [
            {"label": "pre", "arch": "pre", "x": [0, 1], "y": [1, 2], "x_label": "layer", "y_label": "variance"}
        ],
    }
