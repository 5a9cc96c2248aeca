"""What the lab screen shows: an experiment with its values, the runs laid over each other, a prediction. No widgets."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rich.text import Text

from kernels.curve import Curve
from kernels.lab.catalogue import EXPERIMENTS
from kernels.lab.parameters import Value
from kernels.lab.spec import Experiment, ViewSpec
from kernels.lab.words import localised, number
from tutor.grading.sketch import Distance, Sketch, distance
from tutor.runtime.remaining import left
from tutor.text.aloud import aloud
from tutor.text.i18n import _, language
from tutor.ui.lab_run import BAD, Run, differing
from tutor.ui.widgets.lab_plot import Picture

if TYPE_CHECKING:
    from tutor.ui.laboratory import UnderWay

MOST_RUNS = 6
"""Runs that can be laid over each other."""
BAR = 20


@dataclass
class LabState:
    """The experiment that is chosen, what is drawn of it, and how."""

    experiment: Experiment = field(default_factory=lambda: next(iter(EXPERIMENTS.values())))
    values: dict[str, Value] = field(default_factory=dict)
    view: str = ""
    run: Run | None = None
    overlays: list[Run] = field(default_factory=list)
    logarithmic: dict[str, bool] = field(default_factory=dict)
    """By view, where it is another scale than the experiment's own."""
    ticks: set[str] | None = None
    """Runs ticked to be laid over, by their events, where the box was left without doing so."""
    guess: str = ""
    """The curve that a prediction is about."""

    def __post_init__(self) -> None:
        self.choose(self.experiment)

    def choose(self, experiment: Experiment, values: dict[str, Value] | None = None) -> None:
        """Another experiment, with its default values unless others are given."""
        self.experiment = experiment
        self.values = experiment.values(values)
        self.view = str(self.values.get("of", experiment.views[0].name))
        self.run, self.overlays, self.logarithmic = None, [], {}
        self.guess = experiment.curves(self.values)[0]

    def put(self, run: Run) -> None:
        """Show a run: its values are those to go on from."""
        overlays = [each for each in self.overlays if each.experiment == run.experiment and each.event != run.event]
        view, logarithmic = self.view, self.logarithmic
        same = run.experiment == self.experiment
        self.choose(run.experiment, run.values)
        self.run, self.overlays = run, overlays
        if same:
            self.view, self.logarithmic = view, logarithmic
        if run.sketch is not None:
            self.guess = str(run.sketch.get("curve", self.guess))

    def set(self, name: str, value: Value) -> None:
        """A parameter gets another value. Raises WrongParameterError where the values do not fit together."""
        self.values = self.experiment.values(self.values | {name: value})
        if name == "of":
            self.view = str(value)
        named = self.experiment.curves(self.values)
        self.guess = self.guess if self.guess in named else named[0]

    @property
    def spec(self) -> ViewSpec:
        """The view that is drawn."""
        return next(view for view in self.experiment.views if view.name == self.view)

    def turn(self) -> None:
        """The next view, of what is measured already."""
        names = [view.name for view in self.experiment.views]
        self.view = names[(names.index(self.view) + 1) % len(names)]
        if "of" in self.values:
            self.values["of"] = self.view

    @property
    def log_y(self) -> bool:
        """Whether the y axis is logarithmic."""
        return self.logarithmic.get(self.view, self.spec.log_y)

    def picture(self, under_way: UnderWay | None) -> Picture:
        """What to draw: the runs, the curves so far of one that is under way, and the prediction."""
        reach = self.experiment.reach(self.values | {"of": self.view})
        curves: list[Curve] = []
        if under_way is not None and self.view == self.experiment.views[0].name:
            curves += _live(under_way, reach.label.get(language()))
        shown = [*([self.run] if self.run is not None and under_way is None else []), *self.overlays]
        differ, taken = differing(shown), Counter[str]()
        for run in shown:
            about = run.named(name for name in differ if name != "arch") if len(shown) > 1 else ""
            found = [replace(c, label=f"{c.label}, {about}" if about else c.label) for c in run.curves(self.view)]
            for curve in found:
                taken[curve.label] += 1
                again = taken[curve.label]
                curves.append(replace(curve, label=f"{curve.label} #{again}") if again > 1 else curve)
        guessed = self.guessed()
        if guessed is not None and under_way is None:
            curves.append(guessed)
        title, made_with = self.spec.title.get(language()), self.made_with()
        if made_with and under_way is None:
            title = f"{title} ({made_with})"
        return Picture(tuple(curves), title, reach.log, self.log_y)

    def made_with(self) -> str:
        """What the run that is shown was made with, where that is not what is set now; else empty."""
        run = self.run
        if run is None:
            return ""
        return run.named(name for name, value in run.values.items() if value != self.values.get(name) and name != "of")

    def changed(self) -> str:
        """That other values are set than those of the run that is shown; else empty."""
        return _("parameters changed: enter runs it again") if self.made_with() else ""

    def guessed(self) -> Curve | None:
        """The prediction of the run that is shown, laid over what was measured."""
        found = self._judged()
        if found is None:
            return None
        sketch, apart = found
        drawn = sketch.since(apart.begin)  # before it there is nothing to lay it on
        return Curve(_("your prediction"), drawn.x, tuple(factor * apart.scale for factor in drawn.factors))

    def verdict(self) -> str:
        """How far the prediction is from what was measured; empty where there is none."""
        if self.run is None or self.run.sketch is None or self.run.sketch.get("view") != self.view:
            return ""
        found = self._judged()
        if found is None:
            return _("Your prediction of {curve} cannot be compared: nothing of it was measured.").format(
                curve=self.guess
            )
        _sketch, apart = found
        words = (
            _("Your prediction of {curve} is right: off by a factor of {mean} on average.")
            if apart.close
            else _("Your prediction of {curve} is off by a factor of {mean} on average, by {most} at {place}.")
        )
        return words.format(
            curve=self.guess, mean=_short(apart.mean), most=_short(apart.most), place=self._place(apart.at)
        )

    def _place(self, x: float) -> str:
        """An x with what it counts."""
        label = self.experiment.reach(self.values).label.get(language())
        return f"{label} {localised(f'{x:.4g}').get(language())}"

    def _judged(self) -> tuple[Sketch, Distance] | None:
        if self.run is None or self.run.sketch is None or self.run.sketch.get("view") != self.view:
            return None
        try:
            sketch = Sketch(tuple(self.run.sketch["x"]), tuple(self.run.sketch["factors"]))
            curve = next(curve for curve in self.run.curves(self.view) if curve.label == self.guess)
            apart = distance(sketch, curve.x, curve.y)
        except (*BAD, StopIteration):
            return None
        return None if apart is None else (sketch, apart)

    def sketched(self, sketch: Sketch) -> dict[str, Any]:
        """The prediction as the journal keeps it."""
        return {"view": self.view, "curve": self.guess, "x": list(sketch.x), "factors": list(sketch.factors)}

    def said(self, under_way: UnderWay | None) -> Text:
        """What the curves show, the prediction's verdict first; before any run, what the experiment is about."""
        if under_way is not None or self.run is None:
            return Text(self.experiment.about.get(language()))
        text = Text(self.verdict(), "bold")
        return text.append((" " if text else "") + self.run.reading(self.view), "not bold")

    def measured(self) -> str:
        """What measured it, and when; what to do where nothing did."""
        run = self.run
        if run is None:
            return _("Not run yet: enter runs it, p lets you predict the curve first.")
        versions = " · ".join(f"{name} {version}" for name, version in run.versions.items())
        when = f"{run.time:%d.%m. %H:%M} · " if run.time is not None else ""
        line = _("{device} · {versions} · {seconds:.1f} s").format(
            device=run.device, versions=versions, seconds=run.seconds
        )
        return when + line + (f" · {self.changed()}" if self.changed() else "")

    def line(self, under_way: UnderWay | None) -> str:
        """All values in a line, those of the curves that are shown first where they are others."""
        values = [f"{each.name} {each.text(self.values[each.name])}" for each in self.experiment.parameters]
        line, made_with = " · ".join(values), self.made_with() if under_way is None else ""
        return _("shown: {shown}; set now: {values}").format(shown=made_with, values=line) if made_with else line


def progress_line(under_way: UnderWay) -> str:
    """How far a run is, and once that can be told, how long it will take."""
    if aloud():
        return _("running; esc cancels")  # a share that counts would be read out at every step
    now = time.monotonic()
    if not under_way.begun:
        return _("loading torch · {seconds:.0f} s · esc cancels").format(seconds=now - under_way.started)
    share = min(1.0, under_way.done / under_way.total) if under_way.total else 0.0
    filled = round(BAR * share)
    bar = "▰" * filled + "▱" * (BAR - filled)
    remaining = left(under_way.done, under_way.total, now - under_way.begun)
    ends = "" if remaining is None else " · " + _("about {seconds:.0f} s left").format(seconds=remaining)
    return f"{bar} {share:4.0%}{ends} · " + _("esc cancels")


def _short(value: float) -> str:
    return number(value).get(language())


def _live(under_way: UnderWay, x_label: str) -> list[Curve]:
    try:
        return [replace(Curve.from_dict(curve), x_label=x_label, y_label="") for curve in under_way.curves]
    except BAD:
        return []
