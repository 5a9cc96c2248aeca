from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.text.flow import parse
from tutor.text.flow_layout import Layout, Track, palette

FLOWS = {
    "pre": ("x -> LN -> Sub -> + -> y; x -> +", ("LN", "Sub", "+"), (Track(0, 3),)),
    "deep": ("x -> Sub -> + -> LN -> y; x -> ×α -> +", ("Sub", "+", "LN"), (Track(0, 2, ("×α",)),)),
    "parallel": (
        "x -> LN -> Attn -> + -> y; LN -> FFN -> +; x -> +",
        ("LN", "Attn", "+"),
        (Track(1, 3, ("FFN",)), Track(0, 3)),
    ),
    "block": (
        "x -> LN1 -> Attn -> +1 -> LN2 -> FFN -> +2 -> y; x -> +1; +1 -> +2",
        ("LN", "Attn", "+", "LN", "FFN", "+"),
        (Track(0, 3), Track(3, 6)),
    ),
}


@pytest.mark.parametrize(("text", "blocks", "tracks"), FLOWS.values(), ids=FLOWS)
def test_a_flow_and_its_slots_say_the_same(text: str, blocks: tuple[str, ...], tracks: tuple[Track, ...]) -> None:
    layout = Layout.of(parse(text))
    assert layout == Layout(blocks, tracks)
    assert layout is not None and layout.text() == text


def test_without_an_output_the_path_ends_at_its_last_block() -> None:
    assert Layout.of(parse("x -> LN -> Sub -> +; x -> +")) == Layout(("LN", "Sub", "+"), (Track(0, 3),))


@pytest.mark.parametrize("text", ["LN -> Sub -> +", "x -> LN -> Sub -> y; x -> FFN -> Attn -> y; FFN -> Linear -> y"])
def test_what_is_no_path_with_rails_has_no_slots(text: str) -> None:
    assert Layout.of(parse(text)) is None


def test_built_by_hand() -> None:
    layout = Layout()
    assert layout.text() == ""
    for place, label in enumerate(["Sub", "+", "LN"]):
        layout = layout.put(label, place)
    assert layout.text() == "x -> Sub -> + -> LN -> y"
    layout = layout.lay(0, 2)
    assert layout.text() == "x -> Sub -> + -> LN -> y; x -> +"
    layout = layout.load(0, "×α")
    assert layout.text() == FLOWS["deep"][0]
    assert layout.unload(0).unload(0).tracks == ()


def test_a_rail_stays_with_its_blocks() -> None:
    layout = Layout(("LN", "Sub", "+"), (Track(0, 3),))
    assert layout.move(3, -1).text() == "x -> LN -> + -> Sub -> y; x -> +"
    assert layout.put("LN", 2).text() == "x -> LN1 -> Sub -> LN2 -> + -> y; x -> +"
    assert layout.take(1).text() == "x -> Sub -> + -> y; x -> +"
    assert layout.take(3).tracks == (), "what a rail joins is gone"
    assert layout.move(1, -1) == layout and layout.take(0) == layout and layout.take(4) == layout


def test_a_rail_that_passes_nothing_is_not_laid() -> None:
    layout = Layout(("LN", "Sub", "+"))
    assert layout.lay(0, 1) == layout and layout.lay(3, 1) == layout and layout.lay(0, 9) == layout
    assert layout.lay(0, 3).lay(0, 3) == layout.lay(0, 3)
    assert Layout(("LN", "Sub"), (Track(0, 2),)).take(1).tracks == ()


@given(st.data())
def test_any_editing_leaves_a_flow_that_can_be_read(data: st.DataObject) -> None:
    layout = Layout()
    for _ in range(data.draw(st.integers(1, 12))):
        place, other = data.draw(st.integers(0, layout.last)), data.draw(st.integers(0, layout.last))
        match data.draw(st.sampled_from(["put", "put", "take", "move", "lay", "load", "unload"])):
            case "put":
                layout = layout.put(data.draw(st.sampled_from(["LN", "Sub", "+", "×α"])), place)
            case "take":
                layout = layout.take(place)
            case "move":
                layout = layout.move(place, 1)
            case "lay":
                layout = layout.lay(place, other)
            case "load" if layout.tracks:
                layout = layout.load(place % len(layout.tracks), "LN")
            case "unload" if layout.tracks:
                layout = layout.unload(place % len(layout.tracks))
    if layout.text():
        flow = parse(layout.text())
        edges = len(layout.blocks) + 1 + sum(len(track.blocks) + 1 for track in layout.tracks)
        assert len(flow.edges) == edges


def test_the_palette_holds_each_block_once() -> None:
    assert palette([parse(FLOWS["block"][0])]) == ("LN", "Attn", "FFN", "+")
    assert palette([parse(FLOWS["deep"][0])]) == ("LN", "Sub", "+", "×α")
