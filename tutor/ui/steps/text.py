"""A text step: prose, formulas, data flows."""

from __future__ import annotations

from textual.app import ComposeResult

from tutor.course.model import TextStep
from tutor.text import flow, spoken
from tutor.text.aloud import aloud
from tutor.text.sanitize import sanitize
from tutor.ui.steps.base import StepView
from tutor.ui.widgets.prose import Prose, Rows


class TextView(StepView):
    """Reads from top to bottom; the data flows come last."""

    def compose(self) -> ComposeResult:
        """The prose and the drawings."""
        assert isinstance(self.step, TextStep)
        yield Prose(self.step.body.get(self.study.lang))
        if self.step.flow:
            yield Rows(self._draw)

    def _draw(self, width: int) -> tuple[str, ...]:
        assert isinstance(self.step, TextStep)
        drawn = self.step.flow
        if isinstance(drawn, str):
            return spoken.flow(drawn) if aloud() else _drawing(drawn, width)
        if aloud():
            named = [(sanitize(each.title.get(self.study.lang)), spoken.flow(each.flow)) for each in drawn]
            return tuple(line for title, lines in named for line in (title, *lines))
        titled = [(sanitize(each.title.get(self.study.lang)), _drawing(each.flow, width)) for each in drawn]
        return flow.side_by_side(titled, width)


def _drawing(source: str, width: int) -> tuple[str, ...]:
    try:
        return flow.draw(flow.parse(source), width=width)
    except flow.FlowError:
        return (sanitize(source),)  # `normtutor check` says what is wrong with it
