"""The diagrams that are drawn in place of the one asked for, and what to say to each.

DeepNorm: Wang et al. 2022. Sandwich: Ding et al. 2021 (CogView), also in Gemma 2. Output norm: OLMo 2, 2024. Parallel
sublayers: GPT-J, and PaLM with one shared norm; GPT-NeoX has two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tutor.grading.flow_graphs import Graph, graph_of, in_the_words_of, same, without_empty_adds
from tutor.text.flow import parse
from tutor.text.i18n import N_


@dataclass(frozen=True)
class Known:
    """A diagram with its name: the ways to draw it, and one sentence to whoever drew it."""

    id: str
    say: str
    flows: tuple[str, ...]
    near: tuple[str, ...] = ()
    """The diagrams that it nearly is: where one of them is asked for it is partly right, and elsewhere it is none."""

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """Its drawings as graphs."""
        return tuple(_graph(flow) for flow in self.flows)


@cache
def _graph(flow: str) -> Graph:
    return graph_of(parse(flow))


_SKIPS = "; x -> +1; +1 -> +2"

KNOWN = (
    Known("pre-norm", N_("This is Pre-Norm: the norm stands before the sublayer, and the skip goes around both."),
          ("x -> LN -> Sub -> +; x -> +",)),
    Known("post-norm", N_("This is Post-Norm: the norm comes after the addition, on the stream itself."),
          ("x -> Sub -> + -> LN; x -> +",)),
    Known("deepnorm", N_("This is DeepNorm: Post-Norm with α on the skip."),
          ("x -> Sub -> + -> LN; x -> α -> +",)),
    Known("deepnorm-branch", N_("Here α scales the branch. DeepNorm scales the skip: `LN(αx + Sublayer(x))`."),
          ("x -> Sub -> α -> + -> LN; x -> +", "x -> α -> Sub -> + -> LN; x -> +")),
    Known("deepnorm-both", N_("Here α scales x before it forks, so that the sublayer gets αx too."),
          ("x -> α -> Sub -> + -> LN; α -> +",)),
    Known("deepnorm-sum", N_("Here α scales the whole sum, and the norm takes that out again: it is Post-Norm."),
          ("x -> Sub -> + -> α -> LN; x -> +",)),
    Known("deepnorm-after", N_("Here α comes after the norm, on the stream itself."),
          ("x -> Sub -> + -> LN -> α; x -> +",)),
    Known("deepnorm-without-norm", N_("α is on the skip, but there is no norm."),
          ("x -> Sub -> +; x -> α -> +",)),
    Known("pre-norm-scaled", N_("This is Pre-Norm with α on the skip."),
          ("x -> LN -> Sub -> +; x -> α -> +",)),
    Known("sandwich", N_("This is a sandwich: a norm before the sublayer and one behind it, both inside the branch."),
          ("x -> LN -> Sub -> LN -> +; x -> +",)),
    Known("output-norm", N_("This is the output norm, as in OLMo 2: a norm behind the sublayer, before the addition."),
          ("x -> Sub -> LN -> +; x -> +",)),
    Known("pre-and-post", N_("This has a norm before the sublayer, and one on the stream after the addition."),
          ("x -> LN -> Sub -> + -> LN; x -> +",)),
    Known("residual-without-norm", N_("This is a residual connection without a norm."),
          ("x -> Sub -> +; x -> +", f"x -> Attn -> +1 -> FFN -> +2{_SKIPS}", "x -> Attn -> +; x -> FFN -> +; x -> +")),
    Known("no-residual", N_("There is no residual connection: no arrow goes around the sublayer."),
          ("x -> Sub", "x -> LN -> Sub", "x -> Sub -> LN", "x -> LN -> Sub -> LN", "x -> α -> Sub -> LN",
           "x -> Sub -> α -> LN", "x -> Attn -> FFN", "x -> LN -> Attn -> FFN", "x -> LN -> Attn -> LN -> FFN",
           "x -> Attn -> LN -> FFN -> LN", "x -> LN -> Attn -> +; LN -> FFN -> +")),
    Known("skip-after-norm", N_("Here the skip starts after the norm, so the stream itself is normalised."),
          ("x -> LN -> Sub -> +; LN -> +", "x -> LN -> Attn -> +; LN -> FFN -> +; LN -> +",
           "x -> LN1 -> Attn -> +1 -> LN2 -> FFN -> +2; LN1 -> +1; LN2 -> +2")),
    Known("norm-on-skip", N_("The norm is on the skip, and the sublayer gets x as it is."),
          ("x -> Sub -> +; x -> LN -> +",)),
    Known("parallel", N_("These are parallel sublayers: attention and FFN read one norm, and one addition sums up."),
          ("x -> LN -> Attn -> +; LN -> FFN -> +; x -> +",)),
    Known("parallel-two-norms", N_("Attention and FFN have a norm each here, as in GPT-NeoX."),
          ("x -> LN1 -> Attn -> +; x -> LN2 -> FFN -> +; x -> +",)),
    Known("parallel-two-additions", N_("The sum is the right one, but spread over two additions."),
          ("x -> LN -> Attn -> +1; LN -> FFN -> +2; x -> +1 -> +2",
           "x -> LN -> FFN -> +1; LN -> Attn -> +2; x -> +1 -> +2",
           "x -> LN -> Attn -> +1; LN -> FFN -> +1 -> +2; x -> +2"), near=("parallel",)),
    Known("parallel-post-norm", N_("Attention and FFN are parallel here, but the norm comes after the addition."),
          ("x -> Attn -> + -> LN; x -> FFN -> +; x -> +",)),
    Known("pre-norm-block", N_("This is the whole Pre-Norm block, with attention and FFN one after the other."),
          (f"x -> LN -> Attn -> +1 -> LN -> FFN -> +2{_SKIPS}", f"x -> LN -> Sub -> +1 -> LN -> Sub -> +2{_SKIPS}")),
    Known("post-norm-block", N_("This is the whole Post-Norm block: a norm after each addition."),
          ("x -> Attn -> +1 -> LN1 -> FFN -> +2 -> LN2; x -> +1; LN1 -> +2",)),
    Known("sandwich-block", N_("This is a whole sandwich block: a norm before each sublayer and one behind it."),
          (f"x -> LN -> Attn -> LN -> +1 -> LN -> FFN -> LN -> +2{_SKIPS}",)),
    Known("output-norm-block", N_("This is a whole block with output norms: one behind each sublayer, before the sum."),
          (f"x -> Attn -> LN -> +1 -> FFN -> LN -> +2{_SKIPS}",)),
    Known("second-skip-from-x", N_("The second skip starts at x here. It has to start at the first addition."),
          ("x -> LN -> Attn -> +1 -> LN -> FFN -> +2; x -> +1; x -> +2",
           "x -> Attn -> +1 -> LN1 -> FFN -> +2 -> LN2; x -> +1; x -> +2")),
    Known("one-residual-around-both", N_("One skip goes around both sublayers here. Each needs one of its own."),
          ("x -> LN -> Attn -> LN -> FFN -> +; x -> +", "x -> LN -> Attn -> FFN -> +; x -> +",
           "x -> Attn -> FFN -> + -> LN; x -> +")),
    Known("one-norm-for-both", N_("The FFN has no norm of its own before it."),
          (f"x -> LN -> Attn -> +1 -> FFN -> +2{_SKIPS}",)),
    Known("ffn-first", N_("The FFN comes before attention here."),
          (f"x -> LN -> FFN -> +1 -> LN -> Attn -> +2{_SKIPS}",)),
    Known("unnamed-sublayers", N_("The shape is right. Now say which sublayer is attention and which is the FFN."),
          (f"x -> LN -> Sub -> +1 -> LN -> Sub -> +2{_SKIPS}", "x -> LN -> Sub1 -> +; LN -> Sub2 -> +; x -> +"),
          near=("pre-norm-block", "parallel")),
)  # fmt: skip
"""No graph is in two of them, but for those that are only near."""


def recognise(drawn: Graph, asked: Graph) -> Known | None:
    """The known diagram that this is, where `asked` was to be drawn."""
    wanted = next((known.id for known in KNOWN if not known.near and _is(asked, known)), "")
    candidates = [known for known in KNOWN if wanted in known.near] + [known for known in KNOWN if not known.near]
    for known in candidates:
        if _is(drawn, known):
            return known
    # An addition that somebody drew but fed with one thing: then what was asked is what it would be without.
    shorter = without_empty_adds(drawn)
    return next((known for known in candidates if known.id != wanted and _is(shorter, known)), None)


def _is(graph: Graph, known: Known) -> bool:
    return any(same(in_the_words_of(graph, other), in_the_words_of(other, other)) for other in known.graphs)
