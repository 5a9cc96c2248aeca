"""How the rubric engine reads sentences: topics, negation, contrast, order, spelling."""

from __future__ import annotations

import unicodedata

import msgspec
import pytest

from tests.grading.conftest import course_glossary
from tutor.course.model import Concept, Point, ShortStep, Text
from tutor.grading.text import facts, formulas, patterns
from tutor.grading.text.lexicon import lexicon

GLOSSARY = {
    "LN": Concept(en=("ln", "layer norm"), vi=("chuẩn hóa lớp",)),
    "BN": Concept(en=("bn", "batch norm")),
    "BATCH": Concept(en=("batch",), vi=("lô",)),
    "TOKEN": Concept(en=("token",), vi=("từng mẫu",)),
    "DEPEND": Concept(en=("depend", "need"), vi=("phụ thuộc", "cần"), opposite="INDEP"),
    "INDEP": Concept(en=("independent",), vi=("độc lập",)),
    "SCALE": Concept(en=("scale",), vi=("thang đo",)),
    "STABLE": Concept(en=("stable", "steady"), vi=("ổn định",), opposite="UNSTABLE"),
    "UNSTABLE": Concept(en=("unstable",), vi=("bất ổn",)),
    "NORM": Concept(en=("normalize", "norm"), vi=("chuẩn hóa",)),
    "SUB": Concept(en=("sublayer",), vi=("lớp con",)),
    "ADD": Concept(en=("add", "addition", "+"), vi=("cộng",)),
    "BEFORE": Concept(en=("before",), vi=("trước", "trước khi")),
    "AFTER": Concept(en=("after",), vi=("sau", "sau khi")),
    "DEEP": Concept(en=("deep",), vi=("sâu",)),
    "IT": Concept(en=("it",), vi=("nó",)),
}


def says(
    text: str, pattern: str, topics: tuple[str, ...] = ("LN", "BN"), asked: frozenset[str] = frozenset({"LN", "BN"})
) -> bool:
    known = lexicon(GLOSSARY)
    said = facts.analyse(known.read(formulas.mark(text)), topics, asked)
    return patterns.find(patterns.parse(pattern), said, known.opposites) is not None


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("LN uses each token, BN the batch", "LN: TOKEN"),
        ("LN uses each token, BN the batch", "BN: BATCH"),
        ("per token in LN and per batch in BN", "LN: TOKEN"),
        ("per token in LN and per batch in BN", "BN: BATCH"),
        ("the batch is what BN needs", "BN: BATCH"),
        ("LN per token BN per batch", "BN: BATCH"),
        ("With BN it is the batch. With LN it is the token.", "LN: TOKEN"),
        ("both LN and BN normalize the batch", "LN: NORM BATCH"),
        ("both LN and BN normalize the batch", "BN: NORM BATCH"),
    ],
)
def test_what_is_said_belongs_to_the_topic_it_is_said_of(text: str, pattern: str) -> None:
    assert says(text, pattern)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("LN uses each token, BN the batch", "LN: BATCH"),
        ("LN uses each token, BN the batch", "BN: TOKEN"),
        ("per token in LN and per batch in BN", "LN: BATCH"),
        ("LN per token BN per batch", "LN: BATCH"),
    ],
)
def test_and_to_no_other(text: str, pattern: str) -> None:
    assert not says(text, pattern)


@pytest.mark.parametrize(
    "text",
    [
        "LN does not depend on the batch",
        "LN doesn't depend on the batch",
        "LN doesnt need the batch",
        "LN never depends on the batch",
        "LN is independent of the batch",
        "BN depends on the batch, LN doesn't",
        "BN depends on the batch but LN does not",
        "BN phụ thuộc vào batch, LN thì không",
        "BN phụ thuộc batch còn LN không phụ thuộc batch",
        "bn phu thuoc batch con ln thi khong",
        "LN không cần batch",
        "Unlike BN, LN does not depend on the batch",
        "LN, unlike BN, does not depend on the batch",
        "LN khác BN ở chỗ không phụ thuộc batch",
    ],
)
def test_what_is_denied(text: str) -> None:
    assert says(text, "LN: !DEPEND BATCH")
    assert not says(text, "LN: DEPEND BATCH")
    assert not says(text, "BN: !DEPEND BATCH")


