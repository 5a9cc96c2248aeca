"""The lab's screen by keys alone, over a process whose answers the test decides."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import DataTable, Input

from kernels.curve import Curve
from kernels.lab.catalogue import EXPERIMENTS
from kernels.lab.result import Result
from kernels.lab.words import Words
from tests.ui.helpers import history, ready, shown, until
from tutor.runtime.lab import LabError
from tutor.text import i18n
from tutor.ui.app import TutorApp
from tutor.ui.screens.lab import LabScreen
from tutor.ui.widgets.lab_plot import LabPlot
from tutor.ui.widgets.parameter_list import ParameterList
from tutor.ui.widgets.sketch_pad import SketchPad

SIZE = (80, 24)
LAYERS = tuple(range(49))


class ScriptedLab:
    """Stands in for the lab's process: what it measures, and when, is decided by the test."""

    made: list[ScriptedLab]
    hold: asyncio.Event | None
    trouble: str
    steps: list[tuple[float, float]]
    measured: Callable[[dict[str, Any]], tuple[Curve, ...]]

    def __init__(self, *_arguments: object) -> None:
        self.orders: list[tuple[str, dict[str, Any]]] = []
        self.loads = self.stops = 0
        self.cancelled = False
        self.made.append(self)

    async def load(self) -> None:
        self.loads += 1

    async def measure(
        self,
        name: str,
        values: dict[str, Any],
        on_progress: Callable[[float, float], None],
        on_curves: Callable[[list[dict[str, Any]]], None],
    ) -> dict[str, Any]:
        self.orders.append((name, values))
        for step in self.steps:
            on_progress(*step)
        on_curves([Curve("so far", (0, 1, 2), (1.0, 2.0, 4.0)).to_dict()])
        if self.hold is not None:
            try:
                await self.hold.wait()
            except asyncio.CancelledError:
                self.cancelled = True
                raise
        if self.trouble:
            raise LabError(self.trouble)
        return result(name, values, type(self).measured(values))

    async def stop(self) -> None:
        self.stops += 1


def variance(values: dict[str, Any]) -> tuple[Curve, ...]:
    """A stream that grows by 1 a layer under Pre-Norm, and stays under Post-Norm."""
    layers = tuple(range(values["depth"] + 1))
    grows = {"pre": 1.0}
    return tuple(
        Curve(arch, layers, tuple(1 + grows.get(arch, 0.0) * layer for layer in layers), arch=arch)
        for arch in values["arch"]
    )


def result(name: str, values: dict[str, Any], curves: tuple[Curve, ...]) -> dict[str, Any]:
    experiment = EXPERIMENTS[name]
    views = tuple(
        experiment.view(spec, values, curves, Words(f"This is the {spec.name}.", f"Đây là {spec.name}."))
        for spec in experiment.views
    )
    shown = values.get("of", views[0].name)
    versions = {"python": "3.11", "torch": "2.13"}
    return Result(name, values, views, shown, experiment.command(values), "CPU", versions, 1.5).to_dict()


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch, surroundings: None) -> type[ScriptedLab]:
    ScriptedLab.made, ScriptedLab.hold, ScriptedLab.trouble = [], None, ""
    ScriptedLab.steps, ScriptedLab.measured = [(1, 10)], staticmethod(variance)
    monkeypatch.setattr("tutor.runtime.lab.Lab", ScriptedLab)
    return ScriptedLab


async def lab(pilot: Pilot[Any], experiment: str = "hidden-variance") -> LabScreen:
    """Open the lab at an experiment."""
    app = pilot.app
    assert isinstance(app, TutorApp)
    await ready(pilot)
    app.open_lab(experiment)
    await until(pilot, lambda: isinstance(app.screen, LabScreen) and app.screen.query(LabPlot), "the lab")
    assert isinstance(app.screen, LabScreen)
    return app.screen


async def run(pilot: Pilot[Any]) -> None:
    """Run the experiment to its end."""
    app = pilot.app
    assert isinstance(app, TutorApp)
    before = len(app.laboratory.runs)
    await pilot.press("enter")
    await until(
        pilot, lambda: len(app.laboratory.runs) > before and app.laboratory.running is None, "the end of the run"
    )


def events(tmp_path: Path) -> list[dict[str, Any]]:
    return [event.data for event in history(tmp_path / "home") if event.kind == "lab"]


