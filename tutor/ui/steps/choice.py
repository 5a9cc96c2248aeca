"""A choice: pick the one right option."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult

from tutor.course.model import ChoiceStep
from tutor.text.i18n import _
from tutor.ui.steps.base import Answered, Keys, StepView
from tutor.ui.widgets.feedback import Feedback
from tutor.ui.widgets.picker import Choice, Picker
from tutor.ui.widgets.prose import Prose


class ChoiceView(StepView):
    """Prompt, options, verdict."""

    def compose(self) -> ComposeResult:
        """The question."""
        assert isinstance(self.step, ChoiceStep)
        lang = self.study.lang
        yield Prose(self.step.prompt.get(lang), classes="prompt")
        answer = self.state.answer
        options = [Choice(option.id, option.text.get(lang)) for option in self.step.options]
        yield Picker(options, picked={answer} if answer else None)
        yield Feedback()

    def on_mount(self) -> None:
        """Show the verdict of an earlier sitting."""
        if self.state.verdict is not None:
            self._mark()

    @property
    def picker(self) -> Picker:
        """The options."""
        return self.query_one(Picker)

    def start_focus(self) -> None:
        """On the options, unless they are settled."""
        if self.state.verdict is None:
            self.picker.focus()

    def act(self) -> None:
        """Hand in the option under the cursor."""
        self.picker.action_select()

    @on(Picker.Picked)
    def _picked(self, event: Picker.Picked) -> None:
        event.stop()
        assert isinstance(self.step, ChoiceStep)
        self.study.hand_in(self.step, event.id)
        self._mark()

    def _mark(self) -> None:
        assert isinstance(self.step, ChoiceStep)
        picked = self.state.answer
        marks = {
            option.id: "✓" if option.right else ("✗" if option.id == picked else " ") for option in self.step.options
        }
        self.picker.judge(marks)
        self.show_verdict()

    def again(self) -> None:
        """All options open once more."""
        if self.state.verdict is None:
            return
        self.study.again(self.step)
        self.state.answer = ""
        self.picker.forget()
        self.show_verdict()
        self.picker.focus()
        self.post_message(Answered())

    @property
    def finished(self) -> bool:
        """Enter goes on once it is answered."""
        return self.state.verdict is not None

    def key_hints(self) -> Keys:
        """Pick, or go on."""
        if self.state.verdict is not None:
            return self.settled_keys()
        return [("↑ ↓", _("choose")), ("enter", _("answer"))]