@pytest.mark.parametrize(
    "text",
    [
        "LN depends on the batch, BN doesn't",
        "BN does not depend on the batch, LN does",
        "BN không phụ thuộc batch, LN thì có",
        "It is not true that LN does not depend on the batch",
        "LN không phải là không phụ thuộc batch",
    ],
)
def test_what_is_affirmed_in_the_end(text: str) -> None:
    assert says(text, "LN: DEPEND BATCH")
    assert not says(text, "LN: !DEPEND BATCH")


@pytest.mark.parametrize(
    "text",
    [
        "LN uses each token instead of the batch",
        "LN uses each token rather than the batch",
        "LN dùng từng mẫu thay vì batch",
        "LN dùng từng mẫu chứ không dùng batch",
        "Instead of the batch, LN uses each token",
        "Thay vì batch như BN, LN dùng từng mẫu",
        "Unlike BN, LN does not use the batch",
    ],
)
def test_a_contrast_says_something_of_the_other_topic(text: str) -> None:
    assert says(text, "BN: BATCH")
    assert says(text, "LN: !BATCH")
    assert not says(text, "LN: BATCH")


def test_what_would_happen_without_it_does_not_happen_with_it() -> None:
    for text in (
        "Without LN the scale is unstable",
        "Nếu không có LN thì thang đo bất ổn",
        "The scale is unstable without LN",
        "The scale is unstable unless you use LN",
    ):
        assert says(text, "SCALE & STABLE", ()), text
        assert not says(text, "SCALE & UNSTABLE", ()), text
    assert not says("Without BN the scale is unstable", "SCALE & STABLE", (), frozenset({"LN"}))


@pytest.mark.parametrize(
    "text",
    [
        "prevents an unstable scale",
        "keeps the scale from becoming unstable",
        "tránh thang đo bất ổn",
        "the scale does not become unstable",
    ],
)
def test_denying_the_opposite_affirms(text: str) -> None:
    assert says(text, "SCALE & STABLE", ())
    assert not says(text, "SCALE & UNSTABLE", ())


def test_khong_can_mean_zero() -> None:
    assert not says("thang đo gần không và ổn định", "!STABLE", ())
    assert says("thang đo không ổn định", "!STABLE", ())


def test_a_negation_ends_where_another_statement_begins() -> None:
    assert says("LN does not depend on the batch and normalizes each token", "LN: NORM TOKEN")
    assert says("LN không chuẩn hóa batch mà chuẩn hóa từng mẫu", "LN: NORM TOKEN")


def test_taken_back_is_not_said() -> None:
    assert not says("LN uses the batch. Actually no, LN uses each token", "LN: BATCH")
    assert says("LN uses the batch. Actually no, LN uses each token", "LN: TOKEN")
    assert not says("LN dùng batch, à nhầm, LN dùng từng mẫu", "LN: BATCH")


def test_the_other_way_round_says_nothing_by_itself() -> None:
    assert not says("LN depends on the batch, BN is the other way round", "BN: DEPEND BATCH")
    assert not says("LN depends on the batch, BN thì ngược lại", "BN: !DEPEND BATCH")


class TestOrder:
    def test_in_order_with_small_gaps(self) -> None:
        assert says("the norm stands right before the sublayer", "NORM BEFORE SUB", ())
        assert not says("the sublayer stands before the norm", "NORM BEFORE SUB", ())

    def test_a_gap_never_reaches_over_before_or_after(self) -> None:
        assert not says("norm after the sublayer", "NORM SUB", ())
        assert says("norm, then the sublayer", "NORM SUB", ())

    def test_a_gap_is_small(self) -> None:
        assert not says(
            "norm is what most people would then put somewhere around here into the sublayer", "NORM SUB", ()
        )

    def test_not_across_sentences(self) -> None:
        assert not says("We norm. Sublayer", "NORM SUB", ())


