"""Flows, orders and ticks, answered by keys alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from tests.ui.helpers import at, history, shown, until
from tutor.text import i18n
from tutor.ui.app import TutorApp
from tutor.ui.widgets.flow_builder import FlowBuilder
from tutor.ui.widgets.picker import Picker
from tutor.ui.widgets.sorter import Sorter

SIZE = (80, 24)
LESSON = """\
id: layouts
title: {vi: Bố trí, en: Layouts}
minutes: 5
steps:
- id: pre
  kind: flow
  prompt: {vi: Vẽ Pre-Norm., en: Draw Pre-Norm.}
  answer: "x -> LN -> Sub -> + -> y; x -> +"
  why: {vi: LN trong nhánh., en: LN is inside the branch.}
- id: deep
  kind: flow
  prompt: {vi: Vẽ DeepNorm., en: Draw DeepNorm.}
  answer: "x -> Sub -> + -> LN -> y; x -> α -> +"
- id: line
  kind: order
  prompt: {vi: Xếp., en: Put in order.}
  items:
  - {id: one, text: {vi: một, en: first}}
  - {id: two, text: {vi: hai, en: second}, why: {vi: Hai ở giữa., en: Two is in the middle.}}
  - {id: three, text: {vi: ba, en: third}}
- id: several
  kind: multi
  prompt: {vi: Chọn., en: Tick the norms.}
  options:
  - {id: ln, text: LayerNorm, right: true}
  - {id: relu, text: ReLU, why: {vi: ReLU là hàm kích hoạt., en: ReLU is an activation.}}
  - {id: rms, text: RMSNorm, right: true, why: {vi: Cũng là norm., en: A norm as well.}}
