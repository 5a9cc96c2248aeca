"""Things to put in order."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult

from tutor.course.model import OrderStep
from tutor.grading import order
from tutor.text.i18n import _
from tutor.ui.steps.base import Answered, Keys, StepView
from tutor.ui.widgets.feedback import Feedback
from tutor.ui.widgets.picker import Choice
from tutor.ui.widgets.prose import Prose
from tutor.ui.widgets.sorter import Sorter


class OrderView(StepView):
    """Prompt, lines, verdict."""

    def compose(self) -> ComposeResult:
        """The question, with the lines as they were left."""
        assert isinstance(self.step, OrderStep)
        lang = self.study.lang
        yield Prose(self.step.prompt.get(lang), classes="prompt")
        items = order.arranged(self.step, self.state.answer, self.state.seed)
        items = items or list(order.shuffled(self.step, self.state.seed))
        yield Sorter([Choice(item.id, item.text.get(lang)) for item in items])
        yield Feedback()

    def on_mount(self) -> None:
        """Show the verdict of an earlier sitting."""
        if self.state.verdict is not None:
            self._mark()

    @property
    def sorter(self) -> Sorter:
        """The lines."""
        return self.query_one(Sorter)

    def start_focus(self) -> None:
        """On the lines, unless they are settled."""
        if self.state.verdict is None:
            self.sorter.focus()

    def act(self) -> None:
        """Hand in the order."""
        self.sorter.action_select()

    @on(Sorter.Changed)
    def _changed(self, event: Sorter.Changed) -> None:
        event.stop()
        self.typed("answer", ", ".join(event.ids))

    @on(Sorter.Moded)
    def _moded(self, event: Sorter.Moded) -> None:
        event.stop()
        self.post_message(Answered())

    @on(Sorter.HandedIn)
    def _handed_in(self, event: Sorter.HandedIn) -> None:
        event.stop()
        assert isinstance(self.step, OrderStep)
        self.forget_draft("answer")
        self.study.hand_in(self.step, ", ".join(event.ids))
        self._mark()
        self.leave_field()

    def _mark(self) -> None:
        verdict = self.state.verdict
        if verdict is not None:
            self.sorter.judge({check.id: "✓" if check.passed else "✗" for check in verdict.checks})
        self.show_verdict()

    def again(self) -> None:
        """Move the lines once more, from where they are."""
        if self.state.verdict is None:
            return
        self.study.again(self.step)
        self.sorter.judge({})
        self.show_verdict()
        self.sorter.focus()

    @property
    def finished(self) -> bool:
        """Enter goes on once it is answered."""
        return self.state.verdict is not None

    def key_hints(self) -> Keys:
        """Move, hand in, go on."""
        if self.state.verdict is not None:
            return self.settled_keys()
        # The screen may ask before the lines are there, and after they are gone.
        if any(sorter.lifted for sorter in self.query(Sorter)):
            return [("↑ ↓", _("carry it")), ("space", _("put it down"))]
        return [("space", _("take it up")), ("↑ ↓", _("choose")), ("enter", _("answer"))]
