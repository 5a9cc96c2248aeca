"""What an experiment returns. Needs no torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kernels.curve import Curve

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Experiment:
    """What was measured, with what, and what it shows: `reading` has "vi" and "en", the scales are those to draw on."""

    name: str
    parameters: dict[str, Any]
    seed: int
    curves: tuple[Curve, ...]
    reading: dict[str, str]
    log_x: bool = field(default=False, kw_only=True)
    log_y: bool = field(default=False, kw_only=True)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document that `normtutor lab --json` prints."""
        return {
            "experiment": self.name,
            "parameters": {k: list(v) if isinstance(v, tuple) else v for k, v in self.parameters.items()},
            "seed": self.seed,
            "curves": [curve.to_dict() for curve in self.curves],
            "reading": self.reading,
            "log_x": self.log_x,
            "log_y": self.log_y,
        }
