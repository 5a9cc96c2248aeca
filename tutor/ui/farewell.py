"""The end of the app, however it comes: drafts written, processes ended, the journal closed. Once, and to the end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tutor.ui import faults, signals

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from tutor.ui.app import TutorApp


class Farewell:
    """Whoever wants the app to end waits for the same end: a second signal must not cut the first one's work short."""

    def __init__(self, app: TutorApp, *, last: bool) -> None:
        """`last`: whether the process ends with the app."""
        self._app = app
        self._last = last
        self._task: asyncio.Task[None] | None = None

    async def said(self) -> None:
        """Begin, unless that has happened, and wait until everything is written and nothing is left running."""
        if self._task is None:
            self._task = asyncio.create_task(self._say())
        await asyncio.shield(self._task)

    async def _say(self) -> None:
        app = self._app
        for screen in app.screens():
            try:
                screen.farewell()
            except Exception as error:  # ours: what the other screens hold is written all the same
                faults.write_report(error)
        await self._all(app.python.stop(), app.judge.close(), app.laboratory.close())
        if app.study is not None:
            await self._all(asyncio.to_thread(app.study.close))
            await self._all(app.reviewing.remember())
        if self._last:
            signals.ended()

    async def _all(self, *ends: Awaitable[None]) -> None:
        """Each of them, whatever becomes of the others."""
        for result in await asyncio.gather(*ends, return_exceptions=True):
            if isinstance(result, Exception):
                faults.write_report(result)
