"""A data flow to lay out: by keys in slots, or as arrows; the drawing beside it shows how it stands."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.widgets import Input, Static

from tutor.course.model import FlowStep
from tutor.grading.flow import answers
from tutor.text import flow, spoken
from tutor.text.aloud import aloud
from tutor.text.flow_layout import Layout, palette
from tutor.text.i18n import _
from tutor.ui.steps.base import Answered, Keys, StepView
from tutor.ui.widgets.feedback import Feedback
from tutor.ui.widgets.flow_builder import FlowBuilder
from tutor.ui.widgets.prose import Prose

DRAWN_WIDTH = 30


class FlowView(StepView):
    """Prompt, slots or arrows, drawing, verdict. Both ways to answer hold the same arrow text."""

    DEFAULT_CSS = """
    FlowView Horizontal { height: auto; }
    FlowView #drawing { width: 30; height: auto; margin: 1 0 0 3; }
    FlowView #arrows { width: 1fr; }
    FlowView #model { margin: 1 0 0 0; height: auto; }
    """
    BINDINGS = [Binding("f3", "switch", "Slots or arrows", id="flow.switch", show=False)]

    def compose(self) -> ComposeResult:
        """The question, and both ways to answer it."""
        assert isinstance(self.step, FlowStep)
        yield Prose(self.step.prompt.get(self.study.lang), classes="prompt")
        field = Input(self.state.answer, placeholder="x -> F -> G; x -> G", select_on_focus=False, id="arrows")
        field.border_title = _("blocks and arrows; a semicolon begins a new path")
        layout = _layout(self.state.answer)
        field.display = layout is None
        yield field
        yield Static("", markup=False, classes="hint")
        with Horizontal():
            builder = FlowBuilder(palette([flow.parse(source) for source in answers(self.step)]), layout or Layout())
            builder.display = layout is not None
            yield builder
            yield Static("", markup=False, id="drawing")
        yield Feedback()

    def on_mount(self) -> None:
        """Show where it stands."""
        self._draw()
        if self.state.verdict is not None:
            self.show_verdict()

    @property
    def builder(self) -> FlowBuilder:
        """The slots."""
        return self.query_one(FlowBuilder)

    @property
    def field(self) -> Input:
        """Where arrows are typed."""
        return self.query_one("#arrows", Input)

    def start_focus(self) -> None:
        """On the slots or the arrows, unless it is settled."""
        if self.state.verdict is None:
            self.edit_focus()

    def edit_focus(self) -> None:
        """On the slots or the arrows."""
        (self.builder if self.builder.display else self.field).focus()

    def action_switch(self) -> None:
        """From slots to arrows and back; the flow stays."""
        if self.builder.display:
            self.field.value = self.state.answer
        else:
            layout = _layout(self.state.answer)
            if layout is None:
                self.notify(_("This flow does not fit into slots. Go on with arrows."))
                return
            self.builder.load(layout)
        self.builder.display = not self.builder.display
        self.field.display = not self.builder.display
        self._draw()
        self.edit_focus()

    def act(self) -> None:
        """Hand in the flow as it stands."""
        assert isinstance(self.step, FlowStep)
        if self.builder.display and self.builder.skip_from is not None:
            self.builder.action_enter()
        self.forget_draft("answer")
        verdict = self.study.hand_in(self.step, self._text)
        self.show_verdict()
        if verdict.verdict != "unreadable":
            self.leave_field()

    @property
    def _text(self) -> str:
        return self.builder.slots.text() if self.builder.display else self.field.value

    @on(FlowBuilder.HandedIn)
    @on(Input.Submitted)
    def _handed_in(self, event: FlowBuilder.HandedIn | Input.Submitted) -> None:
        event.stop()
        self.act()

    @on(FlowBuilder.Moded)
    def _moded(self, event: FlowBuilder.Moded) -> None:
        event.stop()
        self.post_message(Answered())

    @on(FlowBuilder.Changed)
    def _built(self, event: FlowBuilder.Changed) -> None:
        event.stop()
        self._changed(event.text)

    @on(Input.Changed)
    def _arrows_typed(self, event: Input.Changed) -> None:
        event.stop()
        if self.field.display:
            self._changed(event.value)

    def _changed(self, text: str) -> None:
        if text == self.state.answer:
            return
        if self.state.verdict is not None:
            self.study.again(self.step)
            self.show_verdict()
        self.query("#model").remove()
        self.state.answer = text
        self.typed("answer", text)
        self._draw()

    def _draw(self) -> None:
        """The graph as it stands; of what cannot be read, as far as it goes, and why not."""
        text, problem = self._text, ""
        try:
            rows = flow.draw(flow.parse(text), width=DRAWN_WIDTH)
        except flow.FlowError as error:
            problem = error.message if text.strip() else ""
            rows = _drawn(error.understood)
        hint = self.query_one(".hint", Static)
        hint.display = self.field.display
        hint.update(problem or _("F3 puts the blocks in order by keys instead."))
        self.query_one("#drawing", Static).update("\n".join(rows))

    def again(self) -> None:
        """Change the flow and hand it in once more."""
        if self.state.verdict is None:
            return
        self.study.again(self.step)
        self.query("#model").remove()
        self.show_verdict()
        self.edit_focus()

    def model_answer(self) -> None:
        """The right diagram, once something was handed in."""
        assert isinstance(self.step, FlowStep)
        if self.state.verdict is None:
            self.notify(_("Answer first; then m shows a full answer."))
        elif not self.query("#model"):
            source = answers(self.step)[0]
            model = Static("\n".join([_("The right diagram:"), *_drawn(source), source]), markup=False, id="model")
            self.mount(model)
            self.call_after_refresh(model.scroll_visible, animate=False)

    @property
    def finished(self) -> bool:
        """Enter goes on once it is answered."""
        return self.state.verdict is not None and self.state.verdict.verdict != "unreadable"

    def key_hints(self) -> Keys:
        """Build or type, hand in, go on."""
        # The screen may ask before the slots are there, and after they are gone.
        for builder in self.query(FlowBuilder):
            if self.finished and not builder.has_focus:
                break
            if not builder.display:
                return [("enter", _("answer")), ("f3", _("slots"))]
            return [*builder.key_hints(), ("f3", _("arrows"))]
        return [*self.settled_keys(), ("m", _("right diagram"))] if self.finished else []


def _layout(text: str) -> Layout | None:
    """The slots that an answer has; None where it has none, and has to be typed."""
    if not text.strip():
        return Layout()
    try:
        return Layout.of(flow.parse(text))
    except flow.FlowError:
        return None


def _drawn(text: str) -> tuple[str, ...]:
    try:
        return spoken.flow(text) if aloud() else flow.draw(flow.parse(text), width=DRAWN_WIDTH)
    except flow.FlowError:
        return ()
