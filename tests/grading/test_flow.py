from __future__ import annotations

import random
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.course.model import FlowStep, Text
from tutor.grading import grade
from tutor.grading.flow_graphs import compare, graph_of, same
from tutor.grading.known_flows import KNOWN, recognise
from tutor.grading.verdict import Verdict
from tutor.text import flow, i18n

PRE = "x -> LN -> Sub -> + -> y; x -> +"
POST = "x -> Sub -> + -> LN -> y; x -> +"
DEEP = "x -> Sub -> + -> LN -> y; x -> α -> +"
SANDWICH = "x -> LN -> Sub -> LN -> + -> y; x -> +"
PARALLEL = "x -> LN -> Attn -> + -> y; LN -> FFN -> +; x -> +"
BLOCK = "x -> LN -> Attn -> + -> LN -> FFN -> + -> y; x -> +; + -> +"
ASKED = {"pre": PRE, "post": POST, "deep": DEEP, "sandwich": SANDWICH, "parallel": PARALLEL, "block": BLOCK}


def judged(asked: str, answer: str, lang: i18n.Lang = "en") -> Verdict:
    step = FlowStep(id=asked, prompt=Text("?", "?"), answer=ASKED[asked], why=Text("vì", "because"))
    return grade(step, answer, lang=lang, glossary={})


class TestRight:
    @pytest.mark.parametrize(
        ("asked", "answer"),
        [
            ("pre", PRE),
            ("pre", "x → LayerNorm → sublayer → add\nx → add"),
            ("pre", "x => norm => F => cộng => y; x => cộng"),
            ("pre", "đầu vào -> chuẩn hóa -> attention -> phép cộng -> đầu ra; đầu vào -> phép cộng"),
            ("pre", "dau vao -> chuan hoa -> tang con -> cong -> dau ra; dau vao -> cong"),
            ("pre", "Sub -> +; x -> +; LN -> Sub; x -> LN"),
            ("pre", "y <- + <- Sub <- LN <- x; + <- x"),
            ("pre", "x -> RMSNorm -> MLP -> sum; x -> sum -> output"),
            ("pre", "x -> LN -> Sub -> +, x -> +"),
            ("pre", "x -> LN -> Sub -> Dropout -> +; x -> +"),
            ("pre", "x -> skip -> +; x -> LN -> Sub -> +"),
            ("pre", "x + Sub(LN(x))"),
            ("pre", "x -> LN(x) -> Sub(LN(x)) -> x + Sub(LN(x)) -> y"),
            ("pre", "x_l -> LN -> F -> + -> x_{l+1}; x_l -> +"),
            ("post", "x -> Sub -> Add & Norm -> y; x -> Add & Norm"),
            ("post", "y = LN(x + F(x))"),
            ("post", "+ -> LN; x -> FFN -> +; x -> +"),
            ("deep", "αx -> +; x -> F -> + -> LN"),
            ("deep", "x -> alpha*x -> + -> LN; x -> Sub -> +"),
            ("deep", "x -> scale -> +; x -> Sub -> +; + -> layer norm -> out"),
            ("deep", "LN(alpha x + Sublayer(x))"),
            ("deep", "x -> scale(alpha) -> +; x -> Sub -> + -> LN"),
            ("sandwich", "x -> LN1 -> Sub -> LN2 -> +; x -> +"),
            ("sandwich", "x -> pre norm -> Sub -> post norm -> +; x -> +"),
            ("sandwich", "LN2 -> +; Sub -> LN2; x -> +; LN1 -> Sub; x -> LN1"),
            ("parallel", "x -> LN -> (FFN, Attn) -> + -> y; x -> +"),
            ("parallel", "x -> LN; LN -> self-attention -> +; LN -> mlp -> +; x -> +"),
            ("block", "x -> LN -> MHA -> + -> h -> LN -> FFN -> +; x -> +; h -> + -> y"),
            ("block", "x -> LN1 -> Attn -> add1 -> LN2 -> FFN -> add2 -> y; x -> add1; add1 -> add2"),
            ("block", "+2 -> y; +1 -> +2; FFN -> +2; LN_2 -> FFN; +1 -> LN_2; x -> +1; Attn -> +1; x -> LN_1 -> Attn"),
            ("block", "h = x + Attn(LN(x)); y = h + FFN(LN(h))"),
        ],
    )  # fmt: skip
    def test_as_people_write_it(self, asked: str, answer: str) -> None:
        verdict = judged(asked, answer)
        assert (verdict.verdict, verdict.score) == ("right", 1.0), verdict
        assert all(check.passed for check in verdict.checks)
        for other in ASKED:
            if other != asked:
                assert judged(other, answer).verdict != "right", other

    def test_dropout_is_left_out_behind_the_sublayer_only(self) -> None:
        assert "Dropout" in judged("pre", "x -> LN -> Sub -> Dropout -> +; x -> +").feedback
        assert judged("pre", "x -> LN -> Sub -> +; x -> Dropout -> +").verdict != "right"
        assert judged("pre", "x -> LN -> Dropout -> Sub -> +; x -> +").verdict != "right"


