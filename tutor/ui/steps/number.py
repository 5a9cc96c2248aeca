"""A number: type a value, with or without its unit."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input

from tutor.course.model import NumberStep
from tutor.grading import number
from tutor.text.i18n import _
from tutor.ui.steps.base import Answered, Keys, StepView
from tutor.ui.widgets.entry import Field, label
from tutor.ui.widgets.feedback import Feedback
from tutor.ui.widgets.prose import Prose


class NumberView(StepView):
    """Prompt, input, verdict."""

    def compose(self) -> ComposeResult:
        """The question."""
        assert isinstance(self.step, NumberStep)
        yield Prose(number.prompt(self.step, self.study.lang, self.state.seed), classes="prompt")
        field = Field(self.state.answer, placeholder=_("a number, such as 0.25, 1e-3 or 1/3"), select_on_focus=False)
        field.border_subtitle = label(self.step.unit)
        yield field
        yield Feedback()

    def on_mount(self) -> None:
        """Show the verdict of an earlier sitting."""
        if self.state.verdict is not None:
            self.show_verdict()

    @property
    def field(self) -> Input:
        """Where the number is typed."""
        return self.query_one(Input)

    def start_focus(self) -> None:
        """On the input, unless it is settled."""
        if self.state.verdict is None:
            self.field.focus()

    def edit_focus(self) -> None:
        """On the input."""
        self.field.focus()

    def act(self) -> None:
        """Hand in what is typed."""
        self.forget_draft("answer")
        assert isinstance(self.step, NumberStep)
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
            self.show_verdict()
        self.state.answer = event.value
        self.typed("answer", event.value)

    def again(self) -> None:
        """Type another value."""
        self.study.again(self.step)
        self.show_verdict()
        self.field.focus()
        self.post_message(Answered())

    @property
    def finished(self) -> bool:
        """Enter goes on once it is answered."""
        return self.state.verdict is not None and self.state.verdict.verdict != "unreadable"

    def key_hints(self) -> Keys:
        """Hand in, or go on."""
        return self.settled_keys() if self.finished else [("enter", _("answer"))]
