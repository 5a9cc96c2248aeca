"""The GPU as the app watches over it: who holds how much of it, and when it is given back.

NVML may wait for the driver, so it is asked in a thread, seldom, and never again once it has failed. The screen is told
only of what it would show differently.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from tutor.text.i18n import _
from tutor.ui.messages import KernelChanged

if TYPE_CHECKING:
    from tutor.runtime.device import Device
    from tutor.runtime.holding import Holding
    from tutor.ui.app import TutorApp

LOOK_EVERY = 15.0
"""Seconds between two looks at the GPU."""
RELEASE_AFTER = 60.0
"""Seconds without a run after which torch gives back what no variable holds."""


class Gpu:
    """Begins to watch when there is a GPU; on a CPU it does nothing."""

    def __init__(self, app: TutorApp) -> None:
        self._app = app
        self.holding: Holding | None = None
        self.rests = False
        """Whether Python was ended to give the GPU back; the next run starts it again."""
        self._device: Device | None = None
        self._used = time.monotonic()
        self._released = False
        self._failed = False

    def begin(self, device: Device) -> None:
        """Watch this GPU from now on."""
        if device.kind != "cuda":
            return
        self._device = device
        self._app.set_interval(LOOK_EVERY, self.look)
        self.look()

    def used(self) -> None:
        """Something has run, or is about to."""
        self._used, self._released = time.monotonic(), False

    def look(self) -> None:
        """Look at the GPU, and give back what has been idle for long."""
        if self._device is not None:
            self._app.run_worker(self._look(self._device), group="gpu", exclusive=True)

    async def _look(self, device: Device) -> None:
        await self._give_back()
        session = self._app.python.session
        if self._failed:
            return
        from tutor.runtime import holding

        held = session.gpu_bytes if session is not None else 0
        found = await asyncio.to_thread(holding.look, device, torch_holds=held)
        self._failed = found is None
        before, self.holding = self.holding, found
        if _shown(before) != _shown(found):
            self._app.post_message(KernelChanged())

    async def _give_back(self) -> None:
        app = self._app
        session = app.python.session
        if session is None or any(each.running is not None for each in (app.python, app.judge, app.laboratory)):
            self.used()
            return
        idle = time.monotonic() - self._used
        if idle >= RELEASE_AFTER and not self._released:
            self._released = True
            await session.release()
        minutes = app.preferences.settings.idle_minutes
        if self.rests or not minutes or idle < 60 * minutes:
            return
        # The judge and the lab start again when they are asked for something, and have nothing to lose.
        await asyncio.gather(app.judge.close(), app.laboratory.close())
        if session.gpu_bytes:
            self.rests = True
            await session.stop()
            app.notify(
                _("{minutes} minutes without a run: the GPU is given back, and Python's variables with it.").format(
                    minutes=minutes
                ),
                timeout=20,
            )

    async def wake(self) -> str:
        """Start Python again if it was ended to give the GPU back; what is to be said of it then."""
        self.used()
        session = self._app.python.session
        if not self.rests or session is None:
            return ""
        self.rests = False
        await session.start()
        return _("Python had given the GPU back and has started again: variables of earlier cells are gone.")


def words(device: Device, holding: Holding | None, *, brief: bool) -> str:
    """Which GPU, and who holds how much of it."""
    from tutor.runtime.gpu_faults import gib
    from tutor.runtime.wish import name

    if holding is None and brief:
        return f"GPU {name(device)} · " + _("{free} free").format(free=gib(device.free_bytes))
    if holding is None:
        return f"{device.name} #{name(device)} · " + _("{free} free").format(free=gib(device.free_bytes))
    if brief:
        return f"GPU {name(device)} · " + _("ours {ours} · {free} free").format(
            ours=gib(holding.ours), free=gib(holding.free)
        )
    return f"GPU {name(device)} · " + _("ours {ours}, others {others}, {free} free").format(
        ours=gib(holding.ours), others=gib(holding.others), free=gib(holding.free)
    )


def _shown(holding: Holding | None) -> tuple[int, ...] | None:
    """What of it is worth bytes: our own memory in tenths of a GiB, the rest in whole ones."""
    if holding is None:
        return None
    return holding.ours * 10 >> 30, holding.others >> 30, holding.free >> 30
