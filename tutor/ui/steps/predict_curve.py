"""A prediction that is a curve: sketched with keys, run, and laid beside what was measured."""

from __future__ import annotations

from dataclasses import replace

from textual import on
from textual.app import ComposeResult
from textual.widgets import Static

from tutor.course.model import PredictCurve, PredictStep
from tutor.grading import predict, predict_curve
from tutor.grading.sketch import shaped
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize
from tutor.ui.steps.base import Keys
from tutor.ui.steps.predict import PredictView
from tutor.ui.widgets.sketch_pad import SketchPad, shape_names


class CurveView(PredictView):
    """Prompt, the pad, the cell, the verdict."""

    DEFAULT_CSS = """
    CurveView SketchPad { height: 12; }
    CurveView .shapes { height: auto; color: $text-muted; }
    """

    @property
    def asked(self) -> PredictCurve:
        """What is to be sketched."""
        assert isinstance(self.step, PredictStep) and self.step.ask.curve is not None
        return self.step.ask.curve

    @property
    def pad(self) -> SketchPad:
        """What it is sketched on."""
        return self.query_one(SketchPad)

    def answering(self) -> ComposeResult:
        """The pad, where its point is, and the shapes to begin with."""
        yield SketchPad()
        yield Static("", markup=False, classes="point")
        yield Static(shape_names(), markup=False, classes="shapes")

    def on_mount(self) -> None:
        """Show the sketch that there is, or a level line."""
        asked = self.asked
        low, high = predict_curve.axis(asked)
        given = sanitize(asked.x_label.get(self.study.lang), newlines=False) if asked.x_label is not None else ""
        label = given or (_("share of the way") if not asked.x else "x")
        sketch = predict_curve.sketch_of(asked, self.state.answer)
        level = shaped(0, low, high, log=asked.log_x, count=asked.points)
        title = _("by what factor does it change?")
        self.pad.begin(low, high, label, log=asked.log_x, title=title, sketch=sketch or level)
        super().on_mount()

    def _focus_answer(self) -> None:
        self.pad.focus()

    def _commit_or_ask(self) -> None:
        if self.state.answer:
            self._commit(predict_curve.written(self.pad.sketch))
        else:
            self.notify(_("Sketch the curve first, then enter."))

    @on(SketchPad.Committed)
    def _sketched(self, event: SketchPad.Committed) -> None:
        event.stop()
        self._commit(predict_curve.written(event.sketch))

    @on(SketchPad.Discarded)
    def _left(self, event: SketchPad.Discarded) -> None:
        event.stop()
        self.leave_field()

    @on(SketchPad.Changed)
    def _moved(self, event: SketchPad.Changed) -> None:
        event.stop()
        self.query_one(".point", Static).update(self.pad.describe())
        answer = predict_curve.written(self.pad.sketch)
        if self.state.verdict is None and self.pad.has_focus and answer != self.state.answer:
            self.state.answer = answer
            self.state.committed = False
            self.typed("answer", answer)
            self._say()

    def _mark(self, *, scroll: bool = True) -> None:
        """Lay what was measured beside the sketch, where it is still known."""
        assert isinstance(self.step, PredictStep)
        curve = predict_curve.measured((self.state.evidence or {}).get(predict.VALUE))
        found = predict_curve.apart(self.asked, self.pad.sketch, curve) if curve is not None else None
        if curve is not None and found is not None:
            x = predict_curve.on_axis(self.asked, curve)
            factors = tuple(y / found.scale for y in curve.y)
            self.pad.reveal(
                replace(curve, label=_("measured"), x=x, y=factors, low=(), high=(), x_label="", y_label="")
            )
        self.pad.disabled = self.state.verdict is not None
        for part in (".point", ".shapes"):
            self.query_one(part).display = self.state.verdict is None
        super()._mark(scroll=scroll)

    def key_hints(self) -> Keys:
        """Move, commit, run."""
        if self.state.verdict is None and self.pad.has_focus:
            return [("← →", _("point")), ("↑ ↓", _("move")), ("1-6", _("shape")), ("enter", _("commit"))]
        return super().key_hints()
