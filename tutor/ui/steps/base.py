"""What the views of all step kinds share: drafts, the verdict, running code."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widgets import TextArea

from tutor.course import figures
from tutor.course.model import AnyStep, BreakStep, ClaimStep, ExerciseStep
from tutor.grading.verdict import Verdict
from tutor.text.i18n import _
from tutor.ui.study import StepState, Study
from tutor.ui.widgets.feedback import Feedback
from tutor.ui.widgets.output import OutputView
from tutor.ui.widgets.picker import Picker

Keys = list[tuple[str, str]]

DRAFT_PAUSE = 0.4
"""Seconds without a key after which a draft is written."""
DRAFT_LATEST = 2.0
"""A draft is written at least this often while somebody types without a pause."""


@dataclass
class RunAsked(Message):
    """The learner asks to run the code of a step's cell."""

    step: AnyStep
    code: str
    changed: bool
    expressions: dict[str, str] = field(default_factory=dict)
    before: tuple[tuple[str, str], ...] = ()
    """Cells, by name, that it may need: they are run, and it once more, where it fails by itself."""
    study: Study | None = None
    """Where it belongs; the lesson's where it is None."""


@dataclass
class JudgeAsked(Message):
    """The learner hands in code, or a claim: the judge's process has to look at it."""

    step: ExerciseStep | ClaimStep | BreakStep
    answer: str
    study: Study | None = None
    """Where it belongs; the lesson's where it is None."""


class Answered(Message):
    """A verdict came, or went: the screen's keys and marks may have to change."""


class StepView(Vertical):
    """One step on the screen."""

    DEFAULT_CSS = """
    StepView { height: auto; width: 1fr; padding: 0 1; }
    StepView .prompt { margin: 0 0 1 0; }
    StepView .hint { color: $text-muted; height: auto; }
    StepView Input { border: round $foreground 30%; padding: 0 1; background: transparent; }
    StepView Input:focus { border: round $primary; }
    """

    SHOWS_CHECKS = False
    """Whether the checks of a verdict are a report of their own; elsewhere the marks on the options say it."""

    def __init__(self, step: AnyStep, study: Study) -> None:
        super().__init__()
        self.step = step
        self.study = study
        self._typed: dict[str, str] = {}
        self._first_typed = 0.0
        self._timer: Timer | None = None

    @property
    def state(self) -> StepState:
        """What the learner has done with this step."""
        return self.study.state(self.step)

    def on_mount(self) -> None:
        """Focus what comes first, now that it is there."""
        self.leave_field()
        self.start_focus()

    def leave_field(self) -> None:
        """Focus the page: keys move and scroll again."""
        self.screen.set_focus(self.screen.query_one("#page"))

    # What the screen asks of a view

    def act(self) -> None:
        """Run the cell or hand in the answer: ctrl+j and F5."""

    def again(self) -> None:
        """Try the question once more."""

    def overrule(self) -> None:
        """The learner holds that they were right."""

    def model_answer(self) -> None:
        """Show a full answer."""

    def reset(self) -> None:
        """Put the code back to the author's."""

    def undo(self) -> bool:
        """Take the last change of the code back; whether there is any code or text here."""
        areas = self.query(TextArea)
        for area in areas:
            area.undo()
        return bool(areas)

    def edit_outside(self) -> None:
        """Edit what can be edited in the learner's own editor; ctrl+z takes the change back."""
        from tutor.ui import outside

        area = next((area for area in self.query(TextArea) if not area.read_only and not area.disabled), None)
        if area is None:
            return
        self.keep()
        try:
            text = outside.edit(self.app, area.text, ".py" if area.language == "python" else ".txt")
        except outside.OutsideError as error:
            self.notify(str(error), severity="warning")
            return
        if text != area.text:
            area.replace(text, (0, 0), area.document.end)

    def hint(self) -> None:
        """Open the next hint."""

    def give_up(self) -> None:
        """Show a solution."""

    def judging(self, note: str) -> None:
        """Say how far the judge is; an empty note when it has finished."""

    def post_answered(self) -> None:
        """Tell the screen that keys and marks may have to change."""
        self.post_message(Answered())

    def start_focus(self) -> None:
        """Focus what the learner will use first; the default leaves it on the page, where it scrolls."""

    def edit_focus(self) -> None:
        """Focus what can be typed into."""
        self.start_focus()

    def key_hints(self) -> Keys:
        """The keys that do something here, most useful first."""
        return []

    @property
    def finished(self) -> bool:
        """Whether enter on the page should go on to the next step."""
        return True

    def began(self) -> None:
        """A run of this step's cell began."""
        for output in self.query(OutputView):
            output.began()
            self.call_after_refresh(output.scroll_visible, animate=False)

    def ended(self, verdict: Verdict | None) -> None:
        """A run of this step's cell ended, with a verdict if it settled a prediction."""

    # Drafts

    def typed(self, field: str, text: str) -> None:
        """Something was typed; it is written on a pause, and now and then while the typing goes on."""
        now = time.monotonic()
        if not self._typed:
            self._first_typed = now
        self._typed[field] = text
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(max(0.0, min(DRAFT_PAUSE, self._first_typed + DRAFT_LATEST - now)), self.keep)

    def keep(self) -> None:
        """Write what was typed since the last draft."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        for name, text in self._typed.items():
            self.study.draft(self.step, name, text)
        self._typed.clear()

    def forget_draft(self, field: str) -> None:
        """What was typed has been handed in; no draft of it is owed."""
        self._typed.pop(field, None)

    def on_unmount(self) -> None:
        """Leaving the step must not lose what was typed."""
        self.keep()

    # Running

    def run_asked(self, code: str, expressions: dict[str, str] | None = None) -> RunAsked:
        """What asks the app to run `code`; as the author wrote it, it also measures the figures that texts quote."""
        changed = code.rstrip() != self.state.original.rstrip()
        measuring = {} if changed else figures.expressions(self.step)
        return RunAsked(self.step, code, changed=changed, expressions={**(expressions or {}), **measuring})

    # The verdict

    def show_verdict(self, *, scroll: bool = True) -> None:
        """Show the step's verdict, and tell the screen."""
        state = self.state
        for feedback in self.query(Feedback):
            feedback.show(state.verdict, overruled=state.overruled, checks=self.SHOWS_CHECKS)
            if state.verdict is not None and scroll:
                self.call_after_refresh(feedback.scroll_visible, animate=False)
        if self.finished and isinstance(self.screen.focused, Picker):
            self.leave_field()
        self.post_message(Answered())

    def settled_keys(self) -> Keys:
        """The keys after a verdict."""
        keys: Keys = [("enter", _("next")), ("r", _("try again"))]
        state = self.state
        if state.verdict is not None and state.verdict.verdict == "unreadable":
            keys.reverse()
        return keys
