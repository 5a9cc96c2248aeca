"""The app over a small course, with a kernel whose answers the test decides."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tutor.runtime.device import Device
from tutor.runtime.outputs import Curves, Finished, Output, Stream
from tutor.runtime.session import State

COURSE = Path(__file__).parent / "course"


class ScriptedSession:
    """Stands in for the Jupyter session: what a run puts out, and how it ends, are set by the test."""

    def __init__(self, *, environment: Mapping[str, str] | None = None, on_change: Callable[[State], None]) -> None:
        self.environment = environment
        self.state = State.OFF
        self.detail = ""
        self.ran: list[str] = []
        self.asked: list[tuple[str, Mapping[str, Any]]] = []
        self.replies: dict[str, Mapping[str, Any]] = {}
        self.outputs: list[Output] = [Stream("stdout", "2\n")]
        self.finished = Finished("ok", 0.1)
        self.hold: asyncio.Event | None = None
        self.stopped = False
        self.gpu_bytes = 0
        self.released = 0
        self._changed = on_change

    def _to(self, state: State) -> None:
        self.state = state
        self._changed(state)

    async def start(self) -> None:
        self._to(State.READY)

    async def run(
        self,
        code: str,
        *,
        name: str = "cell",
        expressions: Mapping[str, str] | None = None,
        on_output: Callable[[Output], None],
    ) -> Finished:
        self.ran.append(code)
        self._to(State.BUSY)
        for output in self.outputs:
            on_output(output)
        if self.hold is not None:
            await self.hold.wait()
        self._to(State.DEAD if self.finished.ending == "died" else State.READY)
        return self.finished

    async def interrupt(self) -> None:
        self.finished = Finished("interrupted", 1.0)
        if self.hold is not None:
            self.hold.set()

    async def ask(self, kind: str, content: Mapping[str, Any]) -> Mapping[str, Any]:
        self.asked.append((kind, content))
        return self.replies.get(kind, {})

    async def restart(self) -> None:
        self._to(State.READY)

    async def stop(self) -> None:
        self.stopped = True
        self._to(State.OFF)

    async def release(self) -> None:
        self.released += 1


CURVES = Curves(
    {
        "version": 1,
        "title": "",
        "log_x": False,
        "log_y": True,
        "curves": [
            {"label": "post-norm", "arch": "post", "x": list(range(49)), "y": [1.0] * 49},
            {"label": "pre-norm", "arch": "pre", "x": list(range(49)), "y": [1.0 + layer for layer in range(49)]},
        ],
    },
    "two curves",
)


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A home and a course of the test's own; no GPU; the scripted session."""
    monkeypatch.setenv("NORMTUTOR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NORMTUTOR_COURSE", str(COURSE))
    monkeypatch.setenv("NORMTUTOR_TRUST", "1")  # the course is ours
    monkeypatch.delenv("TEXTUAL_THEME", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr("tutor.runtime.session.Session", ScriptedSession)
    monkeypatch.setattr("tutor.runtime.device.choose", lambda *_: Device(kind="cpu", triton="interpreted"))
