"""The lab: experiments on depth, norms and number formats, run by `normtutor lab`, by the lab screen and by cells.

    experiment("hidden-variance", arch="pre,post", depth=96)

`catalogue` lists them as data and needs no torch. Only running one loads the module that measures.
"""

from __future__ import annotations

from typing import Any

from kernels.lab.monitor import Monitor
from kernels.lab.result import Result

__all__ = ["Monitor", "Result", "experiment"]


def experiment(name: str, /, *, monitor: Monitor | None = None, **given: Any) -> Result:
    """Run an experiment by name; parameters that are not given have their defaults.

    Several values are a tuple, or one text with commas. `show(result)` draws it, and so does a cell that ends with it.
    Raises WrongParameterError for a name or a value that there is not.
    """
    from kernels.lab.catalogue import EXPERIMENTS
    from kernels.lab.parameters import unknown_experiment

    if name not in EXPERIMENTS:
        raise unknown_experiment(name, EXPERIMENTS)
    return EXPERIMENTS[name].run(given, monitor)
