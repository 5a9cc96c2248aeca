"""The kinds of step whose answers are code, judged by what it computes in a process of its own."""

from __future__ import annotations

from typing import Literal

from tutor.course.parts import Part, Step, Text

Family = Literal["normal", "tiny-variance", "offset", "small-offset", "constant", "wide-range", "large", "zero"]
Layout = Literal["contiguous", "transposed", "sliced", "expanded"]
DType = Literal["float64", "float32", "float16"]


class CodeCheck(Part, frozen=True, kw_only=True):
    """One check of an exercise: every combination of its shapes, families, dtypes, layouts and eps is tried.

    `probe` names what of the reference is asked, where it offers more than calling the function.
    """

    id: str
    say: Text
    """What holds when it passes, as one line of the report."""
    probe: str = ""
    shapes: tuple[tuple[int, ...], ...] = ()
    families: tuple[Family, ...] = ("normal",)
    dtypes: tuple[DType, ...] = ("float32",)
    layouts: tuple[Layout, ...] = ("contiguous",)
    eps: tuple[float, ...] = (1e-5,)
    gradients: bool = False
    public: bool = False
    """Whether the learner may run it freely, before handing in."""


class Change(Part, frozen=True, kw_only=True):
    """A passage of the first solution, wherever it occurs, and what stands there instead."""

    old: str
    new: str


class Mutant(Part, frozen=True, kw_only=True):
    """A wrong implementation that many arrive at. `say` is shown to whoever's numbers it has.

    It is given by its `code`, or by what it changes in the first solution; see `tutor.course.entry.code_of`.
    """

    id: str
    say: Text
    code: str = ""
    change: tuple[Change, ...] = ()
    fails: tuple[str, ...] = ()
    """Checks: whoever fails the first of these, and none but these, is shown `say` too, whatever their numbers are."""


class ExerciseStep(Step, tag="exercise", frozen=True, kw_only=True):
    """Write code; it is judged by what it computes, in a process of its own."""

    prompt: Text
    entry: str | tuple[str, ...]
    """What must be there, as it is called: "rms_norm(x, weight, eps)" or "class Block(d_model)"."""
    reference: str
    """What it is judged by: a name that `kernels.judge.references` knows."""
    starter: str
    checks: tuple[CodeCheck, ...]
    solutions: tuple[str, ...]
    """Right answers in several styles; the first one is shown."""
    mutants: tuple[Mutant, ...] = ()
    hints: tuple[Text, ...] = ()
    """At most three, opened one by one."""
    forbid: tuple[str, ...] = ()
    """Functions of torch that would answer it in one call, such as layer_norm."""
    triton: bool = False
    """Whether a Triton kernel of the submission's own must do the work."""
    seconds: float = 10.0
    """Seconds of processor time after which a submission is stopped."""
    why: Text | None = None
    """Shown with the solution."""


class Search(Part, frozen=True, kw_only=True):
    """Two expressions of the property language that should agree, and how the names in them are drawn."""

    inputs: dict[str, str]
    left: str
    right: str
    within: float = 1e-6
    """The relative difference up to which they agree."""


class ClaimStep(Step, tag="claim", frozen=True, kw_only=True):
    """Say whether a property holds; a search for a counterexample decides."""

    statement: Text
    holds: bool
    search: Search
    why: Text | None = None


class BreakStep(Step, tag="break", frozen=True, kw_only=True):
    """Find an input on which a faulty kernel is wrong."""

    prompt: Text
    faulty: str
    """The kernel: a name that `kernels.judge.faulty` knows."""
    input: dict[str, Text]
    """The names that the answer sets, and what each is."""
    broken_if: str
    """A measure and a bound: "relative_error > 0.1"."""
    solutions: tuple[str, ...]
    """Answers that break it."""
    starter: str = ""
    hints: tuple[Text, ...] = ()
    why: Text | None = None
