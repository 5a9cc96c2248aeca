"""What `normtutor check` proves of a question about a data flow."""

from __future__ import annotations

from collections.abc import Iterator

from tutor.course.model import FlowStep
from tutor.grading import flow as grader
from tutor.grading.flow_graphs import Graph, same
from tutor.grading.known_flows import KNOWN
from tutor.text import flow

DRAWN_WIDTH = 30
"""Columns that the app has for the drawing of an answer."""

Path = tuple[str | int, ...]


def flow_issues(step: FlowStep) -> Iterator[tuple[Path, int | None, str]]:
    """Every answer can be read and drawn, is no other one's twin, and known diagrams drawn instead are named."""
    read: list[Graph] = []
    for index, source in enumerate(grader.answers(step)):
        path: Path = ("answer",) if isinstance(step.answer, str) else ("answer", index)
        try:
            drawn = flow.draw(flow.parse(source), width=DRAWN_WIDTH)
        except flow.FlowError as error:
            yield path, None, f"the flow `{source}` cannot be read: {error.say('en')}"
            continue
        graph = grader.reference_graph(source)
        if " -> " in drawn[0]:
            yield path, None, f"the flow `{source}` cannot be drawn: a path and rails beside it can"
        elif len(drawn[0]) > DRAWN_WIDTH:
            yield path, None, f"the flow `{source}` is {len(drawn[0])} columns wide: at most {DRAWN_WIDTH}"
        if "x" not in graph.labels:
            yield path, None, f"the flow `{source}` has no input `x`"
        if any(same(graph, other) for other in read):
            yield path, None, f"the flow `{source}` is the same as one before it"
        read.append(graph)
    if read and len(read) == len(grader.answers(step)):
        yield from _unrecognised(step)


def _unrecognised(step: FlowStep) -> Iterator[tuple[Path, int | None, str]]:
    """Known diagrams that, drawn for an answer, are neither right nor named."""
    for known in KNOWN:
        for source in known.flows if not known.near else ():
            verdict = grader.grade(step, source, "en")
            if verdict.verdict != "right" and verdict.misconception is None:
                yield ("answer",), None, f"`{source}` ({known.id}) is not recognised when it is drawn instead"