"""


@pytest.fixture(autouse=True)
def course(surroundings: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = tmp_path / "course"
    root.mkdir()
    (root / "layouts.yaml").write_text(LESSON, encoding="utf-8")
    monkeypatch.setenv("NORMTUTOR_COURSE", str(root))


def answers(home: Path) -> list[tuple[str, str]]:
    return [
        (event.data["answer"], event.data["verdict"]["verdict"]) for event in history(home) if event.kind == "answered"
    ]


# Flows


async def test_a_flow_is_put_together_by_keys(tmp_path: Path) -> None:
    app = TutorApp("pre")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "pre")
        await until(pilot, lambda: isinstance(app.focused, FlowBuilder), "the slots")
        await pilot.press("1", "2", "3")
        await until(pilot, lambda: "│ Sublayer  │" in shown(app), "the drawing")
        await pilot.press("up", "up", "up", "s")
        await until(pilot, lambda: "The skip leaves x" in shown(app), "a skip begun")
        await pilot.press("enter")
        await until(pilot, lambda: "+◄──────╯" in shown(app), "the skip drawn")
        await pilot.press("enter")
        await until(pilot, lambda: "Right." in shown(app), "the verdict")
        assert "LN is inside the branch." in shown(app)
        await pilot.press("ctrl+q")
    assert answers(tmp_path / "home") == [("x -> LN -> Sub -> + -> y; x -> +", "right")]


async def test_empty_slots_say_which_keys_put_the_first_block_in(tmp_path: Path) -> None:
    app = TutorApp("pre")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "pre")
        await until(pilot, lambda: "A digit puts the first block in:" in shown(app), "which keys")
        assert "s skip" not in shown(app)
        await pilot.press("down", "up", "left", "right", "shift+down")
        assert not app._notifications
        assert isinstance(app.focused, FlowBuilder)
        await pilot.press("enter")
        said = [notice.message for notice in app._notifications]
        assert said == ["Nothing to hand in yet: 1-3 put in the first block."]
        assert "I could not read that" not in shown(app)
        i18n.set_language("vi")
        app.screen.query_one(FlowBuilder).on_focus()
        await until(pilot, lambda: "Phím số đặt khối đầu tiên:" in shown(app), "the same in Vietnamese")
        i18n.set_language("en")
        await pilot.press("1")
        await until(pilot, lambda: "s skip from ›" in shown(app), "the keys for what is there")
        await pilot.press("ctrl+q")
    assert answers(tmp_path / "home") == []


async def test_another_diagram_is_named_then_changed_into_the_right_one(tmp_path: Path) -> None:
    app = TutorApp("pre")
    async with app.run_test(size=(80, 40)) as pilot:
        await at(pilot, "pre")
        await pilot.press("2", "3", "1", "up", "up", "up", "s", "enter", "enter")
        await until(pilot, lambda: "This is Post-Norm" in shown(app), "the name of what was drawn")
        await pilot.press("m")
        await until(pilot, lambda: "The right diagram:" in shown(app), "the right one")
        await pilot.press("r", "down", "less_than_sign", "less_than_sign")
        builder = app.screen.query_one(FlowBuilder)
        await until(pilot, lambda: builder.slots.blocks == ("LN", "Sub", "+"), "LN moved to the front")
        assert "This is Post-Norm" not in shown(app)
        await pilot.press("enter")
        await until(pilot, lambda: "Right." in shown(app), "the verdict")
        await pilot.press("ctrl+q")
    assert [verdict for _, verdict in answers(tmp_path / "home")] == ["wrong", "right"]


async def test_a_block_on_the_skip() -> None:
    app = TutorApp("deep")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "deep")
        await pilot.press("2", "3", "1", "up", "up", "up", "s", "enter", *["down"] * 6, "4")
        await until(pilot, lambda: "x → ×α → +" in shown(app), "alpha on the skip")
        await pilot.press("enter")
        await until(pilot, lambda: "Right." in shown(app), "the verdict")


async def test_blocks_and_skips_are_taken_out_again() -> None:
    app = TutorApp("deep")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "deep")
        builder = app.screen.query_one(FlowBuilder)
        await pilot.press("2", "3", "1", "up", "up", "up", "s", "enter", *["down"] * 6, "4", "backspace")
        assert builder.slots.text() == "x -> Sub -> + -> LN -> y; x -> +"
        await pilot.press("backspace", *["up"] * 9, "down", "delete")
        assert builder.slots.text() == "x -> + -> LN -> y"


async def test_esc_gives_a_skip_up_and_then_leaves() -> None:
    app = TutorApp("pre")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "pre")
        builder = app.screen.query_one(FlowBuilder)
        await pilot.press("s")
        assert builder.skip_from is None, "there is nothing to go around yet"
        await pilot.press("1", "2", "up", "up", "s")
        assert builder.skip_from == 0
        await pilot.press("escape")
        assert builder.skip_from is None and app.focused is builder
        await pilot.press("escape")
        assert app.focused is not builder


async def test_what_is_half_built_is_there_again() -> None:
    app = TutorApp("pre")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "pre")
        await pilot.press("1", "3", "up", "up", "s", "enter")
        await pilot.press("ctrl+q")
    again = TutorApp("pre")
    async with again.run_test(size=SIZE) as pilot:
        await at(pilot, "pre")
        builder = again.screen.query_one(FlowBuilder)
        assert builder.slots.text() == "x -> LN -> + -> y; x -> +"
        await until(pilot, lambda: "+◄" in shown(again), "the drawing")
        assert again.focused is builder


async def test_arrows_and_slots_hold_the_same_flow(tmp_path: Path) -> None:
    app = TutorApp("pre")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "pre")
        await pilot.press("1", "f3")
        await until(pilot, lambda: isinstance(app.focused, Input), "the arrows")
        field = app.screen.query_one("#arrows", Input)
        assert field.value == "x -> LN -> y"
        field.value = "x -> LN -> Sub -> +; x -> +"
        await until(pilot, lambda: "+◄──────╯" in shown(app), "drawn while typing")
        await pilot.press("f3")
        builder = app.screen.query_one(FlowBuilder)
        assert builder.display and builder.slots.blocks == ("LN", "Sub", "+")
        await pilot.press("enter")
        await until(pilot, lambda: "Right." in shown(app), "the verdict")
        await pilot.press("ctrl+q")
    assert [verdict for _, verdict in answers(tmp_path / "home")] == ["right"]


async def test_arrows_that_cannot_be_read_stay_and_do_not_count() -> None:
    app = TutorApp("pre")
    async with app.run_test(size=(80, 40)) as pilot:
        await at(pilot, "pre")
        await pilot.press("f3")
        field = app.screen.query_one("#arrows", Input)
        field.value = "x -> LN -> foo"
        await until(pilot, lambda: "“foo” is no block I know." in shown(app), "why not")
        assert "LN" in str(app.screen.query_one("#drawing").render()), "what was read is drawn"
        await pilot.press("enter")
        await until(pilot, lambda: "does not count" in shown(app), "unreadable")
        assert app.focused is field
        assert app.study is not None and not app.study.progress.done("pre")
        await pilot.press("f3")
        assert field.display, "what cannot be read has no slots"


async def test_the_language_changes_in_the_middle() -> None:
    app = TutorApp("pre")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "pre")
        await pilot.press("1", "2", "v")
        await until(pilot, lambda: "Vẽ Pre-Norm" in shown(app), "Vietnamese")
        assert app.screen.query_one(FlowBuilder).slots.blocks == ("LN", "Sub")


# Orders


async def test_lines_are_carried_and_judged(tmp_path: Path) -> None:
    app = TutorApp("line")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "line")
        sorter = app.screen.query_one(Sorter)
        assert sorted(sorter.ids) == ["one", "three", "two"] and sorter.ids != ["one", "two", "three"]
        for place, id in enumerate(["one", "three", "two"]):
            await pilot.press(*["home"], *["down"] * sorter.ids.index(id), "space")
            await pilot.press(*["up"] * (sorter.ids.index(id) - place), "space")
        assert sorter.ids == ["one", "three", "two"]
        await pilot.press("enter")
        await until(pilot, lambda: "The right order" in shown(app), "the verdict")
        assert "first → second → third" in shown(app)
        await pilot.press("r", "end", "alt+up")
        await until(pilot, lambda: sorter.ids == ["one", "two", "three"], "moved in one go")
        await pilot.press("enter")
        await until(pilot, lambda: "Right." in shown(app), "the verdict")
        await pilot.press("ctrl+q")
    assert [verdict for _, verdict in answers(tmp_path / "home")] == ["wrong", "right"]


async def test_an_order_half_made_is_there_again() -> None:
    app = TutorApp("line")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "line")
        await pilot.press("shift+down")
        made = list(app.screen.query_one(Sorter).ids)
        await pilot.press("ctrl+q")
    again = TutorApp("line")
    async with again.run_test(size=SIZE) as pilot:
        await at(pilot, "line")
        assert again.screen.query_one(Sorter).ids == made
        assert made[0] != made[1]


# Ticks


async def test_ticks_are_judged_one_by_one(tmp_path: Path) -> None:
    app = TutorApp("several")
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await at(pilot, "several")
        await pilot.press("enter")
        await until(pilot, lambda: "Tick at least one" in shown(app), "nothing to hand in")
        await pilot.press("space", "down", "space", "enter")
        await until(pilot, lambda: "Not right." in shown(app), "the verdict")
        text = shown(app)
        assert "[✓] LayerNorm" in text and "[✗] ReLU" in text and "[!] RMSNorm" in text
        assert "ReLU is an activation." in text and "A norm as well." in text
        await pilot.press("r", "2", "space", "3", "space", "enter")
        await until(pilot, lambda: "Right." in shown(app), "the verdict")
        await pilot.press("ctrl+q")
    assert answers(tmp_path / "home") == [("ln, relu", "wrong"), ("ln, rms", "right")]


async def test_ticks_half_made_are_there_again() -> None:
    app = TutorApp("several")
    async with app.run_test(size=SIZE) as pilot:
        await at(pilot, "several")
        await pilot.press("3", "space")
        await pilot.press("ctrl+q")
    again = TutorApp("several")
    async with again.run_test(size=SIZE) as pilot:
        await at(pilot, "several")
        assert again.screen.query_one(Picker).picked == {"rms"}
        assert "[x] RMSNorm" in shown(again)
