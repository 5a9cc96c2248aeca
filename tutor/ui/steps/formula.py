"""A formula: type it on one line, and see it in two dimensions as it is understood."""

from __future__ import annotations

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widgets import Input, Static

from tutor.course.model import AnyStep, FormulaStep
from tutor.grading import formula
from tutor.grading.say import say
from tutor.text import maths
from tutor.text.aloud import aloud
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize
from tutor.text.spoken_maths import spoken
from tutor.ui.steps.base import Keys, StepView
from tutor.ui.study import Study
from tutor.ui.widgets.entry import Field, label
from tutor.ui.widgets.feedback import Feedback
from tutor.ui.widgets.prose import Prose

READ_PAUSE = 0.15
"""Seconds without a key after which what is typed is read."""
MARGIN = 8
"""Columns of the screen that a formula does not have."""
MOST_UNREAD = 40
"""Characters at the end of a formula that are left out, one by one, to find what can be read of it."""
MOST_ROWS = 7
"""A taller formula is drawn on one row: the verdict has to fit on the screen too."""


class FormulaView(StepView):
    """Prompt, input, the formula as understood, verdict."""

    DEFAULT_CSS = """
    FormulaView #understood { height: auto; padding: 0 2; }
    FormulaView #model { height: auto; margin: 1 0 0 0; }
    """

    def __init__(self, step: AnyStep, study: Study) -> None:
        super().__init__(step, study)
        self._reading: Timer | None = None

    def compose(self) -> ComposeResult:
        """The question."""
        assert isinstance(self.step, FormulaStep)
        yield Prose(self.step.prompt.get(self.study.lang), classes="prompt")
        field = Field(self.state.answer, placeholder=_("plain text or LaTeX"), select_on_focus=False)
        field.border_title = label(_("a formula"))
        yield field
        yield Static("", markup=False, id="understood")
        yield Feedback()

    def on_mount(self) -> None:
        """Show where it stands."""
        self._read()
        if self.state.verdict is not None:
            self.show_verdict()

    @property
    def field(self) -> Input:
        """Where the formula is typed."""
        return self.query_one(Input)

    def start_focus(self) -> None:
        """On the input, unless it is settled."""
        if not self.finished:
            self.field.focus()

    def edit_focus(self) -> None:
        """On the input."""
        self.field.focus()

    def act(self) -> None:
        """Hand in what is typed."""
        assert isinstance(self.step, FormulaStep)
        self.forget_draft("answer")
        self._read()
        verdict = self.study.hand_in(self.step, self.field.value)
        self.show_verdict()
        if verdict.verdict != "unreadable":
            self.leave_field()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.act()

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value == self.state.answer:
            return
        if self.state.verdict is not None:
            self.study.again(self.step)
            self.query("#model").remove()
            self.show_verdict()
        self.state.answer = event.value
        self.typed("answer", event.value)
        if self._reading is not None:
            self._reading.stop()
        self._reading = self.set_timer(READ_PAUSE, self._read)

    def _read(self) -> None:
        """Draw what is typed as it is understood; where its end is missing, the part before that, and what is missing.

        What cannot be read for another reason is not drawn: a part of it would look like the whole of it.
        """
        if self._reading is not None:
            self._reading.stop()
            self._reading = None
        typed = self.field.value
        problem = self._problem(typed) if typed.strip() else None
        note = self._why(problem) if problem is not None else ""
        start = typed if problem is None else self._readable(typed) if problem.unfinished else ""
        rows = self._drawn(start) if start.strip() else ()
        shown = Text("\n".join(rows))
        if note:
            shown.append("\n" * bool(rows) + _("Not readable yet: {why}").format(why=note), "dim")
        self.query_one("#understood", Static).update(shown)

    def _readable(self, typed: str) -> str:
        """The longest beginning of a formula that can be read, if not much is missing."""
        ends = range(len(typed), max(0, len(typed) - MOST_UNREAD), -1)
        return next((typed[:end] for end in ends if self._problem(typed[:end]) is None), "")

    def _problem(self, typed: str) -> formula.FormulaProblem | None:
        """Why a formula cannot be read; None where it can."""
        assert isinstance(self.step, FormulaStep)
        try:
            formula.read(self.step, typed)
        except formula.FormulaProblem as problem:
            return problem
        return None

    def _why(self, problem: formula.FormulaProblem) -> str:
        values = {name: sanitize(str(value), newlines=False) for name, value in problem.values.items()}
        return say(self.study.lang, problem.message, **values)

    def _drawn(self, typed: str) -> tuple[str, ...]:
        """A formula that can be read, in rows; on one row where it is too tall or too wide."""
        assert isinstance(self.step, FormulaStep)
        latex = formula.read(self.step, typed).latex
        try:
            if aloud():
                return (spoken(latex),)
            rows = maths.fit(latex, max(20, self.screen.size.width - MARGIN))
            return rows if rows is not None and len(rows) <= MOST_ROWS else (maths.on_one_row(latex),)
        except maths.MathsError:
            return (latex,)

    def again(self) -> None:
        """Type another formula."""
        if self.state.verdict is None:
            return
        self.study.again(self.step)
        self.query("#model").remove()
        self.show_verdict()
        self.field.focus()

    def model_answer(self) -> None:
        """The right formula, once something was handed in."""
        assert isinstance(self.step, FormulaStep)
        if not self.finished:
            self.notify(_("Answer first; then m shows a full answer."))
        elif not self.query("#model"):
            right = self.step.accept[0]
            model = Static("\n".join([_("The right formula:"), *self._drawn(right)]), markup=False, id="model")
            self.mount(model)
            self.call_after_refresh(model.scroll_visible, animate=False)

    @property
    def finished(self) -> bool:
        """Enter goes on once it is answered."""
        return self.state.verdict is not None and self.state.verdict.verdict != "unreadable"

    def key_hints(self) -> Keys:
        """Hand in, or go on."""
        if not self.finished:
            return [("enter", _("answer"))]
        return [*self.settled_keys(), ("m", _("right formula"))]
