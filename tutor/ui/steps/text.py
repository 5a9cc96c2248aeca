"""A text step: prose, formulas, data flows."""

from __future__ import annotations

from textual.app import ComposeResult

from tutor.course.model import NamedFlow, TextStep
from tutor.text import flow
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
            return flow.draw(flow.parse(drawn), width=width)
        return flow.side_by_side([self._titled(named) for named in drawn], width)

    def _titled(self, named: NamedFlow) -> tuple[str, tuple[str, ...]]:
        return named.title.get(self.study.lang), flow.draw(flow.parse(named.flow))
