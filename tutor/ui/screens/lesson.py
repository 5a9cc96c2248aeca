"""One lesson, a step at a time."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text
from textual import getters, on
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.events import DescendantBlur, DescendantFocus
from textual.widgets import Input, Static, TextArea

from tutor.course.model import AnyStep, Lesson
from tutor.text.aloud import aloud
from tutor.text.i18n import _
from tutor.text.sanitize import sanitize
from tutor.ui import source
from tutor.ui.messages import CellFinished, CellStarted, Judged, Judging
from tutor.ui.screens.steps import StepsScreen
from tutor.ui.screens.summary import SummaryScreen
from tutor.ui.screens.with_output import WithOutput
from tutor.ui.status import WIDE, gpu_words, kernel_text, saved_text
from tutor.ui.steps import view
from tutor.ui.steps.base import Answered, JudgeAsked, Keys, RunAsked, StepView
from tutor.ui.steps.predict import Again
from tutor.ui.study import StepState, Study
from tutor.ui.widgets.bars import KeyBar, TopBar
from tutor.ui.widgets.editor import Editor


class LessonScreen(WithOutput):
    """Shows a step; the keys move between steps and act on this one."""

    CSS_PATH = "lesson.tcss"
    AUTO_FOCUS = ""
    BINDINGS = [
        Binding("ctrl+j,f5", "act", "Run the cell or hand in the answer", id="lesson.act", priority=True),
        Binding("enter", "onward", "Next step, or into the field", id="lesson.onward"),
        Binding("right_square_bracket,n,alt+right", "move(1)", "Next step", id="lesson.next"),
        Binding("left_square_bracket,p,alt+left", "move(-1)", "Step before", id="lesson.previous"),
        Binding("t", "steps", "All steps", id="lesson.steps"),
        Binding("e", "edit", "Into the editor", id="lesson.edit"),
        Binding("r", "again", "Try the question again", id="lesson.again"),
        Binding("o", "overrule", "I was right", id="lesson.overrule"),
        Binding("m", "model", "Show a full answer", id="lesson.model"),
        Binding("h", "hint", "Next hint", id="lesson.hint"),
        Binding("g", "give_up", "Give up and see a solution", id="lesson.give_up"),
        Binding("w", "origin", "Where this comes from, and whether it held here", id="lesson.origin"),
        Binding("s", "source", "Source of what the cell uses", id="lesson.source"),
        Binding("x,f2", "reset", "The author's code again", id="lesson.reset"),
        Binding("f6", "outside", "Into $EDITOR, and back", id="lesson.outside", priority=True),
        Binding("ctrl+z", "undo", "Take the last change of the code back", id="lesson.undo"),
        Binding("escape", "leave", "Out of the field; back home", id="lesson.leave"),
        Binding("space", "more", "Scroll on", id="lesson.more"),
    ]

    top = getters.query_one(TopBar)
    page = getters.query_one("#page", VerticalScroll)
    trouble = getters.query_one("#trouble", Static)

    def __init__(self, study: Study, lesson: Lesson, index: int) -> None:
        super().__init__()
        self._study = study
        self._lesson = lesson
        self._index = index
        self._view: StepView | None = None

    def compose(self) -> ComposeResult:
        """The bars and an empty page."""
        yield TopBar()
        yield Static("", id="trouble", markup=False)
        yield VerticalScroll(id="page")
        yield KeyBar()

    async def on_mount(self) -> None:
        """Show the step asked for."""
        self.watch(self.page, "scroll_y", self.refresh_keys, init=False)
        await self.begin()

    async def begin(self) -> None:
        """The first thing to show."""
        await self.show(self._index)

    @property
    def step(self) -> AnyStep:
        """The step on the screen."""
        return self._lesson.steps[self._index]

    def step_state(self) -> StepState | None:
        """What was done with the step on the screen."""
        return self._view.state if self._view is not None else None

    async def show(self, index: int, *, opened: bool = True) -> None:
        """Put step number `index` on the page."""
        self.keep()
        self._index = index
        if opened:
            self._study.opened(self._lesson.id, self.step.id)
        with self.app.batch_update():
            await self.page.remove_children()
            self._view = view(self.step, self._study)
            await self.page.mount(self._view)
            self.page.scroll_home(animate=False)
        self.refresh_bars()
        self.call_after_refresh(self.refresh_keys)  # whether there is more to scroll is known once it is laid out

    def on_resize(self) -> None:
        """There may be more or less to scroll."""
        self.call_after_refresh(self.refresh_keys)

    def keep(self) -> None:
        """Write what is half typed."""
        if self._view is not None:
            self._view.keep()

    async def relabel(self) -> None:
        """The language changed."""
        await self.show(self._index, opened=False)

    # Bars

    def refresh_bars(self) -> None:
        """The first and the last line, and the banner when the journal cannot be written."""
        total = len(self._lesson.steps)
        done = sum(self._study.progress.done(step) for step in self._lesson.steps)
        filled = round(10 * done / max(1, total))
        left = Text.assemble(
            (sanitize(self._lesson.title.get(self._study.lang), newlines=False), "bold"),
            f"  {self._index + 1}/{total} ",
            "" if aloud() else "▰" * filled + "▱" * (10 - filled),
        )
        parts = [kernel_text(self.tutor), saved_text(self.tutor)]
        if gpu := gpu_words(self.tutor, brief=True):
            parts = [Text(gpu), *parts] if self.size.width >= WIDE else parts
        right = Text(" · ").join(parts)
        right.append(f" · {self._study.lang}")
        self.top.show(left, right)
        self.trouble.display = bool(self._study.trouble)
        if self._study.trouble:
            self.trouble.update(
                _("Cannot write your progress ({why}). It is kept in memory and tried again.").format(
                    why=self._study.trouble
                )
            )
        self.refresh_keys()

    def refresh_keys(self) -> None:
        """The keys that work now."""
        if self._view is None:
            return
        running = self.tutor.python.running is not None or self.tutor.judge.running is not None
        keys = [("ctrl+c", _("stop"))] if running else []
        if isinstance(self.focused, TextArea | Input):
            typing = [("esc", _("leave the field"))]
            own = [pair for pair in self._view.key_hints() if pair[0] in ("enter", "ctrl+j") or pair[0].startswith("f")]
            if isinstance(self.focused, TextArea) and self.focused.language == "python":
                own = [("ctrl+j", _("run")), ("F2", _("original"))]
            keys += [*own, ("alt+→", _("next")), *[pair for pair in typing if pair not in own], ("F1", _("keys"))]
        else:
            keys += self._reading_on(self._view.key_hints() or [("enter", _("next"))])
            if source.used_in(self._study, self.step):
                keys.append(("s", _("code inside")))
            keys += [("[ ]", _("steps")), ("t", _("all steps"))]
            if self.step.claims:
                keys.append(("w", _("source")))
            keys += [("esc", _("home")), ("?", _("keys"))]
        self.query_one(KeyBar).show(keys, always=2)

    def _reading_on(self, hints: Keys) -> Keys:
        """The keys of a step, with what reads on where there is more of it below."""
        if not self._more_below:
            return hints
        if ("enter", _("next")) in hints:
            return [("enter", _("more")) if pair == ("enter", _("next")) else pair for pair in hints]
        return [*hints, ("space", _("more"))]

    def on_descendant_focus(self, _event: DescendantFocus) -> None:
        """The keys depend on what is focused."""
        self.call_after_refresh(self.refresh_keys)

    def on_descendant_blur(self, _event: DescendantBlur) -> None:
        """The keys depend on what is focused."""
        self.call_after_refresh(self.refresh_keys)

    # What happened

    @on(RunAsked)
    def _run_asked(self, event: RunAsked) -> None:
        event.stop()
        self.tutor.python.run(event)

    @on(Editor.Asked)
    def _asked_about_code(self, event: Editor.Asked) -> None:
        event.stop()
        self.tutor.python.assist(event)

    @on(JudgeAsked)
    def _judge_asked(self, event: JudgeAsked) -> None:
        event.stop()
        self.tutor.judge.run(event)

    @on(Judging)
    def _judging(self, event: Judging) -> None:
        if self._view is not None and event.step == self.step.id:
            self._view.judging(event.note)
        self.refresh_keys()

    @on(Judged)
    def _judged(self, event: Judged) -> None:
        if self._view is not None and event.step == self.step.id:
            self._view.ended(event.verdict)
        self.refresh_bars()

    @on(CellStarted)
    def _cell_started(self, event: CellStarted) -> None:
        if self._view is not None and event.step == self.step.id:
            self._view.began()
        self.refresh_bars()

    @on(CellFinished)
    def _cell_finished(self, event: CellFinished) -> None:
        if self._view is not None and event.step == self.step.id:
            self._view.ended(event.verdict)
        self.refresh_bars()

    @on(Again)
    async def _show_again(self, event: Again) -> None:
        event.stop()
        await self.show(self._index, opened=False)

    @on(Answered)
    def _answered(self, event: Answered) -> None:
        event.stop()
        self.refresh_bars()

    # Keys

    def action_act(self) -> None:
        """Run or hand in."""
        if self._view is not None:
            self._view.act()

    async def action_onward(self) -> None:
        """Read on; at the end of the page, and with nothing left to do here, the next step. Else into the field."""
        if self._view is not None and not self._view.finished:
            self._view.edit_focus()
        elif self._more_below:
            self.action_more()
        else:
            await self.action_move(1)

    async def action_move(self, by: int) -> None:
        """Another step; past the last one, home."""
        index = self._index + by
        if index < 0:
            return
        if by > 0:
            self._study.passed(self.step)
        if index < len(self._lesson.steps):
            await self.show(index)
        else:
            self.app.push_screen(SummaryScreen(self._study, self._lesson), self._after_summary)

    async def _after_summary(self, index: int | None) -> None:
        if index is None:
            self.tutor.go_home()
        else:
            await self.show(index)

    def action_steps(self) -> None:
        """All steps of the lesson, to go to one."""
        self.app.push_screen(StepsScreen(self._study, self._lesson, self._index), self._go)

    async def _go(self, index: int | None) -> None:
        if index is not None:
            await self.show(index)

    async def go_to(self, id: str) -> bool:
        """To a step of this lesson; False where it has no such step."""
        ids = [step.id for step in self._lesson.steps]
        if id in ids:
            await self.show(ids.index(id))
        return id in ids

    def action_edit(self) -> None:
        """Into the editor or the field."""
        if self._view is not None:
            self._view.edit_focus()

    def action_again(self) -> None:
        """Once more."""
        if self._view is not None:
            self._view.again()

    def action_overrule(self) -> None:
        """I was right."""
        if self._view is not None:
            self._view.overrule()

    def action_model(self) -> None:
        """A full answer."""
        if self._view is not None:
            self._view.model_answer()

    def action_hint(self) -> None:
        """The next hint."""
        if self._view is not None:
            self._view.hint()

    def action_give_up(self) -> None:
        """A solution."""
        if self._view is not None:
            self._view.give_up()

    def action_origin(self) -> None:
        """Where the claims of this step come from, and whether they held here."""
        from tutor.ui.screens.origin import OriginScreen

        if account := self._study.account(self.step):
            self.app.push_screen(OriginScreen(account))
        else:
            self.notify(_("This step makes no claim of its own."))

    def action_source(self) -> None:
        """Read what the cell uses."""
        source.show(self, self._study, self.step)

    def commands(self) -> Iterable[SystemCommand]:
        """What the command palette offers here."""
        yield from super().commands()
        if source.used_in(self._study, self.step):
            what = _("What the cell uses of the kernels package, to read")
            yield SystemCommand(_("Show source"), what, self.action_source)
        title = _("Where this comes from, and whether it held here")
        yield SystemCommand(title, _("The claims of this step, their source, what you measured"), self.action_origin)

    def action_reset(self) -> None:
        """The author's code."""
        if self._view is not None:
            self._view.reset()

    def action_outside(self) -> None:
        """Edit the code or the answer in the learner's own editor."""
        if self._view is not None:
            self._view.edit_outside()

    def action_undo(self) -> None:
        """Also from the page, since a reset from there is to be taken back. Where nothing is typed, to the shell."""
        if self._view is not None and not self._view.undo():
            self.tutor.action_suspend_process()

    @property
    def _more_below(self) -> bool:
        return self.page.scroll_y < self.page.max_scroll_y

    def action_more(self) -> None:
        """A page on; two rows stay, since a formula may take more than one."""
        self.page.scroll_relative(y=max(1, self.page.size.height - 2), animate=False)

    def action_leave(self) -> None:
        """Out of a field first; from the page and from options, home."""
        if isinstance(self.focused, TextArea | Input):
            self.set_focus(self.page)
        else:
            self.keep()
            self.tutor.go_home()
