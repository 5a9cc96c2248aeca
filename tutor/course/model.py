"""The types of a course: what a lesson file may say, and nothing else.

`docs/lesson-format.md` explains each field to an author; a key that a kind does not know is an error.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from tutor.course.code_steps import BreakStep as BreakStep
from tutor.course.code_steps import ClaimStep as ClaimStep
from tutor.course.code_steps import CodeCheck as CodeCheck
from tutor.course.code_steps import ExerciseStep as ExerciseStep
from tutor.course.code_steps import Mutant as Mutant
from tutor.course.code_steps import Search as Search
from tutor.course.parts import LANGS as LANGS
from tutor.course.parts import Figure as Figure
from tutor.course.parts import Lang as Lang
from tutor.course.parts import NamedFlow as NamedFlow
from tutor.course.parts import Part as Part
from tutor.course.parts import Source as Source
from tutor.course.parts import Step as Step
from tutor.course.parts import Text as Text


class TextStep(Step, tag="text", frozen=True, kw_only=True):
    """Prose: Markdown with `$maths$`, at most about 2 kB, with the data flows drawn beside or below it."""

    body: Text
    flow: str | tuple[NamedFlow, ...] = ()


class CellStep(Step, tag="cell", frozen=True, kw_only=True):
    """Live code to run and to change."""

    code: str
    about: Text | None = None
    finishes_within: float = 10.0
    """Seconds on two cores; `normtutor run` reports a cell that takes longer."""
    figures: dict[str, Figure] = msgspec.field(default_factory=dict)


class Option(Part, frozen=True, kw_only=True):
    """One answer to pick. `why` is shown to whoever picked it."""

    id: str
    text: Text
    right: bool = False
    why: Text | None = None


class ChoiceStep(Step, tag="choice", frozen=True, kw_only=True):
    """Pick the one right option."""

    prompt: Text
    options: tuple[Option, ...]
    why: Text | None = None
    """Why the right option is right; shown after any answer."""


class WrongValue(Part, frozen=True, kw_only=True):
    """A wrong number that many arrive at, and what it shows. `value` is in the arithmetic language."""

    value: str | float | int
    say: Text


class NumberStep(Step, tag="number", frozen=True, kw_only=True):
    """Type a number. `answer` and `wrong` are arithmetic over the names of `vary`."""

    prompt: Text
    answer: str | float | int
    within: str | float | int = "1%"
    """Tolerance: "1%" of the answer, or an absolute number."""
    unit: str = ""
    vary: dict[str, tuple[float | int, ...]] = msgspec.field(default_factory=dict)
    wrong: tuple[WrongValue, ...] = ()
    why: Text | None = None


class PredictOption(Part, frozen=True, kw_only=True):
    """A prediction, and the Python expression over the cell's names that says whether it came true."""

    id: str
    text: Text
    true_if: str
    why: Text | None = None


class PredictNumber(Part, frozen=True, kw_only=True):
    """A predicted number; `value` is a Python expression over the cell's names."""

    value: str
    within: str | float | int = "30%"
    unit: str = ""
    why: Text | None = None


class PredictCurve(Part, frozen=True, kw_only=True):
    """A curve to be sketched, as factors against its first value; `value` is a Python expression for a `Curve`.

    `x` is where its axis begins and ends; without it the sketch goes from the curve's start to its end. A sketch is
    right when it is off by no more than the factor `within` on average, and partly right up to its square.
    """

    value: str
    points: int = 6
    x: tuple[float, ...] = ()
    x_label: Text | None = None
    log_x: bool = False
    within: float = 2.0
    why: Text | None = None


class Ask(Part, frozen=True, kw_only=True):
    """What is to be predicted: exactly one of these."""

    choice: tuple[PredictOption, ...] = ()
    number: PredictNumber | None = None
    curve: PredictCurve | None = None


class PredictStep(Step, tag="predict", frozen=True, kw_only=True):
    """Commit to a prediction, then run the cell; what it measures here decides."""

    prompt: Text
    cell: str
    ask: Ask
    vary: dict[str, tuple[float | int | str, ...]] = msgspec.field(default_factory=dict)
    """Names that the cell sets on lines of their own, and the values that a review sets instead."""
    why: Text | None = None
    """What the measurement shows, whatever was predicted."""
    finishes_within: float = 10.0
    figures: dict[str, Figure] = msgspec.field(default_factory=dict)


