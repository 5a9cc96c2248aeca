"""Several options to tick."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult

from tutor.course.model import MultiStep
from tutor.grading import multi
from tutor.text.i18n import _
from tutor.ui.steps.base import Keys, StepView
from tutor.ui.widgets.feedback import Feedback
from tutor.ui.widgets.picker import Choice, Picker
from tutor.ui.widgets.prose import Prose

TICKED, WRONGLY_TICKED, MISSED, LEFT = "[✓]", "[✗]", "[!]", "[ ]"


class MultiView(StepView):
    """Prompt, options, verdict."""

    def compose(self) -> ComposeResult:
        """The question."""
        assert isinstance(self.step, MultiStep)
        lang = self.study.lang
        yield Prose(self.step.prompt.get(lang), classes="prompt")
        options = [Choice(option.id, option.text.get(lang)) for option in self.step.options]
        yield Picker(options, several=True, picked=multi.ticks(self.step, self.state.answer))
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
        """Hand in what is ticked."""
        self.picker.action_select()

    @on(Picker.Changed)
    def _changed(self, event: Picker.Changed) -> None:
        event.stop()
        self.typed("answer", self._answer())

    def _answer(self) -> str:
        assert isinstance(self.step, MultiStep)
        return ", ".join(option.id for option in self.step.options if option.id in self.picker.picked)

    @on(Picker.Ticked)
    def _ticked(self, event: Picker.Ticked) -> None:
        event.stop()
        assert isinstance(self.step, MultiStep)
        if not event.ids:
            self.notify(_("Tick at least one: space."))
            return
        self.forget_draft("answer")
        self.study.hand_in(self.step, self._answer())
        self._mark()
        self.leave_field()

    def _mark(self) -> None:
        assert isinstance(self.step, MultiStep)
        marks = {
            (True, True): TICKED,
            (True, False): MISSED,
            (False, True): WRONGLY_TICKED,
            (False, False): LEFT,
        }
        ticked = multi.ticks(self.step, self.state.answer) or set()
        self.picker.judge({option.id: marks[option.right, option.id in ticked] for option in self.step.options})
        self.show_verdict()

    def again(self) -> None:
        """Change the ticks."""
        if self.state.verdict is None:
            return
        self.study.again(self.step)
        self.picker.judge({})
        self.show_verdict()
        self.picker.focus()

    @property
    def finished(self) -> bool:
        """Enter goes on once it is answered."""
        return self.state.verdict is not None

    def key_hints(self) -> Keys:
        """Tick, or go on."""
        if self.state.verdict is not None:
            return self.settled_keys()
        return [("↑ ↓", _("choose")), ("space", _("tick")), ("enter", _("answer"))]
