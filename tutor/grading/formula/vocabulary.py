"""The names that a formula may use, and the spellings that people have for them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tutor.course.model import FormulaName, FormulaStep
from tutor.grading.formula.names import names, normal

FUNCTIONS = {
    "sqrt": "sqrt",
    "căn": "sqrt",
    "can": "sqrt",
    "rsqrt": "rsqrt",
    "exp": "exp",
    "log": "log",
    "ln": "log",
    "abs": "abs",
}
"""Functions that every question knows, by spelling."""
STATISTICS = {
    "mean": ("mean", "E", "avg", "average", "Mean", "trungbinh"),
    "sum": ("sum", "Sum"),
    "var": ("var", "Var", "variance", "V"),
    "std": ("std", "Std"),
    "rms": ("rms", "RMS"),
    "norm": ("norm",),
}
"""Functions of a vector, allowed by a question's `statistics`."""

_USUAL = {
    "gamma": ("weight", "w", "g", "W", "scale", "gain"),
    "beta": ("bias", "b", "shift"),
    "eps": ("epsilon", "e"),
    "F": ("Sublayer", "sublayer", "Sub", "sub", "SubLayer", "Attn", "attn", "Attention", "FFN", "ffn", "MLP", "f", "G"),
    "LN": (
        "LayerNorm",
        "layernorm",
        "Norm",
        "norm",
        "layer_norm",
        "LayerNormalization",
        "ln",
        "N",
        "RMSNorm",
        "rmsnorm",
        "rms_norm",
        "RMS",
    ),
    "I": ("Id", "I_d", "I_n", "identity", "eye", "E"),
    "alpha": ("a",),
    "delta": ("d",),
}
"""Other spellings of usual names; one that the question uses itself is not taken."""
_GENERIC = re.compile(r"(?:[lkitnjb]|[lkitn][+-]1|\d)(?:_.*)?")


class Vocabulary:
    """Finds what a spelling means in one question."""

    def __init__(self, step: FormulaStep) -> None:
        self.names: dict[str, FormulaName] = names(step)
        self._identity = step.identity
        self._spelt: dict[str, str] = {name: name for name in self.names}
        for name, described in self.names.items():
            for other in described.also:
                self._spelt.setdefault(normal(other), name)
        for name in self.names:
            base, _, index = name.partition("_")
            for other in _USUAL.get(base, ()):
                self._spelt.setdefault(normal(f"{other}_{index}" if index else other), name)
        self.functions: dict[str, str] = dict(FUNCTIONS)
        for kind in step.statistics:
            self.functions |= dict.fromkeys(STATISTICS[kind], kind)
        self.functions = {
            spelt: kind for spelt, kind in self.functions.items() if self._kind(self._spelt.get(spelt)) != "map"
        }

    def _kind(self, name: str | None) -> str | None:
        return self.names[name].kind if name else None

    def find(self, spelling: str) -> str | None:
        """What `spelling` stands for: as it is, without its index, with the only index, or in the other case."""
        wanted = normal(spelling)
        for candidate in self._candidates(wanted):
            if candidate in self._spelt:
                return self._spelt[candidate]
        return None

    def _candidates(self, wanted: str) -> Iterable[str]:
        yield wanted
        base, _, index = wanted.partition("_")
        if index and _GENERIC.fullmatch(index):
            yield base
        inner, _, last = wanted.rpartition("_")
        if "_" in inner and _GENERIC.fullmatch(last):
            yield inner  # J_{F_k} is J_F
        if not index:
            with_index = {name for name in self._spelt if name.partition("_")[0] == base and name != base}
            if len({self._spelt[name] for name in with_index}) == 1:
                yield with_index.pop()
        if len(base) > 1:
            folded = [name for name in self._spelt if name.casefold() == wanted.casefold()]
            if len({self._spelt[name] for name in folded}) == 1:
                yield folded[0]
            if index and _GENERIC.fullmatch(index):
                folded = [name for name in self._spelt if name.casefold() == base.casefold()]
                if len({self._spelt[name] for name in folded}) == 1:
                    yield folded[0]

    def is_map(self, name: str) -> bool:
        """Whether it is an unknown function."""
        return self.names[name].kind == "map"

    def takes_place(self, name: str) -> bool:
        """Whether the name may be written with what it is taken of: a Jacobian, or a quantity made from a vector."""
        jacobians = {normal(described.jacobian) for described in self.names.values() if described.jacobian}
        return bool(self.names[name].is_ or self._identity) or name in jacobians

    def split(self, letters: str, suffix: str = "") -> list[str] | None:
        """A run of letters as names that are known, longest first: `gammax` is gamma and x.

        `suffix` is the index that the last one has.
        """
        for length in range(len(letters), 0, -1):
            head, rest = letters[:length], letters[length:]
            if not rest:
                if self.find(head + suffix) is not None or (not suffix and head in self.functions):
                    return [head + suffix]
            elif self.find(head) is not None and (tail := self.split(rest, suffix)) is not None:
                return [head, *tail]
        return None

    def listed(self) -> str:
        """The names, for a message."""
        return ", ".join(self.names)