class TestSpelling:
    @pytest.mark.parametrize(
        "text",
        [
            "thang đo ổn định",
            "thang do on dinh",
            "thang ddo oonr ddinhj",
            unicodedata.normalize("NFD", "thang đo ổn định"),
            "Thang Đo ổn ĐỊNH",
        ],
    )
    def test_marks_no_marks_telex_and_nfd(self, text: str) -> None:
        assert says(unicodedata.normalize("NFC", text), "SCALE STABLE", ())

    def test_old_and_new_place_of_the_tone(self) -> None:
        assert says("chuẩn hoá thang đo", "NORM SCALE", ())
        assert says("chuẩn hóa thang đo", "NORM SCALE", ())

    def test_a_word_typed_without_marks_among_marked_ones_is_meant_so(self) -> None:
        assert says("chuẩn hóa sau lớp con", "NORM AFTER SUB", ())
        assert not says("chuẩn hóa sau lớp con", "DEEP", ())
        assert says("mạng sâu chuẩn hóa", "DEEP", ())

    def test_english_words_mean_the_same_in_every_inflection(self) -> None:
        for text in ("normalises the scale", "normalizing the scales", "normalised scale"):
            assert says(text, "NORM SCALE", ())

    def test_typing_mistakes_in_long_english_words(self) -> None:
        assert says("after the sublayr", "AFTER SUB", ())
        assert says("independant of the batch", "INDEP BATCH", ())
        assert not says("the unstabel scale", "STABLE", ())

    def test_no_for_nó_in_vietnamese_is_no_negation(self) -> None:
        assert says("no giup thang do on dinh va cho tung mau", "SCALE STABLE", ())
        assert says("there is no stable scale", "!STABLE", ())


def test_formulas_are_concepts() -> None:
    for text, name in [
        ("y = x + F(LN(x))", "F_PRE"),
        ("x + Sublayer(LayerNorm(x))", "F_PRE"),
        ("x_l + Attn(layer_norm(x_l))", "F_PRE"),
        ("Attn(LN(x)) + x", "F_PRE"),
        (r"x + \text{Sublayer}(\text{LN}(x))", "F_PRE"),
        ("LN(x+f(x))", "F_POST"),
        ("layer norm(x + sub-layer(x))", "F_POST"),
        ("LN(x + F(x)", "F_POST"),
        ("norm(sub(x) + x)", "F_POST"),
        ("x + Sublayer(x)", "F_SUM"),
        ("LN(alpha * x + F(x))", "F_DEEP"),
        ("LN(αx + F(x))", "F_DEEP"),
        ("x + LN(F(x))", "F_OUTPUTNORM"),
        ("x + LN(FFN(LN(x)))", "F_SANDWICH"),
    ]:
        assert f"⟪{name}⟫" in formulas.mark(f"that is {text}, of course") or f"⟪{name}⟫" in formulas.mark(text), text


def test_what_is_no_known_formula_stays_text() -> None:
    for text in ("LN(x)", "F(x)", "x + y", "f(x) + g(x)", "((((((((((((", "x+(", "", "Post-LN (the original)"):
        assert formulas.mark(text) == text


def test_a_topics_own_name_is_no_formula() -> None:
    assert "F_POST" not in formulas.mark("Post-LN(x + F(x))")


@pytest.mark.parametrize("text", ["ln: A", "A && B", "", "T:", "A b", "!", "A & ", "!!A"])
def test_a_pattern_that_cannot_be_read_says_so(text: str) -> None:
    with pytest.raises(patterns.PatternError):
        patterns.parse(text)


def test_names_a_glossary_does_not_have() -> None:
    assert patterns.unknown(patterns.parse("LN: A & !BATCH"), GLOSSARY) == {"A"}


def test_every_name_in_the_course_glossary_is_known_to_the_pattern_language() -> None:
    for name, concept in course_glossary().items():
        assert patterns.parse(name).names == {name}
        assert concept.opposite is None or concept.opposite in course_glossary()


def test_an_answer_that_says_it_and_denies_it_is_not_right() -> None:
    from tutor.grading.text import rubric

    step = ShortStep(
        id="q",
        prompt=Text("LN là gì?", "What is LN?"),
        topics=("LN", "BN"),
        points=(Point(id="token", any=("LN: TOKEN",), required=True),),
        model_answer=Text("", ""),
    )
    assert rubric.judge(step, "LN uses each token", GLOSSARY).outcome == "right"
    denied = rubric.judge(step, "LN uses each token. But LN does not use any token", GLOSSARY)
    assert denied.contradicts
    assert denied.outcome == "unsure"
    either = msgspec.structs.replace(step, points=(Point(id="token", any=("LN: TOKEN", "LN: !TOKEN"), required=True),))
    assert rubric.judge(either, "LN uses each token. But LN does not use any token", GLOSSARY).outcome == "right"
