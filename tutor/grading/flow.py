"""Grades a data flow: the same graph is right, else it names the diagram that was drawn or the arrows that differ."""

from __future__ import annotations

from tutor.course.model import FlowStep, Lang
from tutor.grading.flow_graphs import Comparison, Graph, compare, graph_of, in_the_words_of, same
from tutor.grading.known_flows import recognise
from tutor.grading.say import code, paragraphs, say, text
from tutor.grading.verdict import Check, Named, Verdict
from tutor.text import flow
from tutor.text.i18n import N_

PARTLY = 0.6
"""The share of the arrows from which an answer that is no other diagram is partly right."""
WRONG_AT_MOST = 0.5
_MOST_LINES = 6


def grade(step: FlowStep, answer: str, lang: Lang) -> Verdict:
    """Judges the flow that `answer` describes."""
    try:
        drawn = graph_of(flow.parse(answer))
    except flow.FlowCircleError as error:
        message = paragraphs(error.say(lang), say(lang, N_("No block can wait for its own output.")))
        feedback = paragraphs(_understood(error, lang), text(step.why, lang))
        return Verdict(
            step=step.id, verdict="wrong", score=0.0, misconception=Named("circle", message), feedback=feedback
        )
    except flow.FlowError as error:
        return Verdict(step=step.id, verdict="unreadable", feedback=_unreadable(error, answer, lang))
    references = [reference_graph(source) for source in answers(step)]
    said = [in_the_words_of(drawn, reference) for reference in references]
    left_out = _left_out(drawn, lang)
    for reference, graph in zip(references, said, strict=True):
        if same(graph, reference):
            return Verdict(
                step=step.id,
                verdict="right",
                score=1.0,
                checks=_checks(reference, reference.edges),
                feedback=paragraphs(left_out, text(step.why, lang)),
            )
    pairs = [(compare(graph, reference), graph, reference) for graph, reference in zip(said, references, strict=True)]
    comparison, graph, reference = max(pairs, key=lambda pair: pair[0].likeness)
    known = recognise(drawn, reference)
    score = round(comparison.likeness, 2)
    partly = bool(known.near) if known is not None else score >= PARTLY
    return Verdict(
        step=step.id,
        verdict="partly" if partly else "wrong",
        score=max(score, PARTLY) if partly else min(score, WRONG_AT_MOST),
        checks=_checks(reference, comparison.found),
        misconception=Named(known.id, say(lang, known.say)) if known is not None else None,
        feedback=paragraphs(
            _differences(comparison, graph, reference, lang) if known is None else "", left_out, text(step.why, lang)
        ),
    )


def answers(step: FlowStep) -> tuple[str, ...]:
    """The flows that are right."""
    return (step.answer,) if isinstance(step.answer, str) else step.answer


def reference_graph(source: str) -> Graph:
    """The graph of a flow that is right."""
    graph = graph_of(flow.parse(source))
    return in_the_words_of(graph, graph)


def _checks(reference: Graph, found: frozenset[tuple[int, int]]) -> tuple[Check, ...]:
    arrows = {edge: reference.arrow(edge) for edge in sorted(reference.edges)}
    return tuple(Check(arrow.replace(" → ", "->"), edge in found, arrow) for edge, arrow in arrows.items())


def _differences(comparison: Comparison, graph: Graph, reference: Graph, lang: Lang) -> str:
    missing = [reference.arrow(edge) for edge in sorted(comparison.missing)]
    extra = [graph.arrow(edge) for edge in sorted(comparison.extra)]
    return paragraphs(
        _listed(say(lang, N_("These arrows are missing:")), missing),
        _listed(say(lang, N_("These arrows do not belong:")), extra),
    )


def _listed(title: str, arrows: list[str]) -> str:
    if not arrows:
        return ""
    shown = [f"- {code(arrow)}" for arrow in arrows[:_MOST_LINES]] + ["- …"] * (len(arrows) > _MOST_LINES)
    return "\n".join([title, "", *shown])


def _left_out(drawn: Graph, lang: Lang) -> str:
    if not drawn.left_out:
        return ""
    return say(lang, N_("{block} behind the sublayer makes no difference here."), block=code(drawn.left_out[0]))


def _understood(error: flow.FlowError, lang: Lang) -> str:
    return say(lang, N_("Understood so far: {flow}"), flow=code(error.understood)) if error.understood else ""


def _unreadable(error: flow.FlowError, answer: str, lang: Lang) -> str:
    example = say(lang, N_("Write blocks and arrows, and `;` before a new path, such as `x -> F -> G; x -> G`."))
    if not answer.strip():
        return example
    return paragraphs(error.say(lang), _understood(error, lang), example)
