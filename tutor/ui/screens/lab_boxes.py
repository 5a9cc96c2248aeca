"""The boxes that the lab opens, and what becomes of what is chosen in them."""

from __future__ import annotations

from abc import abstractmethod

from textual import getters, on

from kernels.lab.catalogue import EXPERIMENTS
from kernels.lab.parameters import Parameter, Value
from tutor.grading.sketch import Sketch
from tutor.text.i18n import _
from tutor.ui.lab_run import Run
from tutor.ui.lab_state import LabState
from tutor.ui.screens.base import TutorScreen
from tutor.ui.screens.lab_pick import ExperimentsScreen, RunsScreen, TicksScreen
from tutor.ui.screens.lab_read import AboutScreen, NumbersScreen
from tutor.ui.screens.lab_sketch import SketchScreen
from tutor.ui.screens.lab_value import ValueScreen
from tutor.ui.widgets.lab_plot import LabPlot
from tutor.ui.widgets.parameter_list import ParameterList


class WithBoxes(TutorScreen):
    """The part of the lab's screen that opens boxes over it."""

    state: LabState
    plot = getters.query_one(LabPlot)
    trouble: str = ""
    """What went wrong last, until something else is shown or set."""

    @abstractmethod
    def draw(self, *, other: bool) -> None:
        """Everything as it is now; `other` curves than before are shown whole."""

    @abstractmethod
    def set(self, parameter: Parameter, value: Value) -> None:
        """A parameter gets another value, or it is said why it cannot."""

    @abstractmethod
    def begin(self, sketch: Sketch | None) -> None:
        """Run the experiment, with what the learner expects of it."""

    @abstractmethod
    def last_run(self) -> None:
        """Show what the experiment measured the last time."""

    @on(ParameterList.Asked)
    def _asked(self, event: ParameterList.Asked) -> None:
        parameter, value = event.parameter, self.state.values[event.parameter.name]
        if parameter.several and parameter.choices and isinstance(value, tuple):
            box: TicksScreen | ValueScreen = TicksScreen(parameter, {str(each) for each in value})
        else:
            box = ValueScreen(parameter, value)
        self.app.push_screen(box, lambda chosen: self.set(parameter, chosen) if chosen is not None else None)

    def action_predict(self) -> None:
        """Sketch the curve; committing it runs the experiment."""
        state = self.state
        if self.tutor.laboratory.running is None:
            reach = state.experiment.reach(state.values | {"of": state.view})
            names = state.experiment.curves(state.values)
            self.app.push_screen(SketchScreen(state.spec, names, reach, state.guess), self._guessed)

    def _guessed(self, made: tuple[str, Sketch] | None) -> None:
        if made is not None:
            self.state.guess = made[0]
            self.begin(made[1])

    def action_experiments(self) -> None:
        """Choose another experiment."""
        if self.tutor.laboratory.running is None:
            self.app.push_screen(ExperimentsScreen(self.state.experiment), self._chosen)

    def _chosen(self, name: str | None) -> None:
        if name is not None and name != self.state.experiment.name:
            self.trouble = ""
            self.state.choose(EXPERIMENTS[name])
            self.last_run()
            self.draw(other=True)

    def action_runs(self) -> None:
        """Earlier runs, to look at or to lay over this one."""
        runs, running = self.tutor.laboratory.runs, self.tutor.laboratory.running
        if runs and running is None:
            over = {run.event for run in self.state.overlays}
            ticked = set(over if self.state.ticks is None else self.state.ticks)

            def chosen(choice: tuple[Run, list[Run]] | None) -> None:
                self.state.ticks = ticked if choice is None and ticked != over else None
                if choice is not None:
                    self._compared(*choice)
                elif self.state.ticks is not None:
                    self.notify(_("The ticks are kept: r, then enter, lays them over."))

            self.app.push_screen(RunsScreen(runs, ticked, self.state.run), chosen)

    def _compared(self, run: Run, over: list[Run]) -> None:
        now = self.state.run
        if now is None or run.event != now.event:
            self.state.put(run)
        self.state.overlays = over
        self.trouble = ""
        self.draw(other=True)

    def action_numbers(self) -> None:
        """The curves as a table."""
        if self.plot.picture.curves:
            self.app.push_screen(NumbersScreen(self.plot.picture.curves))

    def action_about(self) -> None:
        """What is measured, and what it shows."""
        self.app.push_screen(AboutScreen(self.state))
