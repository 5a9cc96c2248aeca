"""Words find what holds them, in either language and without marks; never an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tutor.course.figures import Figures
from tutor.course.load import load_course
from tutor.course.model import ChoiceStep, Course, ShortStep
from tutor.course.search import MOST, Hit, Index

ROOT = Path(__file__).parents[2] / "lessons"


@pytest.fixture(scope="module")
def shipped() -> Course:
    return load_course(ROOT)


@pytest.fixture(scope="module")
def vietnamese(shipped: Course) -> Index:
    return Index(shipped, "vi", Figures(shipped).fill)


@pytest.fixture(scope="module")
def english(shipped: Course) -> Index:
    return Index(shipped, "en", Figures(shipped).fill)


@pytest.mark.parametrize(
    ("query", "term"),
    [
        ("RMSNorm", "RMSNorm"),
        ("ln", "LayerNorm"),
        ("LN", "LayerNorm"),
        ("chuẩn hóa lô", "BatchNorm"),
        ("chuan hoa lo", "BatchNorm"),
        ("warm-up", "Warm-up"),
        ("warmup", "Warm-up"),
        ("phuong sai", "Variance"),
        ("Jacobi", "Ma trận Jacobi"),
        ("jacobian", "Ma trận Jacobi"),
        ("hbm", "HBM"),
        ("kết nối tắt", "Residual connection"),
    ],
)
def test_a_term_comes_first_by_any_of_its_names(vietnamese: Index, query: str, term: str) -> None:
    first = vietnamese.find(query)[0]
    assert (first.kind, first.title) == ("term", term)


def test_a_term_says_what_it_is_and_leads_to_its_step(english: Index, shipped: Course) -> None:
    hit = english.find("subnormal")[0]
    assert "smallest normal one" in hit.about and "số dưới chuẩn" in hit.about
    found = shipped.find(hit.step)
    assert found is not None and found[0].title.en == hit.lesson


def test_without_words_all_terms_are_listed_in_order(vietnamese: Index, shipped: Course) -> None:
    hits = vietnamese.find(" - ")
    assert len(hits) == len(shipped.terms) and {hit.kind for hit in hits} == {"term"}
    assert [hit.title for hit in hits][:2] == ["BatchNorm", "BF16"]


def test_marks_and_case_make_no_difference(vietnamese: Index) -> None:
    found = vietnamese.find("trước sublayer")
    assert found and found == vietnamese.find("TRUOC SUBLAYER")


def test_all_words_must_be_there_and_may_be_begun_only(english: Index) -> None:
    assert english.find("gradient nosuchword") == ()
    assert {hit.step for hit in english.find("hidden_var")} >= {"variance-prediction"}
    whole = [hit.step for hit in english.find("residual stream")]
    assert whole and set(whole) <= {hit.step for hit in english.find("stream resid")}


def test_titles_come_before_texts_and_each_step_once(english: Index) -> None:
    hits = [hit for hit in english.find("config") if hit.kind in ("title", "text", "code")]
    kinds = [hit.kind for hit in hits]
    assert kinds == sorted(kinds, key=["title", "text", "code"].index) and len(set(kinds)) > 1
    assert len({hit.step for hit in hits}) == len(hits)


def test_code_and_claims_and_lessons_are_found(english: Index, shipped: Course) -> None:
    def of(kind: str, query: str) -> list[Hit]:
        return [hit for hit in english.find(query) if hit.kind == kind]

    (hit, *_) = of("code", "einsum")
    assert "einsum" in hit.about and hit.about.startswith("```python")
    claim = shipped.claims["prenorm-path" if "prenorm-path" in shipped.claims else next(iter(shipped.claims))]
    assert any(claim.claim.en == hit.about for hit in of("claim", " ".join(claim.claim.en.split()[:6])))
    assert of("lesson", "real models")[0].step == shipped.lesson("models").steps[0].id  # type: ignore[union-attr]


def test_the_other_language_is_found_too_but_later(english: Index, vietnamese: Index) -> None:
    assert english.find("gradient tiêu biến")[0].title == "Vanishing gradient"
    assert any(hit.step == "models-where-to-look" for hit in vietnamese.find("unfamiliar model"))


def test_no_answer_is_found(shipped: Course, english: Index) -> None:
    short = next(step for lesson in shipped.lessons for step in lesson.steps if isinstance(step, ShortStep))
    answer = " ".join(short.model_answer.en.split()[:8])
    assert all(hit.step != short.id for hit in english.find(answer))
    choices = [step for lesson in shipped.lessons for step in lesson.steps if isinstance(step, ChoiceStep) and step.why]
    for step in choices:
        assert step.why is not None
        words = " ".join(step.why.en.split("{{")[0].split()[:10])
        assert all(hit.step != step.id or hit.kind == "claim" for hit in english.find(words)), step.id


def test_varying_numbers_and_figures_are_filled_in(english: Index) -> None:
    everything = [entry.hit for entry in english._entries if entry.hit.kind == "text"]
    assert not any("{{" in hit.about for hit in everything)
    assert not any("{a}" in hit.about or "{b}" in hit.about for hit in everything)


@pytest.mark.parametrize("query", ["\\", "(", "[a-z", "$^", "*" * 200, "\x00", "ư" * 500, "{{x.y}}"])
def test_anything_may_be_typed(english: Index, query: str) -> None:
    assert len(english.find(query)) <= max(MOST, len(english.find("")))


def test_a_course_with_nothing_in_it_finds_nothing() -> None:
    assert Index(Course(), "en").find("x") == () and Index(Course(), "en").find("") == ()