class Point(Part, frozen=True, kw_only=True):
    """One thing that a full answer says. `any` holds patterns over the concepts of the glossary."""

    id: str
    any: tuple[str, ...]
    weight: float = 1.0
    required: bool = False
    only_if_none: bool = False
    says: Text | None = None
    """The point as one plain sentence: the line to tick in the self-check."""
    hint: Text | None = None
    """Shown when the point is missing."""


class Misconception(Part, frozen=True, kw_only=True):
    """A named wrong idea. It is looked for first; when found, the score is at most `cap`."""

    id: str
    any: tuple[str, ...]
    say: Text
    cap: float = 0.1


class Sample(Part, frozen=True, kw_only=True):
    """An answer with the verdict that it must get, graded by `normtutor check`; and the points that it makes."""

    text: str
    verdict: Literal["right", "partly", "wrong", "unsure", "unreadable"]
    points: tuple[str, ...] | None = None
    """The ids of exactly the points that must be found in it; None where the verdict is enough."""


class ShortStep(Step, tag="short", frozen=True, kw_only=True):
    """Answer in your own words, in either language."""

    prompt: Text
    points: tuple[Point, ...]
    model_answer: Text
    topics: tuple[str, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()
    samples: tuple[Sample, ...] = ()
    max_words: int = 60


class MultiStep(Step, tag="multi", frozen=True, kw_only=True):
    """Tick every right option. An option's `why` is shown to whoever ticked it wrongly, or missed it."""

    prompt: Text
    options: tuple[Option, ...]
    why: Text | None = None
    """Shown after any answer."""


class OrderItem(Part, frozen=True, kw_only=True):
    """One thing to put in its place. `why` is shown to whoever put it elsewhere."""

    id: str
    text: Text
    why: Text | None = None


class OrderStep(Step, tag="order", frozen=True, kw_only=True):
    """Put the items in order. They are listed in the right one; the learner gets them shuffled."""

    prompt: Text
    items: tuple[OrderItem, ...]
    also: tuple[tuple[str, ...], ...] = ()
    """Other orders that are right too, as ids."""
    why: Text | None = None


class FlowStep(Step, tag="flow", frozen=True, kw_only=True):
    """Lay out a data flow: blocks and the arrows between them, as `tutor.text.flow` reads them."""

    prompt: Text
    answer: str | tuple[str, ...]
    """The flow, or several that are right; the first is shown."""
    why: Text | None = None


SymbolKind = Literal["scalar", "positive", "count", "vector", "row", "matrix", "identity", "map"]
"""`positive` scalars are above zero, `count` is how many entries a vector has, `map` is an unknown function."""


class FormulaName(Part, frozen=True, kw_only=True):
    """A name in a formula. `is_` defines it by the others, `also` are other spellings of it.

    `jacobian` belongs to a map: the matrix that the map's derivative is.
    """

    kind: SymbolKind = "scalar"
    is_: str = msgspec.field(default="", name="is")
    also: tuple[str, ...] = ()
    jacobian: str = ""


class WrongForm(Part, frozen=True, kw_only=True):
    """A wrong formula that many arrive at, and what it shows."""

    form: str
    say: Text


class FormulaStep(Step, tag="formula", frozen=True, kw_only=True):
    """Type a formula. `accept` lists right forms, one for each convention; equivalent ones are found by value.

    `derivatives` names what a quotient of differentials is, `L/x_3: g`. `statistics` allows mean, sum and what is made
    of them. With `literal_mean` the mean is any linear functional, so that forms which only agree for the true mean
    (two passes, one pass) are told apart. `identity` names the quantity that an equation is about: it is right where it
    holds, and would not hold were that quantity something else or the mean no mean. `uses` lists groups of names of
    which one must be written, `within` is the relative tolerance.
    """

    prompt: Text
    symbols: dict[str, SymbolKind | FormulaName]
    accept: tuple[str, ...]
    """The first is shown."""
    wrong: tuple[WrongForm, ...] = ()
    derivatives: dict[str, str] = msgspec.field(default_factory=dict)
    statistics: tuple[Literal["mean", "sum", "var", "std", "rms", "norm"], ...] = ()
    literal_mean: bool = False
    identity: str = ""
    uses: tuple[str, ...] = ()
    within: float = 1e-7
    why: Text | None = None
    """Shown after any answer."""


Question = (
    ChoiceStep
    | MultiStep
    | OrderStep
    | NumberStep
    | PredictStep
    | ShortStep
    | FlowStep
    | FormulaStep
    | ExerciseStep
    | ClaimStep
    | BreakStep
)
AnyStep = TextStep | CellStep | Question
QUESTIONS = (
    ChoiceStep,
    MultiStep,
    OrderStep,
    NumberStep,
    PredictStep,
    ShortStep,
    FlowStep,
    FormulaStep,
    ExerciseStep,
    ClaimStep,
    BreakStep,
)
LIVE_STEPS = (CellStep, PredictStep)
"""Steps with a cell that runs in the learner's Python."""
CODE_QUESTIONS = (ExerciseStep, ClaimStep, BreakStep)
"""Questions that the grader process judges; the others are judged in the tutor's own."""


class Borrowed(Part, frozen=True, kw_only=True):
    """A step of another lesson that is shown in this one too; there is one step, with one history."""

    step: str
    after: str = ""
    """The step of this lesson that it follows; it comes last where none is named."""


class Lesson(Part, frozen=True, kw_only=True):
    """One lesson file. The loader has put the borrowed steps in their places among `steps`."""

    id: str
    title: Text
    minutes: int
    steps: tuple[AnyStep, ...]
    needs: tuple[str, ...] = ()
    goals: tuple[Text, ...] = ()
    sources: tuple[Source, ...] = ()
    borrows: tuple[Borrowed, ...] = ()

    @property
    def own_steps(self) -> tuple[AnyStep, ...]:
        """The steps that this lesson does not borrow from another."""
        borrowed = {entry.step for entry in self.borrows}
        return tuple(step for step in self.steps if step.id not in borrowed)


class Finding(msgspec.Struct, frozen=True):
    """Something wrong in a course file, for its author: where it is, and what to do about it."""

    file: str
    line: int
    step: str | None
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class Concept(Part, frozen=True, kw_only=True):
    """A concept of the glossary: the phrases that mean it, by language."""

    vi: tuple[str, ...] = ()
    en: tuple[str, ...] = ()
    opposite: str | None = None
    """The concept that denying this one means: not unstable is stable, and the other way round."""


class Claim(Part, frozen=True, kw_only=True):
    """An entry of claims.yaml: a claim that the course must teach, where it comes from and what is known of it."""

    id: str
    source: Text = msgspec.field(name="from")
    verdict: Literal["holds", "refined", "reversed", "open"]
    """As stated; only under a condition; the opposite is true; nobody here has measured it."""
    show: Literal["measure", "derive", "cite"]
    """By a cell whose output settles it; by a graded derivation; by naming its source."""
    claim: Text
    note: Text | None = None
    """What is known beyond the claim."""


class Term(Part, frozen=True, kw_only=True):
    """An entry of terms.yaml: a word of the field that a learner may look up, `also` its other names."""

    id: str
    name: Text
    about: Text
    also: tuple[str, ...] = ()
    step: str = ""
    """The step that teaches it."""


class Course(msgspec.Struct, frozen=True):
    """All lessons in order of study, the glossary, the known claims, and what could not be loaded."""

    lessons: tuple[Lesson, ...] = ()
    glossary: dict[str, Concept] = msgspec.field(default_factory=dict)
    claims: dict[str, Claim] = msgspec.field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    files: dict[str, str] = msgspec.field(default_factory=dict)
    """The file of each lesson, by its id; `course.locate` finds the lines in it."""
    terms: tuple[Term, ...] = ()
    """What a learner may look up."""
    directory: str = ""
    """The directory that was loaded, with all that lies in it; empty where it was one file."""

    def lesson(self, id: str) -> Lesson | None:
        """The lesson with this id."""
        return next((lesson for lesson in self.lessons if lesson.id == id), None)

    def find(self, id: str) -> tuple[Lesson, int] | None:
        """The lesson that holds the step `id` and the step's index; a lesson's own id gives its first step.

        Of a step that other lessons borrow it is the lesson that it belongs to.
        """
        for lesson in self.lessons:
            if lesson.id == id:
                return lesson, 0
            if any(step.id == id for step in lesson.own_steps):
                return lesson, [step.id for step in lesson.steps].index(id)
        return None