async def test_l_opens_the_lab_which_says_what_there_is_to_set_and_esc_leaves_it(scripted: type[ScriptedLab]) -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("l")
        await until(pilot, lambda: "final_norm auto" in shown(app), "the parameters")
        assert "Not run yet: enter runs it" in shown(app) and "vanishing" in shown(app)
        await until(pilot, lambda: scripted.made and scripted.made[0].loads == 1, "torch is being loaded")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, LabScreen), "home")
        await until(pilot, lambda: scripted.made[0].stops == 1, "its process is gone")


async def test_a_run_is_drawn_read_and_written_down_with_all_that_made_it(tmp_path: Path) -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await lab(pilot)
        await run(pilot)
        text = shown(app)
        assert "variance of the hidden state" in text and "pre 49.0" in text and "post 1.00" in text
        assert "This is the variance." in text and "CPU · python 3.11 · torch 2.13 · 1.5 s" in text
        await pilot.press("ctrl+q")
    (event,) = events(tmp_path)
    assert event["experiment"] == "hidden-variance" and event["seed"] == 0
    assert event["parameters"]["arch"] == ["post", "pre"] and event["parameters"]["depth"] == 48
    assert event["versions"] == {"python": "3.11", "torch": "2.13"} and event["device"] == "CPU"
    assert event["command"].startswith("normtutor lab hidden-variance --arch post,pre --depth 48")
    assert [view["view"] for view in event["views"]] == ["variance", "rms", "mean"]
    assert event["views"][0]["curves"][1]["y"][-1] == 49


async def test_while_it_runs_there_is_a_bar_a_time_and_a_live_curve(scripted: type[ScriptedLab]) -> None:
    scripted.hold, scripted.steps = asyncio.Event(), [(0.5, 10), (5, 10)]
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await lab(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "so far 4.00" in shown(app), "the live curve")
        assert "50%" in shown(app) and "▰▰▰▰▰▰▰▰▰▰▱▱▱▱▱▱▱▱▱▱" in shown(app)
        assert "esc cancel" in shown(app)
        await until(pilot, lambda: "s left" in shown(app), "the time that is left")
        scripted.hold.set()
        await until(pilot, lambda: "This is the variance." in shown(app), "the end")


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_a_run_is_cancelled_at_once_and_leaves_nothing(
    scripted: type[ScriptedLab], tmp_path: Path, key: str
) -> None:
    scripted.hold = asyncio.Event()
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        screen = await lab(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: scripted.made[0].orders, "the run")
        await pilot.press(key)
        await until(pilot, lambda: "Cancelled." in shown(app), "the end")
        assert scripted.made[0].cancelled and app.laboratory.running is None
        assert app.screen is screen
        await until(pilot, lambda: scripted.made[0].loads == 2, "the next run is got ready")
        await pilot.press("ctrl+q")
    assert events(tmp_path) == []


async def test_what_goes_wrong_is_said_and_another_run_works(scripted: type[ScriptedLab]) -> None:
    scripted.trouble = "CUDA out of memory"
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await lab(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "CUDA out of memory" in shown(app), "what went wrong")
        scripted.trouble = ""
        await run(pilot)
        assert "CUDA" not in shown(app) and "This is the variance." in shown(app)


async def test_quitting_while_it_runs_ends_its_process(scripted: type[ScriptedLab]) -> None:
    scripted.hold = asyncio.Event()
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await lab(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: scripted.made[0].orders, "the run")
        await pilot.press("ctrl+q")
    assert scripted.made[0].cancelled and scripted.made[0].stops >= 1


# Parameters


async def test_parameters_are_changed_by_the_arrows_typed_and_ticked(scripted: type[ScriptedLab]) -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        screen = await lab(pilot)
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.focused, ParameterList), "the parameters")
        await pilot.press("down", "right")
        await until(pilot, lambda: screen.state.values["depth"] == 96, "the next value")
        assert "depth: number of blocks (1 to 192" in shown(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.focused, Input), "the field")
        await pilot.press("ctrl+u", *"300", "enter")
        await until(pilot, lambda: "depth must be from 1 to 192, not 300" in shown(app), "what is wrong")
        await pilot.press("ctrl+u", *"7", "enter")
        await until(pilot, lambda: screen.state.values["depth"] == 7, "the typed value")
        await pilot.press("up", "enter")
        await until(pilot, lambda: "[x] post" in shown(app), "what to tick")
        await pilot.press("home", "space", "enter")
        await until(pilot, lambda: screen.state.values["arch"] == ("plain", "post", "pre"), "what was ticked")
        await pilot.press("ctrl+j")
        await until(pilot, lambda: app.laboratory.runs, "the run")
        assert scripted.made[0].orders[0][1]["depth"] == 7
        await pilot.press("x")
        await until(pilot, lambda: screen.state.values["depth"] == 48, "the defaults")
        assert "parameters changed: enter runs it again" in " ".join(shown(app).split())


