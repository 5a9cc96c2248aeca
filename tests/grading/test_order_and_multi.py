from __future__ import annotations

from itertools import permutations

import pytest

from tutor.course.model import MultiStep, Option, OrderItem, OrderStep, Text
from tutor.grading import grade
from tutor.grading.order import arranged, shuffled


def both(text: str) -> Text:
    return Text(f"vi {text}", text)


ORDER = OrderStep(
    id="steps",
    prompt=both("Put in order"),
    items=tuple(
        OrderItem(id=id, text=both(f"the {id}"), why=both(f"why {id}")) for id in ("fork", "norm", "sub", "add")
    ),
    also=(("norm", "fork", "sub", "add"),),
    why=both("That is Pre-Norm."),
)
MULTI = MultiStep(
    id="norms",
    prompt=both("Which are norms?"),
    options=(
        Option(id="ln", text=both("LayerNorm"), right=True),
        Option(id="relu", text=both("ReLU"), why=both("an activation")),
        Option(id="rms", text=both("RMSNorm"), right=True, why=both("a norm as well")),
        Option(id="gelu", text=both("GELU"), why=both("another activation")),
    ),
    why=both("Norms divide by a scale."),
)


class TestOrder:
    @pytest.mark.parametrize(
        "answer", ["fork norm sub add", "fork, norm, sub, add", "fork -> norm -> sub -> add", "Fork\nnorm\nsub\nadd",
                   "norm;fork;sub;add", "fork > norm > sub > add"]
    )  # fmt: skip
    def test_right_in_either_order(self, answer: str) -> None:
        verdict = grade(ORDER, answer, lang="en", glossary={})
        assert (verdict.verdict, verdict.score) == ("right", 1.0)
        assert verdict.feedback == "That is Pre-Norm."

    def test_numbers_mean_the_lines_as_they_are_shown(self) -> None:
        shown = [item.id for item in shuffled(ORDER)]
        answer = " ".join(str(shown.index(id) + 1) for id in ("fork", "norm", "sub", "add"))
        assert grade(ORDER, answer, lang="en", glossary={}).verdict == "right"
        assert tuple(shown) not in (("fork", "norm", "sub", "add"), ORDER.also[0])
        assert shuffled(ORDER) == shuffled(ORDER)

    def test_one_neighbour_out_of_place_is_partly_right(self) -> None:
        verdict = grade(ORDER, "fork norm add sub", lang="vi", glossary={})
        assert verdict.verdict == "partly"
        assert verdict.score == pytest.approx(2 / 3, abs=0.01)
        assert sum(not check.passed for check in verdict.checks) == 1
        assert "vi the fork → vi the norm → vi the sub → vi the add" in verdict.feedback
        assert "vi why" in verdict.feedback

    def test_the_other_way_round_is_said(self) -> None:
        verdict = grade(ORDER, "add sub norm fork", lang="en", glossary={})
        assert (verdict.verdict, verdict.score) == ("wrong", 0.0)
        assert verdict.misconception is not None and verdict.misconception.id == "reversed"

    def test_no_other_order_is_right_and_none_is_worth_as_much(self) -> None:
        for order in permutations(("fork", "norm", "sub", "add")):
            verdict = grade(ORDER, " ".join(order), lang="en", glossary={})
            right = order in (("fork", "norm", "sub", "add"), ORDER.also[0])
            assert (verdict.verdict == "right") == right
            assert verdict.score is not None and (verdict.score == 1.0) == right

    @pytest.mark.parametrize("answer", ["", "fork", "fork norm sub sub", "fork norm sub add add", "a b c", "1 2 3 9"])
    def test_anything_else_is_a_free_retry_with_the_list(self, answer: str) -> None:
        verdict = grade(ORDER, answer, lang="en", glossary={})
        assert verdict.verdict == "unreadable"
        assert all(f"`{item.id}`" in verdict.feedback for item in ORDER.items)
        assert arranged(ORDER, answer) is None


class TestMulti:
    @pytest.mark.parametrize("answer", ["ln rms", "rms, ln", "1, 3", "a c", "1 and 3", "ln; rms; ln", "1 và 3"])
    def test_right_by_id_number_or_letter(self, answer: str) -> None:
        verdict = grade(MULTI, answer, lang="en", glossary={})
        assert (verdict.verdict, verdict.score, verdict.feedback) == ("right", 1.0, "Norms divide by a scale.")

    def test_what_is_missed_is_said(self) -> None:
        verdict = grade(MULTI, "ln", lang="en", glossary={})
        assert (verdict.verdict, verdict.score) == ("partly", 0.5)
        assert "RMSNorm" in verdict.feedback and "a norm as well" in verdict.feedback
        assert "activation" not in verdict.feedback

    def test_what_is_too_much_is_said_and_takes_back(self) -> None:
        verdict = grade(MULTI, "ln rms relu", lang="en", glossary={})
        assert (verdict.verdict, verdict.score) == ("partly", 0.5)
        assert "an activation" in verdict.feedback and "another" not in verdict.feedback
        everything = grade(MULTI, "1 2 3 4", lang="en", glossary={})
        assert (everything.verdict, everything.score) == ("wrong", 0.0)
        assert {check.id: check.passed for check in everything.checks} == {
            "ln": True, "relu": False, "rms": True, "gelu": False,
        }  # fmt: skip

    @pytest.mark.parametrize("answer", ["", " , ", "ln bn", "5", "LayerNorm!", "\x1b[2J"])
    def test_anything_else_is_a_free_retry(self, answer: str) -> None:
        verdict = grade(MULTI, answer, lang="vi", glossary={})
        assert verdict.verdict == "unreadable"
        assert "`gelu`" in verdict.feedback and "\x1b" not in verdict.feedback
