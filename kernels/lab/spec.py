"""What there is to know of an experiment before it runs: names, parameters, views, axes. Needs no torch."""

from __future__ import annotations

import platform
import shlex
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from kernels.curve import Curve
from kernels.lab.monitor import Monitor
from kernels.lab.parameters import Parameter, Value, WrongParameterError, unknown_parameter
from kernels.lab.result import Result, View
from kernels.lab.words import Words

Values = dict[str, Any]
NOTHING = Words("", "")
Measured = dict[str, tuple[tuple[Curve, ...], Words]]
"""The curves and the reading of each view, by its name: what the function of an experiment returns."""


@dataclass(frozen=True)
class ViewSpec:
    """One quantity that an experiment measures, and how its axes are scaled.

    `factors` is the range, against the first value, in which its change is predicted: as wide to either side as it
    may turn out, so that the range gives nothing away.
    """

    name: str
    title: Words
    log_y: bool = False
    factors: tuple[float, float] = (0.1, 10.0)


@dataclass(frozen=True)
class Reach:
    """The x axis of an experiment, known before it runs: where it begins and ends, in what, and on what scale; `first`
    says what stands at its beginning where that needs saying.
    """

    low: float
    high: float
    label: Words
    log: bool = False
    first: Words = NOTHING


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """An experiment by name. `function` is "module:function", which loads torch. It takes a monitor and the own
    parameters as keywords, and returns a `Measured`. `reach` says where its x axis goes for some values, `refuse`
    what combinations of values are too much for it, `names` what its curves will be called where that is not one for
    each of its first parameter.
    """

    name: str
    about: Words
    views: tuple[ViewSpec, ...]
    own: tuple[Parameter, ...]
    function: str
    reach: Callable[[Values], Reach]
    refuse: Callable[[Values], Words | None] = lambda _values: None
    names: Callable[[Values], tuple[str, ...]] | None = None

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters; where there are several views, also which one is shown."""
        if len(self.views) == 1:
            return self.own
        names = tuple(view.name for view in self.views)
        titles = Words(
            "what is drawn: " + "; ".join(f"{view.name} ({view.title.en})" for view in self.views),
            "vẽ gì: " + "; ".join(f"{view.name} ({view.title.vi})" for view in self.views),
        )
        return (*self.own, Parameter(name="of", kind="name", default=names[0], choices=names, help=titles))

    def parameter(self, name: str) -> Parameter:
        """The parameter of that name (or alias). Raises WrongParameterError, with what may have been meant."""
        for parameter in self.parameters:
            if name in (parameter.name, *parameter.aliases):
                return parameter
        raise unknown_parameter(self.name, name, (parameter.name for parameter in self.parameters))

    def values(self, given: Mapping[str, Any] | None = None) -> Values:
        """All values: those given, checked, and the defaults of the others. Raises WrongParameterError."""
        checked: dict[str, Value] = {}
        for name, value in (given or {}).items():
            parameter = self.parameter(name)
            checked[parameter.name] = parameter.check(value)
        values = {each.name: checked.get(each.name, each.default) for each in self.parameters}
        refusal = self.refuse(values)
        if refusal is not None:
            raise WrongParameterError(refusal)
        return values

    def curves(self, values: Values) -> tuple[str, ...]:
        """The labels of the curves that it will measure, guides left out."""
        if self.names is not None:
            return self.names(values)
        first = values[self.own[0].name]
        return tuple(map(str, first)) if isinstance(first, tuple) else (str(first),)

    def command(self, values: Values) -> str:
        """The command line that runs it with these values, every one of them named."""
        words = ["normtutor", "lab", self.name]
        for parameter in self.parameters:
            words += [parameter.option, parameter.text(values[parameter.name])]
        return shlex.join(words)

    def run(self, given: Mapping[str, Any] | None = None, monitor: Monitor | None = None) -> Result:
        """Measure. Raises WrongParameterError for a wrong value, and whatever `monitor` raises."""
        values = self.values(given)
        module, _colon, name = self.function.partition(":")
        function: Callable[..., Measured] = getattr(import_module(module), name)
        started = time.perf_counter()
        measured = function(monitor or Monitor(), **{each.name: values[each.name] for each in self.own})
        seconds = time.perf_counter() - started
        views = tuple(self.view(spec, values, *measured[spec.name]) for spec in self.views)
        device, versions = _surroundings()
        shown = str(values.get("of", views[0].name))
        return Result(self.name, values, views, shown, self.command(values), device, versions, seconds)

    def view(self, spec: ViewSpec, values: Values, curves: tuple[Curve, ...], reading: Words) -> View:
        """Curves and their reading with the title and the scales of a view."""
        reach = self.reach(values)
        return View(spec.name, spec.title, curves, reading, x_label=reach.label, log_x=reach.log, log_y=spec.log_y)


def _surroundings() -> tuple[str, dict[str, str]]:
    """The device that stacks live on, and the versions of what computed."""
    import torch

    from kernels.device import default_device

    device = default_device()
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"
    return name, {"python": platform.python_version(), "torch": torch.__version__}