async def test_values_that_do_not_fit_together_are_refused_where_they_are_set() -> None:
    app = TutorApp()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await lab(pilot, "gradient-norms")
        screen.set(EXPERIMENTS["gradient-norms"].parameter("depth"), 192)
        screen.set(EXPERIMENTS["gradient-norms"].parameter("d_model"), 2048)
        await until(pilot, lambda: "billion weights" in shown(app), "why not")
        assert (screen.state.values["depth"], screen.state.values["d_model"]) == (192, 128)


async def test_another_experiment_is_chosen_from_the_list() -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        screen = await lab(pilot, "gradient-norms")
        await pilot.press("t")
        await until(pilot, lambda: "beside 1/√L" in shown(app), "the list")
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: screen.state.experiment.name == "last-layer", "the experiment")
        assert "depths 6,12,24,48" in shown(app)


# Looking


async def test_a_long_reading_ends_with_the_key_that_shows_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    words = " ".join(f"word{n}" for n in range(80))
    monkeypatch.setattr("tutor.ui.lab_run.Run.reading", lambda _run, _view: words)
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await lab(pilot)
        await run(pilot)
        lines = [line.rstrip() for line in shown(app).splitlines()]
        assert lines[-2].endswith("… w") and "word0 word1" in lines[-5]
        assert "w more" in lines[-1]
        await pilot.press("w")
        await until(pilot, lambda: "word79" in shown(app), "all of it")
        await pilot.press("escape")
        await pilot.resize_terminal(200, 50)
        await until(pilot, lambda: "word79" in shown(app) and "… w" not in shown(app), "all of it fits")


@pytest.mark.parametrize("lang", ["en", "vi"])
async def test_the_keys_to_look_at_a_run_are_shown_once_there_is_one(lang: i18n.Lang) -> None:
    i18n.set_language(lang)
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await lab(pilot)
        footer = shown(app).splitlines()[-1]
        assert "+ - 0" not in footer and " w " in footer and " p " in footer
        await run(pilot)
        footer = shown(app).splitlines()[-1]
        for key in ("enter", "e", "+ - 0", "w", "esc", *(("l", "o") if lang == "en" else ())):
            assert f" {key} " in f" {footer}", key


async def test_exact_values_under_a_cursor_zoom_scale_and_views() -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        screen = await lab(pilot)
        await run(pilot)
        await pilot.press("right", "right")
        await until(pilot, lambda: "layer 25   post 1   pre 26" in shown(app), "the values")
        await pilot.press("end")
        await until(pilot, lambda: "layer 48   post 1   pre 49" in shown(app), "the last values")
        await pilot.press("plus")
        await until(pilot, lambda: "zoomed; 0 shows all" in shown(app), "that it is zoomed")
        assert screen.plot.lens.window is not None and screen.plot.lens.window.x == (24, 48)
        await pilot.press("0")
        await until(pilot, lambda: "zoomed" not in shown(app), "all of it")
        assert "1e1" in shown(app)
        await pilot.press("l")
        await until(pilot, lambda: "1e1" not in shown(app), "a linear axis")
        await pilot.press("l", "o")
        await until(pilot, lambda: "RMS of the hidden state" in shown(app), "another view")
        assert "This is the rms." in shown(app)


async def test_the_numbers_stand_in_a_table_and_w_tells_what_it_is() -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await lab(pilot)
        await run(pilot)
        await pilot.press("d")
        await until(pilot, lambda: app.screen.query(DataTable) and "layer" in shown(app), "the table")
        table = app.screen.query_one(DataTable)
        assert table.row_count == 49 and [str(cell) for cell in table.get_row_at(48)] == ["48", "1", "49"]
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, LabScreen), "the lab")
        await pilot.press("w")
        await until(pilot, lambda: "The upright axis counts in powers of ten." in shown(app), "what it is")
        await pilot.press("end")
        await until(pilot, lambda: "normtutor lab hidden-variance --arch" in shown(app), "the command")


