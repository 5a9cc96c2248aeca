"""A claim: say whether a property holds; a search for a counterexample decides."""

from __future__ import annotations

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.widgets import Static

from tutor.course.model import ClaimStep
from tutor.grading.claim import FAILS, HOLDS
from tutor.text.i18n import _
from tutor.ui.steps.base import JudgeAsked, Keys, StepView
from tutor.ui.widgets.feedback import Feedback
from tutor.ui.widgets.picker import Choice, Picker
from tutor.ui.widgets.prose import Prose


class ClaimView(StepView):
    """Statement, two options, what the search found."""

    def compose(self) -> ComposeResult:
        """The statement."""
        assert isinstance(self.step, ClaimStep)
        yield Prose(self.step.statement.get(self.study.lang), classes="prompt")
        answer = self.state.answer
        yield Picker(
            [Choice(HOLDS, _("It always holds.")), Choice(FAILS, _("There is a counterexample."))],
            picked={answer} if answer else None,
        )
        yield Static("", markup=False, classes="hint")
        yield Feedback()

    def on_mount(self) -> None:
        """Show the verdict of an earlier sitting."""
        if self.state.verdict is not None:
            self._mark()

    @property
    def picker(self) -> Picker:
        """The two options."""
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
        assert isinstance(self.step, ClaimStep)
        self.post_message(JudgeAsked(self.step, event.id))

    def judging(self, note: str) -> None:
        """Say how far the search is."""
        self.query_one(".hint", Static).update(Text(note))

    def ended(self, verdict: object) -> None:
        """The search has finished."""
        self.judging("")
        self._mark()

    def _mark(self) -> None:
        assert isinstance(self.step, ClaimStep)
        verdict = self.state.verdict
        if verdict is not None and verdict.verdict in ("right", "wrong"):
            true = HOLDS if self.step.holds else FAILS
            picked = self.state.answer
            self.picker.judge({id: "✓" if id == true else ("✗" if id == picked else " ") for id in (HOLDS, FAILS)})
        self.show_verdict()

    def again(self) -> None:
        """Both options open once more."""
        if self.state.verdict is None:
            return
        self.study.again(self.step)
        self.state.answer = ""
        self.picker.forget()
        self.show_verdict()
        self.picker.focus()

    @property
    def finished(self) -> bool:
        """Enter goes on once it is answered."""
        return self.state.verdict is not None

    def key_hints(self) -> Keys:
        """Pick, or go on."""
        if self.state.verdict is not None:
            return self.settled_keys()
        return [("↑ ↓", _("choose")), ("enter", _("answer"))]
