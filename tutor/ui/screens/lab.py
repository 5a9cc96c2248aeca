"""The lab: an experiment and its parameters, chosen by keys; its curves as it runs and after, beside earlier ones."""

from __future__ import annotations

from rich.text import Text
from textual import getters, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from kernels.lab.catalogue import EXPERIMENTS
from kernels.lab.parameters import Parameter, Value, WrongParameterError
from tutor.commands.lab_options import parameter_help
from tutor.grading.sketch import Sketch
from tutor.text.i18n import _, language
from tutor.ui.lab_state import LabState, progress_line
from tutor.ui.messages import LabEnded, LabMoved
from tutor.ui.screens.lab_boxes import WithBoxes
from tutor.ui.screens.lab_read import explained
from tutor.ui.status import machine_text, saved_text
from tutor.ui.widgets.bars import KeyBar, TopBar
from tutor.ui.widgets.clipped import Clipped
from tutor.ui.widgets.lab_plot import LabPlot
from tutor.ui.widgets.parameter_list import ParameterList

INTERVAL = 0.5
"""Seconds between two looks at an experiment that runs."""
WIDE = 110


class LabScreen(WithBoxes):
    """Runs experiments and shows what they measure."""

    CSS_PATH = "lab.tcss"
    AUTO_FOCUS = "LabPlot"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    BINDINGS = [
        Binding("enter,ctrl+j,f5", "run", "Run the experiment", id="lab.run"),
        Binding("e", "parameters", "Change the parameters", id="lab.parameters"),
        Binding("t", "experiments", "All experiments", id="lab.experiments"),
        Binding("r", "runs", "Earlier runs", id="lab.runs"),
        Binding("p", "predict", "Predict the curve first", id="lab.predict"),
        Binding("o", "view", "What else was measured", id="lab.view"),
        Binding("l", "scale", "Linear or logarithmic", id="lab.scale"),
        Binding("d", "numbers", "The numbers in a table", id="lab.numbers"),
        Binding("w", "about", "What am I looking at", id="lab.about"),
        Binding("x", "defaults", "The default parameters again", id="lab.defaults"),
        Binding("escape,q", "leave", "Cancel; out of the parameters; back home", id="lab.leave"),
    ]

    top = getters.query_one(TopBar)
    plot = getters.query_one(LabPlot)
    parameters = getters.query_one(ParameterList)

    def __init__(self, experiment: str | None = None) -> None:
        super().__init__()
        self.state = LabState(EXPERIMENTS[experiment]) if experiment in EXPERIMENTS else LabState()

    def compose(self) -> ComposeResult:
        """Parameters on the left or folded into a line, the plot as large as it can be, what it says below it."""
        yield TopBar()
        yield Static("", id="line", markup=False)
        with Horizontal(id="body"):
            yield ParameterList()
            with Vertical(id="main"):
                yield LabPlot()
                yield Static("", id="values", markup=False)
                yield Static("", id="status", markup=False)
                yield Clipped("w", id="reading")
        yield KeyBar()

    def on_mount(self) -> None:
        """Have torch loaded while the learner chooses."""
        self.tutor.laboratory.open()
        self.set_interval(INTERVAL, self._tick)
        self.last_run()
        self.draw(other=True)

    async def relabel(self) -> None:
        """The language changed."""
        self.draw(other=False)

    def farewell(self) -> None:
        """The app ends: so does what runs."""
        self.tutor.laboratory.cancel()

    # What is shown

    def draw(self, *, other: bool) -> None:
        """Everything as it is now; `other` curves than before are shown whole."""
        self.parameters.show(self.state.experiment, self.state.values)
        self.plot.blank = explained(self.state)
        self.plot.put(self.state.picture(self.tutor.laboratory.running), other=other)
        self._say()
        self.refresh_bars()

    def _tick(self) -> None:
        if self.tutor.laboratory.running is not None:
            self.draw(other=False)

    def _say(self) -> None:
        """The lines around the plot."""
        self.query_one("#line", Static).update(
            Text(self.state.line(self.tutor.laboratory.running), no_wrap=True, overflow="ellipsis")
        )
        values = self.query_one("#values", Static)
        values.update(self.plot.values())
        values.display = bool(self.plot.values())
        self.query_one("#status", Static).update(Text(self._status()))
        self.query_one(Clipped).show(self.state.said(self.tutor.laboratory.running))

    def _status(self) -> str:
        under_way, pointed = self.tutor.laboratory.running, self.parameters.pointed
        if under_way is not None:
            return progress_line(under_way)
        if self.trouble:
            return " · ".join(filter(None, (self.trouble, self.state.changed())))
        if isinstance(self.focused, ParameterList) and pointed is not None:
            return f"{pointed.name}: {parameter_help(pointed)}"
        return self.state.measured()

    def refresh_bars(self) -> None:
        """The first and the last line."""
        state = self.state
        left = Text.assemble((_("Lab"), "bold"), f" · {state.experiment.name}")
        if len(state.experiment.views) > 1:
            left.append(f" · {state.view}", "dim")
        right = Text(" · ").join([machine_text(self.tutor), saved_text(self.tutor)])
        right.append(f" · {self.tutor.lang}")
        self.top.show(left, right)
        self.query_one(KeyBar).show(self._keys(), always=self._always)

    @property
    def _always(self) -> int:
        """How many keys at the end are shown however narrow it is: the way out, and to what the plot shows."""
        return 1 if isinstance(self.focused, ParameterList) or self.tutor.laboratory.running is not None else 2

    def _keys(self) -> list[tuple[str, str]]:
        if isinstance(self.focused, ParameterList):
            keys = [("↑ ↓", _("choose")), ("← →", _("next value")), ("enter", _("type a value")), ("ctrl+j", _("run"))]
            return [*keys, ("x", _("defaults")), ("esc", _("to the plot"))]
        if self.tutor.laboratory.running is not None:
            return [("← →", _("read values")), ("esc", _("cancel"))]
        change = [("enter", _("run")), ("e", _("parameters"))]
        others = [("t", _("experiments")), ("p", _("predict"))]
        compare = [("r", _("compare"))] if self.tutor.laboratory.runs else []
        last = [("w", _("more")), ("esc", _("home"))]
        if self.state.run is None:
            return [*change, *others, *compare, ("?", _("keys")), *last]
        look = [("+ - 0", _("zoom")), ("l", _("linear") if self.state.log_y else _("log"))]
        look += [("o", _("view"))] if len(self.state.experiment.views) > 1 else []
        look += [*compare, ("d", _("numbers")), ("← →", _("values")), ("z", _("axis"))]
        return [*change, *look, *others, ("?", _("keys")), *last]

    def on_descendant_focus(self) -> None:
        """The keys depend on what is focused."""
        self.call_after_refresh(self._refocused)

    def _refocused(self) -> None:
        if self.is_current:
            self.set_class(isinstance(self.focused, ParameterList), "-setting")
            self._say()
            self.refresh_bars()

    # What happened

    @on(LabMoved)
    def _moved(self) -> None:
        self.trouble = ""  # what it has measured is drawn at the next tick

    @on(LabEnded)
    def _ended(self, event: LabEnded) -> None:
        self.trouble = event.trouble
        if event.run is not None:
            self.state.put(event.run)
        else:
            self.tutor.laboratory.open()
        self.draw(other=event.run is not None)

    @on(LabPlot.Looked)
    @on(ParameterList.Pointed)
    def _looked(self) -> None:
        self._say()

    @on(ParameterList.Stepped)
    def _stepped(self, event: ParameterList.Stepped) -> None:
        self.set(event.parameter, event.value)

    def set(self, parameter: Parameter, value: Value) -> None:
        """A parameter gets another value, or it is said why it cannot."""
        self.trouble = ""
        try:
            self.state.set(parameter.name, value)
        except WrongParameterError as error:
            self.trouble = error.words.get(language())
        self.draw(other=parameter.name == "of")

    # Keys

    def action_run(self) -> None:
        """Measure; a prediction that was made for it is kept with it."""
        self.begin(None)

    def begin(self, sketch: Sketch | None) -> None:
        """Run the experiment, with what the learner expects of it."""
        if self.tutor.laboratory.running is not None:
            return
        self.trouble = ""
        kept = self.state.sketched(sketch) if sketch is not None else None
        self.tutor.laboratory.run(self.state.experiment, dict(self.state.values), kept)
        self.plot.focus()
        self.draw(other=True)

    def action_parameters(self) -> None:
        """Into the list of parameters."""
        self.add_class("-setting")  # what is not displayed cannot be focused
        self.parameters.focus()

    def action_defaults(self) -> None:
        """All parameters as they were declared."""
        self.trouble = ""
        self.state.values = self.state.experiment.values({"of": self.state.view} if "of" in self.state.values else {})
        self.draw(other=False)

    def action_view(self) -> None:
        """The next quantity of those that were measured."""
        self.state.turn()
        self.draw(other=True)

    def action_scale(self) -> None:
        """The other scale of the y axis."""
        self.state.logarithmic[self.state.view] = not self.state.log_y
        self.draw(other=True)

    def action_leave(self) -> None:
        """Cancel what runs; else out of the parameters; else home."""
        if self.tutor.laboratory.running is not None:
            self.tutor.laboratory.cancel()
        elif isinstance(self.focused, ParameterList):
            self.plot.focus()
        else:
            self.tutor.laboratory.leave()
            self.app.pop_screen()

    def last_run(self) -> None:
        """What this experiment showed the last time, if it was run before."""
        runs = (run for run in self.tutor.laboratory.runs if run.experiment == self.state.experiment)
        last = next(runs, None)
        if last is not None:
            self.state.put(last)
