"""A measured curve, and the document that carries curves to whatever draws them. Needs no torch and no numpy."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

MIME = "application/vnd.normtutor.curves+json"
VERSION = 1


@dataclass(frozen=True)
class Curve:
    """Points (x, y) with a name. NaN and inf are kept: where a measurement overflowed is part of the result.

    `arch` is the kind of stack that it was measured on, if any; the labels name the axes, with the unit. `low` and
    `high`, where there are any, are the ends of a band about y, such as the least and the greatest of several seeds.

    Raises ValueError when `x` and `y`, or the band, differ in length.
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    arch: str = field(default="", kw_only=True)
    x_label: str = field(default="", kw_only=True)
    y_label: str = field(default="", kw_only=True)
    low: tuple[float, ...] = field(default=(), kw_only=True)
    high: tuple[float, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        for name in ("x", "y", "low", "high"):
            object.__setattr__(self, name, tuple(float(value) for value in getattr(self, name)))
        if len(self.x) != len(self.y):
            raise ValueError(f"curve {self.label!r}: x has {len(self.x)} values, y has {len(self.y)}")
        if len(self.low) != len(self.high) or len(self.low) not in (0, len(self.y)):
            raise ValueError(f"curve {self.label!r}: the band has {len(self.low)} and {len(self.high)} values")

    @property
    def first(self) -> float:
        """The first y; NaN for an empty curve."""
        return self.y[0] if self.y else math.nan

    @property
    def last(self) -> float:
        """The last y; NaN for an empty curve."""
        return self.y[-1] if self.y else math.nan

    @property
    def growth(self) -> float:
        """By what factor y grew from the first point to the last, last / first; NaN for 0 / 0."""
        if self.first == 0:
            return math.nan if self.last == 0 or math.isnan(self.last) else math.copysign(math.inf, self.last)
        return self.last / self.first

    def to_dict(self) -> dict[str, Any]:
        """The curve as plain JSON: NaN is null, infinities are "inf" and "-inf", which JSON has no numbers for."""
        band = {"low": [*map(_to_json, self.low)], "high": [*map(_to_json, self.high)]} if self.low else {}
        return {
            "label": self.label,
            "arch": self.arch,
            "x": [_to_json(value) for value in self.x],
            "y": [_to_json(value) for value in self.y],
            "x_label": self.x_label,
            "y_label": self.y_label,
            **band,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Curve:
        """The curve that `to_dict` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        return cls(
            str(data["label"]),
            tuple(_from_json(value) for value in data["x"]),
            tuple(_from_json(value) for value in data["y"]),
            arch=str(data.get("arch", "")),
            x_label=str(data.get("x_label", "")),
            y_label=str(data.get("y_label", "")),
            low=tuple(_from_json(value) for value in data.get("low", ())),
            high=tuple(_from_json(value) for value in data.get("high", ())),
        )


def document(curves: Iterable[Curve], *, log_x: bool = False, log_y: bool = False, title: str = "") -> dict[str, Any]:
    """What `show` publishes under `MIME`: the curves, and how the axes are to be scaled."""
    return {
        "version": VERSION,
        "title": title,
        "log_x": log_x,
        "log_y": log_y,
        "curves": [curve.to_dict() for curve in curves],
    }


def _to_json(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)


def _from_json(value: float | str | None) -> float:
    return math.nan if value is None else float(value)