async def test_earlier_runs_are_kept_compared_and_laid_over_each_other() -> None:
    first = TutorApp()
    async with first.run_test(size=SIZE) as pilot:
        screen = await lab(pilot)
        await run(pilot)
        screen.set(screen.state.experiment.parameter("depth"), 12)
        await run(pilot)
        await pilot.press("ctrl+q")
    second = TutorApp()
    async with second.run_test(size=(120, 40)) as pilot:
        screen = await lab(pilot)
        assert "pre 13.0" in shown(second) and screen.state.values["depth"] == 12  # the last run is there again
        await pilot.press("r")
        await until(pilot, lambda: "depth 12" in shown(second) and "all defaults" in shown(second), "the runs")
        await pilot.press("down", "space", "up", "enter")
        await until(pilot, lambda: "pre, depth 48 49.0" in shown(second), "the run laid over")
        assert "pre, depth 12 13.0" in shown(second)
        await run(pilot)  # the same again: told apart by a number, with the earlier one still there
        assert "pre, depth 48 49.0" in shown(second)


async def test_a_ticked_run_is_laid_over_what_is_shown_and_ticks_outlast_esc() -> None:
    app = TutorApp()
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        screen = await lab(pilot)
        await run(pilot)
        screen.set(screen.state.experiment.parameter("depth"), 12)
        await run(pilot)
        await pilot.press("r")
        await until(pilot, lambda: "Runs so far" in shown(app), "the runs")
        await pilot.press("down", "space", "escape")
        await until(pilot, lambda: "The ticks are kept" in shown(app), "that the tick is kept")
        assert screen.state.overlays == []
        await pilot.press("r")
        await until(pilot, lambda: "[x] hidden-variance" in shown(app), "the tick")
        await pilot.press("down", "enter")
        await until(pilot, lambda: "pre, depth 48 49.0" in shown(app), "the run laid over")
        assert "pre, depth 12 13.0" in shown(app) and screen.state.values["depth"] == 12
        await pilot.press("r")
        await until(pilot, lambda: "[x] hidden-variance" in shown(app), "what is laid over")
        await pilot.press("down", "space", "enter")
        await until(pilot, lambda: "pre 49.0" in shown(app), "the other run alone")
        assert "depth 12" not in shown(app)


async def test_after_a_cancel_it_is_said_what_the_plot_was_run_with(scripted: type[ScriptedLab]) -> None:
    app = TutorApp()
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await lab(pilot)
        await run(pilot)
        screen.set(screen.state.experiment.parameter("depth"), 24)
        await run(pilot)
        assert "shown:" not in shown(app) and "(depth 24)" not in shown(app)
        scripted.hold = asyncio.Event()
        await pilot.press("x", "enter")
        await until(pilot, lambda: len(scripted.made[0].orders) == 3, "the run")
        assert "(depth 24)" not in shown(app) and "shown:" not in shown(app)
        await pilot.press("escape")
        await until(pilot, lambda: "Cancelled. · parameters changed: enter runs it again" in shown(app), "the end")
        assert "variance of the hidden state (depth 24)" in shown(app)
        assert "shown: depth 24; set now: arch post,pre · depth 48" in shown(app)
        await pilot.press("r", "down", "enter")
        await until(pilot, lambda: "pre 49.0" in shown(app), "the earlier run")
        assert "Cancelled." not in shown(app) and "shown:" not in shown(app)


async def test_what_overflowed_and_what_is_flat_is_drawn_or_said(scripted: type[ScriptedLab]) -> None:
    lost = Curve("lost", (0, 1, 2, 3, 4), (1.0, 2.0, math.nan, math.inf, 3.0))
    curves = (lost, Curve("flat", (0, 1), (1.0, 1.0)), Curve("zero", (0, 1), (0.0, 0.0)))
    scripted.measured = staticmethod(lambda _values: curves)
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await lab(pilot)
        await run(pilot)
        assert "not drawn: lost 1 NaN, 1 inf; zero 2 zero" in shown(app) and "!" in shown(app)
        scripted.measured = staticmethod(lambda _values: ())
        await run(pilot)
        assert "final_norm" not in shown(app) and "This is the variance." in shown(app)
        await pilot.press("right", "plus", "d", "l", "o")
        assert isinstance(app.screen, LabScreen)


async def test_v_says_everything_in_the_other_language() -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await lab(pilot)
        await run(pilot)
        await pilot.press("v")
        await until(pilot, lambda: "Đây là variance." in shown(app), "the reading")
        assert "variance của hidden state" in shown(app) and "tầng" in shown(app) and "chạy" in shown(app)


