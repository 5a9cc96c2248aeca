"""What an experiment returns: one or more views of what it measured, each with curves and a reading. Needs no torch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kernels.curve import MIME, Curve, document
from kernels.lab.words import Words


@dataclass(frozen=True)
class View:
    """One quantity that was measured, as curves to draw together, and in words what they show."""

    name: str
    title: Words
    curves: tuple[Curve, ...]
    reading: Words
    x_label: Words = field(default=Words("", ""), kw_only=True)
    log_x: bool = field(default=False, kw_only=True)
    log_y: bool = field(default=False, kw_only=True)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "view": self.name,
            "title": self.title.to_dict(),
            "curves": [curve.to_dict() for curve in self.curves],
            "reading": self.reading.to_dict(),
            "x_label": self.x_label.to_dict(),
            "log_x": self.log_x,
            "log_y": self.log_y,
        }


@dataclass(frozen=True)
class Result:
    """What was measured, with what and on what. `shown` is the view that was asked for, `command` measures it again."""

    experiment: str
    parameters: dict[str, Any]
    views: tuple[View, ...]
    shown: str
    command: str
    device: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def view(self) -> View:
        """The view that was asked for."""
        return next(view for view in self.views if view.name == self.shown)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The curves of the view that was asked for."""
        return self.view.curves

    @property
    def reading(self) -> Words:
        """What they show."""
        return self.view.reading

    @property
    def seed(self) -> int:
        """The seed of everything random; of several, the first."""
        return int(self.parameters.get("seed", 0))

    def curve(self, label: str) -> Curve:
        """The curve of that name. Raises KeyError, naming those that there are."""
        for curve in self.curves:
            if curve.label == label:
                return curve
        raise KeyError(f"there is no curve {label!r}; there are {', '.join(curve.label for curve in self.curves)}")

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON, all views included."""
        return {
            "experiment": self.experiment,
            "parameters": {k: list(v) if isinstance(v, tuple) else v for k, v in self.parameters.items()},
            "seed": self.seed,
            "view": self.shown,
            "views": [view.to_dict() for view in self.views],
            "command": self.command,
            "device": self.device,
            "versions": self.versions,
            "seconds": round(self.seconds, 3),
        }

    def document(self) -> dict[str, Any]:
        """What `kernels.show` publishes: the shown view's curves and scales."""
        view = self.view
        return document(view.curves, log_x=view.log_x, log_y=view.log_y, title=view.title.en)

    def __str__(self) -> str:
        from kernels.plot import draw

        view = self.view
        picture = draw(view.curves, 78, 18, log_x=view.log_x, log_y=view.log_y, title=view.title.en)
        return f"{picture}\n{view.reading.en}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """How a notebook shows it, when it is the value of a cell."""
        return {MIME: self.document(), "text/plain": str(self)}
