"""What passes between the parts of the judge: a case to try, what came of it, and what is wrong with that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from torch import Tensor

from kernels.judge.inputs import Draw


@dataclass(frozen=True)
class Check:
    """One check of an exercise as its lesson gives it."""

    id: str
    probe: str = ""
    shapes: tuple[tuple[int, ...], ...] = ()
    families: tuple[str, ...] = ("normal",)
    dtypes: tuple[str, ...] = ("float32",)
    layouts: tuple[str, ...] = ("contiguous",)
    eps: tuple[float, ...] = (1e-5,)
    gradients: bool = False
    public: bool = False

    def settings(self) -> Iterator[Setting]:
        """Every combination, the smallest shape first."""
        shapes = sorted(self.shapes or ((),), key=lambda shape: _size(shape))
        for shape, family, dtype, layout, eps in product(shapes, self.families, self.dtypes, self.layouts, self.eps):
            yield Setting(self.id, self.probe, shape, family, dtype, layout, eps, self.gradients)


@dataclass(frozen=True)
class Setting:
    """One combination of what a check lists."""

    check: str
    probe: str = ""
    shape: tuple[int, ...] = ()
    family: str = "normal"
    dtype: str = "float32"
    layout: str = "contiguous"
    eps: float = 1e-5
    gradients: bool = False


def _size(shape: tuple[int, ...]) -> int:
    size = 1
    for part in shape:
        size *= part
    return size


@dataclass
class Case:
    """One thing to ask a submission. `request` and `tensors` go to the child; the rest stays here."""

    setting: Setting
    driver: str
    request: dict[str, Any]
    tensors: dict[str, Tensor]
    scalars: dict[str, Any] = field(default_factory=dict)
    writable: tuple[str, ...] = ()
    """Tensors that the submission is to write to."""
    off: bool = False
    """Asked with launches of kernels switched off: then a right answer is what is wrong."""
    variants: list[Case] = field(default_factory=list)
    """The same, asked otherwise, for mutants: with what a submission may choose chosen another way."""
    memo: dict[object, dict[str, Expected]] = field(default_factory=dict)
    """What was expected, once it has been worked out, by all that it depends on."""

    @property
    def size(self) -> int:
        """Values in all inputs."""
        return sum(tensor.numel() for tensor in self.tensors.values())


@dataclass
class Answer:
    """What a child sent for one case."""

    tensors: dict[str, Tensor]
    raised: dict[str, Any] | None = None
    """The exception: type, names of its bases, message, line of the submission."""
    notes: dict[str, Any] = field(default_factory=dict)
    """Facts that the driver noted: launches, forbidden calls, parameters."""


@dataclass
class Expected:
    """What an output must be: float64 values, and the absolute error allowed, of a shape that broadcasts to them."""

    value: Tensor
    allowed: Tensor
    dtype: str | None = None
    same_dtype: bool = True


@dataclass
class Problem:
    """Something wrong with an answer. `facts` fill the sentence that the tutor makes of `kind`."""

    kind: str
    output: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


Outputs = Mapping[str, Tensor]


class Reference:
    """What an exercise is judged by. `entries` must be there; `probes` are what checks may ask beside plain calls."""

    entries: tuple[str, ...] = ()
    probes: tuple[str, ...] = ("",)

    def cases(self, check: Check, draw: Draw) -> Iterator[Case]:
        """The cases of one check, the smallest first."""
        raise NotImplementedError

    def expected(self, case: Case, answer: Answer) -> dict[str, Expected]:
        """What each output must be. `answer` is there for what the submission may choose, such as names."""
        raise NotImplementedError

    def problems(self, case: Case, answer: Answer) -> list[Problem]:
        """What is wrong with an answer, the most telling first; nothing where it is right."""
        from kernels.judge.compare import problems

        return problems(self.expected(case, answer), answer)
