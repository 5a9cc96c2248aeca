"""The boxes to read in the lab: what the curves are and show, and their numbers in a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.widgets import DataTable, Static

from kernels.curve import Curve
from kernels.ticks import clean
from tutor.text.i18n import _, language
from tutor.ui.lab_state import LabState
from tutor.ui.lens import exactly
from tutor.ui.screens.lab_box import LabBox


class AboutScreen(LabBox[None]):
    """What is measured, with what, and what it shows."""

    BINDINGS = [Binding("escape,w,q", "close", "Back", id="about.close")]
    AUTO_FOCUS = "#page"

    def __init__(self, state: LabState) -> None:
        super().__init__(classes="-page")
        self._state = state

    def compose(self) -> ComposeResult:
        """One text that scrolls."""
        with Vertical(id="box"):
            with VerticalScroll(id="page"):
                yield Static(self._text(), markup=False)
            yield Static(Text(_("esc back   ↑ ↓ scroll"), "dim"), markup=False)

    def _text(self) -> Text:
        state, lang = self._state, language()
        run = state.run
        text = Text.assemble((state.experiment.name, "bold"), f"  {state.experiment.about.get(lang)}\n\n")
        for view in state.experiment.views:
            text.append(f"{view.name}: {view.title.get(lang)}\n", "bold")
            text.append((run.reading(view.name) if run is not None else _("Not run yet.")) + "\n\n")
        text.append(_("The upright axis counts in powers of ten.") if state.log_y else _("The upright axis is linear."))
        text.append(
            " " + _("A “!” stands beside what overflowed; dotted lines are the band over several seeds.") + "\n\n"
        )
        if state.verdict():
            text.append(state.verdict() + "\n\n")
        text.append_text(explained(state))
        if run is not None:
            versions = " · ".join(f"{name} {version}" for name, version in run.versions.items())
            text.append(f"\n{run.device} · {versions}\n", "dim")
            text.append(_("The same from the command line:") + f"\n{run.command}\n", "dim")
        return text


def explained(state: LabState) -> Text:
    """The parameters with their values, a line each, and what they are."""
    text = Text()
    for parameter in state.experiment.parameters:
        text.append(f"{parameter.name} {parameter.text(state.values[parameter.name])}", "bold")
        text.append(f"  {parameter.help.get(language())}\n", "dim")
    return text


class NumbersScreen(LabBox[None]):
    """The curves as a table: a row an x, a column a curve."""

    BINDINGS = [Binding("escape,d,q", "close", "Back", id="numbers.close")]
    AUTO_FOCUS = "DataTable"

    def __init__(self, curves: Sequence[Curve]) -> None:
        super().__init__(classes="-page")
        self._curves = list(curves)

    def compose(self) -> ComposeResult:
        """The table; the arrows move in it."""
        with Vertical(id="box"):
            yield DataTable[Text](zebra_stripes=False, cursor_type="row")
            yield Static(Text(_("↑ ↓ ← → scroll   esc back"), "dim"), markup=False)

    def on_mount(self) -> None:
        """Fill it."""
        table = self.query_one(DataTable)
        named = next((curve.x_label for curve in self._curves if curve.x_label), "x")
        table.add_columns(*(Text(clean(name)) for name in (named, *(curve.label for curve in self._curves))))
        points = [dict(zip(curve.x, curve.y, strict=True)) for curve in self._curves]
        for x in sorted({x for curve in self._curves for x in curve.x}):
            values = [exactly(found[x]) if x in found else "" for found in points]
            table.add_row(*(Text(value, justify="right") for value in (exactly(x), *values)))
