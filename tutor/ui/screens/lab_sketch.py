"""The screen to predict a curve on, before the experiment runs."""

from __future__ import annotations

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import ModalScreen
from textual.widgets import Static

from kernels.lab.spec import Reach, ViewSpec
from kernels.lab.words import localised
from tutor.grading.sketch import Sketch
from tutor.text.i18n import _, language
from tutor.ui.widgets.bars import KeyBar, TopBar
from tutor.ui.widgets.sketch_pad import SketchPad, shape_names


class SketchScreen(ModalScreen[tuple[str, Sketch] | None]):
    """Returns the name of a curve and its sketch, or None."""

    CSS = """
    SketchScreen { layout: vertical; background: $background; }
    SketchScreen #shapes { height: auto; padding: 0 1; color: $text-muted; }
    SketchScreen #axis { height: auto; padding: 0 1; color: $text-muted; }
    SketchScreen #point { height: 1; padding: 0 1; }
    SketchScreen SketchPad { padding: 0 1; }
    """
    AUTO_FOCUS = "SketchPad"
    BINDINGS = [Binding("tab", "curve", "Another curve", id="sketch.curve", priority=True)]

    def __init__(self, view: ViewSpec, names: tuple[str, ...], reach: Reach, name: str) -> None:
        super().__init__()
        self._view, self._names, self._reach = view, names, reach
        self._at = names.index(name) if name in names else 0

    def compose(self) -> ComposeResult:
        """The pad, where its point is, and the shapes."""
        yield TopBar()
        yield Static("", id="axis", markup=False)
        yield SketchPad()
        yield Static("", id="point", markup=False)
        yield Static(shape_names(), id="shapes", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        """A level line to begin with."""
        reach, pad = self._reach, self.query_one(SketchPad)
        label = reach.label.get(language())
        pad.begin(reach.low, reach.high, label, log=reach.log, title=self._named(), factors=self._view.factors)
        self.query_one("#axis", Static).update(Text(self._axis()))
        keys = [("← →", _("point")), ("↑ ↓", _("move")), ("PgUp PgDn", _("by ten")), ("1-6", _("shape"))]
        keys += [("tab", _("which curve"))] if len(self._names) > 1 else []
        keys += [("enter", _("commit, then run")), ("esc", _("no prediction"))]
        self.query_one(KeyBar).show(keys, always=2)
        title = Text.assemble((_("Your prediction"), "bold"), f" · {self._view.title.get(language())}")
        self.query_one(TopBar).show(title, Text(_("against the first value"), "dim"))

    def _named(self) -> str:
        return _("{curve}: by what factor does it change?").format(curve=self._names[self._at])

    def _axis(self) -> str:
        """In which direction x runs, and what stands first."""
        reach, lang = self._reach, language()
        low, high = (localised(f"{end:.4g}").get(lang) for end in (reach.low, reach.high))
        words = _("From left to right: {x} {low} to {high}.").format(x=reach.label.get(lang), low=low, high=high)
        return f"{words} {reach.first.get(lang)}".strip()

    def action_curve(self) -> None:
        """The prediction is about another curve."""
        self._at = (self._at + 1) % len(self._names)
        self.query_one(SketchPad).rename(self._named())

    @on(SketchPad.Changed)
    def _changed(self) -> None:
        self.query_one("#point", Static).update(self.query_one(SketchPad).describe())

    @on(SketchPad.Committed)
    def _committed(self, event: SketchPad.Committed) -> None:
        self.dismiss((self._names[self._at], event.sketch))

    @on(SketchPad.Discarded)
    def _discarded(self) -> None:
        self.dismiss(None)
