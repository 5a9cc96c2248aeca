"""The boxes to pick from in the lab: an experiment, several names, earlier runs to look at or lay over each other."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from kernels.lab.catalogue import EXPERIMENTS
from kernels.lab.parameters import Parameter
from kernels.lab.spec import Experiment
from tutor.text.i18n import _, language
from tutor.ui.lab_run import Run
from tutor.ui.lab_state import MOST_RUNS
from tutor.ui.screens.lab_box import LabBox
from tutor.ui.widgets.options import Options
from tutor.ui.widgets.picker import Choice, Picker


class ExperimentsScreen(LabBox[str]):
    """Returns the name of an experiment."""

    BINDINGS = [Binding("escape,t,q", "close", "Back", id="experiments.close")]

    def __init__(self, now: Experiment) -> None:
        super().__init__()
        self._now = now

    def compose(self) -> ComposeResult:
        """A name and what it measures, for each."""
        with Vertical(id="box"):
            yield Static(Text(_("Experiments"), "bold"), markup=False)
            yield Options(*(Option(_line(each), id=each.name) for each in EXPERIMENTS.values()), markup=False)
            yield Static(Text(_("enter choose   esc back"), "dim"), markup=False)

    def on_mount(self) -> None:
        """Start at the one that is open."""
        self.query_one(OptionList).highlighted = list(EXPERIMENTS).index(self._now.name)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option.id)


def _line(experiment: Experiment) -> RenderableType:
    grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
    grid.add_column(width=16, no_wrap=True)
    grid.add_column(ratio=1)
    grid.add_row(Text(experiment.name), Text(experiment.about.get(language()), "dim"))
    return grid


class TicksScreen(LabBox[tuple[str, ...]]):
    """Returns the names that are ticked, at least one, in the order in which they are listed."""

    BINDINGS = [Binding("escape,q", "close", "Back", id="ticks.close")]

    def __init__(self, parameter: Parameter, picked: set[str]) -> None:
        super().__init__()
        self._parameter, self._picked = parameter, picked

    def compose(self) -> ComposeResult:
        """What it is, and the names."""
        with Vertical(id="box"):
            title = f"{self._parameter.name}: {self._parameter.help.get(language())}"
            yield Static(Text(title, "bold"), markup=False)
            yield Picker([Choice(name, name) for name in self._parameter.choices], several=True, picked=self._picked)
            yield Static(Text(_("space tick   enter take these   esc back"), "dim"), markup=False)

    @on(Picker.Ticked)
    def _ticked(self, event: Picker.Ticked) -> None:
        event.stop()
        if not event.ids:
            self.notify(_("Tick at least one."))
            return
        self.dismiss(tuple(name for name in self._parameter.choices if name in event.ids))


class RunsScreen(LabBox[tuple[Run, list[Run]]]):
    """Returns a run to look at, and those to lay over it; `ticked` holds the events of the latter, also after esc.

    Enter on a run that is ticked lays the ticked ones over `now`, the run on the screen; on another it shows that one.
    """

    BINDINGS = [
        Binding("escape,r,q", "close", "Back", id="runs.close"),
        Binding("space", "tick", "Lay it over the others", id="runs.tick"),
    ]

    def __init__(self, runs: Sequence[Run], ticked: set[str], now: Run | None) -> None:
        super().__init__()
        self._runs, self._ticked, self._now = list(runs), ticked, now

    def compose(self) -> ComposeResult:
        """A line a run, newest first."""
        with Vertical(id="box"):
            yield Static(Text(_("Runs so far"), "bold"), markup=False)
            yield Options(*(Option(self._line(index)) for index in range(len(self._runs))), markup=False)
            about = _(
                "space tick, up to {n} in all   enter lay the ticked over the plot, or look at this one   esc back"
            ).format(n=MOST_RUNS)
            yield Static(Text(about, "dim"), markup=False)

    def on_mount(self) -> None:
        """Start at the one that is shown, or the newest."""
        now = self._now.event if self._now is not None else ""
        self.query_one(OptionList).highlighted = next((i for i, run in enumerate(self._runs) if run.event == now), 0)

    def _line(self, index: int) -> RenderableType:
        run = self._runs[index]
        changed = [name for name, value in run.values.items() if value != run.experiment.parameter(name).default]
        grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
        grid.add_column(width=3, no_wrap=True)
        grid.add_column(width=15, no_wrap=True)
        grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        grid.add_column(width=12, no_wrap=True)
        when = f"{run.time:%d.%m. %H:%M}" if run.time is not None else ""
        what = run.named(name for name in changed if name != "of") or _("all defaults")
        mark = "[x]" if run.event in self._ticked else "[ ]"
        grid.add_row(Text(mark), Text(run.experiment.name), Text(what, "dim"), Text(when, "dim"))
        return grid

    def action_tick(self) -> None:
        """Lay this run over the others, or no longer."""
        options = self.query_one(OptionList)
        at = options.highlighted
        if at is None:
            return
        event = self._runs[at].event
        if event not in self._ticked and len(self._ticked) >= MOST_RUNS:
            self.notify(_("At most {n} runs can be told apart.").format(n=MOST_RUNS))
            return
        self._ticked ^= {event}
        options.replace_option_prompt_at_index(at, self._line(at))

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        run, now = self._runs[event.option_index], self._now
        if now is not None and run.event in self._ticked and run.experiment == now.experiment:
            run = now
        others = [each for each in self._runs if each.event in self._ticked and each.event != run.event]
        over = [each for each in others if each.experiment == run.experiment]
        if len(over) < len(others):
            self.app.notify(_("Only runs of one experiment can be laid over each other."))
        elif len(over) >= MOST_RUNS:
            self.app.notify(_("At most {n} runs can be told apart.").format(n=MOST_RUNS))
        self.dismiss((run, over[: MOST_RUNS - 1]))
