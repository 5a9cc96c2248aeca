"""Drawings are checked by following their lines: what is read back must be the graph that was drawn."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tutor.text import flow
from tutor.text.flow import Flow, FlowError, Node, draw, parse, side_by_side

PRE = "x -> LN -> Sub -> +; x -> + -> y"
POST = "x -> Sub -> + -> LN -> y; x -> +"
DEEP = "x -> Sub -> + -> LN -> y; alpha*x -> +"
BLOCK = "x -> LN -> Attn -> + -> LN -> FFN -> + -> y; x -> +; + -> +"
SANDWICH = "x -> LN -> Sub -> LN -> + -> y; x -> +"
PARALLEL = "x -> LN -> Attn -> + -> y; LN -> FFN -> +; x -> +"
POST_BLOCK = "x -> Attn -> + -> LN -> FFN -> + -> LN -> y; x -> +; LN -> +"
NESTED = "x -> LN -> Sub -> +1 -> F -> +2 -> y; x -> +1; x -> +2"
OVERLAPPING = "x -> LN -> Sub -> +1 -> F -> +2 -> y; x -> +1; LN -> +2"
INTO_A_BOX = "x -> Sub -> LN -> y; x -> LN"
TIGHT = "x -> +1 -> +2 -> +3 -> y; x -> LN -> FFN -> +3"
ALL = [PRE, POST, DEEP, BLOCK, SANDWICH, PARALLEL, POST_BLOCK, NESTED, OVERLAPPING, INTO_A_BOX, TIGHT]


def edges(graph: Flow) -> list[tuple[str, str]]:
    return sorted((graph.nodes[start].label, graph.nodes[end].label) for start, end in graph.edges)


class Reader:
    """Follows the lines of a drawing from each block downwards and to the right."""

    def __init__(self, rows: tuple[str, ...]) -> None:
        self.rows = rows
        self.blocks: dict[tuple[int, int], str] = {}
        for y, row in enumerate(rows):
            for found in re.finditer(r"(?<=│) ([^│─×]*\w[^│─×]*) (?=│)|[+xy]|×[αβ]", row):
                bare = found[1] is None
                if bare and self.inside_a_box(y, found.start()):
                    continue
                for x in range(found.start(), found.end()):
                    self.blocks[y, x] = (found[1] or found[0]).strip() + f"@{y},{found.start()}"

    def inside_a_box(self, y: int, x: int) -> bool:
        left = self.rows[y].rfind("│", 0, x)
        return left >= 0 and y > 0 and self.rows[y - 1][left : left + 1] == "┌"

    def at(self, y: int, x: int) -> str:
        return self.rows[y][x] if 0 <= y < len(self.rows) and 0 <= x < len(self.rows[y]) else " "

    def edges(self) -> list[tuple[str, str]]:
        found = set()
        for (y, x), name in self.blocks.items():
            for down in (1, 2):
                if self.at(y + 1, x) in ("┬" if down == 2 else "▼├│") and (down == 1 or self.at(y + 2, x) != " "):
                    found |= {(name, end) for end in self.follow(y + down, x, "down")}
        return sorted((start.split("@")[0], end.split("@")[0]) for start, end in found)

    def follow(self, y: int, x: int, way: str) -> set[str]:
        while True:
            if (y, x) in self.blocks:
                return {self.blocks[y, x]}
            char = self.at(y, x)
            assert char != " ", f"a line ends at row {y}, column {x}:\n" + "\n".join(self.rows)
            if char == "├":
                return self.follow(y + 1, x, "down") | self.follow(y, x + 1, "right")
            if char == "┬" and way == "right":
                return self.follow(y + 1, x, "down") | self.follow(y, x + 1, "right")
            if char == "◄":
                return {self.blocks[y, x - 1 if (y, x - 1) in self.blocks else x - 3]}
            if char in "╯┴" and way == "down":
                way = "left"
            elif char == "╮":
                way = "down"
            y, x = y + (way == "down"), x + {"right": 1, "left": -1, "down": 0}[way]


@pytest.mark.parametrize("text", ALL)
def test_a_drawing_shows_exactly_the_edges_of_its_graph(text: str) -> None:
    graph = parse(text)
    rows = draw(graph, width=60)
    assert Reader(rows).edges() == edges(graph), "\n".join(rows)


@given(
    st.lists(st.sampled_from(["LN", "Attention", "FFN", "+"]), min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from(["", "×α", "FFN"])), max_size=4),
)
def test_any_chain_with_rails_is_drawn_right_or_as_its_edges(
    chain: list[str], rails: list[tuple[int, int, str]]
) -> None:
    labels = ["x", *chain, "y"]
    nodes = [Node("other", label, place) for place, label in enumerate(labels)]
    kinds = {"x": "input", "y": "output", "+": "add", "×α": "scale"}
    joined = {(place, place + 1) for place in range(len(labels) - 1)}
    for start, end, block in rails:
        start, end = sorted((start % len(labels), end % len(labels)))
        if start == end or (start, end) in joined:
            continue
        if block:
            nodes.append(Node("other", block, len(nodes)))
            joined |= {(start, len(nodes) - 1), (len(nodes) - 1, end)}
        else:
            joined.add((start, end))
    typed = tuple(Node(kinds.get(node.label, "sublayer"), node.label, node.number) for node in nodes)
    graph = Flow(typed, tuple(sorted(joined)))
    rows = draw(graph, width=200)
    if " -> " not in rows[0]:
        assert Reader(rows).edges() == edges(graph), "\n".join(rows)


@pytest.mark.parametrize("text", ALL)
def test_the_known_architectures_are_drawn_not_listed(text: str) -> None:
    rows = draw(parse(text), width=60)
    assert " -> " not in rows[0]
    assert len({cell_len(row) for row in rows}) == 1


def test_pre_norm_as_it_looks() -> None:
    assert [row.rstrip() for row in draw(parse(PRE))] == [
        "      x",
        "      ├───────╮",
        "┌─────▼─────┐ │",
        "│    LN     │ │",
        "└─────┬─────┘ │",
        "┌─────▼─────┐ │",
        "│ Sublayer  │ │",
        "└─────┬─────┘ │",
        "      ▼       │",
        "      +◄──────╯",
        "      ▼",
        "      y",
    ]


def test_deepnorm_scales_the_skip_and_not_the_branch() -> None:
    scaled = next(row for row in draw(parse(DEEP)) if "×α" in row)
    assert scaled.index("×α") > scaled.index("Sublayer")


def test_two_diagrams_stand_side_by_side_and_low() -> None:
    rows = side_by_side([("Pre-Norm", draw(parse(PRE))), ("Post-Norm", draw(parse(POST)))], 76)
    assert len(rows) <= 16
    assert max(map(cell_len, rows)) <= 76
    assert rows[0].split() == ["Pre-Norm", "Post-Norm"]


def test_diagrams_that_do_not_fit_stand_below_each_other() -> None:
    rows = side_by_side([("Pre-Norm", draw(parse(PRE))), ("Post-Norm", draw(parse(POST)))], 30)
    assert max(map(cell_len, rows)) <= 30
    assert [row.strip() for row in rows].index("Post-Norm") > 12


def test_a_narrow_place_shortens_the_labels() -> None:
    rows = draw(parse('x -> "Multi-head latent attention" -> +; x -> +'), width=24)
    assert cell_len(rows[0]) <= 24
    assert any("…" in row for row in rows)


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("x → LayerNorm → Sublayer → add; x → add → y", PRE),
        ("input => layer norm => sub-layer => cộng\nđầu vào -> cộng -> đầu ra", PRE),
        ("X->ln->SUB->+;X->+->Y", PRE),
        ("x -> Attn -> + -> LN -> y; x -> +", "x -> self-attention -> phép cộng -> LayerNorm -> y; x -> +"),
        (BLOCK, "x -> LN1 -> Attn -> +1 -> LN2 -> FFN -> +2 -> y; x -> +1; +1 -> +2"),
        (DEEP, "x -> Sub -> + -> LN -> y; x -> α -> +"),
        (DEEP, "x -> F -> + -> LN -> y; x -> ×α -> +".replace("F", "Sub")),
    ],
)
def test_the_same_flow_in_other_words(written: str, same: str) -> None:
    one, other = parse(written), parse(same)
    assert edges(one) == edges(other)
    assert {node.kind for node in one.nodes} == {node.kind for node in other.nodes}


def test_a_later_chain_means_the_next_block_of_that_name() -> None:
    graph = parse(BLOCK)
    adds = [index for index, node in enumerate(graph.nodes) if node.kind == "add"]
    x = next(index for index, node in enumerate(graph.nodes) if node.kind == "input")
    assert (x, adds[0]) in graph.edges
    assert (adds[0], adds[1]) in graph.edges
    assert (x, adds[1]) not in graph.edges


def test_repeated_norms_stay_apart() -> None:
    assert [node.number for node in parse(SANDWICH).nodes if node.kind == "norm"] == [1, 2]


@pytest.mark.parametrize(
    ("text", "position", "understood"),
    [
        ("x -> LN -> Subb -> +", 11, "x -> LN"),
        ("x -> -> LN", 5, ""),
        ("x -> LN; x -> ??", 14, "x -> LN"),
        ("", 0, ""),
        ("x", 0, ""),
        ("x -> x", 5, ""),
        ("x -> LN1 -> Sub; Sub -> LN1", 24, "x -> LN; LN -> Sublayer"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(text: str, position: int, understood: str) -> None:
    with pytest.raises(FlowError) as caught:
        parse(text)
    assert caught.value.position == position
    assert caught.value.understood == understood


@given(st.text(alphabet='x-> +;LNSub1*αy"\n', max_size=60) | st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        graph = parse(text)
    except FlowError:
        return
    assert len({cell_len(row) for row in flow.draw(graph)}) == 1


def test_length_and_size_are_limited() -> None:
    with pytest.raises(FlowError):
        parse("x -> LN" * 1000)
    with pytest.raises(FlowError):
        parse(" -> ".join(["LN"] * 60))
