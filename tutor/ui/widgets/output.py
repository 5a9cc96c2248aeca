"""What a cell put out, below the cell, while it runs and after."""

from __future__ import annotations

import time

from rich.text import Text
from textual.containers import Vertical
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from tutor.runtime.outputs import Curves, Failure, Value
from tutor.text.aloud import aloud
from tutor.text.i18n import _, ngettext
from tutor.ui.cellrun import Block, CellRun, Printed
from tutor.ui.widgets.curve import CurvePlot, curves_of

PLOT_INTERVAL = 0.5
TEXT_INTERVAL = 0.15
"""Seconds between two looks at the output while the cell runs."""
BAD_DOCUMENT = (AttributeError, KeyError, TypeError, ValueError, OverflowError)
"""What a document of curves that is none raises: code may publish anything under our MIME type."""
MOST_NEW = 3
"""Widgets made at one look: a flood of plots must leave time for keys."""
MOST_LINES = 200
"""Lines of printed text shown; the transcript says what was cut."""


class OutputView(Vertical):
    """Shows a `CellRun`. Printed text is refreshed as it streams; a plot is drawn once, when it comes."""

    DEFAULT_CSS = """
    OutputView { height: auto; width: 1fr; padding: 0 0 0 1; }
    OutputView > .status { color: $text-muted; height: auto; }
    OutputView > .printed { height: auto; width: 1fr; }
    OutputView > .failure { height: auto; width: 1fr; color: $text-error; }
    """

    def __init__(self, run: CellRun) -> None:
        super().__init__()
        self._run = run
        self._seen = -1
        self._shown: list[tuple[Block, Widget]] = []
        self._timer: Timer | None = None
        self._redrawn = 0.0

    def compose(self):  # type: ignore[no-untyped-def]
        """The status line; the blocks come below it."""
        yield Static("", markup=False, classes="status")

    def on_mount(self) -> None:
        """Look at the run now, and often while it runs."""
        self._timer = self.set_interval(TEXT_INTERVAL, self.look, pause=not self._run.running)
        self.look()

    def began(self) -> None:
        """A run has started."""
        if self._timer is not None:
            self._timer.resume()
        self.look()

    def look(self) -> None:
        """Bring the widgets up to the state of the run."""
        self.query_one(".status", Static).update(self._status())
        if self._run.version != self._seen:
            self._seen = self._run.version
            self._update_blocks()
        if self._timer is not None:
            waiting = self._run.running or self._seen != self._run.version
            (self._timer.resume if waiting else self._timer.pause)()

    def _update_blocks(self) -> None:
        blocks = list(self._run.blocks)
        present = {id(block) for block in blocks}
        known = {id(block): widget for block, widget in self._shown}
        updated = {
            block.display: (block, widget)
            for block, widget in self._shown
            if isinstance(block, Value | Curves) and block.display
        }
        new = [id(block) for block in blocks if id(block) not in known and getattr(block, "display", "") not in updated]
        later = set(new[:-MOST_NEW])  # the newest are seen first, the others at the next looks, if they are still there
        if later:
            self._seen = -1
        shown: list[tuple[Block, Widget]] = []
        before: Widget = self.query_one(".status")
        for block in blocks:
            if id(block) in later:
                continue
            widget = known.get(id(block))
            if widget is None and isinstance(block, Value | Curves) and block.display in updated:
                shown.append(self._redraw(*updated.pop(block.display), block))
                before = shown[-1][1]
                continue
            if widget is None:
                widget = _widget(block)
                self.mount(widget, after=before)
            elif isinstance(block, Printed) and isinstance(widget, Static):
                widget.update(_printed(block))
            shown.append((block, widget))
            before = widget
        staying = {id(widget) for _block, widget in shown}
        for block, widget in self._shown:
            if id(block) not in present and id(widget) not in staying:
                widget.remove()
        self._shown = shown

    def _redraw(self, old: Block, widget: Widget, new: Block) -> tuple[Block, Widget]:
        """Show an updated display in place; a plot at most twice a second, so that a fast loop stays readable."""
        if isinstance(new, Curves) and isinstance(widget, CurvePlot):
            try:
                curves = curves_of(new.document)
            except BAD_DOCUMENT:
                return old, widget
            if self._run.running and time.monotonic() - self._redrawn < PLOT_INTERVAL:
                self._seen = -1
                return old, widget
            self._redrawn = time.monotonic()
            widget.show(new.document, curves)
        elif isinstance(new, Value) and isinstance(widget, Static):
            widget.update(Text(new.text))
        return new, widget

    def _status(self) -> Text:
        run = self._run
        if run.running and aloud():
            return Text(_("running; ctrl+c stops it"))  # seconds that count would be read out one by one
        if run.running:
            return Text(_("running · {seconds:.0f} s · ctrl+c stops it").format(seconds=run.seconds))
        finished = run.finished
        if finished is None:
            return Text("")
        words = {
            "ok": _("done in {seconds:.1f} s"),
            "error": _("stopped by an error after {seconds:.1f} s"),
            "interrupted": _("interrupted after {seconds:.1f} s"),
            "died": _("the Python process ended after {seconds:.1f} s"),
            "unavailable": _("not run"),
        }
        line = Text(words[finished.ending].format(seconds=finished.seconds))
        if run.dropped:
            line.append(
                " · " + ngettext("{n} output left out", "{n} outputs left out", run.dropped).format(n=run.dropped)
            )
        if finished.detail:
            line.append("\n" + finished.detail, "bold")
        if finished.ending in ("died", "unavailable"):
            line.append("\n" + _("F4 starts Python again; what is typed here stays."))
        return line


def _widget(block: Block) -> Widget:
    if isinstance(block, Curves):
        try:
            return CurvePlot(block.document)
        except BAD_DOCUMENT:  # code may publish anything under our MIME type
            return Static(Text(block.text), markup=False, classes="printed")
    if isinstance(block, Failure):
        return Static(_failure(block), markup=False, classes="failure")
    if isinstance(block, Value):
        return Static(Text(block.text), markup=False, classes="printed")
    return Static(_printed(block), markup=False, classes="printed")


def _printed(block: Printed) -> Text:
    lines = block.transcript.lines()
    cut = block.transcript.cut
    first = max(0, len(lines) - MOST_LINES)
    hidden = first + cut.lines
    text = Text()
    if cut.lines and cut.at >= first:
        text.append("".join(f"{line}\n" for line in lines[first : cut.at]))
        first = cut.at
    if hidden:
        text.append(ngettext("… {n} line not shown …", "… {n} lines not shown …", hidden).format(n=hidden), "dim")
        text.append("\n")
    text.append("\n".join(lines[first:]))
    return text


def _failure(block: Failure) -> Text:
    text = Text(block.traceback)
    # The traceback names most lines itself: saying one again tells nothing.
    here = _("line {line}").format(line=block.line)
    named = any(line == here or line.startswith(f"{here},") for line in block.traceback.split("\n"))
    if block.line is not None and not named:
        text.append("\n" + _("In your code: line {line}.").format(line=block.line), "bold")
    return text
