"""An answer in the learner's own words, and the self-check when the grader is not sure."""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import TextArea

from tutor.course.model import ShortStep
from tutor.text.i18n import _
from tutor.ui.steps.base import Answered, Keys, StepView
from tutor.ui.widgets.entry import Area, label
from tutor.ui.widgets.feedback import Feedback
from tutor.ui.widgets.picker import Choice, Picker
from tutor.ui.widgets.prose import Prose


class AnswerArea(Area):
    """Where the answer is typed: enter hands it in, a pasted line break stays."""

    DEFAULT_CSS = """
    AnswerArea { height: 6; border: round $foreground 30%; padding: 0 1; background: transparent; }
    AnswerArea:focus { border: round $primary; }
    """

    class HandedIn(Message):
        """The learner pressed enter."""

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.HandedIn())


class ShortView(StepView):
    """Prompt, answer, verdict, and what to tick."""

    def compose(self) -> ComposeResult:
        """The question."""
        assert isinstance(self.step, ShortStep)
        yield Prose(self.step.prompt.get(self.study.lang), classes="prompt")
        area = AnswerArea(self.state.answer, soft_wrap=True, tab_behavior="focus", highlight_cursor_line=False)
        area.border_title = label(_("in your own words, Vietnamese or English"))
        yield area
        yield Feedback()

    def on_mount(self) -> None:
        """Show where it stands."""
        self._count()
        if self.state.verdict is not None:
            self.show_verdict()
            self._offer_ticks()

    @property
    def area(self) -> AnswerArea:
        """Where the answer is typed."""
        return self.query_one(AnswerArea)

    def start_focus(self) -> None:
        """On the answer, or on what is to be ticked."""
        if self.state.verdict is None:
            self.edit_focus()
        elif self.query(Picker):
            self.query(Picker).first().focus()

    def edit_focus(self) -> None:
        """Into the answer, after its last word."""
        self.area.focus()
        self.area.move_cursor(self.area.document.end)

    def act(self) -> None:
        """Hand in what is typed, or what is ticked."""
        if self._ticking:
            self._tick(self.query(Picker).first().picked)
            return
        self.forget_draft("answer")
        assert isinstance(self.step, ShortStep)
        verdict = self.study.hand_in(self.step, self.area.text)
        self.show_verdict()
        if verdict.verdict == "unsure":
            self._offer_ticks()
        elif verdict.verdict != "unreadable":
            self.leave_field()

    @property
    def _ticking(self) -> bool:
        return self.state.verdict is not None and self.state.verdict.verdict == "unsure" and not self.state.overruled

    def _offer_ticks(self) -> None:
        assert isinstance(self.step, ShortStep)
        if not self._ticking or self.query(Picker):
            return
        lang = self.study.lang
        verdict = self.state.verdict
        assert verdict is not None
        choices = [
            Choice(point.id, (point.says or point.hint or self.step.prompt).get(lang))
            for point in self.step.points
            if not point.only_if_none
        ]
        found = {point.id for point in verdict.points if point.found}
        picker = Picker(choices, several=True, picked=found & {choice.id for choice in choices})
        self.mount(Prose(_("Tick what your answer says, then enter:"), classes="tick"), picker)
        picker.focus()
        self.call_after_refresh(picker.scroll_visible, animate=False)

    def _drop_ticks(self) -> None:
        self.query(Picker).remove()
        self.query(".tick").remove()

    @on(AnswerArea.HandedIn)
    def _handed_in(self, event: AnswerArea.HandedIn) -> None:
        event.stop()
        self.act()

    @on(Picker.Ticked)
    def _ticked(self, event: Picker.Ticked) -> None:
        event.stop()
        self._tick(event.ids)

    def _tick(self, ids: set[str]) -> None:
        assert isinstance(self.step, ShortStep)
        self.study.tick(self.step, ids)
        self._drop_ticks()
        self.show_verdict()
        self.leave_field()

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._count()
        text = event.text_area.text
        if text == self.state.answer:
            return
        if self.state.verdict is not None:
            self.study.again(self.step)
            self._drop_ticks()
            self.show_verdict()
        self.state.answer = text
        self.typed("answer", text)

    def _count(self) -> None:
        assert isinstance(self.step, ShortStep)
        words = len(self.area.text.split())
        most = self.step.max_words
        if words <= most:
            count = f"{words}/{most}"
        else:
            count = _("{words}/{most}: only the first {most} words count").format(words=words, most=most)
        self.area.border_subtitle = label(count)

    def again(self) -> None:
        """Put it in other words, without the full answer in sight."""
        if self.state.verdict is None:
            return
        self.query(".model").remove()
        self.study.again(self.step)
        self._drop_ticks()
        self.show_verdict()
        self.edit_focus()

    def overrule(self) -> None:
        """I was right; the grader's verdict is kept beside it."""
        verdict = self.state.verdict
        if verdict is None or verdict.verdict in ("right", "unreadable") or self.state.overruled:
            return
        self.study.overrule(self.step)
        self._drop_ticks()
        self.show_verdict()
        self.leave_field()

    def model_answer(self) -> None:
        """A full answer, once something was handed in."""
        assert isinstance(self.step, ShortStep)
        if self.state.verdict is None:
            self.notify(_("Answer first; then m shows a full answer."))
            return
        if not self.query(".model"):
            answer = Prose(
                "**" + _("A full answer:") + "** " + self.step.model_answer.get(self.study.lang), classes="model"
            )
            self.mount(answer)
            self.call_after_refresh(answer.scroll_visible, animate=False)

    @property
    def finished(self) -> bool:
        """Enter goes on once it is settled."""
        verdict = self.state.verdict
        return verdict is not None and (verdict.verdict != "unreadable" or self.state.overruled) and not self._ticking

    def key_hints(self) -> Keys:
        """Hand in, tick, overrule, go on."""
        if self._ticking:
            return [("space", _("tick")), ("enter", _("save")), ("o", _("I was right")), ("m", _("full answer"))]
        if not self.finished:
            return [("enter", _("answer")), ("esc", _("leave the field"))]
        keys = self.settled_keys()
        if self.state.verdict is not None and self.state.verdict.verdict != "right" and not self.state.overruled:
            keys.append(("o", _("I was right")))
        return [*keys, ("m", _("full answer"))]


__all__ = ["AnswerArea", "Answered", "ShortView"]