class TestNotRight:
    @pytest.mark.parametrize(
        ("asked", "answer", "named"),
        [
            ("pre", POST, "post-norm"),
            ("post", PRE, "pre-norm"),
            ("post", DEEP, "deepnorm"),
            ("deep", POST, "post-norm"),
            ("deep", "x -> Sub -> α -> + -> LN; x -> +", "deepnorm-branch"),
            ("deep", "x -> α; α -> Sub -> + -> LN; α -> +", "deepnorm-both"),
            ("deep", "LN(alpha*(x + F(x)))", "deepnorm-sum"),
            ("sandwich", PRE, "pre-norm"),
            ("sandwich", "x -> Sub -> LN -> +; x -> +", "output-norm"),
            ("sandwich", "x -> LN -> Sub -> + -> LN; x -> +", "pre-and-post"),
            ("pre", SANDWICH, "sandwich"),
            ("pre", "x -> LN -> Sub -> y", "no-residual"),
            ("pre", "x -> LN -> Sub -> +", "no-residual"),
            ("pre", "x -> F -> +; x -> +", "residual-without-norm"),
            ("pre", "x -> LN -> Sub -> +; LN -> +", "skip-after-norm"),
            ("pre", "x -> LN -> +; x -> Sub -> +", "norm-on-skip"),
            ("pre", PARALLEL, "parallel"),
            ("pre", BLOCK, "pre-norm-block"),
            ("parallel", "x -> LN1 -> Attn -> +; x -> LN2 -> FFN -> +; x -> +", "parallel-two-norms"),
            ("parallel", BLOCK, "pre-norm-block"),
            ("block", PARALLEL, "parallel"),
            ("block", "x -> LN -> Attn -> +1 -> LN -> FFN -> +2; x -> +1; x -> +2", "second-skip-from-x"),
            ("block", "x -> Attn -> +1 -> LN1 -> FFN -> +2 -> LN2; x -> +1; LN1 -> +2", "post-norm-block"),
            ("block", "x -> LN -> FFN -> +1 -> LN -> Attn -> +2; x -> +1 -> +2", "ffn-first"),
        ],
    )  # fmt: skip
    def test_another_known_diagram_is_named(self, asked: str, answer: str, named: str) -> None:
        verdict = judged(asked, answer)
        assert verdict.verdict == "wrong"
        assert verdict.misconception is not None
        assert verdict.misconception.id == named
        assert verdict.score is not None and verdict.score <= 0.5

    @pytest.mark.parametrize(
        ("asked", "answer", "named"),
        [
            ("parallel", "x -> LN -> Attn -> +1; LN -> FFN -> +2; x -> +1 -> +2", "parallel-two-additions"),
            ("block", "x -> LN -> Sub -> +1 -> LN -> Sub -> +2; x -> +1 -> +2", "unnamed-sublayers"),
        ],
    )
    def test_what_is_nearly_it_is_partly_right(self, asked: str, answer: str, named: str) -> None:
        verdict = judged(asked, answer)
        assert verdict.verdict == "partly"
        assert verdict.misconception is not None and verdict.misconception.id == named

    def test_what_is_nearly_something_else_is_not(self) -> None:
        assert judged("pre", "x -> LN -> Attn -> +1; LN -> FFN -> +2; x -> +1 -> +2").verdict == "wrong"

    def test_what_was_asked_is_not_named_for_something_else(self) -> None:
        verdict = judged("pre", "+ -> +; x -> LN -> Sub -> +; x -> +")
        assert verdict.verdict != "right" and verdict.misconception is None
        assert "do not belong" in verdict.feedback

    def test_else_the_arrows_that_differ_are_listed(self) -> None:
        verdict = judged("pre", "x -> LN -> Sub -> +; x -> +; LN -> +")
        assert verdict.verdict == "partly" and verdict.misconception is None
        assert verdict.score == pytest.approx(5 / 6, abs=0.01)
        assert "`LN → +`" in verdict.feedback and "missing" not in verdict.feedback
        verdict = judged("block", "x -> LN1 -> Attn -> +1 -> LN2 -> FFN -> +2; x -> +1")
        assert "`+1 → +2`" in verdict.feedback and "missing" in verdict.feedback
        assert [check.id for check in verdict.checks if not check.passed] == ["+1->+2"]

    @pytest.mark.parametrize(
        "wrong",
        [
            "x -> Sub -> y; x -> LN -> +",
            "x -> BN -> Sub -> +; x -> +",
            "Sub -> LN -> +; x -> +",
            "x -> LN -> Sub -> + ; x -> +; Sub -> y",
            "x -> +; LN -> Sub -> +",
        ],
    )
    def test_small_differences_are_seen(self, wrong: str) -> None:
        assert judged("pre", wrong).verdict in ("wrong", "partly")

    def test_two_sublayers_are_not_one(self) -> None:
        assert judged("pre", "x -> LN -> F -> Sub -> +; x -> +").verdict != "right"
        assert judged("parallel", "x -> LN -> Attn -> +; LN -> Attn2 -> +; x -> +").verdict != "right"

    def test_a_circle_is_wrong_and_shown(self) -> None:
        for lang, part in (("en", "circle"), ("vi", "vòng")):
            verdict = judged("pre", "x -> LN1 -> Sub -> + -> LN1; x -> +", lang)
            assert (verdict.verdict, verdict.score) == ("wrong", 0.0)
            assert verdict.misconception is not None and part in verdict.misconception.message
            assert "x -> LN" in verdict.feedback

    @pytest.mark.parametrize(
        "answer", ["", "  ", "x", "x -> foo -> +", "x -> LN -> LN1 -> LN1", "x -> x", "x ->", "a -> b", "\x1b[2J -> x"]
    )
    def test_what_cannot_be_read_is_free_and_shows_what_was(self, answer: str) -> None:
        verdict = judged("pre", answer)
        assert verdict.verdict == "unreadable"
        assert verdict.score is None
        assert "\x1b" not in verdict.feedback

    def test_what_was_understood(self) -> None:
        assert "`x -> LN`" in judged("pre", "x -> LN -> foo").feedback


