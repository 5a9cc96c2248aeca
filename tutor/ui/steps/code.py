"""Exercises and breaks: code that a process of its own judges, with hints, a report and the solution at the end."""

from __future__ import annotations

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.widgets import Static, TextArea

from tutor.course.model import BreakStep, ExerciseStep
from tutor.text.i18n import _
from tutor.ui.steps.base import JudgeAsked, Keys, StepView
from tutor.ui.widgets.editor import Editor, Suggestions
from tutor.ui.widgets.entry import label
from tutor.ui.widgets.feedback import Feedback
from tutor.ui.widgets.prose import Prose


class CodeView(StepView):
    """Prompt, editor, hints, report."""

    DEFAULT_CSS = """
    CodeView .judging { color: $text-muted; height: auto; }
    """

    SHOWS_CHECKS = True

    def compose(self) -> ComposeResult:
        """The task and the editor."""
        assert isinstance(self.step, ExerciseStep | BreakStep)
        yield Prose(self.step.prompt.get(self.study.lang), classes="prompt")
        yield Editor(self.state.code)
        yield Suggestions()
        yield Static("", markup=False, classes="judging")
        yield Feedback()

    def on_mount(self) -> None:
        """Show where it stands."""
        self._relabel()
        self._show_hints()
        if self.state.verdict is not None:
            self.show_verdict()
        if self.state.revealed:
            self._show_solution()

    @property
    def editor(self) -> Editor:
        """Where the code is written."""
        return self.query_one(Editor)

    def start_focus(self) -> None:
        """The page first: the task is to be read."""

    def edit_focus(self) -> None:
        """Into the editor."""
        self.editor.focus()

    def act(self) -> None:
        """Hand in the code as it stands."""
        assert isinstance(self.step, ExerciseStep | BreakStep)
        self.keep()
        self.post_message(JudgeAsked(self.step, self.editor.text))

    def judging(self, note: str) -> None:
        """Say how far the judge is; an empty note when it has finished."""
        self.query_one(".judging", Static).update(Text(note))

    def ended(self, verdict: object) -> None:
        """The judge has finished."""
        self.judging("")
        self.show_verdict()
        if self.state.verdict is not None and self.state.verdict.verdict == "right":
            self.state.revealed = True
            self._show_solution()

    def again(self) -> None:
        """Back into the editor; the last report stays until the next."""
        self.editor.focus()

    def reset(self) -> None:
        """The starter again; undo brings the change back."""
        self.editor.replace(self.state.original.rstrip("\n"), (0, 0), self.editor.document.end)

    def hint(self) -> None:
        """Open the next hint; they are counted."""
        assert isinstance(self.step, ExerciseStep | BreakStep)
        if self.state.hints < len(self.step.hints):
            self.state.hints += 1
            self._show_hints()
            self.post_answered()

    def give_up(self) -> None:
        """Show a solution. What was handed in so far stays as it was judged."""
        if not self.state.revealed:
            self.state.revealed = True
            self.study.gave_up(self.step)
            self._show_solution()
            self.post_answered()

    def _show_hints(self) -> None:
        assert isinstance(self.step, ExerciseStep | BreakStep)
        shown = len(self.query(".hint-text"))
        for number in range(shown, self.state.hints):
            text = _("**Hint {n} of {total}.**").format(n=number + 1, total=len(self.step.hints))
            hint = Prose(f"{text} {self.step.hints[number].get(self.study.lang)}", classes="hint-text")
            self.mount(hint, before=self.query_one(".judging"))
            self.call_after_refresh(hint.scroll_visible, animate=False)

    def _show_solution(self) -> None:
        assert isinstance(self.step, ExerciseStep | BreakStep)
        if self.query(".solution"):
            return
        code = self.step.solutions[0].rstrip("\n")
        why = f"\n\n{self.step.why.get(self.study.lang)}" if self.step.why is not None else ""
        solution = Prose("**" + _("A solution:") + f"**\n\n```python\n{code}\n```{why}", classes="solution")
        self.mount(solution)
        self.call_after_refresh(solution.scroll_visible, animate=False)

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.state.code = event.text_area.text
        self.typed("code", event.text_area.text)
        self._relabel()

    def _relabel(self) -> None:
        changed = self.state.code.rstrip("\n") != self.state.original.rstrip("\n")
        self.editor.border_title = label(" Python ")
        hint = _("changed · F2 starter · F5 check") if changed else _("ctrl+j or F5 check")
        self.editor.border_subtitle = label(f" {hint} ")

    @property
    def finished(self) -> bool:
        """Enter goes on once it passed, or was given up; else it goes into the editor."""
        verdict = self.state.verdict
        return self.state.revealed or (verdict is not None and verdict.verdict == "right")

    def key_hints(self) -> Keys:
        """Write, check, ask for a hint, give up."""
        assert isinstance(self.step, ExerciseStep | BreakStep)
        keys: Keys = [("enter", _("next"))] if self.finished else []
        keys += [("e", _("edit")), ("ctrl+j", _("check"))]
        if self.state.hints < len(self.step.hints):
            keys.append(("h", _("hint {n} of {total}").format(n=self.state.hints + 1, total=len(self.step.hints))))
        if not self.state.revealed:
            keys.append(("g", _("give up, see a solution")))
        return keys
