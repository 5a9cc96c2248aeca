"""The learner's Python as the app holds it: found a device for, started after the first paint, one cell at a time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tutor.text.i18n import _
from tutor.ui import faults
from tutor.ui.gpu import Gpu
from tutor.ui.messages import CellFinished, CellStarted, KernelChanged

if TYPE_CHECKING:  # all of these are imported when they are needed, after the first paint
    from tutor.runtime.device import Device
    from tutor.runtime.session import Session, State
    from tutor.ui.app import TutorApp
    from tutor.ui.steps.base import RunAsked
    from tutor.ui.widgets.editor import Editor


class Python:
    """Its methods start workers of the app and return at once; screens are told what happened by messages."""

    def __init__(self, app: TutorApp) -> None:
        self._app = app
        self.device: Device | None = None
        self.session: Session | None = None
        self.gpu = Gpu(app)
        self.running: str | None = None
        """The step whose cell runs."""

    def begin(self) -> None:
        """Find the device and start the kernel on it."""
        self._app.run_worker(self._begin(), group="kernel")

    async def _begin(self) -> None:
        from tutor.runtime import device

        self.device = await asyncio.to_thread(device.choose)
        self._app.post_message(KernelChanged())
        from tutor.runtime.session import Session

        self.session = Session(environment=device.child_environment(self.device), on_change=self._changed)
        self.gpu.begin(self.device)
        await self.session.start()

    def _changed(self, state: State) -> None:
        from tutor.runtime.session import State

        if state is State.STARTING and self._app.study is not None:
            self._app.study.figures.new_python()
        self._app.post_message(KernelChanged())

    def run(self, asked: RunAsked) -> None:
        """Run the code of a step's cell, unless another runs."""
        if self.running is not None:
            self._app.notify(_("A cell is running; ctrl+c stops it."))
            return
        self.running = asked.step.id
        self._app.run_worker(self._run(asked), group="cells")

    async def _run(self, asked: RunAsked) -> None:
        import msgspec

        from tutor.runtime.outputs import Finished

        study = asked.study or self._app.study
        assert study is not None
        run = study.state(asked.step).run
        run.begin(changed_code=asked.changed)
        self._app.tell(CellStarted(asked.step.id))
        finished = Finished("unavailable", 0.0, detail=_("Python has not started yet."))
        try:
            note = await self.gpu.wake()
            if self.session is not None:
                finished = await self.session.run(
                    asked.code, name=asked.step.id, expressions=asked.expressions, on_output=run.take
                )
                if finished.ending == "error" and asked.before and not finished.fault:
                    for name, code in asked.before:
                        await self.session.run(code, name=name, on_output=lambda _output: None)
                    run.begin(changed_code=asked.changed)
                    finished = await self.session.run(
                        asked.code, name=asked.step.id, expressions=asked.expressions, on_output=run.take
                    )
            if note:
                finished = msgspec.structs.replace(finished, detail=f"{note} {finished.detail}".strip())
        except Exception as error:  # ours: the cell is over as far as the app can tell, and nothing else is lost
            finished = Finished("error", 0.0, detail=faults.reported(error))
        finally:
            self.running = None
            self.gpu.used()
            self.gpu.look()
            verdict = study.ran(asked.step, finished)
            self._app.tell(CellFinished(asked.step.id, finished, verdict))

    def assist(self, asked: Editor.Asked) -> None:
        """Find out how a name may go on, or what it is, and tell the editor."""
        self._app.run_worker(self._assist(asked), group="assistance", exclusive=True)

    async def _assist(self, asked: Editor.Asked) -> None:
        from tutor.runtime import assistance

        if self.session is None or self.running is not None:
            asked.editor.explain(asked, _("Python is busy or starting: no help with names just now"))
        elif asked.about:
            asked.editor.explain(asked, await assistance.about(self.session, asked.code, asked.cursor))
        else:
            asked.editor.offer(asked, await assistance.complete(self.session, asked.code, asked.cursor))

    def interrupt(self) -> None:
        """Stop the cell that runs."""
        if self.running is not None and self.session is not None:
            self._app.run_worker(self.session.interrupt(), group="interrupt", exclusive=True)

    def restart(self) -> None:
        """Start the kernel again: variables are lost."""
        if self.session is None:
            return
        self._app.notify(_("Python starts again; variables are gone, what you typed stays."))
        self._app.run_worker(self._restart(self.session), group="kernel", exclusive=True)

    async def _restart(self, session: Session) -> None:
        from tutor.runtime.session import State

        self.gpu.rests = False
        self.gpu.used()
        if session.state in (State.OFF, State.FAILED):
            await session.start()
        else:
            await session.restart()

    async def stop(self) -> None:
        """End the kernel and all that it started."""
        if self.session is not None:
            await self.session.stop()