@pytest.mark.parametrize("known", [known for known in KNOWN if not known.near], ids=lambda known: known.id)
def test_every_known_diagram_is_itself_and_no_other(known) -> None:
    for graph in known.graphs:
        found = recognise(graph, graph_of(flow.parse("x -> Embedding")))
        assert found is known


ALIASES = {
    "x": ["x", "input", "X", "đầu vào"],
    "y": ["y", "output", "out"],
    "LN": ["LN", "ln", "LayerNorm", "layer norm", "layer_norm"],
    "Sublayer": ["Sub", "sublayer", "Sub-layer"],
    "Attention": ["Attn", "attention", "self-attention", "MHA"],
    "FFN": ["FFN", "MLP", "feed-forward"],
    "+": ["+", "add", "⊕", "cộng", "sum"],
    "×α": ["α", "alpha", "×α"],
}


def rewritten(graph: flow.Flow, draw: random.Random) -> str:
    """The same graph in other words: blocks numbered anew, arrows in another order, chains split and joined."""
    numbers = {}
    for label in {node.label for node in graph.nodes}:
        count = sum(node.label == label for node in graph.nodes)
        fresh = draw.sample(range(1, 9), count)
        numbers |= {
            index: (str(fresh.pop()) if count > 1 else "")
            for index, node in enumerate(graph.nodes)
            if node.label == label
        }
    edges = list(graph.edges)
    draw.shuffle(edges)
    chains: list[list[int]] = []
    for start, end in edges:
        joined = next((chain for chain in chains if chain[-1] == start), None)
        if joined and draw.random() < 0.5:
            joined.append(end)
        else:
            chains.append([start, end])

    def name(index: int) -> str:
        return draw.choice(ALIASES[graph.nodes[index].label]) + numbers[index]

    arrow = draw.choice([" -> ", "→", " => ", "->"])
    return draw.choice(["; ", "\n", ";"]).join(arrow.join(map(name, chain)) for chain in chains)


