"""Screen-reader mode: the screen reads as lines from top to bottom, and the cursor is where the focus is."""

from __future__ import annotations

import re

import pytest

from kernels.curve import Curve
from tests.ui.helpers import at, ready, shown, until
from tutor.text import aloud, spoken
from tutor.text.spoken_maths import spoken as in_words
from tutor.ui.app import TutorApp
from tutor.ui.screen_reader import spot
from tutor.ui.screens.lesson import LessonScreen

DECORATION = re.compile("[\u2500-\u257f\u2580-\u259f\u25a0-\u25ff\u2800-\u28ff▰▱│]")


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(aloud.VARIABLE, "1")


def test_formulas_are_said_in_both_languages() -> None:
    norm = r"\gamma \odot \frac{x-\mu}{\sqrt{\sigma^2+\varepsilon}} + \beta"
    assert in_words(norm, "en") == (
        "gamma elementwise times fraction, x minus mu, over square root of sigma squared plus epsilon, end of root, "
        "end of fraction, plus beta"
    )
    assert in_words(r"\sum_{i=1}^{n} x_i^2", "vi") == "tổng từ i bằng 1 đến n của x chỉ số i bình phương"
    assert in_words("65{,}504", "en") == "65,504"
    assert in_words(r"\frac{\partial L}{\partial x}", "en").endswith("end of fraction")
    assert not re.search(r"[^\x00-\x7f]", in_words(r"\hat{x} \in \mathbb{R}^{d}, \|x\|_2 \le \Delta", "en"))


def test_a_data_flow_is_a_sentence_for_each_block_and_curves_are_a_summary_and_a_table() -> None:
    assert spoken.flow("x -> LN -> Sub -> +; x -> +") == (
        "It begins with x.",
        "LN takes x.",
        "Sublayer takes LN.",
        "plus takes Sublayer and x.",
    )
    curve = Curve("pre", tuple(range(49)), (*map(float, range(48)), float("inf")), x_label="layer")
    lines = spoken.curves([curve], "Variance")
    assert lines[:3] == (
        "Variance",
        "A plot of 1 curve.",
        "pre: from 0 at 0 to 47 at 47; least 0, greatest 47. 1 point overflowed.",
    )
    assert lines[4] == "layer 0: pre 0"
    assert lines[-1] == "layer 48: pre infinity"
    assert len(lines) == 4 + spoken.MOST_ROWS


async def test_screens_have_no_decoration_and_the_cursor_is_on_the_line_of_the_focus(reading: None) -> None:
    app = TutorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "Lesson 1:" in shown(app), "the lessons")
        await pilot.press("down")
        lines = shown(app).split("\n")
        place = spot(app)
        assert place is not None
        assert lines[place.y].startswith(("Lesson", "Review"))
        for keys in (["s"], ["escape", "p"], ["escape", "question_mark"], ["escape", "l"]):
            await pilot.press(*keys)
            await pilot.pause(0.1)
            assert not DECORATION.search(shown(app)), shown(app)
            assert "Keys:" in shown(app) or keys[-1] == "question_mark"


async def test_options_say_where_they_stand_and_what_is_chosen_and_the_verdict_is_a_word(reading: None) -> None:
    app = TutorApp("pick")
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        screen = await at(pilot, "pick")
        assert isinstance(screen, LessonScreen)
        lines = shown(app).split("\n")
        assert sum(line.startswith("Option ") for line in lines) >= 2
        place = spot(app)
        assert place is not None
        assert lines[place.y].startswith("Option 1 of ")
        await pilot.press("down")
        place = spot(app)
        assert place is not None
        assert shown(app).split("\n")[place.y].startswith("Option 2 of ")
        await pilot.press("enter")
        await until(pilot, lambda: ", chosen" in shown(app) and ("Right." in shown(app) or "Not right." in shown(app)))
        assert not DECORATION.search(shown(app)), shown(app)


async def test_the_setting_turns_it_on_and_off_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aloud, "_set", False)
    app = TutorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        assert not aloud.aloud()
        await pilot.press("s", "down", "down", "enter")
        await until(pilot, lambda: "Screen reader: on" in shown(app), "the mode")
        assert not DECORATION.search(shown(app))
        await pilot.press("enter")
        await until(pilot, lambda: DECORATION.search(shown(app)) and "Screen reader" in shown(app), "the usual looks")
