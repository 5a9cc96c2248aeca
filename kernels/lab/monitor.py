"""What an experiment tells of itself while it works. Needs no torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kernels.curve import Curve


class Monitor:
    """Hears how far an experiment is and sees its curves so far. Whatever a method raises stops the experiment.

    Between two calls of `progress` lies at most a fraction of a second, so that a stop is heard soon.
    """

    def progress(self, done: float, total: float) -> None:
        """`done` of `total` units of work are behind it; both count all of the experiment."""

    def curves(self, curves: Sequence[Curve]) -> None:
        """What has been measured of the experiment's first view so far."""


class Reporter(Monitor):
    """A monitor that hands on to functions."""

    def __init__(
        self,
        on_progress: Callable[[float, float], None] = lambda _done, _total: None,
        on_curves: Callable[[Sequence[Curve]], None] = lambda _curves: None,
    ) -> None:
        self._on_progress = on_progress
        self._on_curves = on_curves

    def progress(self, done: float, total: float) -> None:
        """Hand it on."""
        self._on_progress(done, total)

    def curves(self, curves: Sequence[Curve]) -> None:
        """Hand them on."""
        self._on_curves(curves)


class Work:
    """Counts the units of an experiment whose parts count by themselves."""

    def __init__(self, monitor: Monitor, total: float) -> None:
        self._monitor = monitor
        self._total = total
        self._done = 0.0

    def part(self, units: float) -> Callable[[float, float], None]:
        """A function (done, total) of the next `units` of work, which are behind once another part is asked for."""
        before = self._done
        self._done += units

        def progress(done: float, total: float) -> None:
            self._monitor.progress(before + units * done / total, self._total)

        return progress

    def step(self, units: float = 1.0) -> None:
        """These units are done."""
        self.part(units)(1, 1)
