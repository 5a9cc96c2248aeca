"""One run of an experiment as the lab shows it, fresh from the process or out of the journal. No widgets here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from kernels.curve import Curve
from kernels.lab.catalogue import EXPERIMENTS
from kernels.lab.parameters import Value, WrongParameterError
from kernels.lab.spec import Experiment
from tutor.memory.events import Event, LabRun
from tutor.runtime.reading import clean_document
from tutor.text.i18n import language
from tutor.text.sanitize import sanitize

BAD = (AttributeError, KeyError, TypeError, ValueError, OverflowError)
"""What a document raises that another version wrote, or nobody."""
DIGITS = 7
"""Significant digits that the journal keeps: as many as float32 has."""


@dataclass
class Run:
    """What was asked, what came out, and on what it was measured."""

    experiment: Experiment
    values: dict[str, Value]
    views: dict[str, dict[str, Any]]
    command: str = ""
    device: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    sketch: dict[str, Any] | None = None
    event: str = ""
    time: datetime | None = None

    @classmethod
    def of(cls, result: dict[str, Any]) -> Run:
        """The run of a document that the process has sent. Raises one of `BAD` for anything else."""
        experiment = EXPERIMENTS[result["experiment"]]
        views = {str(view["view"]): view | {"curves": _clean(view["curves"])} for view in result["views"]}
        for view in views.values():
            [Curve.from_dict(curve) for curve in view["curves"]]
        return cls(
            experiment,
            experiment.values(result["parameters"]),
            views,
            sanitize(str(result.get("command", "")), newlines=False),
            sanitize(str(result.get("device", "")), newlines=False),
            clean_document({str(name): str(value) for name, value in result.get("versions", {}).items()}),
            float(result.get("seconds", 0.0)),
            clean_document(result["sketch"]) if isinstance(result.get("sketch"), dict) else None,
        )

    @classmethod
    def remembered(cls, event: Event, entry: LabRun) -> Run | None:
        """The run of a journal event; None where this version has no such experiment, or cannot read it."""
        document = {
            "experiment": entry.experiment,
            "parameters": entry.parameters,
            "views": entry.views,
            "command": entry.command,
            "device": entry.device,
            "versions": entry.versions,
            "seconds": entry.seconds,
            "sketch": entry.sketch,
        }
        try:
            run = cls.of(document)
        except (*BAD, WrongParameterError):
            return None
        run.event, run.time = event.id, event.time.astimezone()
        return run

    def to_journal(self) -> dict[str, Any]:
        """The fields of a `LabRun` event."""
        return {
            "experiment": self.experiment.name,
            "parameters": {name: list(v) if isinstance(v, tuple) else v for name, v in self.values.items()},
            "seed": int(str(self.values.get("seed", 0))),
            "views": [_rounded(view) for view in self.views.values()],
            "command": self.command,
            "device": self.device,
            "versions": self.versions,
            "seconds": round(self.seconds, 3),
            "sketch": self.sketch,
        }

    def curves(self, view: str) -> list[Curve]:
        """The curves of a view, with the name of the x axis in the language in use."""
        found = self.views.get(view)
        if found is None:
            return []
        label = _said(found.get("x_label"))
        return [replace(Curve.from_dict(curve), x_label=label, y_label="") for curve in found["curves"]]

    def reading(self, view: str) -> str:
        """What the curves of a view show, in the language in use."""
        found = self.views.get(view)
        return _said(found.get("reading")) if found is not None else ""

    def named(self, names: Iterable[str]) -> str:
        """These parameters with their values, such as "depth 96, init default"."""
        return ", ".join(f"{name} {self.experiment.parameter(name).text(self.values[name])}" for name in names)


def differing(runs: Iterable[Run]) -> list[str]:
    """The parameters in which runs of one experiment differ, those of drawing left out."""
    runs = list(runs)
    names = [name for name in runs[0].values if name != "of"] if runs else []
    return [name for name in names if len({run.values[name] for run in runs}) > 1]


def _clean(curves: Iterable[Any]) -> list[dict[str, Any]]:
    return [clean_document(curve) for curve in curves]


def _said(words: Any) -> str:
    text = words.get(language(), "") if isinstance(words, dict) else ""
    return sanitize(str(text), newlines=False)


def _rounded(view: dict[str, Any]) -> dict[str, Any]:
    def short(value: Any) -> Any:
        return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value

    curves = [
        {key: [short(value) for value in part] if isinstance(part, list) else part for key, part in curve.items()}
        for curve in view["curves"]
    ]
    return view | {"curves": curves}