async def test_the_parameters_stand_beside_the_plot_where_there_is_room() -> None:
    app = TutorApp()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await lab(pilot)
        await until(pilot, lambda: screen.parameters.display and screen.parameters.size.width > 20, "the column")
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "arch post,pre · depth 48 · d_model 128" in shown(app), "the line")
        assert not screen.parameters.display


# Predicting


async def test_the_pad_is_as_wide_as_the_quantity_may_change_and_says_where_x_begins() -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await lab(pilot, "gradient-norms")
        await pilot.press("p")
        await until(pilot, lambda: "plain: by what factor" in shown(app) and "1e12" in shown(app), "the pad")
        assert "1e-12" in shown(app)
        said = "From left to right: layer 0 to 48. layer 0 = the input; gradients arrive from the right"
        assert said in " ".join(shown(app).split())
        pad = app.screen.query_one(SketchPad)
        for _ in range(20):
            await pilot.press("pageup")
        await until(pilot, lambda: max(pad.sketch.factors) > 1e19, "a point beyond the axis")
        await until(pilot, lambda: max(map(int, re.findall(r"1e(\d+)", shown(app)))) > 12, "a wider axis")


async def test_a_prediction_is_sketched_before_the_run_and_judged_by_it(tmp_path: Path) -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await lab(pilot)
        await pilot.press("p")
        await until(pilot, lambda: "post: by what factor does it change?" in shown(app), "the pad")
        await pilot.press("tab")
        await until(pilot, lambda: "pre: by what factor" in shown(app), "the other curve")
        await pilot.press("2", "right", "up", "pageup")
        await until(pilot, lambda: "layer 19" in shown(app) and "252 times its first value" in shown(app), "the point")
        await pilot.press("2", "enter")
        await until(pilot, lambda: app.laboratory.runs, "the run")
        await until(pilot, lambda: "Your prediction of pre is right" in " ".join(shown(app).split()), "the verdict")
        assert "your prediction 49.0" in shown(app)
        await pilot.press("ctrl+q")
    (event,) = events(tmp_path)
    assert event["sketch"]["curve"] == "pre" and event["sketch"]["view"] == "variance"
    assert event["sketch"]["factors"][-1] == pytest.approx(49)


async def test_a_wrong_prediction_says_by_how_much_and_where() -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        screen = await lab(pilot)
        screen.state.guess = "pre"
        await pilot.press("p")
        await until(pilot, lambda: "pre: by what factor" in shown(app), "the pad")
        await pilot.press("enter")
        said = "Your prediction of pre is off by a factor of 26.3 on average, by 49.0 at layer 48."
        await until(pilot, lambda: said in " ".join(shown(app).split()), "the verdict")


async def test_a_prediction_begins_where_the_measurement_does(scripted: type[ScriptedLab]) -> None:
    blocks = LAYERS[1:]
    shrinks = tuple(0.5 * 1e6 ** ((layer - 1) / 47) for layer in blocks)
    scripted.measured = staticmethod(lambda _values: (Curve("post", blocks, shrinks),))
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        screen = await lab(pilot, "update-ratio")
        await pilot.press("p")
        await until(pilot, lambda: "post: by what factor" in shown(app), "the pad")
        await pilot.press("3", "enter")
        await until(pilot, lambda: "Your prediction of post is right" in " ".join(shown(app).split()), "the verdict")
        guess = screen.state.guessed()
        assert guess is not None and (guess.x[0], guess.y[0]) == (1, 0.5)
        values = screen.state.experiment.values({"depth": 12})
        assert screen.state.experiment.reach(values).low == 1
        gradients = EXPERIMENTS["gradient-norms"]
        assert [gradients.reach(gradients.values({"of": view.name})).low for view in gradients.views] == [0, 1]


async def test_a_prediction_can_be_given_up() -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await lab(pilot)
        await pilot.press("p")
        await until(pilot, lambda: "by what factor" in shown(app), "the pad")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, LabScreen), "the lab")
        assert app.laboratory.running is None and not app.laboratory.runs


async def test_a_run_of_the_journal_that_this_version_cannot_read_is_left_alone() -> None:
    app = TutorApp()
    async with app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        assert app.study is not None
        app.study.record("lab", experiment="gone", parameters={}, views=[])
        app.study.record("lab", experiment="hidden-variance", parameters={"depth": "deep"}, views=[])
        app.study.record("lab", experiment="hidden-variance", parameters={}, views=[{"view": "variance"}])
        await lab(pilot)
        assert app.laboratory.runs == []
        await run(pilot)
        assert len(app.laboratory.runs) == 1
