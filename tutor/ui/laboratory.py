"""The lab as the app holds it: its process, the experiment under way, and the runs so far."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from textual.worker import WorkerError

from tutor.text.i18n import _
from tutor.ui import faults
from tutor.ui.messages import LabEnded, LabMoved

if TYPE_CHECKING:  # all of these are imported when they are needed, after the first paint
    from textual.worker import Worker

    from kernels.lab.parameters import Value
    from kernels.lab.spec import Experiment
    from tutor.runtime.lab import Lab
    from tutor.ui.app import TutorApp
    from tutor.ui.lab_run import Run


@dataclass
class UnderWay:
    """An experiment that runs: how far it is, and what it has measured so far. The screen reads it, nobody waits."""

    experiment: Experiment
    values: dict[str, Value]
    sketch: dict[str, Any] | None
    started: float = field(default_factory=time.monotonic)
    begun: float = 0.0
    """When it first said how far it is: until then torch is loaded."""
    done: float = 0.0
    total: float = 0.0
    curves: list[dict[str, Any]] = field(default_factory=list)


class Laboratory:
    """Its methods start workers of the app and return at once; screens are told what happened by messages."""

    def __init__(self, app: TutorApp) -> None:
        self._app = app
        self._lab: Lab | None = None
        self._worker: Worker[None] | None = None
        self._loading: Worker[None] | None = None
        self.running: UnderWay | None = None

    def open(self) -> None:
        """The lab is on the screen: have torch loaded by the time that an experiment is chosen."""
        if self.running is None:
            self._loading = self._app.run_worker(self._load(), group="lab", exclusive=True)

    async def _load(self) -> None:
        from tutor.runtime.lab import LabError

        try:
            await self._process().load()
        except LabError:
            return  # the first run says it

    def _process(self) -> Lab:
        from tutor.runtime.lab import Lab

        if self._lab is None:
            self._lab = Lab(self._app.python.device)
        return self._lab

    def run(self, experiment: Experiment, values: dict[str, Value], sketch: dict[str, Any] | None = None) -> None:
        """Run an experiment, unless another runs."""
        if self.running is not None:
            self._app.notify(_("An experiment is running; esc cancels it."))
            return
        self.running = UnderWay(experiment, values, sketch)
        self._worker = self._app.run_worker(self._run(self.running, self._loading), group="runs")

    async def _run(self, under_way: UnderWay, loading: Worker[None] | None) -> None:
        from tutor.runtime.lab import LabError
        from tutor.ui.lab_run import BAD, Run

        def progress(done: float, total: float) -> None:
            under_way.begun = under_way.begun or time.monotonic()
            under_way.done, under_way.total = done, total
            self._app.tell(LabMoved())

        def curves(found: list[dict[str, Any]]) -> None:
            under_way.curves = found
            self._app.tell(LabMoved())

        run, trouble = None, ""
        try:
            if loading is not None:  # the process answers one thing at a time
                with contextlib.suppress(WorkerError):
                    await loading.wait()
            result = await self._process().measure(under_way.experiment.name, under_way.values, progress, curves)
            run = Run.of({**result, "sketch": under_way.sketch})
        except LabError as error:
            trouble = str(error)
        except asyncio.CancelledError:
            trouble = _("Cancelled.")
            raise
        except BAD as error:  # ours: the run is over as far as the app can tell, and nothing else is lost
            trouble = faults.reported(error)
        finally:
            self.running = None
            if run is not None:
                self._keep(run)
            self._app.tell(LabEnded(run, trouble))

    def _keep(self, run: Run) -> None:
        """Write it down, and have it among the runs."""
        from tutor.memory import events

        study = self._app.study
        if study is not None:
            run.event = study.record(events.LAB, **run.to_journal()).id

    @property
    def runs(self) -> list[Run]:
        """The runs so far, newest first, of this session and of earlier ones."""
        from tutor.ui.lab_run import Run

        study = self._app.study
        if study is None:
            return []
        found = [Run.remembered(event, entry) for event, entry in reversed(study.progress.lab)]
        return [run for run in found if run is not None]

    def cancel(self) -> None:
        """The experiment is not wanted any more: its process ends at once, and the next one is got ready."""
        if self.running is not None and self._worker is not None:
            self._worker.cancel()

    def leave(self) -> None:
        """The lab is left: its process gives back its memory, and the GPU."""
        self.cancel()
        self._app.run_worker(self.close(), group="lab", exclusive=True)

    async def close(self) -> None:
        """End the process."""
        if self._lab is not None:
            await self._lab.stop()