@given(st.sampled_from(list(ASKED)), st.randoms(use_true_random=False))
def test_a_diagram_is_recognised_in_any_words_and_any_order(asked: str, draw: random.Random) -> None:
    text = rewritten(flow.parse(ASKED[asked]), draw)
    assert judged(asked, text).verdict == "right", text


@given(st.sampled_from([flow_ for known in KNOWN for flow_ in known.flows]), st.randoms(use_true_random=False))
def test_known_diagrams_are_one_graph_however_they_are_written(source: str, draw: random.Random) -> None:
    parsed = flow.parse(source)
    assert same(graph_of(flow.parse(rewritten(parsed, draw))), graph_of(parsed))


@given(st.randoms(use_true_random=False), st.sampled_from(list(ASKED)))
def test_one_arrow_more_less_or_elsewhere_is_never_right(draw: random.Random, asked: str) -> None:
    graph = flow.parse(ASKED[asked])
    count = len(graph.nodes)
    forward = [(a, b) for a, b in permutations(range(count), 2) if (a, b) not in graph.edges]
    edges = list(graph.edges)
    change = draw.choice(["more", "less", "elsewhere"])
    if change != "more":
        edges.pop(draw.randrange(len(edges)))
    if change != "less":
        edges.append(draw.choice(forward))
    if set(edges) == set(graph.edges):
        return
    changed = flow.Flow(graph.nodes, tuple(edges))
    text = str(changed)
    # The output may be left out, and where two blocks of one label change places the graph is the same.
    labels = [node.label for node in graph.nodes]
    if "y" in labels and not any(end == labels.index("y") for _, end in edges):
        return
    if set(edges) in relabelled(graph):
        return
    assert judged(asked, text).verdict != "right", text


def relabelled(graph: flow.Flow) -> list[set[tuple[int, int]]]:
    """The arrows of a graph with blocks of one label in each other's place, in every way."""
    labels = [node.label for node in graph.nodes]
    ways = [way for way in permutations(range(len(labels))) if [labels[index] for index in way] == labels]
    return [{(way[start], way[end]) for start, end in graph.edges} for way in ways]


@given(st.text(alphabet="x->+;LNSubαy,()= \n2", max_size=80) | st.text(max_size=60))
def test_any_text_gets_a_verdict_soon(text: str) -> None:
    verdict = judged("block", text)
    assert verdict.verdict in ("right", "partly", "wrong", "unreadable"), verdict


def test_many_blocks_of_one_name_are_compared_in_bounded_work() -> None:
    crowd = graph_of(flow.parse("; ".join(f"x -> LN{a} -> +{a}" for a in range(1, 19))))
    assert compare(crowd, graph_of(flow.parse(BLOCK))).likeness < 0.5
