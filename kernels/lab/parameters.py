"""The parameters of an experiment as data: the command line and the lab screen are made from the same list.

Needs no torch, so that a wrong value is named before anything slow is loaded.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from kernels.lab.words import Words

Scalar = int | float | str
Value = Scalar | tuple[Scalar, ...]


class WrongParameterError(ValueError):
    """A value or a name that an experiment does not take; `words` says so in both languages, with what it does take."""

    def __init__(self, words: Words) -> None:
        super().__init__(words.en)
        self.words = words


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter: its type, what it may be, and what it is unless somebody says otherwise.

    `kind` "name" is one of `choices`. With `several` the value is a tuple of such, written with commas. Numbers lie
    within `low` and `high`, whole ones are multiples of `multiple`. `steps` are the values that one key press goes to.
    """

    name: str
    kind: Literal["int", "float", "name"]
    default: Value
    help: Words
    several: bool = False
    choices: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    multiple: int = 1
    steps: tuple[Scalar, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def option(self) -> str:
        """The option that sets it on the command line."""
        return "--" + self.name.replace("_", "-")

    @property
    def limits(self) -> tuple[str, str]:
        """The least and the greatest number, as text."""
        low, high = self.text(self.low), self.text(self.high)
        return low, high

    def parse(self, text: str) -> Value:
        """The value that somebody has typed. Raises WrongParameterError."""
        words = [word.strip() for word in text.split(",")] if self.several else [text.strip()]
        values = [self._scalar(word) for word in words if word or not self.several]
        return self.check(tuple(values) if self.several else values[0])

    def check(self, value: Any) -> Value:
        """The value in its own type, whether it comes from Python, from JSON or from `parse`.

        Raises WrongParameterError.
        """
        if isinstance(value, str) and (self.several or self.kind != "name"):
            return self.parse(value)
        if not self.several:
            return self._one(value)
        values = tuple(self._one(each) for each in value) if isinstance(value, (list, tuple)) else (self._one(value),)
        if not values:
            raise WrongParameterError(
                Words(f"{self.name} is empty{_of(self.choices).en}", f"{self.name} còn trống{_of(self.choices).vi}")
            )
        return tuple(dict.fromkeys(values))

    def text(self, value: Value) -> str:
        """The value as `parse` reads it."""
        return ",".join(map(_text, value)) if isinstance(value, tuple) else _text(value)

    def stepped(self, value: Value, by: int) -> Value:
        """The next value in the direction of `by`; the same one at the end of numbers, round again among choices."""
        if self.several or not (self.choices or self.steps):
            return value
        if self.choices:
            return self.choices[(self.choices.index(str(value)) + by) % len(self.choices)]
        assert isinstance(value, (int, float))
        steps = [step for step in self.steps if isinstance(step, (int, float))]
        if by > 0:
            return min((step for step in steps if step > value), default=value)
        return max((step for step in steps if step < value), default=value)

    def _scalar(self, word: str) -> Scalar:
        if self.kind == "name":
            return word
        try:
            return int(word) if self.kind == "int" else float(word)
        except ValueError:
            raise self._not_a_number(word) from None

    def _one(self, value: Any) -> Scalar:
        if self.kind == "name":
            return _known(self.name, str(value), self.choices)
        if isinstance(value, str):
            value = self._scalar(value)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise self._not_a_number(str(value))
        if self.kind == "int" and value != int(value):
            raise self._not_a_number(str(value))
        if not self.low <= value <= self.high:
            bounds = self.limits
            raise WrongParameterError(
                Words(
                    f"{self.name} must be from {bounds[0]} to {bounds[1]}, not {_text(value)}",
                    f"{self.name} phải từ {bounds[0]} đến {bounds[1]}, không phải {_text(value)}",
                )
            )
        if self.kind == "int" and int(value) % self.multiple:
            near = max(self.multiple, round(value / self.multiple) * self.multiple)
            raise WrongParameterError(
                Words(
                    f"{self.name} must be a multiple of {self.multiple}, such as {near}, not {int(value)}",
                    f"{self.name} phải là bội của {self.multiple}, chẳng hạn {near}, không phải {int(value)}",
                )
            )
        return int(value) if self.kind == "int" else float(value)

    def _not_a_number(self, word: str) -> WrongParameterError:
        example = _text(self.default[0] if isinstance(self.default, tuple) else self.default)
        whole = self.kind == "int"
        return WrongParameterError(
            Words(
                f"{self.name} must be a {'whole ' if whole else ''}number, such as {example}, not “{word}”",
                f"{self.name} phải là số{' nguyên' if whole else ''}, chẳng hạn {example}, không phải “{word}”",
            )
        )


def unknown_parameter(experiment: str, name: str, known: Iterable[str]) -> WrongParameterError:
    """The error for a parameter that an experiment does not have."""
    known = list(known)
    near = _near(name, known)
    return WrongParameterError(
        Words(
            f"{experiment} has no parameter {name}{near.en or _of(known).en}",
            f"{experiment} không có tham số {name}{near.vi or _of(known).vi}",
        )
    )


def unknown_experiment(name: str, known: Iterable[str]) -> WrongParameterError:
    """The error for an experiment that there is not."""
    known = list(known)
    near = _near(name, known)
    listed = near if near.en else _of(known)
    return WrongParameterError(
        Words(f"there is no experiment “{name}”{listed.en}", f"không có thí nghiệm “{name}”{listed.vi}")
    )


def _known(what: str, name: str, names: tuple[str, ...]) -> str:
    if name in names:
        return name
    near, known = _near(name, names), _of(names)
    raise WrongParameterError(
        Words(f"{what}: there is no “{name}”{near.en}{known.en}", f"{what}: không có “{name}”{near.vi}{known.vi}")
    )


def _near(name: str, names: Iterable[str]) -> Words:
    names = list(names)
    near = [known for known in names if name.lower().startswith(known)]  # "post-norm", "RMSNorm"
    near = near or difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
    return Words(f"; did you mean {near[0]}?", f"; ý bạn là {near[0]}?") if near else Words("", "")


def _of(names: Iterable[str]) -> Words:
    listed = ", ".join(names)
    return Words(f" (there are {listed})", f" (có {listed})") if listed else Words("", "")


def _text(value: object) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)
