"""A prediction: commit to it, run the cell, and let the measurement decide."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, Static, TextArea

from tutor.course.model import PredictStep
from tutor.grading import predict
from tutor.grading.verdict import Verdict
from tutor.text.i18n import _
from tutor.ui.steps.base import Answered, Keys, StepView
from tutor.ui.widgets.cell import Cell
from tutor.ui.widgets.entry import Field, label
from tutor.ui.widgets.feedback import Feedback
from tutor.ui.widgets.picker import Choice, Picker
from tutor.ui.widgets.prose import Prose


class PredictView(StepView):
    """Prompt, options or a number, the cell, the verdict. The cell cannot be changed before it has decided."""

    def compose(self) -> ComposeResult:
        """The question and the cell."""
        assert isinstance(self.step, PredictStep)
        lang, state = self.study.lang, self.state
        yield Prose(self.step.prompt.get(lang), classes="prompt")
        yield from self.answering()
        yield Static("", markup=False, classes="hint")
        yield Cell(state, locked=state.verdict is None)
        yield Feedback()

    def answering(self) -> ComposeResult:
        """What the prediction is made with."""
        assert isinstance(self.step, PredictStep)
        lang, state = self.study.lang, self.state
        if self.step.ask.number is None:
            options = [Choice(option.id, option.text.get(lang)) for option in self.step.ask.choice]
            yield Picker(options, picked={state.answer} if state.answer else None, binding=True)
        else:
            field = Field(state.answer, placeholder=_("a number, such as 0.25, 1e-3 or 1/3"), select_on_focus=False)
            field.border_subtitle = label(self.step.ask.number.unit)
            yield field

    def on_mount(self) -> None:
        """Show where it stands."""
        self._say()
        if self.state.verdict is not None:
            self._mark()

    @property
    def cell(self) -> Cell:
        """The cell that decides."""
        return self.query_one(Cell)

    @property
    def _picker(self) -> Picker | None:
        return self.query(Picker).first() if self.query(Picker) else None

    @property
    def _field(self) -> Input | None:
        return self.query(Input).first() if self.query(Input) else None

    def start_focus(self) -> None:
        """On the prediction, unless it is settled."""
        if self.state.verdict is None:
            self._focus_answer()

    def _focus_answer(self) -> None:
        widget = self._picker or self._field
        if widget is not None:
            widget.focus()

    def edit_focus(self) -> None:
        """Into the editor once it is open, else on the prediction."""
        if self.state.verdict is None:
            self._focus_answer()
        else:
            self.cell.editor.focus()

    def act(self) -> None:
        """Run the cell. Before a prediction is made there is nothing to decide."""
        assert isinstance(self.step, PredictStep)
        state = self.state
        if state.verdict is not None:
            self.post_message(self.run_asked(self.cell.code))
            return
        if not state.committed:
            self._commit_or_ask()
        if state.committed:
            self.post_message(self.run_asked(state.original, predict.expressions(self.step)))

    def _commit_or_ask(self) -> None:
        field = self._field
        if field is not None and field.value.strip():
            self._commit(field.value)
        elif field is not None:
            self.notify(_("Type your prediction first."))
        elif self.query(Picker).first().picked:
            self._commit(next(iter(self.query(Picker).first().picked)))
        else:
            self.notify(_("Commit to a prediction first: choose, then enter."))

    @on(Picker.Picked)
    def _picked(self, event: Picker.Picked) -> None:
        event.stop()
        self._commit(event.id)

    @on(Picker.Changed)
    def _marked(self, event: Picker.Changed) -> None:
        event.stop()
        self.query_one(".hint", Static).update(_("Marked. Enter again commits to it; ↑ ↓ or a digit choose another."))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._commit(event.value)

    def _commit(self, answer: str) -> None:
        assert isinstance(self.step, PredictStep)
        if self.state.verdict is not None or self.state.run.running:
            return
        problem = predict.unreadable(self.step, answer, self.study.lang)
        if problem is not None:
            feedback = self.query_one(Feedback)
            feedback.show(problem)
            self.call_after_refresh(feedback.scroll_visible, animate=False)
            return
        self.query_one(Feedback).show(None)
        self.forget_draft("answer")
        self.study.predict(self.step, answer)
        self._say()
        self.leave_field()
        self.post_message(Answered())

    @on(Input.Changed)
    def _number_changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self.state.answer and self.state.verdict is None:
            self.state.answer = event.value
            self.state.committed = False
            self.typed("answer", event.value)
            self._say()

    @on(TextArea.Changed)
    def _code_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.state.verdict is not None:
            self.state.code = event.text_area.text
            self.typed("code", event.text_area.text)
            self.cell.relabel()

    def _say(self) -> None:
        state = self.state
        hint = self.query_one(".hint", Static)
        hint.display = state.verdict is None
        hint.update(
            _("Prediction locked. Now run it: ctrl+j or F5.")
            if state.committed
            else _("Commit first (enter); then the cell below decides.")
        )

    def ended(self, verdict: Verdict | None) -> None:
        """Show what was measured and, if it settled the prediction, the verdict."""
        self.cell.output.look()
        if verdict is not None:
            self.cell.unlock()
            self._mark(scroll=False)
        # The measurement comes first, and the verdict's first lines below it: that is what was waited for.
        self.call_after_refresh(self.cell.output.scroll_visible, animate=False, top=True)
        self._say()
        self.post_message(Answered())

    def _mark(self, *, scroll: bool = True) -> None:
        verdict, picker = self.state.verdict, self._picker
        if verdict is not None and picker is not None:
            came_true = {check.id for check in verdict.checks if check.passed}
            picker.judge(
                {
                    check.id: "✓" if check.id in came_true else ("✗" if check.id == self.state.answer else " ")
                    for check in verdict.checks
                }
            )
        if self._field is not None:
            self._field.disabled = verdict is not None
        self.show_verdict(scroll=scroll)

    def reset(self) -> None:
        """The author's code again."""
        self.cell.reset()

    def again(self) -> None:
        """Predict once more; the cell is closed until then."""
        if self.state.verdict is None:
            return
        self.study.again(self.step)
        self.state.answer = ""
        self.post_message(Again())

    @property
    def finished(self) -> bool:
        """Enter goes on once it is settled."""
        return self.state.verdict is not None

    def key_hints(self) -> Keys:
        """Commit, run, go on."""
        if self.state.verdict is not None:
            return [*self.settled_keys(), ("e", _("edit")), ("ctrl+j", _("run"))]
        if self.state.committed:
            return [("ctrl+j", _("run"))]
        picking = [("↑ ↓", _("choose"))] if self._picker is not None else []
        return [*picking, ("enter", _("commit"))]


class Again(Answered):
    """The step is to be shown afresh."""
