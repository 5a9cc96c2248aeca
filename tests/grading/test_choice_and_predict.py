from __future__ import annotations

import pytest

from tutor.course.model import Ask, ChoiceStep, Option, PredictNumber, PredictOption, PredictStep, Text
from tutor.grading import grade, predict


def both(text: str) -> Text:
    return Text(f"vi {text}", text)


AXIS = ChoiceStep(
    id="axis",
    prompt=both("Which axis?"),
    options=(
        Option(id="batch", text=both("the batch"), why=both("That is BatchNorm.")),
        Option(id="feature", text=both("the features"), right=True),
        Option(id="length", text=both("the length"), why=both("Tokens stay apart.")),
    ),
    why=both("LN looks at one token."),
)
GROWTH = PredictStep(
    id="growth",
    prompt=both("Which grows?"),
    cell="growth = 1",
    ask=Ask(
        choice=(
            PredictOption(
                id="post", text=both("Post grows"), true_if="growth['post'] > 3", why=both("Post is normalised.")
            ),
            PredictOption(
                id="pre", text=both("Pre grows"), true_if="\ngrowth['pre'] > 3\n", why=both("Nothing bounds it.")
            ),
        )
    ),
    why=both("See Xiong et al."),
)
SIZE = PredictStep(
    id="size",
    prompt=both("How much?"),
    cell="x = 1",
    ask=Ask(number=PredictNumber(value="growth['pre']", within="30%", unit="x", why=both("Linear growth."))),
)


class TestChoice:
    @pytest.mark.parametrize("answer", ["feature", " Feature ", "2", "b", "B)", "(2)", "2."])
    def test_by_id_number_or_letter(self, answer: str) -> None:
        verdict = grade(AXIS, answer, lang="en", glossary={})
        assert (verdict.verdict, verdict.score) == ("right", 1.0)
        assert verdict.feedback == "LN looks at one token."

    def test_a_wrong_pick_gets_its_own_reason_and_the_right_answer(self) -> None:
        verdict = grade(AXIS, "batch", lang="vi", glossary={})
        assert verdict.verdict == "wrong"
        assert verdict.misconception is not None
        assert (verdict.misconception.id, verdict.misconception.message) == ("batch", "vi That is BatchNorm.")
        assert "vi the features" in verdict.feedback
        assert "vi LN looks at one token." in verdict.feedback

    @pytest.mark.parametrize("answer", ["", "4", "0", "z", "feature!", "99999999", "\x1b[2J", "batch feature"])
    def test_anything_else_lists_the_options(self, answer: str) -> None:
        verdict = grade(AXIS, answer, lang="en", glossary={})
        assert verdict.verdict == "unreadable"
        assert all(f"`{option.id}`" in verdict.feedback for option in AXIS.options)
        assert "\x1b" not in verdict.feedback


class TestPredictedChoice:
    def test_what_the_kernel_is_asked(self) -> None:
        assert predict.expressions(GROWTH) == {"post": "bool((growth['post'] > 3))", "pre": "bool((growth['pre'] > 3))"}
        for expression in predict.expressions(GROWTH).values():
            compile(expression, "", "eval")

    def test_right_when_it_came_true(self) -> None:
        verdict = grade(GROWTH, "pre", lang="en", glossary={}, evidence={"post": "False", "pre": "True"})
        assert (verdict.verdict, verdict.score) == ("right", 1.0)
        for part in ("Pre grows", "Nothing bounds it.", "See Xiong et al."):
            assert part in verdict.feedback

    def test_wrong_says_what_was_predicted_what_came_true_and_why(self) -> None:
        verdict = grade(GROWTH, "1", lang="en", glossary={}, evidence={"post": "False", "pre": "True"})
        assert (verdict.verdict, verdict.score) == ("wrong", 0.0)
        for part in ("Post grows", "Pre grows", "Post is normalised.", "Nothing bounds it.", "See Xiong et al."):
            assert part in verdict.feedback
        assert [(check.id, check.passed) for check in verdict.checks] == [("post", False), ("pre", True)]

    @pytest.mark.parametrize(
        "evidence",
        [
            None,
            {},
            {"pre": "True"},
            {"post": "True", "pre": "True"},
            {"post": "False", "pre": "False"},
            {"post": "1", "pre": "True"},
        ],
    )
    def test_without_a_decision_it_is_not_graded(self, evidence) -> None:
        verdict = grade(GROWTH, "pre", lang="en", glossary={}, evidence=evidence)
        assert verdict.verdict == "not-graded"
        assert verdict.score is None
        assert "cell" in verdict.feedback or "This run" in verdict.feedback  # and not that the grader failed

    def test_what_is_no_option_is_told_before_the_cell_runs(self) -> None:
        assert predict.unreadable(GROWTH, "pre", "en") is None
        refused = predict.unreadable(GROWTH, "both", "en")
        assert refused is not None
        assert refused.verdict == "unreadable"
        assert grade(GROWTH, "both", lang="en", glossary={}).verdict == "unreadable"

    def test_outcome(self) -> None:
        assert predict.outcome(GROWTH, {"post": "False", "pre": "True"}) == ["pre"]
        assert predict.outcome(GROWTH, {"post": "False"}) is None


class TestPredictedNumber:
    def test_what_the_kernel_is_asked(self) -> None:
        assert predict.expressions(SIZE) == {"value": "float((growth['pre']))"}

    @pytest.mark.parametrize(
        ("answer", "word"), [("48.6", "right"), ("60", "right"), ("70", "wrong"), ("48,6x", "right")]
    )
    def test_within_tolerance(self, answer: str, word: str) -> None:
        assert grade(SIZE, answer, lang="vi", glossary={}, evidence={"value": "48.6"}).verdict == word

    def test_how_far_off(self) -> None:
        small = grade(SIZE, "24.3", lang="en", glossary={}, evidence={"value": "48.6"})
        assert "2 times too small" in small.feedback
        assert "`48.6 x`" in small.feedback
        assert "Linear growth." in small.feedback
        assert "10 times too large" in grade(SIZE, "486", lang="en", glossary={}, evidence={"value": "48.6"}).feedback
        assert "`-5`" in grade(SIZE, "0", lang="en", glossary={}, evidence={"value": "5.0"}).feedback

    def test_figures_have_three_digits_and_the_decimal_sign_of_the_language(self) -> None:
        evidence = {"value": "8.236213165523539"}
        english = grade(SIZE, "60.5", lang="en", glossary={}, evidence=evidence).feedback
        assert "`60.5 x`; measured here: `8.24 x`" in english and "7.35 times too large" in english
        vietnamese = grade(SIZE, "60.5", lang="vi", glossary={}, evidence=evidence).feedback
        assert "`60,5 x`" in vietnamese and "`8,24 x`" in vietnamese and "7,35" in vietnamese
        assert "`12300 x`" in grade(SIZE, "1", lang="en", glossary={}, evidence={"value": "12345.6"}).feedback

    @pytest.mark.parametrize(
        "value", [None, "nan", "inf", "True", "'48'", "tensor(48.6)", "", "[1]", "__import__('os')"]
    )
    def test_what_is_no_measurement_is_not_graded(self, value: str | None) -> None:
        evidence = {} if value is None else {"value": value}
        assert grade(SIZE, "48", lang="en", glossary={}, evidence=evidence).verdict == "not-graded"
        assert predict.outcome(SIZE, evidence) is None

    def test_what_is_no_number_is_told_before_the_cell_runs(self) -> None:
        assert predict.unreadable(SIZE, "many", "en") is not None
        assert predict.unreadable(SIZE, "48", "en") is None
