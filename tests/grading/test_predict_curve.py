import json
import math

import pytest

from kernels.curve import Curve
from tutor.course.model import Ask, PredictCurve, PredictStep, Text
from tutor.grading import grade, predict, predict_curve

LAYERS = tuple(range(49))
PRE = Curve("pre", LAYERS, tuple(2.0 * (1 + layer) for layer in LAYERS))


def step(**asked: object) -> PredictStep:
    curve = PredictCurve(value="pre", **{"x": (0, 48), "why": Text(vi="Cộng dồn.", en="It adds up."), **asked})  # type: ignore[arg-type]
    return PredictStep(
        id="growth",
        prompt=Text(vi="Vẽ.", en="Sketch."),
        cell="pre = 1",
        ask=Ask(curve=curve),
        why=Text(vi="Xiong.", en="Xiong."),
    )


def evidence(curve: Curve) -> dict[str, str]:
    return {"value": repr(json.dumps(curve.to_dict()))}


def judged(answer: str, curve: Curve = PRE, **asked: object):  # type: ignore[no-untyped-def]
    return grade(step(**asked), answer, lang="en", glossary={}, evidence=evidence(curve))


def test_what_the_kernel_is_asked_is_an_expression_whose_value_comes_back_whole() -> None:
    expression = predict.expressions(step())["value"]
    lost = Curve("pre", (0, 1, 2), (1.0, math.nan, math.inf))
    came = predict_curve.measured(repr(eval(expression, {"pre": lost})))
    assert came is not None and came.y[0] == 1 and math.isnan(came.y[1]) and math.isinf(came.y[2])


@pytest.mark.parametrize("text", [None, "", "1.0", "'{}'", "'[1]'", "'x'", '\'{"label": 1, "x": [], "y": []}\''])
def test_what_is_no_curve_is_none(text: str | None) -> None:
    assert predict_curve.measured(text) is None


def test_a_right_sketch_an_almost_right_one_and_a_wrong_one() -> None:
    right = judged("1 11 20 30 39 49")
    assert (right.verdict, right.score) == ("right", 1.0)
    assert "off by a factor of 1 on average" in right.feedback
    assert "It adds up." in right.feedback and "Xiong." in right.feedback
    assert "Measured here: from `2` to `98`." in right.feedback
    assert judged("1 3 6 9 12 15").verdict == "partly"
    wrong = judged("1 1 1 1 1 1")
    assert (wrong.verdict, wrong.score) == ("wrong", 0.0)
    assert "by 49 at 48" in wrong.feedback


def test_a_shape_by_its_name_and_any_scale_are_answers() -> None:
    assert judged("line").verdict == "right"
    assert judged("vanishing").verdict == "wrong"
    assert judged("10 110 200 300 390 490").verdict == "right"
    assert judged("1;11;20;30;39;49").verdict == "right"


@pytest.mark.parametrize(
    "answer", ["", "1 2 3", "one two three four five six", "-1 2 3 4 5 6", "0 1 2 3 4 5", "upwards"]
)
def test_what_is_no_sketch_says_what_would_be_one(answer: str) -> None:
    refused = predict.unreadable(step(), answer, "en")
    assert refused is not None and refused.verdict == "unreadable"
    assert "6 numbers" in refused.feedback and "`vanishing`" in refused.feedback


def test_without_an_axis_it_goes_from_the_curves_start_to_its_end() -> None:
    assert judged("1 49", x=(), points=2).verdict == "right"
    assert predict_curve.axis(step(x=()).ask.curve) == (0, 1)  # type: ignore[arg-type]


def test_points_and_tolerance_are_the_authors() -> None:
    assert judged("1 13 25 37 49", points=5).verdict == "right"
    assert judged("1 20 40 60 80 100", within=1.5).verdict == "partly"


def test_a_curve_of_which_nothing_can_be_compared_is_not_graded() -> None:
    lost = judged("line", Curve("pre", LAYERS, (math.nan,) * 49))
    assert lost.verdict == "not-graded" and "nothing of its curve can be compared" in lost.feedback
    assert grade(step(), "line", lang="en", glossary={}, evidence={"value": "7"}).verdict == "not-graded"
    assert grade(step(), "line", lang="en", glossary={}, evidence=None).verdict == "not-graded"
