"""Where Pre-LN and Post-LN differ (rq5), in words: placements that are neither, orders of steps, and not knowing."""

from __future__ import annotations

import pytest

from tests.grading.conftest import course_glossary, review_questions
from tutor.grading import grade
from tutor.grading.verdict import Verdict


def judged(text: str) -> Verdict:
    return grade(review_questions()["rq5"], text, lang="en", glossary=course_glossary())


def found(verdict: Verdict) -> list[str]:
    return [point.id for point in verdict.points if point.found]


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("pre-LN chuẩn hóa output của sublayer", []),
        ("pre-ln chuan hoa output cua sublayer", []),
        ("Pre-LN normalizes the output of the sublayer", []),
        ("Pre-LN normalises the attention output", []),
        ("In Pre-LN the sublayer's output is normalised", []),
        ("Pre-LN: output của sublayer được chuẩn hóa", []),
        ("Pre-LN applies LN to the output of the FFN before the addition", []),
        ("Pre-LN đặt LN ở output của sublayer", []),
        ("Pre-LN chuẩn hóa output của sublayer, Post-LN chuẩn hóa tổng", ["post-after"]),
        ("Pre-LN chuẩn hóa trước sublayer, Post-LN chuẩn hóa output của sublayer rồi cộng x", ["pre-before"]),
        ("Pre-LN norm trước sublayer, Post-LN chuẩn hóa đầu ra của attention trước khi cộng residual", ["pre-before"]),
        (
            "Pre-LN normalises before the sublayer, Post-LN the sublayer's output is normalised, then added",
            ["pre-before"],
        ),
        ("Pre-LN normalises before the sublayer, Post-LN normalises the FFN output and then adds x", ["pre-before"]),
        ("Pre: x + F(LN(x)); Post: x + LN(F(x))", ["pre-before"]),
        ("Pre: LN -> sublayer -> add; Post: sublayer -> LN -> add", ["pre-before"]),
        ("Pre: LN, sublayer, add. Post: sublayer, LN, add.", ["pre-before"]),
        ("Pre: norm rồi sublayer rồi cộng; Post: sublayer rồi norm rồi cộng", ["pre-before"]),
    ],
)
def test_the_norm_of_the_sublayers_output_is_a_placement_of_its_own(text: str, points: list[str]) -> None:
    verdict = judged(text)
    assert verdict.verdict == "wrong"
    assert verdict.misconception is not None
    assert verdict.misconception.id == "output-norm"
    assert found(verdict) == points


@pytest.mark.parametrize(
    "text",
    [
        "Pre-LN chuẩn hóa output của sublayer trước đó rồi mới vào sublayer, Post-LN chuẩn hóa sau khi cộng",
        "Pre-LN normalises the output of the previous layer before the sublayer, Post-LN normalises after the addition",
        "Pre-LN: chuẩn hóa, rồi output của sublayer được cộng vào x. Post-LN: sublayer rồi cộng x rồi chuẩn hóa.",
        "Pre-LN normalises the input, Post-LN normalises the output of the sublayer plus the input",
        "Pre-LN normalises the input, Post-LN normalises the output of the sublayer after adding x",
        "Pre-LN không chuẩn hóa output của sublayer mà chuẩn hóa input của nó; Post-LN chuẩn hóa tổng sau khi cộng.",
    ],
)
def test_outputs_that_are_rightly_spoken_of(text: str) -> None:
    assert judged(text).verdict == "right"


@pytest.mark.parametrize(
    ("text", "misconception"),
    [
        ("Pre: LN -> add -> sublayer; Post: sublayer -> add -> LN", "added-too-early"),
        ("Pre: LN, sublayer, cộng. Post: cộng, sublayer, LN.", "added-too-early"),
        ("Pre: sublayer -> add -> LN; Post: LN -> sublayer -> add", "swapped"),
        ("Post-LN: norm, sublayer, add; Pre-LN: sublayer, add, norm", "swapped"),
    ],
)
def test_the_order_of_the_steps_counts(text: str, misconception: str) -> None:
    verdict = judged(text)
    assert verdict.verdict == "wrong"
    assert verdict.misconception is not None
    assert verdict.misconception.id == misconception


@pytest.mark.parametrize(
    "text",
    [
        "Pre: LN -> sublayer -> add; Post: sublayer -> add -> LN",
        "Pre: LN, sublayer, add. Post: sublayer, add, LN.",
        "Pre-LN norm input, Post-LN norm sum",
        "Pre-LN chuẩn hóa input, Post-LN chuẩn hóa tổng",
        "pre-ln chuan hoa input, post-ln chuan hoa tong",
        "Pre-LN normalizes input, Post-LN normalizes sum",
    ],
)
def test_short_sentences_and_chains_of_steps_are_answers(text: str) -> None:
    assert judged(text).verdict == "right"


@pytest.mark.parametrize(
    "text",
    [
        "pre-ln post-ln norm residual sublayer before after input addition",
        "Pre-LN norm input output sublayer sum branch stream Post-LN residual",
    ],
)
def test_a_norm_in_a_list_of_terms_is_no_verb(text: str) -> None:
    assert judged(text).verdict == "unreadable"


@pytest.mark.parametrize(
    ("branch", "stream"),
    [("the branch", "the residual stream"), ("the residual branch", "the main path")],
)
def test_branch_and_stream(branch: str, stream: str) -> None:
    for form in (
        "In Pre-LN the norm sits on {0}; in Post-LN it sits on {1}",
        "In Post-LN the norm sits on {1}; in Pre-LN it sits on {0}",
        "The norm is on {0} in Pre-LN and on {1} in Post-LN",
        "Trong Pre-LN norm nằm trên nhánh, còn trong Post-LN nó nằm trên luồng residual",
    ):
        assert judged(form.format(branch, stream)).verdict == "right", form
    for form in (
        "In Pre-LN the norm sits on {1}; in Post-LN it sits on {0}",
        "The norm is on {1} in Pre-LN and on {0} in Post-LN",
        "Trong Pre-LN norm nằm trên luồng residual, còn trong Post-LN nó nằm trên nhánh",
    ):
        verdict = judged(form.format(branch, stream))
        assert verdict.verdict == "wrong", form
        assert verdict.misconception is not None
        assert verdict.misconception.id == "swapped"


@pytest.mark.parametrize(
    "text",
    [
        "Không biết", "khong biet", "ko biết", "Em không biết ạ", "chịu", "chiu", "bó tay", "quên rồi",
        "em chưa rõ lắm",
        "mình chưa học phần này", "Tôi không biết Pre-LN và Post-LN khác nhau ở đâu", "I don't know", "I don’t know.",
        "idk", "no idea", "I have no clue, sorry", "not sure", "I forgot", "I don't know how Pre-LN and Post-LN differ",
    ],
)  # fmt: skip
def test_not_knowing_is_no_self_check(text: str) -> None:
    verdict = judged(text)
    assert (verdict.verdict, verdict.score, verdict.misconception) == ("wrong", 0.0, None)
    assert found(verdict) == []
    assert all(point.hint for point in verdict.points)
    assert verdict.feedback.startswith("Not known yet")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Không chắc lắm nhưng Pre-LN chuẩn hóa trước sublayer, Post-LN chuẩn hóa sau phép cộng", "right"),
        ("I don't know, maybe the position changes", "unsure"),
        ("Pre-LN chuẩn hóa input, em không biết Post-LN", "unsure"),
    ],
)
def test_a_guess_beside_it_is_an_answer(text: str, word: str) -> None:
    verdict = judged(text)
    assert verdict.verdict == word
    assert not verdict.feedback.startswith("Not known yet")
